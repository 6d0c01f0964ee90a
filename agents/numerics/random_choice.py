"""Random choices of arms: uniform ones, and those by inverse gap weighting."""

from agents.numerics.choice import first_largest
from banditgym.compiled import compiled, inlined
from banditgym.streams import uniform_at


@compiled
def uniform_slots(keys, t, index, mask, arms):
    """Write a uniform arm of mask (n, K) to arms (n,), from uniform ``index`` of rounds t (n,)."""
    for i in range(arms.shape[0]):
        there = 0
        for k in range(mask.shape[1]):
            there += mask[i, k]
        before = int(uniform_at(keys[i, 0], keys[i, 1], t[i], index) * there)
        for k in range(mask.shape[1]):
            if mask[i, k]:
                if before == 0:
                    arms[i] = k
                    break
                before -= 1


@inlined
def inverse_gap(score, gamma, u):
    r"""The index that a uniform u on [0, 1) draws by inverse gap weighting of the scores f (K,).

    With b the first index of the largest score,

    .. math:: p_k = \frac{1}{K + \gamma (f_b - f_k)} \quad (k \ne b), \qquad
        p_b = 1 - \sum_{k \ne b} p_k,

    and :math:`\gamma \ge 0`; 0 is uniform.
    """
    best = first_largest(score)
    for k in range(score.shape[0]):
        if k != best:
            u -= 1.0 / (score.shape[0] + gamma * (score[best] - score[k]))
            if u < 0.0:
                return k
    return best
