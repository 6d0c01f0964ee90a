"""The forward algorithm of Vovk, Azoury and Warmuth."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from agents.drivers.rows import play_rows
from agents.parts import estimators
from agents.parts.predictor import Predictor
from agents.search import Log
from banditgym.rounds.blocks import RowsBlock


@dataclass(kw_only=True, eq=False)
class Forward(Predictor):
    r"""Ridge regression that predicts a row as if it had just been observed with outcome 0.

    .. math:: \hat y_t = x_t^\top \theta_t, \qquad
        \theta_t = \arg\min_\theta \sum_{s<t} (y_s - x_s^\top\theta)^2 + (x_t^\top\theta)^2
        + \lambda\lVert\theta\rVert^2
        = G_t^{-1} \sum_{s<t} y_s x_s, \quad G_t = \lambda I + \sum_{s\le t} x_s x_s^\top,

    which is ridge regression's prediction divided by :math:`1 + x_t^\top G_{t-1}^{-1} x_t`. Where
    the task has a bound, :math:`\hat y_t` is clipped to it. A round costs :math:`O(d^2)` per
    replicate; for memory see ``agents.estimators.ForwardRidge``.

    Its definition is ``tests/agents/definitions/regression/forward.py``.

    Parameters
    ----------
    ridge : float
        :math:`\lambda > 0`, on the scale of the squared features.

    References
    ----------
    V. Vovk. Competitive On-line Statistics. International Statistical Review 2001. K. Azoury,
    M. Warmuth. Relative Loss Bounds for On-line Density Estimation. Machine Learning 2001.
    R. Ouhamma, O.-A. Maillard, V. Perchet. Stochastic Online Linear Regression: the Forward
    Algorithm to Replace Ridge. NeurIPS 2021, section 2.
    """

    paper: ClassVar = "Vovk 2001; Azoury & Warmuth 2001"
    search: ClassVar = {"ridge": Log(0.001, 100.0)}

    ridge: float = 1.0

    def _estimator(self) -> estimators.ForwardRidge:
        return estimators.ForwardRidge(ridge=self.ridge)

    def _play_block(self, block: RowsBlock) -> np.ndarray:
        return play_rows(self.model, block, self.task.bound)
