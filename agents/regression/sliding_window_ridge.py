"""Ridge regression on a sliding window."""

from dataclasses import dataclass
from typing import ClassVar

from agents.parts.estimators import Window
from agents.parts.predictor import Predictor
from agents.search import Log


@dataclass(kw_only=True, eq=False)
class SlidingWindowRidge(Predictor):
    r"""Ridge regression of the last W rounds, for parameters that drift.

    .. math:: \hat y_t = x_t^\top \theta_{t-1}, \qquad
        \theta_{t-1} = \arg\min_\theta \sum_{s=\max(1, t-W)}^{t-1} (y_s - x_s^\top\theta)^2
        + \lambda\lVert\theta\rVert^2.

    Rounds that were not observed do not enter the window. Where the task has a bound,
    :math:`\hat y_t` is clipped to it. A round costs :math:`O(d^3)` per replicate; for memory see
    ``agents.estimators.Window``.

    Its definition is ``tests/agents/definitions/regression/sliding_window_ridge.py``.

    Parameters
    ----------
    window : int
        W >= 1, in observations.
    ridge : float
        :math:`\lambda > 0`, on the scale of the squared features.

    References
    ----------
    W. C. Cheung, D. Simchi-Levi, R. Zhu. Learning to Optimize under Non-Stationarity.
    AISTATS 2019, section 4: the estimator.
    """

    paper: ClassVar = "Cheung et al. 2019, section 4"
    search: ClassVar = {"window": Log(50, 2000), "ridge": Log(0.001, 100.0)}
    scope: ClassVar = "for drift"

    window: int = 200
    ridge: float = 1.0

    def _estimator(self) -> Window:
        return Window(window=self.window, ridge=self.ridge)
