"""PhasedElimination: its phases, its guarantee, and what it refuses."""

import gymnasium
import numpy as np
import pytest
from scipy import stats

import agents


def _play(n, rounds, **given):
    settings = {"n_arms": 8, "dim": 3, "fixed_arms": True, "contexts": "ball", "noise_std": 0.5}
    env = gymnasium.make_vec("LinearBandit-v0", num_envs=n, horizon=rounds, **settings)
    agent = agents.PhasedElimination(**given)
    agents.play(env, agent)
    return agent, env.unwrapped


def test_the_best_arm_is_kept():
    """The best arm is dropped with probability delta at most: of 300 independent seeds
    Binomial(300, 0.1) exceeds its 1 - 1e-6 quantile with probability below 1e-6."""
    n, delta = 300, 0.1
    agent, env = _play(n, 3000, delta=delta)
    mean = np.einsum("ndk,nd->nk", env._fixed[0], env._theta)
    kept = agent.model.active[np.arange(n), mean.argmax(axis=1)]
    assert (~kept).sum() <= stats.binom.ppf(1 - 1e-6, n, delta)
    assert agent.model.active.mean() < 0.7  # others are dropped
    assert agent.model.phase.mean() > 3


def test_an_arm_that_is_left_alone_is_played_for_ever():
    agent = agents.PhasedElimination(noise_std=0.1)
    task = gymnasium.make("LinearBandit-v0", n_arms=2, dim=2, fixed_arms=True).unwrapped.task
    agent.reset(task, n=1)
    x = np.array([[[1.0, 0.0], [0.0, 1.0]]])
    played = []
    for _ in range(200):
        played.append(agent.act(x)[0])
        agent.observe(x, [played[-1]], [1.0 - 3 * played[-1]])
    phases = int(agent.model.phase[0])
    assert agent.model.active.tolist() == [[True, False]]
    assert set(played[50:]) == {0}
    assert phases == 2
    assert agent.model.need.tolist() == [[2.0**53, 0.0]]


def test_arms_without_features_are_not_dropped():
    agent = agents.PhasedElimination()
    task = gymnasium.make("LinearBandit-v0", n_arms=3, dim=2, fixed_arms=True).unwrapped.task
    agent.reset(task, n=1)
    for _ in range(10):
        assert agent.act(np.zeros((1, 3, 2))) == [0]
        agent.observe(np.zeros((1, 3, 2)), [0], [1.0])
    assert agent.model.active.all()


@pytest.mark.parametrize("bad", [np.nan, np.inf, 1e200])
def test_features_that_are_not_finite_or_too_long_are_refused(bad):
    task = gymnasium.make("LinearBandit-v0", n_arms=3, dim=2, fixed_arms=True).unwrapped.task
    agent = agents.PhasedElimination().reset(task, n=2)
    x = np.ones((2, 3, 2))
    x[1, 2, 0] = bad
    with pytest.raises(ValueError, match="replicate 1 "):
        agent.act(x)
    assert not agent.model.phase.any()


def test_arms_that_change_are_refused():
    task = gymnasium.make("LinearBandit-v0").unwrapped.task
    with pytest.raises(ValueError, match="the same in every round"):
        agents.PhasedElimination().reset(task)


@pytest.mark.parametrize(
    ("given", "named"),
    [
        ({"scale": 0.0}, "scale"),
        ({"scale": float("nan")}, "scale"),
        ({"delta": 1.0}, "delta"),
        ({"noise_std": -0.1}, "noise_std"),
    ],
)
def test_bad_hyperparameters_are_named_with_their_value(given, named):
    with pytest.raises(ValueError, match=f"{named}.*{next(iter(given.values()))}"):
        agents.PhasedElimination(**given)
