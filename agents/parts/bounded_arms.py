"""The base class of agents of K arms whose rewards have a known range."""

from typing import ClassVar

from agents.parts.pulled_arms import PulledArms


class BoundedArms(PulledArms):
    """An agent that plays tasks with a ``reward_range`` alone, and refuses rewards outside it."""

    scope: ClassVar = "bounded rewards"

    def refusal(self, task) -> str | None:
        reason = super().refusal(task)
        if reason is None and task.reward_range is None:
            return "it is for rewards of a known range, and the task's are unbounded"
        return reason

    def _start(self) -> None:
        super()._start()
        self._low, high = (float(bound) for bound in self.task.reward_range)
        self._width = high - self._low

    def _check(self, outcome, observed) -> None:
        low, high = self.task.reward_range
        outside = observed & ~((low <= outcome) & (outcome <= high))
        if outside.any():
            i = int(outside.argmax())
            raise ValueError(
                f"rewards must be in [{low}, {high}], got {outcome[i]} of replicate {i}"
            )
