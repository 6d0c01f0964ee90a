"""The base class of regression agents that take one gradient step per round."""

from dataclasses import dataclass

import numpy as np

from agents.drivers.rows import play_rows
from agents.parts.predictor import Predictor
from banditgym.rounds.blocks import RowsBlock


@dataclass(kw_only=True, eq=False)
class DescendingPredictor(Predictor):
    r"""Predicts by an estimate that takes one gradient step per round, in O(d).

    A subclass names its estimator, which draws samples at random.

    Attributes
    ----------
    model : agents.parts.estimators.samples.Descending
        The estimator's state: ``theta`` and more.
    """

    def _start(self) -> None:
        self.model = self._estimator().reset(self.task, self.n, self.seeds)
        self._arms = np.zeros(self.n, np.int64)  # for estimators a row is arm 0

    def _play_block(self, block: RowsBlock) -> np.ndarray:
        return play_rows(self.model, block, self.task.bound)
