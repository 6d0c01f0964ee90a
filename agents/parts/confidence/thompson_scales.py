"""The scales of Thompson sampling, linear and from a Gaussian process."""

import math

import numpy as np

from banditgym.elementary import each_log


def linear_thompson_scale(t: np.ndarray, *, dim: int, delta: float, noise_std: float) -> np.ndarray:
    r"""Scale v of linear Thompson sampling in round t, counted from 1.

    .. math:: v_t = R \sqrt{9 d \log(t / \delta)}

    References
    ----------
    S. Agrawal, N. Goyal. Thompson Sampling for Contextual Bandits with Linear Payoffs. ICML 2013,
    section 2.2, in the form that needs no horizon (arXiv 1209.3352, version 4).
    """
    return noise_std * np.sqrt(9 * dim * each_log(t / delta))


def thompson_scale(
    log_det: np.ndarray, *, ridge: float, delta: float, noise_std: float, param_norm: float
) -> np.ndarray:
    r"""Scale v of Thompson sampling from a Gaussian process's exact posterior.

    .. math:: v = \sqrt\lambda F
        + \xi \sqrt{2 \left(\tfrac12 \log\det(K_t / \lambda + I) + 1 + \log(2/\delta)\right)}

    The paper's :math:`B + R\sqrt{2(\gamma_{t-1} + 1 + \log(2/\delta))}` is for the ridge
    :math:`1 + 2/T`, and its :math:`\gamma` is the maximum over all possible pulls of half the
    log-determinant. Here we take the log-determinant of the actual pulls, and apply the paper to
    the covariance :math:`k / \lambda` at a ridge of 1, where f has the norm
    :math:`\sqrt\lambda F`.

    Parameters
    ----------
    log_det : ndarray of shape (n,)
        :math:`\log\det(K_t / \lambda + I)`.

    References
    ----------
    S. R. Chowdhury, A. Gopalan. On Kernelized Multi-armed Bandits. ICML 2017, Algorithm 2.
    """
    noise = np.sqrt(log_det + 2 * (1 + each_log(2 / delta)))
    return math.sqrt(ridge) * param_norm + noise_std * noise
