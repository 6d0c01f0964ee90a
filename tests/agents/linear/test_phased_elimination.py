"""PhasedElimination: its phases, its guarantee, and what it refuses."""

import gymnasium
import numpy as np
import pytest
from scipy import stats

import agents
from agents.drivers.decisions import choose_each


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


def begun(x, **given):
    """An agent that knows its arms, of features (d, K), and has no reward."""
    dim, n_arms = np.shape(x)
    settings = {"n_arms": n_arms, "dim": dim, "fixed_arms": True}
    task = gymnasium.make("LinearBandit-v0", **settings).unwrapped.task
    agent = agents.PhasedElimination(**given).reset(task, n=1)
    shown = np.ascontiguousarray(np.transpose(x))[None]
    agent.act(shown)
    return agent, shown


@pytest.mark.parametrize(
    ("active", "mean", "mask", "arm"),
    [
        ([1, 0, 1], [0.2, 0.9, 0.5], [1, 1, 1], 2),
        ([1, 0, 1], [0.2, 0.9, 0.5], [1, 1, 0], 0),
        ([1, 0, 1], [0.2, 0.9, 0.5], [0, 1, 0], 1),
        ([0, 0, 1], [0.9, 0.95, 0.1], [1, 1, 0], 1),
        ([0, 1, 1], [0.9, 0.3, 0.2], [1, 1, 1], 1),
        ([1, 1, 1], [0.5, 0.5, 0.1], [1, 1, 1], 0),
    ],
)
def test_where_no_arm_needs_rewards_the_best_that_is_left_is_played(active, mean, mask, arm):
    agent, _ = begun(np.eye(3))
    assert agent.model.phase.tolist() == [1]
    assert (agent.model.need >= 1).all()
    agent.model.need[:], agent.model.active[:], agent.model.mean[:] = 0, active, mean
    masks = np.array([mask], bool)
    assert choose_each(agent.model.rule(3), 1, np.eye(3)[None], masks).tolist() == [arm]


def test_arms_along_a_line_are_compared_too():
    agent, _ = begun(np.array([[1.0, 0.5], [1.0, 0.5]]))
    assert agent.model.need.max() < 1e6


def test_without_noise_one_reward_is_enough_and_a_gap_of_twice_epsilon_is_left():
    agent, x = begun(np.eye(2), noise_std=0.0)
    assert agent.model.need.tolist() == [[1.0, 1.0]]
    for arm, reward in [(0, 1.0), (1, 0.0)]:
        agent.observe(x, [arm], [reward])
    np.testing.assert_array_equal(agent.model.mean, [[1.0, 0.0]])  # 2 epsilon is 1 in phase 1
    assert agent.model.active.tolist() == [[True, True]]
    assert agent.model.phase.tolist() == [2]


def test_squares_up_to_a_limit_are_played():
    begun(np.array([[0.9e150, 0.0]]))
    with pytest.raises(ValueError, match="feature"):
        begun(np.array([[1.2e150, 0.0]]))
