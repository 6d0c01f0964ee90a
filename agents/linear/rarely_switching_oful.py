"""RarelySwitchingOFUL: OFUL that keeps its optimistic parameter until much more is known."""

import math
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from agents.agent import reject
from agents.drivers.rule import first_largest, first_largest_within
from agents.inputs.feature_limits import cause
from agents.numerics.choice import optimistic_score
from agents.numerics.ridge.factor_contents import solve_upper
from agents.numerics.ridge.factor_predictions import predict_replicate, prediction_scratch
from agents.parts.confidence.ellipsoid_radius import EllipsoidRadius
from agents.parts.estimators.ridge import FreshArms
from agents.search import Log
from banditgym.compiled import compiled
from banditgym.elementary import log1p
from banditgym.linalg.product import combine_rows
from banditgym.validation import positive


@dataclass(kw_only=True, eq=False)
class RarelySwitchingOFUL(EllipsoidRadius):
    r"""Optimism whose parameter is renewed when the determinant has grown by a factor.

    With ridge regression :math:`\hat\theta_t, V_t` of the past rounds and the radius :math:`\rho_t`
    of ``OFUL``, in the first round, and when :math:`\det V_t > (1 + C) \det V_\tau` for the last
    such round :math:`\tau`, the optimistic parameter becomes

    .. math:: \tilde\theta = \hat\theta_t
        + \rho_t \frac{V_t^{-1} x_{t,b}}{\lVert x_{t,b} \rVert_{V_t^{-1}}}, \qquad
        b = \arg\max_k \; \langle x_{t,k}, \hat\theta_t \rangle
        + \rho_t \lVert x_{t,k} \rVert_{V_t^{-1}},

    the point of the confidence set where an arm has the largest reward. Every round plays
    :math:`a_t = \arg\max_k \langle x_{t,k}, \tilde\theta \rangle`.

    A round costs :math:`O(K d + d^2)` per replicate; :math:`O(K d^2)` if it renews the parameter,
    which happens in :math:`O(d \log t / \log(1 + C))` of t rounds. Memory: n (d² + 4 d + 2 K + 2)
    numbers.

    Its definition is ``tests/agents/definitions/linear/rarely_switching_oful.py``.

    Parameters
    ----------
    growth : float
        C > 0, without unit, the growth of the determinant as a share of what it was.
    ridge, delta, noise_std, param_norm, radius
        As in ``EllipsoidRadius``.

    Attributes
    ----------
    model : agents.parts.estimators.ridge.FreshArms
        The ridge regression: ``theta``, ``gram`` and more.
    optimistic : ndarray of shape (n, d)
        :math:`\tilde\theta`.
    switches : ndarray of shape (n,)
        How often it was renewed.

    Notes
    -----
    The algorithm was read in notes that quote the paper's. In code of other authors (``rs-OFUL`` of
    ``panxulab/optimal-batched-linear-bandits``), where arms are fixed, C is 0.5, and b is played
    until the next switch, which is the same. At a switch the confidence set is that of all rewards
    learned so far.

    References
    ----------
    Y. Abbasi-Yadkori, D. Pál, C. Szepesvári. Improved Algorithms for Linear Stochastic Bandits.
    NeurIPS 2011, section 5.1, Figure 3.
    """

    kept_choosing: ClassVar = ("optimistic", "switches", "_log_det")
    paper: ClassVar = "Abbasi-Yadkori et al. 2011, Rarely Switching OFUL"
    search: ClassVar = {"radius": Log(0.01, 10.0), "ridge": Log(0.01, 100.0)}

    growth: float = 0.5

    def __post_init__(self):
        super().__post_init__()
        positive("growth", self.growth)

    def _start(self) -> None:
        super()._start()
        n, dim, n_arms = self.n, self.task.dim, self.task.n_arms
        self.model = FreshArms.initial(n, dim, n_arms, float(self.ridge))  # has U, for V^-1 x
        self.optimistic, self.switches = np.zeros((n, dim)), np.zeros(n, np.int64)
        self._log_det = np.full(n, -np.inf)  # at the last switch

    def _choose(self, contexts: np.ndarray) -> np.ndarray:
        arms = np.empty(self.n, np.int64)
        now = self.model.log_det, self.radii(), float(self.growth)
        kept = self.optimistic, self.switches, self._log_det
        reject(_choose_each(self.model, contexts, now, kept, self.mask, arms), "a feature")
        return arms

    _propensities = EllipsoidRadius.one_hot


@compiled
def _choose_each(model, contexts, now, kept, mask, arms):
    """Returns as ``factor.predict``, before anything is written to ``kept`` of that replicate."""
    (log_det, radii, growth), (optimistic, switches, kept_log_det) = now, kept
    scratch, factor = prediction_scratch(contexts), (model.upper, model.pivots, model.moment)
    score = np.empty(contexts.shape[2])
    for i in range(arms.shape[0]):
        if log_det[i] > kept_log_det[i] + log1p(growth):
            if not predict_replicate(factor, contexts, i, model.mean, model.variance, scratch):
                return cause(contexts, i)
            for k in range(score.shape[0]):
                score[k] = optimistic_score(model.mean[i, k], model.variance[i, k], radii[i])
            b = first_largest(score) if mask is None else first_largest_within(score, mask[i])
            weight, z = radii[i] / math.sqrt(max(model.variance[i, b], 1e-300)), scratch[0]
            for j in range(optimistic.shape[1]):
                optimistic[i, j] = model.moment[i, j] + weight * (z[j, b] * model.pivots[i, 1, j])
            solve_upper(model.upper[i], optimistic[i])
            kept_log_det[i], switches[i] = log_det[i], switches[i] + 1
        combine_rows(optimistic[i], contexts[i], score)
        for k in range(score.shape[0]):
            if not math.isfinite(score[k]):
                return cause(contexts, i)
        arms[i] = first_largest(score) if mask is None else first_largest_within(score, mask[i])
    return -1
