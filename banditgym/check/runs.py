"""Runs of an environment for checks: played on legal actions, copied, compared bit for bit."""

import copy
from collections.abc import Sequence
from typing import Any

import numpy as np
from gymnasium.utils.env_checker import data_equivalence

from banditgym.check.expectations import expect
from banditgym.tasks import Task

SEEDS = range(40, 140)


def legal_actions(env: Any, rounds: int, seed: int = 0) -> np.ndarray:
    """Legal actions (rounds, n, ..) of a batched environment, or (rounds, ..) of a single one.

    Where arms come and go they are legal in these rounds after a reset, if the available arms
    depend only on the round.
    """
    env.action_space.seed(seed)
    if not comes_and_goes(env.unwrapped.task):
        return np.array([env.action_space.sample() for _ in range(rounds)])
    twin = copy.deepcopy(env.unwrapped)
    twin.reset(seed=0)
    actions = []
    for _ in range(rounds):
        actions.append(twin.action_space.sample())
        *_, truncated, _ = twin.step(actions[-1])
        if truncated is True:  # a batch resets itself at its next step
            twin.reset()
    return np.array(actions)


def simulate(envs: Any, seed: int | Sequence[int] | np.ndarray, actions: np.ndarray) -> list[Any]:
    """Results of a reset with ``seed`` and of steps with each of ``actions`` (rounds, n, ..)."""
    if isinstance(seed, range):
        seed = list(seed)
    return [
        returned(envs.reset(seed=seed)),
        *(returned(envs.step(action)) for action in actions),
    ]


def returned(values: tuple) -> dict[str, Any]:
    """A copy of the result of ``reset`` or ``step``."""
    names = ("observation", "reward", "terminated", "truncated", "info")
    names = names if len(values) == 5 else (names[0], names[-1])
    return copy.deepcopy(dict(zip(names, values, strict=True)))


def rows_of(value: Any, index: Sequence[int] | np.ndarray) -> Any:
    """The values of replicates ``index`` of a batch; mappings are walked."""
    if isinstance(value, dict):
        return {key: rows_of(item, index) for key, item in value.items()}
    return value[np.asarray(index)]


def arrays_of(value: object) -> list[np.ndarray]:
    """The arrays of a value; mappings and sequences are walked."""
    if isinstance(value, dict):
        return [array for item in value.values() for array in arrays_of(item)]
    if isinstance(value, list | tuple):
        return [array for item in value for array in arrays_of(item)]
    return [np.asarray(value)]


def bits_of(value: object) -> bytes:
    """The bits of all its numbers."""
    return b"".join(array.tobytes() for array in arrays_of(value))


def expect_same(one: list[Any], two: list[Any], message: str) -> None:
    """Expect two runs to be the same, bit for bit."""
    expect(len(one) == len(two), message)
    for t, (a, b) in enumerate(zip(one, two, strict=True)):
        # Equal values, shapes and types, and equal bits, which distinguish -0 from 0.
        equal = data_equivalence(a, b, exact=True) and bits_of(a) == bits_of(b)
        expect(equal, f"{message}, first after {t} steps")


def comes_and_goes(task: Task) -> bool:
    """Whether the set of arms changes, so that some slots may be empty in a round."""
    return getattr(task, "arms_vary", False)


def is_adaptive(task: Task) -> bool:
    """Whether outcomes depend on actions."""
    return getattr(task, "adaptive", False)
