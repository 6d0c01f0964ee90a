"""The base class of agents of K arms whose rewards have a known range."""

from typing import ClassVar

import numpy as np

from agents.parts.pulled_arms import PulledArms
from banditgym.tasks import ArmedTask


class BoundedArms(PulledArms):
    """An agent that plays tasks with a ``reward_range`` alone, and refuses rewards outside it."""

    scope: ClassVar = "bounded rewards"

    def refusal(self, task) -> str | None:
        return super().refusal(task) or range_refusal(task)

    def _start(self) -> None:
        super()._start()
        self._low, high = (float(bound) for bound in self.task.reward_range)
        self._width = high - self._low

    def _check(self, outcome, observed) -> None:
        check_range(self.task, outcome, observed)


def range_refusal(task: ArmedTask) -> str | None:
    """Why a task has no range of rewards; None if it has one."""
    if task.reward_range is None:
        return "it is for rewards of a known range, and the task's are unbounded"
    low, high = map(float, task.reward_range)
    if not high - low < np.inf:
        return f"it scales rewards by their range, and [{low}, {high}] is too wide for a number"
    return None


def check_range(task: ArmedTask, rewards: np.ndarray, observed: np.ndarray) -> None:
    """Refuse a reward of (n,) that is observed and outside of the task's range."""
    low, high = task.reward_range or (-np.inf, np.inf)
    outside = observed & ~((low <= rewards) & (rewards <= high))
    if outside.any():
        i = int(outside.argmax())
        raise ValueError(f"rewards must be in [{low}, {high}], got {rewards[i]} of replicate {i}")
