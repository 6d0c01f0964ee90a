"""LinMED: the law of its arms, and what it refuses."""

import gymnasium
import numpy as np
import pytest
from scipy import stats

import agents

N = 20_000


def _pulls(x, **given):
    """How often the arms x (K, d) are played first, and after rewards of arms 0 and 1.

    With the probabilities (N, K) of the latter that the agent gives.
    """
    n_arms, dim = x.shape
    task = gymnasium.make("LinearBandit-v0", n_arms=n_arms, dim=dim).unwrapped.task
    agent = agents.LinMED(ridge=0.5, radius=1.0, **given).reset(task, n=N, seed=3)
    shown = np.tile(x, (N, 1, 1))
    first = np.bincount(agent.act(shown), minlength=n_arms)
    for arm, reward in ((0, 1.0), (1, 0.2)) * 4:
        agent.observe(shown, np.full(N, arm), np.full(N, reward))
    told = agent.propensities(shown)
    return first, np.bincount(agent.act(shown), minlength=n_arms), told


def test_arms_follow_their_probabilities():
    """Chi-square over 20 000 replicates at level 1e-5, in the first round and after eight rewards.

    Corners have the design 1 / 3 each, however they are scaled. Power: without f the weights of
    arms 1 and 2 would be equal, which p here are not, by a factor above 1.5.
    """
    x = np.eye(3)
    first, later, told = _pulls(x, design_share=0.3, best_share=0.4)
    assert stats.chisquare(first).pvalue > 1e-5
    gram, moment = np.diag([4.5, 4.5, 0.5]), np.array([4.0, 0.8, 0.0])
    mean, inverse = moment / np.diag(gram), np.linalg.inv(gram)
    gap, apart = mean[0] - mean, x - x[0]
    norm = np.array([1.0, *(one @ inverse @ one for one in apart[1:])])
    f = np.exp(-(gap**2) / norm)
    p = f * (0.3 / 3 + 0.3 / 3 + 0.4 * (np.arange(3) == 0))
    p /= p.sum()
    assert p[2] > 1.5 * p[1]
    assert stats.chisquare(later, N * p).pvalue > 1e-5
    np.testing.assert_allclose(told, np.tile(p, (N, 1)), atol=1e-12)


@pytest.mark.parametrize(("square", "apart"), [(0.9e-6, False), (1.5e-6, True)])
def test_arms_all_but_in_the_span_of_others_have_no_share_of_the_design(square, apart):
    """The limit is a squared distance of 1e-6 times the largest squared length."""
    x = np.array([[1.0, 0.0], [1.0, 0.0], [1.0, np.sqrt(square)]])
    task = gymnasium.make("LinearBandit-v0", n_arms=3, dim=2).unwrapped.task
    agent = agents.LinMED(design_share=0.3, best_share=0.0).reset(task, n=1)
    design = [0.5, 0.0, 0.5] if apart else [0.0, 0.0, 1.0]  # the longest alone
    np.testing.assert_allclose(agent.propensities(x[None])[0], 0.3 * np.array(design) + 0.7 / 3)


def test_shares_may_be_zero():
    agent = agents.LinMED(design_share=0.0, best_share=0.0)
    assert (agent.design_share, agent.best_share) == (0.0, 0.0)


def test_arms_without_features_are_uniform():
    first, *_ = _pulls(np.zeros((4, 2)))
    assert stats.chisquare(first).pvalue > 1e-5


@pytest.mark.parametrize(
    ("given", "named"),
    [
        ({"design_share": -0.1}, "design_share"),
        ({"best_share": 1.0}, "best_share"),
        ({"best_share": float("nan")}, "best_share"),
        ({"best_share": 0.75, "design_share": 0.25}, "best_share"),
        ({"ridge": 0.0}, "ridge"),
        ({"delta": 1.0}, "delta"),
        ({"radius": 0.0}, "radius"),
    ],
)
def test_bad_hyperparameters_are_named_with_their_value(given, named):
    with pytest.raises(ValueError, match=f"{named}.*{next(iter(given.values()))}"):
        agents.LinMED(**given)
