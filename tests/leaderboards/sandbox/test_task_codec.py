"""A task is sent bit for bit."""

import dataclasses
import json

import gymnasium
import numpy as np
import pytest

import banditgym  # noqa: F401 (registers the environments)
from agents.check.small_environments import ENVIRONMENTS
from agents.storage.states import equal
from leaderboards.run.entrants import known_of
from leaderboards.sandbox.task_codec import made, plain
from leaderboards.suites.suite import available, load


@pytest.mark.parametrize(
    ("id", "settings"), [env for envs in ENVIRONMENTS.values() for env in envs]
)
def test_every_task_is_told_whole(id, settings):
    env = gymnasium.make_vec(id, num_envs=2, horizon=50, **settings)
    env.reset(seed=1)
    task = env.unwrapped.task
    told = made(json.loads(json.dumps(plain(task))))
    assert type(told) is type(task)
    assert equal(told, task)
    played = np.asarray(env.action_space.sample())
    assert played.shape == told.plays.shape(told, 2)
    assert played.dtype == told.plays.dtype


@pytest.mark.parametrize("suite", available())
def test_the_tasks_of_our_suites_are_told_whole(suite):
    for task in load(suite).tasks:
        known = known_of(task)
        assert known is not None, task.name
        assert equal(made(json.loads(json.dumps(plain(known)))), known), task.name


def test_floats_keep_every_bit():
    for value in (0.1, -0.0, float("inf"), 5e-324):
        assert made(json.loads(json.dumps(plain(value)))).hex() == value.hex()
    array = np.array([[0.1, np.nan], [-0.0, np.inf]])
    array.flags.writeable = False
    back = made(json.loads(json.dumps(plain(array))))
    assert back.tobytes() == array.tobytes()
    assert not back.flags.writeable


def test_what_another_process_cannot_make_is_refused():
    @dataclasses.dataclass
    class Foreign:
        x: int = 1

    for value in (Foreign(), object(), np.array([object()])):
        with pytest.raises(ValueError, match="cannot be sent to another process"):
            plain(value)
