"""Discounted ridge regression."""

from dataclasses import dataclass
from typing import ClassVar

from agents.parts.estimators import Discounted
from agents.parts.predictor import Predictor
from agents.search import Choice, Log


@dataclass(kw_only=True, eq=False)
class DiscountedRidge(Predictor):
    r"""Ridge regression with discounted past rounds, for parameters that drift.

    .. math:: \hat y_t = x_t^\top \theta_{t-1}, \qquad
        \theta_{t-1} = \arg\min_\theta \sum_{s<t} \gamma^{t-1-s} (y_s - x_s^\top\theta)^2
        + \lambda\lVert\theta\rVert^2.

    The ridge is not discounted. Where the task has a bound, :math:`\hat y_t` is clipped to it. A
    round costs :math:`O(d^3)` per replicate; for memory see ``agents.estimators.Discounted``.

    Its definition is ``tests/agents/definitions/regression/discounted_ridge.py``.

    Parameters
    ----------
    discount : float
        :math:`\gamma`, in (0, 1]; with 1 all rounds have the same weight.
    ridge : float
        :math:`\lambda > 0`, on the scale of the squared features.

    References
    ----------
    Y. Russac, C. Vernade, O. Cappé. Weighted Linear Bandits for Non-Stationary Environments.
    NeurIPS 2019, section 2: the estimator.
    """

    paper: ClassVar = "Russac et al. 2019, section 2"
    search: ClassVar = {
        "discount": Choice((0.9, 0.95, 0.98, 0.99, 0.995, 0.998, 0.999, 1.0)),
        "ridge": Log(0.001, 100.0),
    }
    scope: ClassVar = "for drift"

    discount: float = 0.995
    ridge: float = 1.0

    def _estimator(self) -> Discounted:
        return Discounted(discount=self.discount, ridge=self.ridge)
