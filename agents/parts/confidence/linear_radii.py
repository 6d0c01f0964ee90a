r"""Radii of confidence sets of linear models.

Symbols: d dimension, :math:`\lambda` ridge, S bound on :math:`\lVert\theta\rVert`, R sub-Gaussian
constant of the noise, L bound on the features' norm, :math:`\delta` probability of failure.
"""

import math
from typing import TypedDict, Unpack

import numpy as np

from banditgym.elementary import each_expm1, each_log, each_log1p


class Known(TypedDict):
    """The numbers that every radius depends on."""

    ridge: float
    delta: float
    noise_std: float
    param_norm: float


class KnownBounded(Known):
    """The numbers of a radius that needs a bound on the features' norm."""

    dim: int
    feature_norm: float


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
    return math.sqrt(ridge) * param_norm + noise_std * np.sqrt(2 * each_log(1 / delta) + log_det)


def self_normalized_closed(
    t: np.ndarray, *, dim: int, feature_norm: float, **known: Unpack[Known]
) -> np.ndarray:
    r"""``self_normalized`` with the log-determinant replaced by its bound after t observations.

    .. math:: \sqrt\lambda S
        + R \sqrt{2 \log(1/\delta) + d \log\left(1 + \frac{t L^2}{\lambda d}\right)}

    Parameters
    ----------
    t : ndarray of shape (n,)
        Number of past observations: t - 1 in round t, counted from 1.

    References
    ----------
    Abbasi-Yadkori et al. 2011, Theorem 2, with the determinant bounded by Lemma 10.
    """
    growth = dim * each_log1p(t * (feature_norm * feature_norm / (known["ridge"] * dim)))
    return self_normalized(growth, **known)


def sketched(
    log_det: np.ndarray,
    shrinkage: np.ndarray,
    *,
    dim: int,
    ridge: float,
    delta: float,
    noise_std: float,
    param_norm: float,
) -> np.ndarray:
    r"""Radius of the ellipsoid around the ridge estimate by a sketch.

    .. math:: R \sqrt{1 + \rho/\lambda}
        \sqrt{2 \log(1/\delta) + \log(\det \tilde V / \lambda^d) + d \log(1 + \rho/\lambda)}
        + \sqrt\lambda S (1 + \rho/\lambda)

    With probability :math:`1 - \delta`, :math:`\lVert\tilde\theta_t - \theta\rVert_{\tilde V_t}` is
    at most this for all t. Proof: :math:`\tilde V \preceq V \preceq \tilde V + \rho I \preceq (1 +
    \rho/\lambda) \tilde V`. The term for the noise is therefore that of ``self_normalized`` times
    :math:`\sqrt{1 + \rho/\lambda}`. The log-determinant of V is at most that of :math:`\tilde V`
    plus :math:`d\log(1 + \rho/\lambda)`. The norm of the bias :math:`(V - \lambda I - \tilde
    V)\theta` is at most :math:`(\rho + \lambda) S`. Without shrinkage this is ``self_normalized``.

    Parameters
    ----------
    log_det : ndarray of shape (n,)
        :math:`\log\det\tilde V - d \log\lambda`, of the sketched Gram matrix.
    shrinkage : ndarray of shape (n,)
        :math:`\rho`, the sum of the amounts subtracted from the squared singular values.

    References
    ----------
    After I. Kuzborskij, L. Cella, N. Cesa-Bianchi. Efficient Linear Bandits through Matrix
    Sketching. AISTATS 2019. The log-determinant of the sketch takes the place of the paper's bound
    on it by the norm of the features.
    """
    scale = 1 + shrinkage / ridge
    growth = 2 * each_log(1 / delta) + log_det + dim * each_log1p(shrinkage / ridge)
    return noise_std * np.sqrt(scale * growth) + math.sqrt(ridge) * param_norm * scale


def forward_self_normalized(
    t: np.ndarray,
    reach: np.ndarray,
    bias: np.ndarray,
    *,
    dim: int,
    ridge: float,
    delta: float,
    noise_std: float,
    param_norm: float,
) -> np.ndarray:
    r"""Radius around the forward estimate of each arm x, after t - 1 observations.

    .. math:: \sqrt\lambda S + b(x)
        + R \sqrt{2 \log(1/\delta) + d \log\left(1 + \frac{t X_t(x)^2}{\lambda d}\right)}, \qquad
        X_t(x) = \max\{\lVert x\rVert, \max_{s < t} \lVert x_s\rVert\}

    With probability :math:`1 - \delta`, :math:`\lvert x^\top(\theta(x) - \theta)\rvert` is at most
    this times :math:`\lVert x\rVert_{(V_t + x x^\top)^{-1}}`, for all x and t. A bracket is missing
    in the paper's formula, in which the width does not multiply the whole radius.

    The paper's term :math:`b(x) = \lVert x\rVert S` bounds :math:`\lVert x\rVert_{(V_t + x
    x^\top)^{-1}} \lvert x^\top\theta\rvert`, which is the bias because x counts as played for a
    reward of 0. With :math:`v = \lVert x\rVert^2_{(V_t + x x^\top)^{-1}}`, :math:`b(x) = \sqrt{v}\,
    \lVert x\rVert S` is also valid, and tighter because v < 1.

    Parameters
    ----------
    t : ndarray of shape (n,)
        The round, counted from 1: the candidate is the t-th sample.
    reach : ndarray of shape (n, K)
        :math:`X_t(x)`, the largest norm among x and the arms played so far.
    bias : ndarray of shape (n, K)
        b(x), in units of reward.

    Returns
    -------
    ndarray of shape (n, K)

    References
    ----------
    R. Ouhamma, O.-A. Maillard, V. Perchet. Stochastic Online Linear Regression: the Forward
    Algorithm to Replace Ridge. NeurIPS 2021, Algorithm 3; the tighter form is ours.
    """
    growth = each_log1p(reach * reach * (t / (ridge * dim))[:, None])
    growth *= dim
    growth += 2 * each_log(1 / delta)
    radius = np.sqrt(growth, out=growth)
    radius *= noise_std
    radius += bias
    radius += math.sqrt(ridge) * param_norm
    return radius


def discounted(t: np.ndarray, *, discount: float, **known: Unpack[KnownBounded]) -> np.ndarray:
    r"""Radius around the discounted ridge estimate after t observations.

    .. math:: \sqrt\lambda S + R \sqrt{2 \log(1/\delta)
        + d \log\left(1 + \frac{L^2 (1 - \gamma^{2t})}{\lambda d (1 - \gamma^2)}\right)}

    At :math:`\gamma = 1` the fraction :math:`(1 - \gamma^{2t}) / (1 - \gamma^2)` is t, and the
    radius is ``self_normalized_closed``. While :math:`\theta` is constant,
    :math:`\lvert x^\top(\hat\theta_t - \theta)\rvert` is at most the radius times
    :math:`\lVert x\rVert_{V^{-1} V_2 V^{-1}}` for all x and t with probability :math:`1 - \delta`.
    If :math:`\theta` drifts there is a further bias, which the radius leaves out.

    Parameters
    ----------
    t : ndarray of shape (n,)
        Number of past observations: t - 1 in round t, counted from 1.

    References
    ----------
    Y. Russac, C. Vernade, O. Cappé. Weighted Linear Bandits for Non-Stationary Environments.
    NeurIPS 2019, Theorem 1 and Algorithm 1.
    """
    if discount == 1:
        effective = t
    else:
        # expm1: 1 - discount^(2t) loses digits where discount is close to 1
        effective = each_expm1(2 * each_log(discount) * t) / each_expm1(2 * each_log(discount))
    return self_normalized_closed(effective, **known)


def sliding_window(
    *,
    window: int,
    dim: int,
    ridge: float,
    delta: float,
    noise_std: float,
    param_norm: float,
    feature_norm: float,
) -> float:
    r"""Radius around the ridge estimate of the last W observations.

    .. math:: \sqrt\lambda S + R \sqrt{d \log\left(\frac{1 + W L^2 / \lambda}{\delta}\right)}

    Holds in any single round, not in all rounds at once, and while :math:`\theta` is constant.

    References
    ----------
    W. C. Cheung, D. Simchi-Levi, R. Zhu. Learning to Optimize under Non-Stationarity.
    AISTATS 2019, Theorem 2 and Algorithm 1.
    """
    growth = dim * (
        each_log1p(window * (feature_norm * feature_norm) / ridge) + each_log(1 / delta)
    )
    return math.sqrt(ridge) * param_norm + noise_std * math.sqrt(growth)
