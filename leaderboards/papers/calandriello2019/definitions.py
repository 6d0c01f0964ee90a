r"""The paper's posteriors, recomputed from their definitions beside the agents.

All of it is computed by ``banditgym.linalg`` and ``banditgym.elementary``, in one order of
operations on every CPU. So no number of these experiments depends on a BLAS, the times excepted.
"""

import numpy as np

from banditgym.elementary import each_log
from banditgym.linalg.definite import solve_transposed, solve_upper, upper_factor
from banditgym.linalg.product import product
from banditgym.linalg.symmetric import eigensystem


def matrix(values: np.ndarray) -> np.ndarray:
    """A C-contiguous copy, as kernels of ``banditgym.linalg`` take it."""
    return np.array(values, dtype=np.float64, order="C")


def factor(definite: np.ndarray) -> np.ndarray:
    """U (d, d), upper triangular, of a positive definite matrix :math:`U^T U`.

    Raises
    ------
    ValueError
        If it is not positive definite up to rounding.
    """
    upper = matrix(definite)
    row = upper_factor(upper)
    if row >= 0:
        raise ValueError(f"the matrix must be positive definite, and fails in row {row}")
    return upper


def solve(definite: np.ndarray, right: np.ndarray) -> np.ndarray:
    """The solution (d, m) of A X = B for a positive definite A and B (d, m)."""
    upper, solution = factor(definite), matrix(right)
    solve_transposed(upper, solution)
    solve_upper(upper, solution)
    return solution


def log_det(definite: np.ndarray) -> float:
    """The log-determinant of a positive definite matrix."""
    return float(2 * np.sum(each_log(factor(definite).diagonal().copy())))


def eigenvalues(symmetric: np.ndarray) -> np.ndarray:
    """The eigenvalues (d,) of a symmetric matrix, ascending."""
    return eigensystem(matrix(symmetric))[0]


def embedding(gram: np.ndarray, dictionary: np.ndarray) -> np.ndarray:
    """The Nyström embedding z (K, r) of all arms, up to a rotation.

    Parameters
    ----------
    gram : ndarray of shape (K, K)
        The kernel of all arms.
    dictionary : ndarray of shape (m,)
        Indices of the arms of S. Eigenvalues of :math:`K_S` of at most m eps times the largest are
        dropped.
    """
    if not len(dictionary):
        return np.zeros((len(gram), 0))
    values, vectors = eigensystem(matrix(gram[np.ix_(dictionary, dictionary)]))
    kept = values > len(values) * np.finfo(float).eps * values[-1]
    return product(matrix(gram[:, dictionary]), matrix(vectors[:, kept] / np.sqrt(values[kept])))


def posterior(
    gram: np.ndarray, dictionary: np.ndarray, counts: np.ndarray, totals: np.ndarray, ridge: float
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    r"""BKB's mean and variance of all arms, and the variance of the subset of regressors.

    .. math:: \tilde\mu(x) = z(x)^\top V^{-1} \sum_s y_s z(x_s), \qquad
        \tilde\sigma^2_{\text{sor}}(x) = z(x)^\top V^{-1} z(x), \qquad
        \tilde\sigma^2 = \tilde\sigma^2_{\text{sor}} + (k(x, x) - z(x)^\top z(x))_+ / \lambda

    Parameters
    ----------
    gram, dictionary
        As in ``embedding``.
    counts, totals : ndarray of shape (K,)
        Pulls of each arm, and the sums of their rewards.
    ridge : float

    Returns
    -------
    mean, variance, starved : ndarray of shape (K,)
    """
    z = embedding(gram, dictionary)
    rest = np.maximum(gram.diagonal() - (z * z).sum(axis=1), 0.0) / ridge
    if not z.shape[1]:
        return np.zeros(len(gram)), rest, np.zeros(len(gram))
    upper = factor(product(matrix(z.T * counts), z) + ridge * np.eye(z.shape[1]))
    white, moment = matrix(z.T), product(matrix(z.T), matrix(totals[:, None]))
    solve_transposed(upper, white)
    solve_transposed(upper, moment)
    starved = (white * white).sum(axis=0)
    return product(matrix(white.T), moment)[:, 0], starved + rest, starved
