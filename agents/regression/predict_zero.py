"""The baseline: predict 0."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from agents.agent import Agent
from banditgym.tasks import RegressionTask


@dataclass(kw_only=True, eq=False)
class PredictZero(Agent):
    """Always predicts 0: a baseline.

    Its loss is the sum of the squared outcomes, which every agent must beat. A round costs O(1) per
    replicate. It has no state.

    Its definition is ``tests/agents/definitions/regression/predict_zero.py``.
    """

    accepts: ClassVar = (RegressionTask,)
    paper: ClassVar = "baseline"
    search: ClassVar = None

    def _start(self) -> None:
        pass

    def _choose(self, contexts: np.ndarray) -> np.ndarray:
        return np.zeros(self.n)

    def _learn(self, contexts, actions, outcome, observed) -> None:
        pass
