"""Matrices of which those that are diagonal are kept as one row, and are multiplied as such."""

import numpy as np

from banditgym.compiled import inlined


def slim(matrix: np.ndarray) -> np.ndarray:
    """A copy of a matrix (d, d); for a diagonal matrix, its diagonal (1, d)."""
    diagonal = matrix.diagonal()
    is_diagonal = np.array_equal(matrix, np.diag(diagonal))
    return np.array(diagonal[None] if is_diagonal else matrix, order="C")


@inlined
def slim_product(matrix, x, out):
    """Write ``matrix @ x`` (d,) of a :func:`slim` matrix, summed in the order of its columns."""
    dim = x.shape[0]
    for j in range(dim):
        if matrix.shape[0] < dim:
            out[j] = matrix[0, j] * x[j]
            continue
        total = 0.0
        for c in range(dim):
            total += matrix[j, c] * x[c]
        out[j] = total
