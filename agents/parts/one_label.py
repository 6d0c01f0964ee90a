"""The base class of multiclass agents that answer with one label."""

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from agents.drivers.decisions import RuleAgent
from agents.inputs.learning_inputs import check_rewards
from banditgym.rounds.kinds import RANKING
from banditgym.streams import AGENT, Stream
from banditgym.tasks import MulticlassTask


@dataclass(kw_only=True, eq=False)
class OneLabel(RuleAgent):
    r"""An agent that answers a row with one label, mostly by scores :math:`W x`, not a ranking.

    Its ``_start`` is for agents that explore; others define their own.

    Attributes
    ----------
    weights : ndarray of shape (n, d, k)
        The transpose of W of each replicate, at first 0.
    """

    accepts: ClassVar = (MulticlassTask,)

    def refusal(self, task: Any) -> str | None:
        reason = super().refusal(task)
        if reason is None and task.plays is RANKING:
            return f"it answers with one label, and this task shows {task.slots} in slots"
        return reason

    def _start(self) -> None:
        self.weights = np.zeros((self.n, self.task.dim, self.task.n_arms))
        self._keys = Stream(self.seeds, AGENT, 0, 0).keys  # of one uniform a decision

    def _check(self, outcome, observed) -> None:
        if not self.full_information:
            check_rewards(outcome, observed)
