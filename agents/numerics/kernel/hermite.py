r"""Nodes and weights of Gauss-Hermite quadrature, with the same bits on every CPU.

The orthonormal polynomials of the probability :math:`e^{-x^2} / \sqrt\pi` follow

.. math:: \sqrt{(k + 1) / 2}\; p_{k+1} = x\, p_k - \sqrt{k / 2}\; p_{k-1}, \qquad p_0 = 1, \qquad
    p_m' = \sqrt{2 m}\; p_{m-1}.

Nodes are the roots of :math:`p_m`: the eigenvalues of the recurrence's tridiagonal matrix [1]_,
polished by Newton's method. A weight is the reciprocal of :math:`\sum_{k<m} p_k^2` at its node, a
sum without cancellation.

References
----------
.. [1] G. Golub, J. Welsch. Calculation of Gauss Quadrature Rules. Mathematics of Computation 23,
   1969.
"""

import math

import numpy as np

from banditgym.compiled import compiled, inlined
from banditgym.linalg.symmetric import tridiagonal_values

_LARGE = 2.0**250  # beyond it polynomials are scaled by 2^-500: weights are products of squares
_STEPS = 3  # of Newton's method, from 1e-13 off at 5000 nodes


@compiled
def nodes_and_weights(m):
    """The m nodes, ascending and symmetric to the last bit, and their weights, which sum to 1.

    Weights below the smallest positive number, beyond nodes of about 27, are 0.
    """
    diagonal, below = np.zeros(m), np.zeros(m)
    for k in range(m - 1):
        below[k] = math.sqrt((k + 1) / 2.0)
    nodes, weights = tridiagonal_values(diagonal, below), np.empty(m)
    for j in range(m // 2, m):
        x = nodes[j]
        if j == m - 1 - j:
            x = 0.0
        else:
            for _ in range(_STEPS):
                last, before, _ = _polynomials(x, m)
                x -= last / (math.sqrt(2.0 * m) * before)
        nodes[j], nodes[m - 1 - j] = x, -x
        weights[j] = weights[m - 1 - j] = _polynomials(x, m)[2]
    nodes[m // 2] = abs(nodes[m // 2])  # a middle node is 0, not -0
    return nodes, weights


@inlined
def _polynomials(x, m):
    """p_m and p_{m-1} at x, in a common unit, and the reciprocal of the sum of p_k² below m."""
    before, last, square, unit = 0.0, 1.0, 0.0, 1.0
    for k in range(m):
        square += last * last
        following = (x * last - math.sqrt(k / 2.0) * before) / math.sqrt((k + 1) / 2.0)
        before, last = last, following
        if abs(last) > _LARGE:
            before, last = before / (_LARGE * _LARGE), last / (_LARGE * _LARGE)
            square = square / (_LARGE * _LARGE) / (_LARGE * _LARGE)
            unit = unit / (_LARGE * _LARGE) / (_LARGE * _LARGE)
    return last, before, unit / square if unit > 0.0 else 0.0
