"""LinTS against the law that it samples."""

import itertools
import math

import gymnasium
import numpy as np
import pytest
from scipy import stats

import agents
from banditgym.tasks import LinearTask

RIDGE = 0.7


def _history(n, arms, rewards, features, **given):
    """n replicates that differ in their seed alone, all with the same past."""
    task = LinearTask(
        n_arms=len(features), dim=features.shape[1], horizon=99, noise_std=0.5, subgaussian=0.5,
        feature_norm=None, param_norm=1.0,
    )  # fmt: skip
    agent = agents.LinTS(**given).reset(task, n=n, seed=5)
    shown = np.tile(features, (n, 1, 1))
    for arm, reward in zip(arms, rewards, strict=True):
        agent.observe(shown, np.full(n, arm), np.full(n, reward))
    return agent, shown


@pytest.mark.parametrize(
    ("given", "v", "scale"),
    [
        ({"scale": 0.8}, 0.8, 1.0),
        ({"scale": "theory", "delta": 0.2}, 0.5 * math.sqrt(9 * 3 * math.log(6 / 0.2)), 6.0),
        ({}, 0.5, 0.6),
    ],
    ids=["constant", "paper", "posterior"],
)
def test_arms_are_played_as_often_as_the_posterior_says(given, v, scale):
    """P(arm 0 beats arm 1) = Phi(difference of means / (v sqrt(u^T V^-1 u))), u = x_0 - x_1.

    The test knows nothing of the root or the stream: 20 000 replicates, a two-sided exact binomial
    test at level 1e-6, 4.9 standard deviations; a width 5 % too large moves the share by 5.6.
    """
    n = 20_000
    features = np.array([[1.0, 0.5, -0.3], [-0.2, 0.9, 0.4]])
    arms, rewards = [0, 1, 1, 0, 1], scale * np.array([0.2, 1.9, 1.2, 0.1, 1.4])
    agent, shown = _history(n, arms, rewards, features, ridge=RIDGE, **given)
    x = features[arms]
    gram = RIDGE * np.eye(3) + x.T @ x
    theta = np.linalg.solve(gram, x.T @ rewards)
    u = features[0] - features[1]
    p = stats.norm.cdf(u @ theta / (v * math.sqrt(u @ np.linalg.solve(gram, u))))
    played = int((agent.act(shown) == 0).sum())
    assert stats.binomtest(played, n, p).pvalue > 1e-6


def test_every_decision_draws_a_sample_of_its_own_observed_or_not():
    features = np.array([[1.0, 0.0], [0.0, 1.0]])
    agent, shown = _history(2000, [], [], features)
    played = [agent.act(shown), agent.act(shown)]
    agent.observe(shown, played[0], np.zeros(2000), observed=np.zeros(2000, bool))
    played.append(agent.act(shown))
    # Now both arms are seen once each with reward 0: all is symmetric, and choices of different
    # decisions agree with probability 1/2: 1000 +- 5 * 22.4.
    for arm in (0, 1):
        agent.observe(shown, np.full(2000, arm), np.zeros(2000))
    played.append(agent.act(shown))
    for one, other in itertools.combinations(played, 2):
        assert abs((one == other).sum() - 1000) < 112


def test_heavy_tails_fall_back_to_the_standard_deviation():
    env = gymnasium.make_vec(
        "LinearBandit-v0", num_envs=3, noise="student_t", noise_std=0.2, horizon=60
    )
    given = agents.play(env, agents.LinTS(noise_std=0.2))
    taken = agents.play(env, agents.LinTS())
    np.testing.assert_array_equal(given.regret, taken.regret)
    assert agents.LinTS().facts() == ("noise_std",)
    assert agents.LinTS(noise_std=0.2).facts() == ()


@pytest.mark.parametrize(
    ("given", "named"),
    [
        ({"scale": -1.0}, "scale"),
        ({"scale": float("nan")}, "scale"),
        ({"ridge": 0.0}, "ridge"),
        ({"delta": 0.0}, "delta"),
        ({"delta": 1.0}, "delta"),
        ({"delta": float("nan")}, "delta"),
        ({"noise_std": -0.1}, "noise_std"),
        ({"noise_std": float("nan")}, "noise_std"),
    ],
)
def test_bad_hyperparameters_are_named_with_their_value(given, named):
    with pytest.raises(ValueError, match=f"{named}.*{next(iter(given.values()))}"):
        agents.LinTS(**given)


def test_one_feature_that_is_not_finite_is_refused():
    task = gymnasium.make("LinearBandit-v0", n_arms=3, dim=2).unwrapped.task
    agent, x = agents.LinTS().reset(task, n=2), np.ones((2, 3, 2))
    x[1, 2, 0] = np.inf
    with pytest.raises(ValueError, match="a feature of replicate 1 is not finite"):
        agent.act(x)
