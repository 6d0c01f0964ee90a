"""Online ridge regression."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from agents.drivers.rows import play_rows
from agents.parts.estimators import Ridge
from agents.parts.predictor import Predictor
from agents.search import Log
from banditgym.rounds.blocks import RowsBlock


@dataclass(kw_only=True, eq=False)
class OnlineRidge(Predictor):
    r"""Ridge regression of the past rounds.

    .. math:: \hat y_t = x_t^\top \theta_{t-1}, \qquad
        \theta_{t-1} = \arg\min_\theta \sum_{s<t} (y_s - x_s^\top\theta)^2
        + \lambda\lVert\theta\rVert^2,

    which is follow the regularised leader of [2]_, eq. (7), with :math:`\lambda = 1/\eta`. Where
    the task has a bound, :math:`\hat y_t` is clipped to it. Without clipping, and with :math:`G_t =
    \lambda I + \sum_{s\le t} x_s x_s^\top`, eq. (4) of [1]_ is an equality for its loss,

    .. math:: \sum_t (\hat y_t - y_t)^2 - \min_\theta \Bigl[\sum_t (y_t - x_t^\top\theta)^2
        + \lambda\lVert\theta\rVert^2\Bigr] = \sum_t (\hat y_t - y_t)^2 \, x_t^\top G_t^{-1} x_t.

    A round costs :math:`O(d^2)` per replicate; for memory see ``agents.estimators.Ridge``.

    Its definition is ``tests/agents/definitions/regression/online_ridge.py``.

    Parameters
    ----------
    ridge : float
        :math:`\lambda > 0`, on the scale of the squared features.

    References
    ----------
    .. [1] R. Ouhamma, O.-A. Maillard, V. Perchet. Stochastic Online Linear Regression: the Forward
       Algorithm to Replace Ridge. NeurIPS 2021, section 2.
    .. [2] A. Rakhlin. Lecture Notes on Online Learning. 2008, lecture 24.
    """

    paper: ClassVar = "Azoury & Warmuth 2001"
    search: ClassVar = {"ridge": Log(0.001, 100.0)}

    ridge: float = 1.0

    def _estimator(self) -> Ridge:
        return Ridge(ridge=self.ridge)

    def _play_block(self, block: RowsBlock) -> np.ndarray:
        return play_rows(self.model, block, self.task.bound)
