"""The base classes of agents that find the best arm: in given rounds, or with given confidence."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from agents.drivers.pulls import count as count
from agents.parts.pulled_arms import PulledArms


@dataclass(kw_only=True, eq=False)
class BestArmAgent(PulledArms):
    """An agent that recommends the arm with the largest mean reward; ties go to the lowest index.

    An arm without a reward is recommended only while no arm has one.
    """

    on_request: ClassVar = True
    follows_masks: ClassVar = False  # no arm is withdrawn where the best one is to be found

    def refusal(self, task) -> str | None:
        reason = super().refusal(task)
        if reason is None and task.objective is None:
            return "it finds the best arm, and this task is about regret"
        return reason

    def _recommend(self, contexts) -> np.ndarray:
        return self._mean_rewards().argmax(axis=1)

    def _mean_rewards(self) -> np.ndarray:
        """Mean rewards (n, K); -inf where an arm has none."""
        without = np.full(self.sums.shape, -np.inf)
        return np.divide(self.sums, self.pulls, out=without, where=self.pulls > 0)


@dataclass(kw_only=True, eq=False)
class FixedBudget(BestArmAgent):
    """An agent for a given number of rounds T. ``still`` says which arms are not yet rejected.

    Attributes
    ----------
    still : bool ndarray of shape (n, K)
    """

    def refusal(self, task) -> str | None:
        reason = super().refusal(task)
        if reason is None and task.delta is not None:
            return (
                "it plays a given number of rounds, and in this task it would decide when to stop"
            )
        if reason is None and task.horizon is None:
            return "it needs the number of rounds, and this task has no horizon"
        return reason

    def _start(self) -> None:
        super()._start()
        self.still = np.ones(self.pulls.shape, bool)

    def _mean_rewards(self) -> np.ndarray:
        return np.where(self.still, super()._mean_rewards(), -np.inf)


@dataclass(kw_only=True, eq=False)
class FixedConfidence(BestArmAgent):
    """An agent that stops when it errs with probability delta at most.

    Attributes
    ----------
    done : bool ndarray of shape (n,)
        Which replicates have finished.
    """

    from_task: ClassVar = {"noise_std": lambda task: task.subgaussian}

    noise_std: float | None = None

    def refusal(self, task) -> str | None:
        reason = super().refusal(task)
        if reason is None and task.delta is None:
            return "it decides when to stop, by a delta that this task does not have"
        if reason is None and self.noise_std is None and not task.subgaussian > 0:
            return "it needs noise, and this task has none"
        return reason

    def _start(self) -> None:
        super()._start()
        self.done = np.zeros(self.n, bool)

    def _finished(self) -> np.ndarray:
        return self.done
