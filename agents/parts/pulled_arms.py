"""The base class of agents of K arms that keep the pulls and the rewards of each."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from agents.agent import noise_level
from agents.drivers.decisions import RuleAgent
from agents.drivers.pulls import mean_rewards
from banditgym.tasks import ArmedTask


@dataclass(kw_only=True, eq=False)
class PulledArms(RuleAgent):
    """An agent of K arms that estimates an arm's mean reward as ``sums / pulls``, both (n, K)."""

    accepts: ClassVar = (ArmedTask,)
    follows_masks: ClassVar = True

    def _start(self) -> None:
        self.pulls = np.zeros((self.n, self.task.n_arms), np.int64)
        self.sums = np.zeros((self.n, self.task.n_arms))
        self._t = np.zeros(self.n, np.int64)  # rewards learned

    _propensities = RuleAgent.one_hot

    def _estimate(self, contexts, actions) -> np.ndarray:
        return mean_rewards(self.pulls, self.sums, actions)


class ScaledArms(PulledArms):
    """An agent of K arms on the scale of the noise: its ``noise_std``, or the task's if None."""

    from_task: ClassVar = {"noise_std": noise_level}

    noise_std: float | None

    def _start(self) -> None:
        super()._start()
        self._noise_std = float(self.known("noise_std"))
