"""The base class of regression agents: predictions by an estimator."""

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from agents.agent import Agent
from agents.storage.loadable import Loadable
from banditgym.tasks import RegressionTask


@dataclass(kw_only=True, eq=False)
class Predictor(Agent):
    r"""Predicts the estimate's mean, clipped to the task's bound where it has one.

    A subclass names its estimator. Clipping changes the prediction, never the estimator; it cannot
    increase a square loss whose outcome is within the bound.

    Attributes
    ----------
    model
        The estimator's state.
    """

    accepts: ClassVar = (RegressionTask,)
    loadable: ClassVar = {"_arms": Loadable(most=0)}

    def __post_init__(self):
        self._estimator()  # which checks the hyperparameters

    def _estimator(self) -> Any:
        """The part of ``agents.estimators`` that predicts."""
        raise NotImplementedError

    def _start(self) -> None:
        self.model = self._estimator().reset(self.task, self.n)
        self._arms = np.zeros(self.n, np.int64)  # for estimators a row is arm 0

    def _choose(self, contexts: np.ndarray) -> np.ndarray:
        mean, _ = self.model.predict(contexts)
        if self.task.bound is None:
            return mean[:, 0].copy()
        return np.minimum(np.maximum(mean[:, 0], -self.task.bound), self.task.bound)

    def _learn(self, contexts, actions, outcome, observed) -> None:
        self.model.update(contexts, self._arms, outcome, observed)
