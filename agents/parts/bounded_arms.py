"""Base classes of agents of K arms whose rewards have a known range, or are 0 or 1."""

from typing import ClassVar

import numpy as np

from agents.inputs.learning_inputs import check_rewards
from agents.parts.pulled_arms import PulledArms, ScaledArms
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


class BernoulliArms(PulledArms):
    """An agent of K arms for rewards that are 0 or 1."""

    scope: ClassVar = "Bernoulli rewards"
    needs_bernoulli: ClassVar[str]  # what of it is only for such rewards

    def refusal(self, task) -> str | None:
        reason = super().refusal(task)
        if reason is None and not task.bernoulli:
            return f"{self.needs_bernoulli}, and the task's are not Bernoulli"
        return reason


class DivergenceArms(ScaledArms):
    """An agent of K arms by the divergence of Bernoulli laws, or else of normal ones."""

    def _check(self, outcome, observed) -> None:
        if self.task.bernoulli:
            check_rewards(outcome, observed, binary=False)


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
