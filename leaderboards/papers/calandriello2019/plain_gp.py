"""GP-UCB as in its paper: the posterior is recomputed from all pulls in every round."""

import numpy as np
from scipy.linalg import cholesky, solve_triangular

from banditgym.functions.covariances import RBF, Covariance


def refit(
    covariance: Covariance, arms: np.ndarray, pulled: np.ndarray, rewards: np.ndarray, ridge: float
) -> tuple[np.ndarray, np.ndarray]:
    r"""The posterior of all arms after t pulls, by one factor of :math:`K_t + \lambda I`.

    It takes :math:`O(t^3 + t^2 K)` time and :math:`O(t K)` memory.

    Parameters
    ----------
    arms : ndarray of shape (K, d)
    pulled : ndarray of shape (t,)
        Indices of the arms pulled, with repeats.
    rewards : ndarray of shape (t,)
    ridge : float
        :math:`\lambda`.

    Returns
    -------
    mean, variance : ndarray of shape (K,)
        The variance in units of :math:`\lambda`, as in ``agents.posteriors``.

    References
    ----------
    N. Srinivas, A. Krause, S. Kakade, M. Seeger. Gaussian Process Optimization in the Bandit
    Setting. ICML 2010, eq. (1); D. Calandriello et al. COLT 2019, eqs. (1), (2).
    """
    prior = covariance.diagonal(arms) / ridge
    if not len(pulled):
        return np.zeros(len(arms)), prior
    gram = covariance(arms[pulled], arms[pulled])
    gram[np.diag_indices_from(gram)] += ridge
    factor = cholesky(gram, lower=True, overwrite_a=True, check_finite=False)
    known = (factor, covariance(arms[pulled], arms))
    whitened = solve_triangular(*known, lower=True, overwrite_b=True, check_finite=False)
    mean = whitened.T @ solve_triangular(factor, rewards, lower=True, check_finite=False)
    explained = np.einsum("tk,tk->k", whitened, whitened)
    return mean, np.maximum(prior - explained / ridge, 0.0)


def plain_gpucb(rounds: int, dim: int, n_arms: int) -> float:
    """GP-UCB of constant radius on uniform arms in numpy; returns the regret."""
    rng, covariance, ridge, radius = np.random.default_rng(0), RBF(), 0.01, 0.4
    arms, centres = rng.random((n_arms, dim)), rng.random((30, dim))
    function = covariance(arms, centres) @ rng.standard_normal(30)
    function /= np.abs(function).max()
    pulled, rewards, regret = np.empty(rounds, np.int64), np.empty(rounds), 0.0
    for t in range(rounds):
        mean, variance = refit(covariance, arms, pulled[:t], rewards[:t], ridge)
        pulled[t] = np.argmax(mean + radius * np.sqrt(variance))
        rewards[t] = function[pulled[t]] + np.sqrt(ridge) * rng.standard_normal()
        regret += function.max() - function[pulled[t]]
    return regret
