"""What agents of regression by gradient steps share: every round is one step of an estimator."""

from dataclasses import dataclass

import numpy as np

from agents.regression.predictor import Predictor
from banditgym.blocks import RowsBlock


@dataclass(kw_only=True, eq=False)
class DescendingPredictor(Predictor):
    r"""Predicts by an estimate that follows the rounds by gradient steps, in O(d) a round.

    A subclass names its estimator, which draws samples at random.

    Attributes
    ----------
    model : agents.estimators.samples.Descending
        The estimator's state: ``theta`` and more.
    """

    def _start(self) -> None:
        self.model = self._estimator().reset(self.task, self.n, self.seeds)
        self._arms = np.zeros(self.n, np.int64)  # to estimators a row is the arm 0

    def _play_block(self, block: RowsBlock) -> np.ndarray:
        return self.model.play(block, self.task.bound)
