"""A task in the library's terms is the environment in the form that the library takes."""

import gymnasium
import numpy as np
import pytest
from gymnasium import spaces

import banditgym
from agents.parts.deep.task_spaces import environment_of, observation_of
from banditgym.rounds.kinds import POINT


@pytest.mark.parametrize(
    ("env_id", "settings"),
    [
        ("ArmedBandit-v0", {"n_arms": 3}),
        ("LinearBandit-v0", {"n_arms": 4, "dim": 3}),
        ("DriftingLinearBandit-v0", {"n_arms": 4, "dim": 2, "rate": 0.1}),
        ("SynSep-v0", {"sparse": False}),
        ("BallBandit-v0", {"dim": 3, "radius": 2.0}),
        ("LpBallBandit-v0", {"dim": 2, "p": 1.5}),
        ("EllipsoidBandit-v0", {"axes": [0.5, 2.0]}),
        ("SphereBandit-v0", {"dim": 1}),
    ],
)
def test_spaces_are_those_of_the_environment(env_id, settings):
    env = gymnasium.make(env_id, **settings)
    task = env.unwrapped.task
    if task.plays is POINT:
        env = banditgym.BoxActions(env)
    told = environment_of(task)
    assert told.action_space == env.action_space
    one, other = told.observation_space, env.observation_space
    assert (type(one), one.shape, one.dtype) == (type(other), other.shape, other.dtype)
    assert isinstance(one, spaces.Discrete) or not np.isfinite(one.low).any()
    observation, info = told.reset(seed=1)
    assert one.contains(observation if observation.shape else observation.item())
    assert info == {}


def test_observations_are_those_of_the_environment_and_may_be_written_to():
    envs = gymnasium.make_vec("LinearBandit-v0", num_envs=2, n_arms=4, dim=3)
    shown, _ = envs.reset(seed=3)
    task = envs.unwrapped.task
    contexts = shown.transpose(0, 2, 1)
    for i in range(2):
        told = observation_of(task, contexts, i)
        np.testing.assert_array_equal(told[0], shown[i])
        assert told.flags.c_contiguous
        assert told.flags.writeable
        assert not np.shares_memory(told, shown)
    one = gymnasium.make_vec("LinearBandit-v0", num_envs=1, n_arms=1, dim=1)
    frozen = np.ones((1, 1, 1))
    frozen.flags.writeable = False
    assert observation_of(one.unwrapped.task, frozen, 0).flags.writeable
    assert observation_of(gymnasium.make("BallBandit-v0").unwrapped.task, None, 0).tolist() == [0]


def test_pairs_that_pad_a_row_add_nothing_to_its_first_feature():
    task = gymnasium.make("SynSep-v0").unwrapped.task
    indices, values = np.zeros((2, task.width), int), np.zeros((2, task.width))
    indices[1, :2], values[1, :2] = [0, 7], [2.0, -1.0]
    row = observation_of(task, (indices, values), 1)
    assert row.shape == (1, task.dim)
    assert {j: row[0, j] for j in np.flatnonzero(row[0])} == {0: 2.0, 7: -1.0}
