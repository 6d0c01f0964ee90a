r"""Ridge regression by one triangular factor, updated by rotations without square roots.

.. math:: V = \lambda I + \sum_s x_s x_s^\top = U^\top D U, \qquad g = U \hat\theta,

where U is upper triangular with ones on its diagonal, and D diagonal with :math:`D_j \ge \lambda`.
A sample x with reward y is rotated into the rows of U, one
after the other. Its weight w is 1 at first, and the rotation with row j is

.. math:: \delta = D_j + w x_j^2, \quad (\text{keep}, \text{step}) = (D_j, w x_j) / \delta, \quad
    U_j \leftarrow \text{keep}\, U_j + \text{step}\, x, \quad x \leftarrow x - x_j U_j, \quad
    w \leftarrow \text{keep}\, w, \quad D_j \leftarrow \delta,

with old values on the right; :math:`(g_j, y)` is one more column of :math:`(U_j, x)`. These are
Givens rotations, and equally stable; neither V nor its inverse is ever formed. If keep > 1/2 the
new row is computed as :math:`U_j + \text{step}\, (x - x_j U_j)`, which changes no bit where x
agrees with it; for smaller keep this difference would cancel. At the end
:math:`1/w = 1 + x^\top V^{-1} x` for the old V, and :math:`V^{-1} x` for the new V is the solution
of :math:`U u = \text{step}`.

A sample costs :math:`O(d^2)`, in loops along the rows of U. The part of U below the diagonal is not
read.

References
----------
W. M. Gentleman. Least Squares Computations by Givens Transformations Without Square Roots.
Journal of the Institute of Mathematics and its Applications 1973.
"""

import numpy as np

from agents.inputs.feature_limits import first_refused, longest_square
from banditgym.compiled import borrowing, compiled, inlined

_ONE = np.uint64(1)


def initial(n: int, dim: int, ridge: float) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """U (n, d, d), D beside 1 / D (n, 2, d), and g (n, d), before any data."""
    pivots = np.tile([[ridge], [1.0 / ridge]], (n, 1, dim))
    return np.tile(np.eye(dim), (n, 1, 1)), pivots, np.zeros((n, dim))


@compiled
def absorb(upper, pivots, moment, ridge, features, arms, reward, observed):
    """Learn the rewards (n,) of the arms (n,) of the features (n, d, K) where observed (n,).

    Returns what ``first_refused`` does, before anything is written.
    """
    bad = first_refused(features, arms, observed, longest_square(ridge))
    if bad != -1:
        return bad
    dim = features.shape[1]
    scratch, factor = (np.empty(dim), np.empty(dim)), (upper, pivots, moment)
    for i in range(arms.shape[0]):
        if observed[i]:
            absorb_replicate(factor, features, i, arms[i], reward[i], scratch)
    return -1


@borrowing
def absorb_replicate(factor, features, i, arm, reward, scratch):
    """Replicate i learns a reward; its features are in range. Overwrites scratch, two of (d,)."""
    upper, pivots, moment = factor
    x, steps = scratch
    for j in range(x.shape[0]):
        x[j] = features[i, j, arm]
    rotate(upper[i], pivots[i], moment[i], x, reward, 1.0, steps)


@borrowing
def absorb_checked(factor, ridge, features, i, arm, reward, scratch):
    """:func:`absorb_replicate` unless the features are refused; returns whether it was."""
    square = 0.0
    for j in range(features.shape[1]):
        square += features[i, j, arm] * features[i, j, arm]
    if not square <= longest_square(ridge):
        return False
    absorb_replicate(factor, features, i, arm, reward, scratch)
    return True


@inlined
def rotate(upper, pivots, moment, x, reward, weight, steps):
    """Add ``x`` (d,) with its reward and weight to one regression; writes ``steps`` (d,).

    Returns the remaining weight. ``x`` is overwritten.
    """
    # Unsigned: signed indices may count from the end, and loops with this test are not vectorised.
    dim = np.uint64(x.shape[0])
    for j in range(dim):
        entry, pivot = x[j], pivots[0, j]
        lifted = weight * entry
        total = pivot + lifted * entry
        reciprocal = 1.0 / total
        keep, step = pivot * reciprocal, lifted * reciprocal
        pivots[0, j] = total
        pivots[1, j] = reciprocal
        steps[j] = step
        weight *= keep
        above, below = moment[j], reward
        reward = below - entry * above
        if keep > 0.5:
            moment[j] = above + step * reward
            for c in range(j + _ONE, dim):
                rest = x[c] - entry * upper[j, c]
                upper[j, c] += step * rest
                x[c] = rest
        else:
            moment[j] = keep * above + step * below
            for c in range(j + _ONE, dim):
                above, below = upper[j, c], x[c]
                upper[j, c] = keep * above + step * below
                x[c] = below - entry * above
    return weight
