"""The forward algorithm without a ridge."""

from dataclasses import dataclass
from typing import ClassVar

from agents.parts import estimators
from agents.parts.predictor import Predictor


@dataclass(kw_only=True, eq=False)
class UnregularizedForward(Predictor):
    r"""The forward algorithm with :math:`\lambda = 0`.

    .. math:: \hat y_t = x_t^\top \theta_t, \qquad
        \theta_t = \Bigl(\sum_{s\le t} x_s x_s^\top\Bigr)^+ \sum_{s<t} y_s x_s,

    which is the least-squares solution of least norm on the rows :math:`x_1, .., x_t` with the
    outcomes :math:`y_1, .., y_{t-1}, 0`. The prediction is exactly 0 if :math:`x_t` is outside the
    span of the past rows, as in round 1. It does not depend on the scale of the features, but a
    feature 1e10 times smaller than the others counts as rounding error. Where the task has a bound,
    :math:`\hat y_t` is clipped to it. The agent keeps a triangular factor, not the Gram matrix. A
    round costs :math:`O(d^2)` per replicate; for memory, and the rule for the span, see
    ``agents.estimators.ForwardLeastSquares``.

    Its definition is ``tests/agents/definitions/regression/unregularized_forward.py``.

    References
    ----------
    P. Gaillard, S. Gerchinovitz, M. Huard, G. Stoltz. Uniform Regret Bounds over R^d for the
    Sequential Linear Regression Problem with the Square Loss. ALT 2019, section 3.
    """

    paper: ClassVar = "Gaillard et al. 2019, section 3"
    search: ClassVar = None

    def _estimator(self) -> estimators.ForwardLeastSquares:
        return estimators.ForwardLeastSquares()
