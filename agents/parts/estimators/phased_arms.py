"""Fixed arms that are played in phases, by optimal designs of the arms that are left."""

import math
from typing import Any, NamedTuple

import numpy as np

from agents.agent import reject
from agents.drivers.rule import choose, learn, withdrawn
from agents.inputs.feature_limits import cause
from agents.numerics.optimal_design import design_scratch, fill_design, fit_by_design
from banditgym.compiled import borrowing, compiled, inlined
from banditgym.elementary import log

_ENDLESS = 2.0**53  # more rewards than are ever learned
_LAST = 60  # phase


class PhasedArms(NamedTuple):
    r"""What n replicates of ``PhasedElimination`` know of their arms.

    Attributes
    ----------
    phase : ndarray of shape (n,)
        :math:`l`; 0 before the arms are known.
    active : bool ndarray of shape (n, K)
        The arms that are left.
    need : ndarray of shape (n, K)
        How many rewards of each arm the phase needs: :math:`T_l(k)`.
    pulls, sums : ndarray of shape (n, K)
        Number and sum of the rewards of this phase.
    mean : ndarray of shape (n, K)
        The estimate of each arm that was left in the last phase; 0 before.
    scale, delta, noise_std : float
        The hyperparameters.
    """

    phase: np.ndarray
    active: np.ndarray
    need: np.ndarray
    pulls: np.ndarray
    sums: np.ndarray
    mean: np.ndarray
    scale: float
    delta: float
    noise_std: float

    @classmethod
    def initial(cls, n: int, n_arms: int, scale: float, delta: float, noise: float) -> "PhasedArms":
        """No rewards, and arms that are not known yet."""
        need, sums, mean = np.zeros((3, n, n_arms))
        phase, active = np.zeros(n, np.int64), np.ones((n, n_arms), bool)
        pulls = np.zeros((n, n_arms), np.int64)
        return cls(phase, active, need, pulls, sums, mean, scale, delta, noise)

    def rule(self, dim: int) -> "PhasedRule":
        """The rule that plays arms of ``dim`` features."""
        n_arms = self.need.shape[1]
        scratch = design_scratch(dim, n_arms), np.empty((dim, n_arms)), np.empty(n_arms)
        return PhasedRule(self, scratch)

    def begin(self, contexts: np.ndarray) -> None:
        """Begin phase 1 with the arms of features (n, d, K), if it has not begun."""
        if self.phase[0] == 0:
            reject(_begin_each(self.rule(contexts.shape[1]), contexts), "a feature")


class PhasedRule(NamedTuple):
    """The rule of ``PhasedElimination``; ``scratch`` is overwritten."""

    arms: PhasedArms
    scratch: Any


@choose.of(PhasedRule)
def _choose(rule, i, t, contexts, mask):
    arms, best = rule.arms, -1
    for k in range(arms.need.shape[1]):
        if withdrawn(mask, i, k):
            continue
        if arms.active[i, k] and arms.pulls[i, k] < arms.need[i, k]:
            return k
        better = best < 0 or arms.active[i, k] > arms.active[i, best]
        if best >= 0 and arms.active[i, k] == arms.active[i, best]:
            better = arms.mean[i, k] > arms.mean[i, best]
        if better:
            best = k
    return best


@learn.of(PhasedRule)
def _learn(rule, i, contexts, arm, reward):
    arms = rule.arms
    if arms.active[i, arm]:
        arms.pulls[i, arm] += 1
        arms.sums[i, arm] += reward
        if arms.pulls[i, arm] >= arms.need[i, arm] and _has_all(arms, i):
            _end_phase(rule, i, contexts)
            _begin_phase(rule, i, contexts)
    return True


@inlined
def _has_all(arms, i):
    """Whether a phase has all rewards that it needs."""
    missing = 0
    for k in range(arms.need.shape[1]):
        missing += arms.pulls[i, k] < arms.need[i, k]
    return missing == 0


@compiled
def _begin_each(rule, contexts):
    """Returns as ``factor.predict``."""
    for i in range(contexts.shape[0]):
        square = 0.0
        for j in range(contexts.shape[1]):
            for k in range(contexts.shape[2]):
                square += contexts[i, j, k] * contexts[i, j, k]
        if not square < 1e300:
            return cause(contexts, i)
    for i in range(contexts.shape[0]):
        _begin_phase(rule, i, contexts)
    return -1


@borrowing
def _design(rule, i, contexts):
    """Fill the design of the arms that are left; returns how many dimensions they span."""
    designing, features, design = rule.scratch
    for j in range(features.shape[0]):
        for k in range(features.shape[1]):
            features[j, k] = contexts[i, j, k] if rule.arms.active[i, k] else 0.0
    return fill_design(features, 2.0, 1e-12, designing, design)


@borrowing
def _begin_phase(rule, i, contexts):
    arms, design, leverage = rule.arms, rule.scratch[2], rule.scratch[0][2][0]
    arms.phase[i] += 1
    phase, left, largest, rank = arms.phase[i], 0, 0.0, _design(rule, i, contexts)
    for k in range(design.shape[0]):
        left += arms.active[i, k]
        largest = max(largest, leverage[k])
    ratio = arms.noise_std / (arms.scale * math.ldexp(1.0, -phase))
    each = (
        2.0 * largest * (ratio * ratio) * log(design.shape[0] * phase * (phase + 1.0) / arms.delta)
    )
    for k in range(design.shape[0]):
        arms.pulls[i, k], arms.sums[i, k], arms.need[i, k] = 0, 0.0, 0.0
        if arms.active[i, k] and (rank == 0 or left == 1 or phase == _LAST):
            arms.need[i, k] = _ENDLESS
        elif design[k] > 0.0:
            arms.need[i, k] = min(max(1.0, math.ceil(each * design[k])), _ENDLESS)


@borrowing
def _end_phase(rule, i, contexts):
    arms, rank, largest = rule.arms, _design(rule, i, contexts), -math.inf
    fit_by_design(rank, arms.pulls[i], arms.sums[i], rule.scratch[0], arms.mean[i])
    epsilon = arms.scale * math.ldexp(1.0, -arms.phase[i])
    for k in range(arms.mean.shape[1]):
        if arms.active[i, k]:
            largest = max(largest, arms.mean[i, k])
    for k in range(arms.mean.shape[1]):
        arms.active[i, k] = arms.active[i, k] and largest - arms.mean[i, k] <= 2.0 * epsilon
