r"""The Nyström embedding of a kernel on a few inducing points, and regression in it.

With inducing points S (m of them), :math:`K_{SS} = Q \Lambda Q^\top` and the eigenvalues above
:math:`m\,\epsilon\,\lambda_{\max}` (r of them; the others are 0 up to rounding),

.. math:: z(x) = \Lambda^{-1/2} Q^\top k_S(x), \qquad
    V = \lambda I + \sum_u n_u z(x_u) z(x_u)^\top = C C^\top, \qquad y(x) = C^{-1} z(x),

where the points :math:`x_u` were pulled :math:`n_u` times with rewards of the sum :math:`b_u`.
Means and variances are

.. math:: y(x)^\top C^{-1} \sum_u b_u z(x_u), \qquad
    \frac{(k(x, x) - \lVert z(x)\rVert^2)_+}{\lambda} + \lVert y(x)\rVert^2.

An embedding is unique up to a rotation, which changes neither. So where :math:`K_{SS} = L L^\top`
is far from singular, :math:`z(x) = L^{-1} k_S(x)` is used, which is cheaper. Both factors, C and L,
are lower triangular.

No errors are inherited from earlier rounds. The error of a coordinate of z is eps
:math:`\lambda_j^{-1/2}`, up to 1e-8 for the smallest :math:`\lambda_j`. A symmetric root would mix
coordinates before :math:`\lVert z(x)\rVert^2` is computed. They must not be mixed: at arms near S
the coordinates of the smallest eigenvalues are 0, and their errors in other coordinates would be
divided by the ridge. :math:`K_{SS}` itself is known to eps :math:`\lambda_{\max}`, so
:math:`\lVert z(x)\rVert^2` has an error of about m eps :math:`\lambda_{\max} \lVert K_{SS}^+
k_S(x)\rVert^2` however it is computed.
"""

import math
from typing import NamedTuple

import numpy as np

from agents.numerics.ridge.cholesky import factorise
from banditgym.compiled import compiled, inlined
from banditgym.linalg.product import add_product, gram, product, transpose
from banditgym.linalg.symmetric import eigensystem

_EPS = 2.0**-52
# If the smallest eigenvalue of K_SS is above this share of the trace, Cholesky's factor and the
# coordinates of z have ten correct digits.
_FAR_FROM_SINGULAR = 1e-10
_COLUMNS = 256  # arms embedded together: their columns of r rows stay in the first caches


@inlined
def _invert_root(matrix, floor, inverse):
    """Write the inverse of L, ``matrix = L L^T`` with pivots of at least ``floor``."""
    size = matrix.shape[0]
    transposed = np.empty((size, size))
    factorise(matrix, floor, transposed)
    for r in range(size):
        for c in range(size):
            inverse[r, c] = 0.0
        for k in range(r):
            weight = transposed[k, r]
            for c in range(k + 1):
                inverse[r, c] -= weight * inverse[k, c]
        reciprocal = transposed[r, r]
        for c in range(r):
            inverse[r, c] *= reciprocal
        inverse[r, r] = reciprocal


@compiled
def _whiten(inner, whitening):
    """Write the matrix W of an embedding; its rank and whether it is lower triangular."""
    m = inner.shape[0]
    trace = 0.0
    for a in range(m):
        trace += inner[a, a]
    if not trace > 0.0:
        return 0, True
    _invert_root(inner, _EPS * trace, whitening)
    inverse_trace = 0.0  # of the inverse of K_SS: no eigenvalue is below its reciprocal
    for a in range(m):
        for b in range(a + 1):
            inverse_trace += whitening[a, b] * whitening[a, b]
    if _FAR_FROM_SINGULAR * trace * inverse_trace < 1.0:
        return m, True
    values, vectors = eigensystem(inner)  # ascending
    cut = m * _EPS * values[m - 1]
    rank = 0
    while rank < m and values[m - 1 - rank] > cut:
        scale = 1.0 / math.sqrt(values[m - 1 - rank])
        for a in range(m):
            whitening[rank, a] = scale * vectors[a, m - 1 - rank]
        rank += 1
    return rank, False


@inlined
def _multiply(matrix, rank, width, triangular, rows, out):
    """``out = matrix[:rank, :width] @ rows``, both of ``columns`` columns; four by four rows."""
    columns = rows.shape[1]
    for j in range(rank):
        for k in range(columns):
            out[j, k] = 0.0
    for j in range(0, rank - 3, 4):
        reach = j + 4 if triangular else width
        add_product(matrix[j : j + 4], 4, reach, rows, out[j : j + 4], 0, columns, False)
    for j in range(rank - rank % 4, rank):
        for a in range(j + 1 if triangular else width):
            a0 = matrix[j, a]
            for k in range(columns):
                out[j, k] += a0 * rows[a, k]


@compiled
def embed(inner, across, weights, totals, ridge, whitening, solver, coefficients):
    r"""Write W of :math:`z(x) = W k_S(x)`, the inverse of C, and :math:`C^{-1} \sum_u b_u z(x_u)`.

    ``inner`` (m, m) is the kernel on S, ``across`` (m, u) that between S and the points seen,
    ``weights`` (u,) times, with ``totals`` (u,) the sums of their rewards. Returns the rank r and
    whether W is lower triangular: W is ``whitening[:r, :m]``, and so on.
    """
    m, u = across.shape
    rank, triangular = _whiten(inner, whitening)
    z = np.empty((rank, u))
    _multiply(whitening, rank, m, triangular, across, z)
    moment = product(z, totals.reshape(u, 1))
    for j in range(rank):
        for b in range(u):
            z[j, b] *= math.sqrt(weights[b])
    gram_of_z = gram(transpose(z))
    for j in range(rank):
        gram_of_z[j, j] += ridge
    _invert_root(gram_of_z, ridge, solver)
    for j in range(rank):
        total = 0.0
        for q in range(j + 1):
            total += solver[j, q] * moment[q, 0]
        coefficients[j] = total
    return rank, triangular


class Embedding(NamedTuple):
    """What ``embed`` wrote and returned: arrays of at least r rows and m columns."""

    whitening: np.ndarray
    solver: np.ndarray
    coefficients: np.ndarray
    rank: int
    triangular: bool


@compiled
def score(kernel, which, prior, ridge, embedding, mean, variance):
    """Write mean and variance (a,) of points, from their kernel with S: rows ``which`` (m,).

    ``kernel`` is of shape (rows, a), ``prior`` (a,) holds the points' own k(x, x).
    """
    whitening, solver, coefficients, rank, triangular = embedding
    m = len(which)
    gathered, embedded = np.empty(m * _COLUMNS), np.empty(rank * _COLUMNS)
    solved, rest = np.empty(rank * _COLUMNS), np.empty(_COLUMNS)
    for below in range(0, len(mean), _COLUMNS):
        columns = min(_COLUMNS, len(mean) - below)
        # Views from 0 on: indices with an offset would stop the vectorisation.
        prior_here = prior[below : below + columns]
        mean_here = mean[below : below + columns]
        variance_here = variance[below : below + columns]
        rows = gathered[: m * columns].reshape(m, columns)
        z = embedded[: rank * columns].reshape(rank, columns)
        y = solved[: rank * columns].reshape(rank, columns)
        for a in range(m):
            row = kernel[which[a], below : below + columns]
            for k in range(columns):
                rows[a, k] = row[k]
        _multiply(whitening, rank, m, triangular, rows, z)
        _multiply(solver, rank, rank, True, z, y)
        for k in range(columns):
            mean_here[k] = 0.0
            variance_here[k] = 0.0
            rest[k] = prior_here[k]
        for j in range(rank):
            coefficient = coefficients[j]
            for k in range(columns):
                rest[k] -= z[j, k] * z[j, k]
                variance_here[k] += y[j, k] * y[j, k]
                mean_here[k] += coefficient * y[j, k]
        for k in range(columns):
            variance_here[k] += max(rest[k], 0.0) / ridge
