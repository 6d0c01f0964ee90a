"""LinMED: the minimum empirical divergence of arms with a linear reward."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from agents.agent import reject
from agents.drivers.rule import first_largest_within
from agents.inputs.feature_limits import cause
from agents.numerics.optimal_design import design_scratch, fill_design
from agents.numerics.ridge.factor_predictions import predict_replicate, prediction_scratch
from agents.parts.confidence.ellipsoid_radius import DrawnByEllipsoid
from agents.search import Linear, Log
from banditgym.compiled import borrowing, compiled
from banditgym.elementary import exp
from banditgym.streams import uniform_at
from banditgym.validation import positive, real


@dataclass(kw_only=True, eq=False)
class LinMED(DrawnByEllipsoid):
    r"""Draw arms by how well they agree with the data, and by a design of the arms that agree.

    With ridge regression :math:`\hat\theta_t, V_t` of the past rounds, the first arm b of the
    largest :math:`\langle x_{t,k}, \hat\theta_t \rangle`, the gaps :math:`\Delta_k = \langle
    x_{t,b} - x_{t,k}, \hat\theta_t \rangle` and the radius :math:`\rho_t` of ``OFUL``, let

    .. math:: f_k = \exp\left( - \frac{\Delta_k^2}
        {\rho_t^2 \lVert x_{t,k} - x_{t,b} \rVert_{V_t^{-1}}^2} \right),

    :math:`f_k = 1` where the norm is 0. With an approximate G-optimal design :math:`\pi` of the
    arms :math:`\sqrt{f_k} x_{t,k}` and the shares :math:`\alpha_1` and :math:`\alpha_2`, round
    :math:`t` draws its arm from

    .. math:: p_k \propto f_k \left(\alpha_1 \pi_k + \alpha_2 1\{k = b\}
        + \frac{1 - \alpha_1 - \alpha_2}{K}\right).

    Before the first reward no arm is best: then :math:`\alpha_2` is 0. If some arms are not
    available, K counts those that are. A round costs :math:`O(K d^2)` per replicate, with at most
    16 steps of the design for each dimension (``agents.numerics.optimal_design``); memory:
    n (d² + 3 d + 2 K) numbers.

    Its definition is ``tests/agents/definitions/linear/linmed.py``.

    Parameters
    ----------
    best_share : float
        :math:`\alpha_2`, a share of probability in [0, 1). The authors' LinMED-50, -90 and -99
        have 0.5, 0.9 and 0.99.
    design_share : float, optional
        :math:`\alpha_1`, another share; the sum must be below 1. Half of what the best arm leaves
        if None, as in all three of the authors'.
    ridge, delta, noise_std, param_norm, radius
        As in ``EllipsoidRadius``; a radius of 0 is refused.

    Attributes
    ----------
    model : agents.parts.estimators.ridge.FreshArms
        The ridge regression: ``theta``, ``gram`` and more.

    Notes
    -----
    Of the paper the abstract was read; the rule is that of the authors' code (``LinMED.py`` of
    ``Linear-Bandit-Algorithms``). Departs from it: :math:`\lambda = R^2 / S^2` and :math:`\delta =
    0.01` there. The authors' design counts arms until every leverage in the sum over the counts is
    at most 1, from a start that takes all arms if :math:`K \le 2 d`, in the directions in which the
    arms vary around their mean by more than 1e-6. Here weights are continuous, every leverage is at
    most twice the number of dimensions that the arms span, and an arm spans another one if its
    squared distance to those before is above 1e-6 of the largest squared length.

    References
    ----------
    K. Balagopalan, K.-S. Jun. Minimum Empirical Divergence for Sub-Gaussian Linear Bandits. AISTATS
    2025, arXiv 2411.00229.
    """

    paper: ClassVar = "Balagopalan & Jun 2025, LinMED"
    search: ClassVar = {
        "radius": Log(0.01, 10.0),
        "ridge": Log(0.01, 100.0),
        "best_share": Linear(0.0, 0.99),
    }

    best_share: float = 0.5
    design_share: float | None = None

    def __post_init__(self):
        super().__post_init__()
        for name in ("best_share", "design_share"):
            value = getattr(self, name)
            if value is not None and not 0 <= real(name, value) < 1:
                raise ValueError(f"{name} is a share and must be in [0, 1), got {value}")
        if self.design_share is not None and not self.design_share + self.best_share < 1:
            raise ValueError(
                "design_share and best_share must leave a share to all arms, got "
                f"{self.design_share} and {self.best_share}"
            )
        if not isinstance(self.radius, str):
            positive("radius", self.radius)

    def _choose(self, contexts: np.ndarray) -> np.ndarray:
        return self._draw(contexts)[0]

    def _propensities(self, contexts: np.ndarray) -> np.ndarray:
        weights = self._draw(contexts)[1]
        return weights / weights.sum(axis=1, keepdims=True)

    def _draw(self, contexts: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """The arms (n,), and the weights (n, K) by which they are drawn."""
        arms, mask = np.empty(self.n, np.int64), self._available()
        weights = np.empty(mask.shape)
        known = self.model, self.radii(), self._t > 0
        design = 0.5 * (1.0 - self.best_share) if self.design_share is None else self.design_share
        shares = float(design), float(self.best_share)
        draws = self._keys, self.decisions
        reject(_choose_each(known, contexts, mask, shares, draws, weights, arms), "a feature")
        return arms, weights


@compiled
def _choose_each(known, contexts, mask, shares, draws, weights, arms):
    """Returns as ``factor.predict``."""
    (model, radii, informed), (keys, decisions) = known, draws
    scratch, factor = prediction_scratch(contexts), (model.upper, model.pivots, model.moment)
    _, dim, n_arms = contexts.shape
    designing, scaled, f = design_scratch(dim, n_arms), np.empty((dim, n_arms)), np.empty(n_arms)
    for i in range(arms.shape[0]):
        if not predict_replicate(factor, contexts, i, model.mean, model.variance, scratch):
            return cause(contexts, i)
        best, weight = first_largest_within(model.mean[i], mask[i]), weights[i]
        _fill_agreement(model, i, best, radii[i], scratch[0], mask[i], contexts[i], (f, scaled))
        fill_design(scaled, 2.0, 1e-6, designing, weight)
        there, total = 0, 0.0
        for k in range(n_arms):
            there += mask[i, k]
        of_best = shares[1] if informed[i] else 0.0
        for k in range(n_arms):
            weight[k] = shares[0] * weight[k] + (1.0 - shares[0] - of_best) / there
            weight[k] = f[k] * (weight[k] + of_best if k == best else weight[k])
            total += weight[k]
        left = total * uniform_at(keys[i, 0], keys[i, 1], decisions[i], 0)
        arms[i] = best  # if rounding leaves more than all weights
        for k in range(n_arms):
            left -= weight[k]
            if left < 0.0:
                arms[i] = k
                break
    return -1


@borrowing
def _fill_agreement(model, i, best, radius, z, mask, arms, out):
    """Write f (K,), 0 for arms that there are not, and the arms (d, K) times its root."""
    mean, reciprocals, (f, scaled) = model.mean[i], model.pivots[i, 1], out
    for k in range(f.shape[0]):
        gap, square, root = mean[best] - mean[k], 0.0, 1.0 if mask[k] else 0.0
        for j in range(reciprocals.shape[0]):
            difference = z[j, k] - z[j, best]
            square += reciprocals[j] * difference * difference
        width = radius * radius * square
        if mask[k] and width > 0.0:
            root = exp(-0.5 * (gap * gap / width))
        f[k] = root * root
        for j in range(reciprocals.shape[0]):
            scaled[j, k] = root * arms[j, k]
