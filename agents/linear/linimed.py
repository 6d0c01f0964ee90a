"""LinIMED: the indexed minimum empirical divergence of arms with a linear reward."""

import math
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from agents.drivers.rule import first_largest, first_largest_within
from agents.numerics.choice import optimistic_score
from agents.parts.confidence.ellipsoid_radius import EllipsoidRadius
from agents.search import Log
from banditgym.compiled import compiled
from banditgym.elementary import log
from banditgym.validation import positive


@dataclass(kw_only=True, eq=False)
class LinIMED(EllipsoidRadius):
    r"""Play the arm of the smallest index of squared gap and uncertainty.

    With ridge regression :math:`\hat\theta_t, V_t` of the past rounds and the radius
    :math:`\rho_t` of ``OFUL``, arm k has the squared width :math:`w_k = \rho_t^2 \lVert x_{t,k}
    \rVert_{V_t^{-1}}^2`. With values :math:`u_k` and the first arm b of the largest value, round
    :math:`t` plays

    .. math:: a_t = \arg\min_k I_k, \qquad I_k = \frac{(u_b - u_k)^2}{w_k} - \log w_k.

    In variant 1 :math:`u_k = \langle x_{t,k}, \hat\theta_t \rangle`. In variant 3 :math:`u_k =
    \langle x_{t,k}, \hat\theta_t \rangle + \sqrt{w_k}`, and

    .. math:: I_b = \min\Bigl(\log \frac{C}{\max_k (u_b - u_k)^2}, \; -\log w_b\Bigr).

    A round costs :math:`O(K d^2)` per replicate; for memory see ``agents.estimators.Ridge``.

    Its definition is ``tests/agents/definitions/linear/linimed.py``.

    Parameters
    ----------
    variant : int
        1 or 3.
    index_cap : float
        C > 0 of variant 3, in units of squared reward: the index of b is at most log C minus the
        log of the largest squared gap. The smaller C is, the more often b is played.
    ridge, delta, noise_std, param_norm, radius
        As in ``EllipsoidRadius``; a radius of 0 is refused.

    Attributes
    ----------
    model : agents.parts.estimators.ridge.FreshArms, or one of agents.parts.estimators.fixed_arms
        The ridge regression: ``theta``, ``gram`` and more.

    Notes
    -----
    The paper was not at hand. The rules are those of the code of Balagopalan and Jun
    (``Lin_IMED.py`` of ``Linear-Bandit-Algorithms``), who compare with both variants; C = 30 is
    theirs. Departs from it: their first arm is uniform, :math:`\lambda = R^2 / S^2`, and
    :math:`\delta = 0.01`. Variant 2 is not in that code. An arm without width has an infinite
    index, except b in variant 3.

    References
    ----------
    J. Bian, V. Tan. Indexed Minimum Empirical Divergence-Based Algorithms for Linear Bandits.
    Transactions on Machine Learning Research 2024.
    """

    paper: ClassVar = "Bian & Tan 2024, LinIMED-1 and LinIMED-3"
    search: ClassVar = {"radius": Log(0.01, 10.0), "ridge": Log(0.01, 100.0)}

    variant: int = 3
    index_cap: float = 30.0

    def __post_init__(self):
        super().__post_init__()
        if self.variant not in (1, 3) or isinstance(self.variant, bool):
            raise ValueError(f"variant must be 1 or 3, got {self.variant!r}")
        positive("index_cap", self.index_cap)
        if not isinstance(self.radius, str):
            positive("radius", self.radius)

    def _choose(self, contexts: np.ndarray) -> np.ndarray:
        arms, known = np.empty(self.n, np.int64), self.model.predict(contexts)
        variant = self.variant == 3, float(self.index_cap)
        _least_index(*known, self.radii(), variant, self.mask, arms)
        return arms


@compiled
def _least_index(mean, variance, radii, variant, mask, arms):
    optimistic, cap = variant
    value, score = np.empty(mean.shape[1]), np.empty(mean.shape[1])
    for i in range(mean.shape[0]):
        for k in range(value.shape[0]):
            value[k] = optimistic_score(mean[i, k], variance[i, k], radii[i] if optimistic else 0.0)
        best = first_largest(value) if mask is None else first_largest_within(value, mask[i])
        largest = 0.0
        for k in range(value.shape[0]):
            gap, width = value[best] - value[k], radii[i] * radii[i] * max(variance[i, k], 0.0)
            score[k] = log(width) - gap * gap / width if width > 0.0 else -math.inf
            if mask is None or mask[i, k]:
                largest = max(largest, gap * gap)
        if optimistic and largest > 0.0:
            score[best] = max(score[best], log(largest) - log(cap))
        arms[i] = first_largest(score) if mask is None else first_largest_within(score, mask[i])
