"""InverseGapWeighting: the law of its arms, and what it refuses."""

import gymnasium
import numpy as np
import pytest
from scipy import stats

import agents


@pytest.mark.parametrize("missing", [None, 3])
def test_arms_follow_inverse_gap_weighting(missing):
    """Chi-square over 20 000 replicates at level 1e-5.

    Power: another rule's p, such as one with K + 1 in place of K, differs by a sixth of p, about
    0.02 of 0.1: noncentrality at least 20 000 * 0.0004 / 0.1 = 80 for one arm alone.
    """
    n, n_arms, dim = 20_000, 5, 3
    settings = {"n_arms": n_arms, "dim": dim, "contexts": "ball"}
    if missing is not None:
        settings["available"] = [[0, [k for k in range(n_arms) if k != missing]]]
    task = gymnasium.make("LinearBandit-v0", **settings).unwrapped.task
    agent = agents.InverseGapWeighting(gamma_scale=3.0, gamma_exponent=0.4, ridge=0.5)
    agent.reset(task, n=n, seed=3)
    rng = np.random.default_rng(0)
    x, rewards = rng.standard_normal((n_arms, dim)), rng.standard_normal(n_arms)
    shown = np.tile(x, (n, 1, 1))
    if missing is not None:
        there = np.ones((n, n_arms), np.int8)
        there[:, missing] = 0
        shown = {"arms": shown, "action_mask": there}
    gram, moment = 0.5 * np.eye(dim), np.zeros(dim)
    for arm in range(n_arms):
        agent.observe(shown, np.full(n, arm), np.full(n, rewards[arm]))
        gram, moment = gram + np.outer(x[arm], x[arm]), moment + rewards[arm] * x[arm]
    mean = x @ np.linalg.solve(gram, moment)
    there = np.array([k for k in range(n_arms) if k != missing])
    p, best = np.zeros(n_arms), there[np.argmax(mean[there])]
    p[there] = 1 / (len(there) + 3.0 * 6**0.4 * (mean[best] - mean[there]))
    p[best] = 0.0
    p[best] = 1 - p.sum()
    pulls = np.bincount(agent.act(shown), minlength=n_arms)
    assert (pulls[p == 0] == 0).all()
    assert n * p[p > 0].min() > 50
    assert stats.chisquare(pulls[p > 0], n * p[p > 0]).pvalue > 1e-5


def test_of_two_arms_it_draws_too():
    """Each is played with probability 1/2: 400 draws have a deviation of 1/40; the band is five."""
    task = gymnasium.make("LinearBandit-v0", n_arms=2, dim=3).unwrapped.task
    agent = agents.InverseGapWeighting().reset(task, n=400, seed=3)
    x = np.tile(np.random.default_rng(0).standard_normal((2, 3)), (400, 1, 1))
    assert abs(agent.act(x).mean() - 0.5) < 5 / 40


def test_features_that_are_too_long_are_refused():
    task = gymnasium.make("LinearBandit-v0", n_arms=3, dim=2).unwrapped.task
    agent = agents.InverseGapWeighting().reset(task, n=2)
    with pytest.raises(ValueError, match="a feature of replicate 1"):
        agent.act(np.stack([np.ones((3, 2)), np.full((3, 2), 1e200)]))


@pytest.mark.parametrize(
    ("given", "named"),
    [
        ({"gamma_scale": 0.0}, "gamma_scale"),
        ({"gamma_exponent": -0.5}, "gamma_exponent"),
        ({"gamma_exponent": float("nan")}, "gamma_exponent"),
        ({"ridge": 0.0}, "ridge"),
    ],
)
def test_bad_hyperparameters_are_named_with_their_value(given, named):
    with pytest.raises(ValueError, match=f"{named}.*{next(iter(given.values()))}"):
        agents.InverseGapWeighting(**given)
