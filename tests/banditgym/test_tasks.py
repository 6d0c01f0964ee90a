"""Tasks are compared by value, and name facts that cannot be."""

import copy
import dataclasses
import pickle

import gymnasium
import numpy as np
import pytest

import banditgym
from banditgym.tasks import LinearTask

MADE = [(env_id, {}) for env_id in banditgym.ids() if env_id != "Reuters4-v0"]  # needs its data
MADE += [
    ("LinearBandit-v0", {"arms": np.eye(3), "dim": 3}),
    ("KernelBandit-v0", {"arms": "box"}),
    ("KernelBandit-v0", {"covariance": {"kind": "matern", "nu": 1.5}}),
    ("EllipsoidBandit-v0", {"axes": [0.5, 2.0]}),
]


def task_of(env_id, **settings):
    return gymnasium.make(env_id, **settings).unwrapped.task


@pytest.mark.parametrize(("env_id", "settings"), MADE)
def test_equal_environments_have_equal_tasks(env_id, settings):
    task = task_of(env_id, **settings)
    batched = gymnasium.make_vec(env_id, num_envs=2, **settings).unwrapped.task
    same = (task_of(env_id, **settings), batched, copy.deepcopy(task))
    for other in (*same, pickle.loads(pickle.dumps(task)), dataclasses.replace(task)):
        assert task == other
        assert hash(task) == hash(other)
    assert len({task, *same}) == 1
    assert task != task_of(env_id, horizon=17, **settings)
    assert task != "a task"


@pytest.mark.parametrize(
    ("env_id", "one", "other"),
    [
        ("LinearBandit-v0", {"arms": np.eye(3)}, {"arms": np.eye(3)[::-1]}),
        ("LinearBandit-v0", {"arms": np.eye(3)}, {"n_arms": 3, "dim": 3}),
        ("LinearBandit-v0", {"n_arms": 3, "dim": 3}, {"arms": np.eye(3)}),
        ("KernelBandit-v0", {"arms_seed": 1}, {"arms_seed": 2}),
        ("KernelBandit-v0", {}, {"covariance": {"kind": "matern", "nu": 1.5}}),
        ("EllipsoidBandit-v0", {"axes_seed": 1}, {"axes_seed": 2}),
        ("ArmedBandit-v0", {"noise": "gaussian"}, {"noise": "bernoulli"}),
    ],
)
def test_other_facts_are_another_task(env_id, one, other):
    assert task_of(env_id, **one) != task_of(env_id, **other)


def test_tasks_of_different_classes_differ():
    assert len({task_of(env_id) for env_id, settings in MADE if not settings}) >= 8


def test_a_tasks_facts_are_of_their_types_and_sizes():
    given = {"horizon": 9, "noise_std": 0.1, "subgaussian": None}
    given |= {"feature_norm": None, "param_norm": 1.0, "fixed_arms": True}
    right = LinearTask(n_arms=2, dim=3, arms=np.ones((2, 3)), **given)
    assert right.fault() is None
    assert dataclasses.replace(right, n_arms=3).fault() == (
        "its arms are of shape (2, 3) and not (3, 3)"
    )
    assert "its arms cannot be" in dataclasses.replace(right, arms=np.ones((2, 3), int)).fault()
    assert dataclasses.replace(right, noise_std=np.nan).fault() == "its noise_std cannot be nan"
    ball = task_of("BallBandit-v0", dim=2)
    assert "its points are of dimension 2 and not 3" in dataclasses.replace(ball, dim=3).fault()
    three = task_of("MulticlassBandit-v0", data="wine")
    assert dataclasses.replace(three, labels=("a", "b", "c")).fault() is None
    for labels in (("a", "b"), ("a", "b", 3), "abc", ["a", "b", "c"]):
        assert "its labels are 3 texts" in dataclasses.replace(three, labels=labels).fault()


@pytest.mark.parametrize(("env_id", "settings"), MADE)
def test_the_tasks_of_environments_have_no_fault(env_id, settings):
    assert task_of(env_id, **settings).fault() is None
