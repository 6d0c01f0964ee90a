"""Random choices of arms, uniform ones and by inverse gap weighting, and their probabilities."""

import numpy as np
from numpy.typing import ArrayLike

from agents.drivers.rule import first_largest, first_largest_within
from banditgym.compiled import compiled, inlined
from banditgym.streams import uniform_at


@compiled
def uniform_slots(keys, t, index, mask, arms):
    """Write a uniform arm of mask (n, K) to arms (n,), from uniform ``index`` of rounds t (n,)."""
    for i in range(arms.shape[0]):
        arms[i] = uniform_slot(mask[i], uniform_at(keys[i, 0], keys[i, 1], t[i], index))


@inlined
def uniform_slot(mask, u):
    """A uniform arm of a mask (K,) with an arm, from a uniform number u."""
    there = 0
    for k in range(mask.shape[0]):
        there += mask[k]
    before = int(u * there)
    for k in range(mask.shape[0]):
        before -= mask[k]
        if before < 0:
            return k
    return mask.shape[0] - 1


def exploring(arms: np.ndarray, epsilon: ArrayLike, mask: np.ndarray) -> np.ndarray:
    """Probabilities (n, K): a uniform arm with probability epsilon, and else the arm of ``arms``.

    Parameters
    ----------
    arms : int64 ndarray of shape (n,)
    epsilon : float, or ndarray of shape (n,)
        In [0, 1]; 0 plays the arms.
    mask : bool ndarray of shape (n, K)
        The arms that are available.
    """
    epsilon = np.zeros(len(arms)) + epsilon  # pyright: ignore[reportOperatorIssue]
    p = mask * (epsilon / mask.sum(axis=1))[:, None]
    p[np.arange(len(arms)), arms] += 1.0 - epsilon
    return p


def inverse_gap_weighted(
    score: np.ndarray, gamma: np.ndarray, keys: np.ndarray, decisions: np.ndarray
) -> np.ndarray:
    r"""Arms (n,), each drawn by the inverse of its gap to the best, as SquareCB does.

    With b the first arm of the largest score f and K arms,

    .. math:: p_k = \frac{1}{K + \gamma (f_b - f_k)} \quad (k \ne b), \qquad
        p_b = 1 - \sum_{k \ne b} p_k.

    Parameters
    ----------
    score : ndarray of shape (n, K)
    gamma : ndarray of shape (n,)
        :math:`\gamma \ge 0`; 0 is uniform.
    keys : uint64 ndarray of shape (n, 2)
        Of the stream whose uniform 0 of the decision draws the arm.
    decisions : int64 ndarray of shape (n,)
    """
    arms = np.empty(len(score), np.int64)
    _inverse_gap_weighted(score, gamma, keys, decisions, arms)
    return arms


@compiled
def _inverse_gap_weighted(score, gamma, keys, decisions, arms):
    for i in range(score.shape[0]):
        u = uniform_at(keys[i, 0], keys[i, 1], decisions[i], 0)
        arms[i] = inverse_gap(score[i], gamma[i], u, None)


@inlined
def inverse_gap(score, gamma, u, mask):
    """The index that a uniform u on [0, 1) draws by inverse gap weighting of the scores (K,).

    ``mask`` (K,) says which arms there are, or is None if all are.
    """
    if mask is None:
        best, there = first_largest(score), score.shape[0]
    else:
        best, there = first_largest_within(score, mask), 0
        for k in range(mask.shape[0]):
            there += mask[k]
    for k in range(score.shape[0]):
        if k != best and (mask is None or mask[k]):
            u -= _weight(score, gamma, k, best, there)
            if u < 0.0:
                return k
    return best


@inlined
def _weight(score, gamma, k, best, there):
    """The probability of arm k, which is not the best of the arms that are there."""
    return 1.0 / (there + gamma * (score[best] - score[k]))


def inverse_gap_weights(score: np.ndarray, gamma: np.ndarray, mask: np.ndarray) -> np.ndarray:
    """The probabilities (n, K) of what ``inverse_gap`` draws among the arms of a mask (n, K)."""
    p = np.zeros(score.shape)
    _fill_weights(score, gamma, mask, p)
    return p


@compiled
def _fill_weights(score, gamma, mask, p):
    for i in range(score.shape[0]):
        best, there = first_largest_within(score[i], mask[i]), mask[i].sum()
        p[i, best] = 1.0
        for k in range(score.shape[1]):
            if k != best and mask[i, k]:
                p[i, k] = _weight(score[i], gamma[i], k, best, there)
                p[i, best] -= p[i, k]
