"""CBRAP: the law of the projection, ties and awkward features."""

import dataclasses

import gymnasium
import numpy as np
import pytest
from scipy import stats

import agents
from banditgym.tasks import LinearTask


def _task(dim, n_arms, fixed=False):
    return LinearTask(
        n_arms=n_arms, dim=dim, horizon=99, noise_std=0.1, subgaussian=0.1, feature_norm=None,
        param_norm=1.0, fixed_arms=fixed,
    )  # fmt: skip


def test_the_projection_is_normal_and_a_replicate_s_own():
    """Entries N(0, 1/m), 40,000 of them: Kolmogorov and Smirnov's test at 1e-6, rows and columns
    uncorrelated within 5 / sqrt(200) standard deviations."""
    agent = agents.CBRAP(size=10).reset(_task(20, 3), n=200, seed=4)
    assert agent.projection.shape == (200, 10, 20)
    entries = agent.projection.ravel()
    assert stats.kstest(entries * np.sqrt(10), "norm").pvalue > 1e-6
    first = agent.projection[:, 0, 0]
    for other in (agent.projection[:, 0, 1], agent.projection[:, 1, 0], np.roll(first, 1)):
        assert abs(np.corrcoef(first, other)[0, 1]) < 5 / np.sqrt(200)


def test_the_projection_is_the_seed_s_and_stays():
    agent = agents.CBRAP(size=3)
    task = _task(6, 4)
    together = agent.reset(task, n=3, seed=[7, 8, 9]).projection.copy()
    np.testing.assert_array_equal(agent.reset(task, n=1, seed=[8]).projection[0], together[1])
    x = np.random.default_rng(0).standard_normal((1, 4, 6))
    for _ in range(3):
        agent.observe(x, agent.act(x), np.ones(1))
    np.testing.assert_array_equal(agent.projection[0], together[1])


def test_many_more_directions_than_features_lose_nothing():
    """P^T P is I but for 1/sqrt(m), while one direction of five leaves a linear regret. Mean regret
    of 20 seeds, with its standard error: LinUCB 2.0 (0.2), m = 200 2.3 (0.2), m = 1 110 (10)."""
    env = gymnasium.make_vec(
        "LinearBandit-v0", num_envs=20, dim=5, n_arms=6, horizon=300, noise_std=0.1
    )
    plain, many, one = (
        agents.play(env, agent).regret[:, -1].mean()
        for agent in (agents.LinUCB(alpha=0.3), agents.CBRAP(alpha=0.3, size=200),
                      agents.CBRAP(alpha=0.3, size=1))
    )  # fmt: skip
    assert many < 2 * plain
    assert one > 20 * plain


def test_a_task_whose_projected_features_may_be_too_long_is_refused():
    """Features of up to 3e12 may be learned with a ridge of 1, and projected ones may be longer."""
    task = dataclasses.replace(_task(400, 3), feature_norm=1e12)
    agents.LinUCB().reset(task, n=1)
    with pytest.raises(ValueError, match="features may be as long as .*e.13"):
        agents.CBRAP(size=5).reset(task, n=1)
    agents.CBRAP(size=5).reset(dataclasses.replace(task, feature_norm=1e11), n=1)


@pytest.mark.parametrize("fixed", [False, True])
def test_equal_arms_are_a_tie_and_go_to_the_lowest(fixed):
    arms = np.array([[0.3, 0.1], [0.0, 2.0], [0.0, 2.0], [0.3, 0.1]])
    agent = agents.CBRAP(alpha=0.5, size=2).reset(_task(2, 4, fixed))
    played = set()
    for reward in (1.0, 0.3, -0.2, -0.5):
        arm = agent.act(arms)
        played.add(arm)
        agent.observe(arms, arm, reward)
    assert played <= {0, 1}


@pytest.mark.parametrize("length", [0.0, 1e-3, 1e3])
@pytest.mark.parametrize("size", [1, 4])
def test_awkward_features_give_numbers(length, size):
    """All zero, short, long; nearly parallel."""
    rng = np.random.default_rng(1)
    agent = agents.CBRAP(size=size, ridge=1e-3).reset(_task(3, 5), n=2)
    for _ in range(100):
        x = length * (np.ones(3) + 1e-9 * rng.standard_normal((2, 5, 3)))
        agent.observe(x, agent.act(x), rng.standard_normal(2))
        assert np.isfinite(agent.model.mean).all()
        assert np.all(agent.model.variance >= -1e-9)


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"size": 0}, "size.*0"),
        ({"size": 2.0}, "size.*2.0"),
        ({"alpha": -0.1}, "alpha.*-0.1"),
        ({"alpha": float("nan")}, "alpha.*nan"),
        ({"ridge": 0.0}, "ridge.*0.0"),
        ({"ridge": float("nan")}, "ridge.*nan"),
    ],
)
def test_bad_hyperparameters_are_named_with_their_value(given, message):
    with pytest.raises(ValueError, match=message):
        agents.CBRAP(**given)


def test_it_keeps_the_contract_with_few_directions():
    agents.check_agent(agents.CBRAP(size=1))
    agents.check_agent(agents.CBRAP(size=2, alpha=0.2))
