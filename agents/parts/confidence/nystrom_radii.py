r"""Radii around the mean of a Nyström posterior, with batches and without them.

The symbols are those of ``kernelized_radii``.
"""

import math

import numpy as np

from banditgym.elementary import each_log, each_log1p
from banditgym.validation import probability, real, whole


def nystrom(
    effective_dimension: np.ndarray,
    pulls: np.ndarray,
    *,
    ridge: float,
    delta: float,
    noise_std: float,
    param_norm: float,
    accuracy: float,
    prior_variance: float,
) -> np.ndarray:
    r"""BKB's radius around the Nyström posterior mean.

    .. math:: \left(1 + \frac{1}{\sqrt{1 - \varepsilon}}\right) \sqrt\lambda F + \xi \sqrt{\alpha
        \left(1 + \log\left(\frac{\kappa^2 t}{\lambda} + 1\right)\right) s + 2 \log(1/\delta)},
        \qquad \alpha = \frac{1 + \varepsilon}{1 - \varepsilon}

    It holds for all t with probability :math:`1 - \delta` if :math:`\bar q` is at least
    ``oversampling``. The paper prints :math:`2 \xi \sqrt{\alpha \log(\kappa^2 t) s +
    \log(1/\delta)}` for the part due to noise, in which the ridge is missing, and which may be
    undefined for :math:`\kappa^2 t < 1`. Its proof bounds the log-determinant by :math:`\alpha (1 +
    \log(\kappa^2 t / \lambda + 1)) s`, from which the formula above follows.

    Parameters
    ----------
    effective_dimension : ndarray of shape (n,)
        s, the sum of the Nyström variances over all pulls.
    pulls : ndarray of shape (n,)
        t, the number of pulls so far.
    accuracy : float
        :math:`\varepsilon` in (0, 1).
    prior_variance : float
        :math:`\kappa^2`, the largest k(x, x).

    References
    ----------
    Calandriello et al. 2019, Theorem of section 4, and equation (6).
    """
    alpha = (1 + accuracy) / (1 - accuracy)
    growth = 1 + each_log1p(pulls * (prior_variance / ridge))
    noise = np.sqrt(alpha * growth * effective_dimension + 2 * each_log(1 / delta))
    bias = (1 + 1 / math.sqrt(1 - accuracy)) * math.sqrt(ridge) * param_norm
    return bias + noise_std * noise


def batched(
    log_sum: np.ndarray,
    *,
    threshold: float,
    ridge: float,
    delta: float,
    noise_std: float,
    param_norm: float,
) -> np.ndarray:
    r"""Radius for batches, from the variances at the beginning of each pull's batch.

    .. math:: \sqrt\lambda F
        + \xi \sqrt{C \sum_{i=1}^{t} \log(1 + \sigma_{b(i)}^2(x_i)) + \log(1/\delta)}

    Without C, the sum bounds the log-determinant if the posterior is exact, because variances never
    increase. No theorem states these constants.

    Parameters
    ----------
    log_sum : ndarray of shape (n,)
        The sum over all pulls; b(i) is the last pull before the batch of pull i.
    threshold : float
        C, at which a batch ends.

    References
    ----------
    D. Calandriello, L. Carratino, A. Lazaric, M. Valko, L. Rosasco. Near-linear Time Gaussian
    Process Optimization with Adaptive Batching and Resparsification. ICML 2020; its code.
    """
    growth = threshold * log_sum
    return math.sqrt(ridge) * param_norm + noise_std * np.sqrt(growth + each_log(1 / delta))


def oversampling(horizon: int, *, accuracy: float = 0.5, delta: float = 0.1) -> float:
    r"""BKB's :math:`\bar q`: the factor that makes a variance a probability of being included.

    .. math:: \bar q = \frac{6 \alpha \log(4 T / \delta)}{\varepsilon^2}, \qquad
        \alpha = \frac{1 + \varepsilon}{1 - \varepsilon}

    For this and larger :math:`\bar q`, Nyström variances are within a factor :math:`\alpha` of the
    exact ones in all T rounds, with probability :math:`1 - \delta`.

    References
    ----------
    Calandriello et al. 2019, Theorem of section 3.2.

    Examples
    --------
    >>> round(oversampling(500))
    713
    """
    check_accuracy(accuracy)
    probability("delta", delta)
    alpha = (1 + accuracy) / (1 - accuracy)
    return 6 * alpha * each_log(4 * whole("horizon", horizon) / delta) / (accuracy * accuracy)


def check_accuracy(accuracy: float) -> None:
    r"""Raise ValueError unless ``accuracy``, :math:`\varepsilon`, lies in (0, 1)."""
    if not 0 < real("accuracy", accuracy) < 1:
        raise ValueError(f"accuracy must be in (0, 1), got {accuracy}")
