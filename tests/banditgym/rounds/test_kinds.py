"""What rounds are made of agrees with what environments show and take."""

import copy
import pickle
from dataclasses import replace

import gymnasium
import numpy as np
import pytest

import banditgym  # noqa: F401 (registers the environments)
from banditgym.rounds import kinds

# An environment's settings, and what its task observes, plays and reveals.
ROUNDS = {
    "ArmedBandit-v0": ({"n_arms": 3}, kinds.NOTHING, kinds.ARM, kinds.REWARD),
    "LinearBandit-v0": ({"n_arms": 3, "dim": 2}, kinds.ARMS, kinds.ARM, kinds.REWARD),
    "LogisticBandit-v0": (
        {"n_arms": 3, "dim": 2, "parameters": "per_arm"},
        *(kinds.CONTEXT, kinds.ARM, kinds.REWARD),
    ),
    "NewsReplay-v0": ({}, kinds.SLOTS, kinds.ARM, kinds.REWARD),
    "BallBandit-v0": ({"dim": 4}, kinds.NOTHING, kinds.POINT, kinds.REWARD),
    "OnlineConvex-v0": ({"dim": 2}, kinds.NOTHING, kinds.POINT, kinds.LOSS),
    "OnlineRegression-v0": ({"dim": 5}, kinds.ROW, kinds.NUMBER, kinds.OUTCOME),
    "SynSep-v0": ({"sparse": False, "slots": 2}, kinds.PAIRS, kinds.RANKING, kinds.REWARD),
}


@pytest.mark.parametrize("env_id", ROUNDS)
def test_shapes_and_types_are_those_of_the_environment(env_id):
    settings, observes, plays, reveals = ROUNDS[env_id]
    envs = gymnasium.make_vec(env_id, num_envs=3, horizon=2, **settings)
    task = envs.unwrapped.task
    assert (task.observes, task.plays, task.reveals) == (observes, plays, reveals)
    shown, _ = envs.reset(seed=1)
    if observes is not kinds.NOTHING:
        features = shown["arms"] if observes is kinds.SLOTS else shown
        assert features.shape == (3, *observes.shape(task))
    played = np.asarray(envs.action_space.sample())
    assert played.shape == plays.shape(task, 3)
    assert played.shape[1:] == plays.shape(task)
    assert played.dtype.kind == plays.dtype.kind


def test_each_is_one_object_and_prints_its_name():
    task = gymnasium.make("LinearBandit-v0").unwrapped.task
    for other in (copy.deepcopy(task), pickle.loads(pickle.dumps(task)), replace(task, n_arms=9)):
        assert other.observes is kinds.ARMS
    assert repr((kinds.PAIRS, kinds.POINT, kinds.LOSS)) == "(pairs, point, loss)"
