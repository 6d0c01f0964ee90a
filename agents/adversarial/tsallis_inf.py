"""Tsallis-INF: optimal against an adversary, and with stochastic rewards."""

import math
from dataclasses import dataclass
from typing import ClassVar, NamedTuple

from agents.drivers.rule import choose, learn
from agents.parts.drawn_arms import Arms, DrawnArms, drawn, least_loss, loss_of
from agents.search import Choice, Log
from banditgym.compiled import inlined
from banditgym.validation import word

_ESTIMATES = "reduced_variance", "importance_weighted"
_MOST_STEPS = 100  # of Newton's method; 5 to 10 are usual


@dataclass(kw_only=True, eq=False)
class TsallisINF(DrawnArms):
    r"""Draw an arm from the probabilities that 1/2-Tsallis entropy gives to the estimated losses.

    With the estimated sums of losses :math:`\hat L`, round t draws :math:`a_t \sim p`,

    .. math:: p_k = 4 \bigl(\eta_t (\hat L_k - x)\bigr)^{-2}, \qquad
        x < \min_k \hat L_k \text{ such that } \sum_k p_k = 1,

    and adds to :math:`\hat L_k` the estimate

    .. math:: \frac{1[a_t = k] (\ell_t - b_k)}{p_k} + b_k,

    where the loss :math:`\ell_t` is 1 less the reward, for rewards in [0, 1]; others are scaled to
    it. Importance weighting has b = 0 and :math:`\eta_t = 2 / \sqrt t`; the estimate of reduced
    variance has :math:`b_k = \frac12 1[p_k \ge \eta_t^2]` and :math:`\eta_t = 4 / \sqrt t`.
    Newton's method finds x, from the side where it cannot overshoot. A round costs O(K) per
    replicate and step; memory: n K numbers, and K for each decision without a reward so far.

    Its definition is ``tests/agents/definitions/adversarial/tsallis_inf.py``.

    Parameters
    ----------
    estimator : str
        How losses are estimated: "reduced_variance", whose bound is better, or
        "importance_weighted".
    scale : float
        A factor of :math:`\eta_t`, > 0, without unit.

    Attributes
    ----------
    losses : ndarray of shape (n, K)
        :math:`\hat L`.
    open : agents.open_decisions.OpenDecisions
        The probabilities of every decision without a reward so far.

    Notes
    -----
    t counts rewards learned. A late reward is weighted by the probabilities of its own decision,
    and has the :math:`\eta` of the time when it is learned. The formulas are those of two public
    codes, one of which (SMPyBandits) scales them otherwise; the paper was not at hand.

    References
    ----------
    J. Zimmert, Y. Seldin. Tsallis-INF: An Optimal Algorithm for Stochastic and Adversarial Bandits.
    Journal of Machine Learning Research 22, 2021, Algorithm 1.
    """

    paper: ClassVar = "Zimmert & Seldin 2021, Algorithm 1"
    search: ClassVar = {"scale": Log(0.1, 10.0), "estimator": Choice(_ESTIMATES)}

    estimator: str = "reduced_variance"

    def __post_init__(self):
        super().__post_init__()
        word("estimator", self.estimator, _ESTIMATES)

    def _rule(self, rounds: int) -> "TsallisINFRule":
        reduces = self.estimator == "reduced_variance"
        return TsallisINFRule(self._arms(), (4.0 if reduces else 2.0) * self.scale, reduces)


class TsallisINFRule(NamedTuple):
    """The rule of ``TsallisINF``; the learning rate is ``scale`` / sqrt(t)."""

    arms: Arms
    scale: float
    reduces: bool


@inlined
def _rate(rule, i):
    return rule.scale / math.sqrt(rule.arms.t[i] + 1.0)


@choose.of(TsallisINFRule)
def _choose(rule, i, t, contexts, mask):
    losses, p, eta = rule.arms.losses[i], rule.arms.probabilities[i], _rate(rule, i)
    least, total = least_loss(losses), 2.0
    x = least - 2.0 / eta
    if x == least:  # rounded away: all other arms that are worse have probability 0
        for k in range(p.shape[0]):
            p[k] = 1.0 if losses[k] == least else 0.0
        total = p.sum()
        for k in range(p.shape[0]):
            p[k] /= total
        return drawn(rule.arms, i, t)
    for _ in range(_MOST_STEPS):  # x falls to the root: the first p of the best arm is 1
        total, slope = 0.0, 0.0
        for k in range(p.shape[0]):
            root = 2.0 / (eta * (losses[k] - x))
            p[k] = root * root
            total += p[k]
            slope += eta * root * root * root
        step = (total - 1.0) / slope
        if total - 1.0 < 1e-14 or x - step == x:  # large losses round such a step away
            break
        x -= step
    for k in range(p.shape[0]):
        p[k] /= total
    return drawn(rule.arms, i, t)


@learn.of(TsallisINFRule)
def _learn(rule, i, contexts, arm, reward):
    arms, square = rule.arms, _rate(rule, i) * _rate(rule, i)
    loss, p = loss_of(arms, reward), arms.probabilities[i]
    for k in range(p.shape[0]):
        baseline = 0.5 if rule.reduces and p[k] >= square else 0.0
        arms.losses[i, k] += baseline
        if k == arm:
            arms.losses[i, k] += (loss - baseline) / p[k]
    arms.t[i] += 1
    return True
