r"""Radii of confidence sets, one function per theorem.

Symbols: d dimension, :math:`\lambda` ridge, S bound on :math:`\lVert\theta\rVert`, R sub-Gaussian
constant of the noise, L bound on the features' norm, :math:`\delta` probability of failure.
"""

import math

import numpy as np


def self_normalized(
    log_det: np.ndarray, *, ridge: float, delta: float, noise_std: float, param_norm: float
) -> np.ndarray:
    r"""Radius of the ellipsoid around the ridge estimate, by the log-determinant.

    .. math:: \sqrt\lambda S + R \sqrt{2 \log(1/\delta) + \log(\det V / \lambda^d)}

    With probability :math:`1 - \delta`, :math:`\lVert\hat\theta_t - \theta\rVert_{V_t}` is at most
    this for all t.

    Parameters
    ----------
    log_det : ndarray of shape (n,)
        :math:`\log\det V - d \log\lambda`.

    References
    ----------
    Y. Abbasi-Yadkori, D. Pál, C. Szepesvári. Improved Algorithms for Linear Stochastic Bandits.
    NeurIPS 2011, Theorem 2, first part.
    """
    return math.sqrt(ridge) * param_norm + noise_std * np.sqrt(2 * math.log(1 / delta) + log_det)


def self_normalized_closed(
    t: np.ndarray, *, dim: int, ridge: float, delta: float, noise_std: float, param_norm: float,
    feature_norm: float,
) -> np.ndarray:  # fmt: skip
    r"""The same radius with the log-determinant replaced by its bound after t observations.

    .. math:: \sqrt\lambda S
        + R \sqrt{2 \log(1/\delta) + d \log\left(1 + \frac{t L^2}{\lambda d}\right)}

    Parameters
    ----------
    t : ndarray of shape (n,)
        Number of past observations: t - 1 in round t, counted from 1.

    References
    ----------
    Abbasi-Yadkori et al. 2011, Theorem 2, second part.
    """
    growth = dim * np.log1p(t * (feature_norm**2 / (ridge * dim)))
    return math.sqrt(ridge) * param_norm + noise_std * np.sqrt(2 * math.log(1 / delta) + growth)


def posterior_width(t: np.ndarray, *, dim: int, delta: float, noise_std: float) -> np.ndarray:
    r"""Width v of linear Thompson sampling's posterior in round t, counted from 1.

    .. math:: v_t = R \sqrt{9 d \log(t / \delta)}

    References
    ----------
    S. Agrawal, N. Goyal. Thompson Sampling for Contextual Bandits with Linear Payoffs. ICML 2013,
    section 2.2, in the form that needs no horizon (arXiv 1209.3352, version 4).
    """
    return noise_std * np.sqrt(9 * dim * np.log(t / delta))
