r"""Radii of confidence sets around a Gaussian process's posterior mean.

Symbols: k is the covariance, :math:`\lambda` the ridge, F a bound on f's norm in the space of k,
:math:`\xi` the sub-Gaussian constant of the noise, :math:`\delta` the probability of failure,
:math:`K_t` the covariance matrix of the t pulls so far. Variances are in units of the ridge,

.. math:: \sigma^2(x) = \bigl(k(x, x) - k_t(x)^\top (K_t + \lambda I)^{-1} k_t(x)\bigr) / \lambda,

and a radius :math:`\rho` means :math:`\lvert\mu(x) - f(x)\rvert \le \rho\,\sigma(x)`.

For the exact posterior the theorem of linear bandits holds: ``self_normalized`` with
:math:`\log\det(K_t / \lambda + I)`. Finitely many arms span a space of finite dimension.
"""

import math

import numpy as np

from banditgym.elementary import each_log


def released(
    effective_dimension: np.ndarray,
    pulls: np.ndarray,
    *,
    ridge: float,
    delta: float,
    noise_std: float,
    param_norm: float,
) -> np.ndarray:
    r"""Radius of the code that was released with BKB; no theorem states it.

    .. math:: \sqrt\lambda F + \xi \sqrt{s \log\max(t, 1) + \log(1/\delta)}, \qquad
        s = \sum_{i=1}^{t} \sigma_t^2(x_i)

    It is ``nystrom`` without its constants.

    Parameters
    ----------
    effective_dimension : ndarray of shape (n,)
        s, the sum of the current variances over all pulls.
    pulls : ndarray of shape (n,)
        t, the number of pulls so far.

    References
    ----------
    D. Calandriello, L. Carratino, A. Lazaric, M. Valko, L. Rosasco. Gaussian Process Optimization
    with Adaptive Sketching: Scalable and No Regret. COLT 2019; its code.
    """
    growth = effective_dimension * each_log(np.maximum(pulls, 1))
    return math.sqrt(ridge) * param_norm + noise_std * np.sqrt(growth + each_log(1 / delta))
