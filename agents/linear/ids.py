"""IDS: information-directed sampling for arms with a linear reward."""

import math
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from agents.agent import reject
from agents.drivers.rule import first_largest_within
from agents.inputs.feature_limits import cause
from agents.numerics.ridge.factor_predictions import predict_replicate, prediction_scratch
from agents.parts.confidence.ellipsoid_radius import DrawnByEllipsoid
from agents.search import Log
from banditgym.compiled import borrowing, compiled, inlined
from banditgym.elementary import log1p
from banditgym.streams import uniform_at
from banditgym.validation import brief, flag

GAPS, INFORMATION = ("difference", "value"), ("full", "directed")


@dataclass(kw_only=True, eq=False)
class IDS(DrawnByEllipsoid):
    r"""Play the two arms, or the one, with the least squared gap per information.

    With ridge regression :math:`\hat\theta_t, V_t` of the past rounds, means :math:`m_k = \langle
    x_{t,k}, \hat\theta_t \rangle` and the radius :math:`\rho_t` of ``OFUL``, the gap of arm k is

    .. math:: \Delta_k = \max_b \; m_b - m_k + \rho_t \lVert x_{t,b} - x_{t,k} \rVert_{V_t^{-1}},
        \qquad\text{or}\qquad \Delta_k = \max_b \; m_b + \rho_t \lVert x_{t,b} \rVert_{V_t^{-1}}
        - m_k,

    ``difference``, its largest in the confidence set, and ``value``, which compares the largest
    upper bound of a value with the arm's mean; playing it has the information

    .. math:: I_k = \log(1 + \lVert x_{t,k} \rVert_{V_t^{-1}}^2), \qquad\text{or}\qquad
        I_k = \log \lVert w \rVert_{V_t^{-1}}^2
        - \log \lVert w \rVert_{(V_t + x_{t,k} x_{t,k}^\top)^{-1}}^2,

    ``full`` and ``directed``, where w is the arm with the largest upper confidence bound. With b
    the first arm of the smallest gap, round :math:`t` plays

    .. math:: \arg\min_{k, \, p \in [0, 1]}
        \frac{((1 - p) \Delta_b + p \Delta_k)^2}{(1 - p) I_b + p I_k},

    arm k with probability p, and else b. With ``deterministic`` it plays the arm of the smallest
    :math:`\Delta_k^2 / I_k`. A round costs :math:`O(K d^2)` per replicate, and with ``difference``
    :math:`O(K^2 d)` more; memory: n (d² + 3 d + 2 K) numbers.

    Its definition is ``tests/agents/definitions/linear/ids.py``.

    Parameters
    ----------
    gaps : "difference" or "value"
        ``value`` costs less; neither is always the larger one.
    information : "full" or "directed"
        On theta, or on the reward of the arm with the largest upper confidence bound.
    deterministic : bool
        Whether one arm is played, without a draw.
    ridge, delta, noise_std, param_norm, radius
        As in ``EllipsoidRadius``.

    Attributes
    ----------
    model : agents.parts.estimators.ridge.FreshArms
        The ridge regression: ``theta``, ``gram`` and more.

    Notes
    -----
    The paper was not at hand. The rules are those of the first author's code (``pm/strategies`` of
    ``pm-ids``): ``DiffGap`` and ``FastValueGap``, ``WorstCaseInfoGain`` and ``UCBInfoGain``, and
    the sampling strategies ``fast``, its default, and ``deterministic``. ``full``, over all pairs
    of arms, is not here. Departs from the code, where :math:`\lambda` and S are 1, and
    :math:`\delta = 1 / (t \log t)` unless it is given. The noise is taken to be the same for all
    arms.

    References
    ----------
    J. Kirschner, A. Krause. Information Directed Sampling and Bandits with Heteroscedastic Noise.
    COLT 2018.
    """

    paper: ClassVar = "Kirschner & Krause 2018, frequentist IDS and DIDS"
    search: ClassVar = {"radius": Log(0.01, 10.0), "ridge": Log(0.01, 100.0)}

    gaps: str = "difference"
    information: str = "full"
    deterministic: bool = False

    def __post_init__(self):
        super().__post_init__()
        for name, known in (("gaps", GAPS), ("information", INFORMATION)):
            if getattr(self, name) not in known:
                given = brief(getattr(self, name))
                raise ValueError(f"{name} must be {' or '.join(known)}, got {given}")
        flag("deterministic", self.deterministic)

    def _choose(self, contexts: np.ndarray) -> np.ndarray:
        return self._draw(contexts)[0]

    def _propensities(self, contexts: np.ndarray) -> np.ndarray:
        return self._draw(contexts)[1]

    def _draw(self, contexts: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """The arms (n,), and the probabilities (n, K) with which they are drawn."""
        arms, mask = np.empty(self.n, np.int64), self._available()
        p = np.zeros(mask.shape)
        kinds = self.gaps == "difference", self.information == "directed", bool(self.deterministic)
        draws = self._keys, self.decisions
        reject(
            _choose_each((self.model, self.radii()), contexts, mask, kinds, draws, p, arms),
            "a feature",
        )
        return arms, p


@compiled
def _choose_each(known, contexts, mask, kinds, draws, p, arms):
    """Returns as ``factor.predict``; ``p`` (n, K) is 0, and gets the probabilities."""
    model, radii = known
    scratch, factor = prediction_scratch(contexts), (model.upper, model.pivots, model.moment)
    gap, information, score = np.empty((3, contexts.shape[2]))
    for i in range(arms.shape[0]):
        if not predict_replicate(factor, contexts, i, model.mean, model.variance, scratch):
            return cause(contexts, i)
        own = model.mean[i], model.variance[i], scratch[0], model.pivots[i, 1]
        _fill(own, radii[i], mask[i], kinds, gap, information, score)
        u = uniform_at(draws[0][i, 0], draws[0][i, 1], draws[1][i], 0)
        b, other, share = _best_pair(gap, information, mask[i], kinds[2])
        arms[i] = other if u < share else b
        p[i, b] += 1.0 - share
        p[i, other] += share
    return -1


@borrowing
def _fill(known, radius, mask, kinds, gap, information, bound):
    """Write gaps of values, or of differences, information and upper bounds (K,) of the arms."""
    mean, variance, z, reciprocals = known
    n_arms = mean.shape[0]
    for k in range(n_arms):
        bound[k] = mean[k] + radius * math.sqrt(variance[k])
    best = first_largest_within(bound, mask)
    for k in range(n_arms):
        gap[k] = bound[best] - mean[k]
        information[k] = log1p(variance[k])
        if kinds[1]:
            product = 0.0
            for j in range(reciprocals.shape[0]):
                product += reciprocals[j] * z[j, best] * z[j, k]
            least = (1.0 + variance[k]) * max(variance[best], 1e-300)
            information[k] = -log1p(-product * product / least)
    if kinds[0]:
        _fill_differences(known, radius, mask, gap, bound)


@borrowing
def _fill_differences(known, radius, mask, gap, square):
    """Write gaps (K,) of differences, by the squared lengths (K,) of differences from each arm."""
    mean, _, z, reciprocals = known
    for k in range(gap.shape[0]):
        gap[k] = 0.0
    for b in range(gap.shape[0]):
        if not mask[b]:
            continue
        for k in range(gap.shape[0]):
            square[k] = 0.0
        for j in range(reciprocals.shape[0]):
            entry, reciprocal = z[j, b], reciprocals[j]
            for k in range(gap.shape[0]):
                square[k] += reciprocal * ((entry - z[j, k]) * (entry - z[j, k]))
        for k in range(gap.shape[0]):
            gap[k] = max(gap[k], mean[b] - mean[k] + radius * math.sqrt(square[k]))


@inlined
def _best_pair(gap, information, mask, deterministic):
    """b, the arm k, and p, which is 1 if ``deterministic``."""
    b = -1
    for k in range(gap.shape[0]):
        if mask[k] and (b < 0 or gap[k] < gap[b]):
            b = k
    other, share, least = b, 1.0, math.inf
    for k in range(gap.shape[0]):
        if mask[k]:
            p = 1.0 if deterministic else _share(gap[b], gap[k], information[b], information[k])
            expected = (1.0 - p) * gap[b] + p * gap[k]
            gained = (1.0 - p) * information[b] + p * information[k]
            ratio = expected * expected / gained if gained > 0.0 else math.inf
            if expected == 0.0:
                ratio = 0.0
            if ratio < least:
                other, share, least = k, p, ratio
    return b, other, share


@inlined
def _share(smaller, larger, i, j):
    """The p in [0, 1] of the least ratio of gaps ``smaller`` <= ``larger``, information i and j."""
    if i >= j or smaller == 0.0:
        return 0.0
    if smaller == larger:
        return 1.0
    p = smaller / (larger - smaller) - 2.0 * i / (j - i)
    return min(max(p, 0.0), 1.0)
