"""DisjointLinTS: the law of its samples, and what it refuses."""

import gymnasium
import numpy as np
import pytest
from scipy import stats

import agents


def test_arms_are_drawn_by_independent_posteriors():
    """Two arms with posteriors N(m_k, v^2 s_k^2) of their rewards: arm 0 is played with the
    probability that a normal of mean m_0 - m_1 and variance v^2 (s_0^2 + s_1^2) is positive.

    The count in 20 000 replicates is within five standard deviations. If the arms shared their
    draws, as in MABWiser, the variance would be v^2 (s_0 - s_1)^2, and the arm nearly certain.
    """
    n, scale, ridge = 20_000, 0.5, 0.7
    task = gymnasium.make("LinearBandit-v0", n_arms=2, dim=3).unwrapped.task
    agent = agents.DisjointLinTS(scale=scale, ridge=ridge).reset(task, n=n, seed=3)
    rng = np.random.default_rng(0)
    shown, rewards = rng.standard_normal((8, 2, 3)), rng.standard_normal(8)
    gram, moment = np.tile(ridge * np.eye(3), (2, 1, 1)), np.zeros((2, 3))
    for t, (x, reward) in enumerate(zip(shown, rewards, strict=True)):
        arm = t % 2
        agent.observe(np.tile(x, (n, 1, 1)), np.full(n, arm), np.full(n, reward))
        gram[arm] += np.outer(x[arm], x[arm])
        moment[arm] += reward * x[arm]
    x = rng.standard_normal((2, 3))
    mean = [x[k] @ np.linalg.solve(gram[k], moment[k]) for k in range(2)]
    variance = scale**2 * sum(x[k] @ np.linalg.solve(gram[k], x[k]) for k in range(2))
    p = stats.norm.cdf((mean[0] - mean[1]) / np.sqrt(variance))
    assert 0.1 < p < 0.9
    played = (agent.act(np.tile(x, (n, 1, 1))) == 0).sum()
    assert abs(played - n * p) < 5 * np.sqrt(n * p * (1 - p))


def test_without_scale_it_is_greedy():
    env = gymnasium.make_vec("LinearBandit-v0", num_envs=4, n_arms=3, dim=3, horizon=60)
    plays = [
        agents.play(env, agent).pulls.tolist()
        for agent in (agents.DisjointLinTS(scale=0.0), agents.DisjointLinUCB(alpha=0.0))
    ]
    assert plays[0] == plays[1]


@pytest.mark.parametrize(
    ("given", "named"),
    [({"scale": -1.0}, "scale"), ({"scale": float("nan")}, "scale"), ({"ridge": 0.0}, "ridge")],
)
def test_bad_hyperparameters_are_named_with_their_value(given, named):
    with pytest.raises(ValueError, match=f"{named}.*{next(iter(given.values()))}"):
        agents.DisjointLinTS(**given)
