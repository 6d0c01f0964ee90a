r"""Bounds on the regret of online regression.

Functions of the number of rounds t, an int or an array of any shape. Symbols: d dimension ``dim``,
:math:`\lambda` ``ridge`` in squared units of features, X ``feature_norm`` a bound on
:math:`\lVert x_s\rVert`, Y ``outcome_bound``, :math:`\sigma` ``noise_std`` the sub-Gaussian
constant of the noise in units of outcomes, :math:`\delta` ``delta`` the probability of failure.

References
----------
.. [1] R. Ouhamma, O.-A. Maillard, V. Perchet. Stochastic Online Linear Regression: the Forward
   Algorithm to Replace Ridge. NeurIPS 2021.
.. [2] A. Rakhlin. Online convex optimization: ridge regression, adaptivity. Lecture 24 of
   CS281B/Stat241B, Berkeley 2008.
"""

import math

import numpy as np
from numpy.typing import ArrayLike


def log_det_closed(t: ArrayLike, *, dim: int, ridge: float, feature_norm: float) -> np.ndarray:
    r"""Bound on the log-determinant of a Gram matrix of t features.

    .. math:: \log\det\left(I + \frac1\lambda \sum_{s \le t} x_s x_s^\top\right)
        \le d \log\left(1 + \frac{t X^2}{\lambda d}\right)

    This is the inequality of arithmetic and geometric means, applied to the eigenvalues.

    References
    ----------
    [2]_, between (10) and (11).
    """
    return dim * np.log1p(np.asarray(t) * (feature_norm**2 / (ridge * dim)))


def online_ridge_adversarial(
    t: ArrayLike, *, dim: int, ridge: float, feature_norm: float, outcome_bound: float
) -> np.ndarray:
    r"""Online ridge regression on any sequence, against the best *regularised* fit.

    .. math:: \sum_{s \le t} (\hat y_s - y_s)^2
        - \min_\theta \left( \sum_{s \le t} (x_s^\top\theta - y_s)^2
        + \lambda \lVert\theta\rVert^2 \right)
        \le 4 Y^2 d \log\left(1 + \frac{t X^2}{\lambda d}\right)

    In squared units of the outcome. Y bounds outcomes **and predictions**. If predictions are
    clipped to [-Y, Y], a bound on the outcomes suffices, because clipping moves no prediction away
    from its outcome. Against the best fit without regularisation, add :math:`\lambda` times its
    squared norm.

    Parameters
    ----------
    t : int or array
        Number of rounds.
    outcome_bound : float
        Y.

    References
    ----------
    [1]_, Theorem 2.1, which is K. S. Azoury and M. K. Warmuth 2001, Theorem 4.6.
    """
    growth = log_det_closed(t, dim=dim, ridge=ridge, feature_norm=feature_norm)
    return 4 * outcome_bound**2 * growth


def forward_adversarial(
    t: ArrayLike, *, dim: int, ridge: float, feature_norm: float, outcome_bound: float
) -> np.ndarray:
    r"""The forward algorithm on any sequence, against the best *regularised* fit.

    .. math:: \sum_{s \le t} (\hat y_s - y_s)^2
        - \min_\theta \left( \sum_{s \le t} (x_s^\top\theta - y_s)^2
        + \lambda \lVert\theta\rVert^2 \right)
        \le Y^2 d \log\left(1 + \frac{t X^2}{\lambda d}\right)

    This is a quarter of ``online_ridge_adversarial``, in the same units. Y bounds only outcomes.
    Against the best fit without regularisation, add :math:`\lambda` times its squared norm.

    Parameters
    ----------
    t : int or array
        Number of rounds.
    outcome_bound : float
        Y.

    References
    ----------
    [1]_, Theorem 2.2, which is K. S. Azoury and M. K. Warmuth 2001, Theorem 5.6.
    """
    growth = log_det_closed(t, dim=dim, ridge=ridge, feature_norm=feature_norm)
    return outcome_bound**2 * growth


def online_ridge_leading(
    t: ArrayLike, *, dim: int, ridge: float, feature_norm: float, noise_std: float, delta: float
) -> np.ndarray:
    r"""Leading term for online ridge regression with noise; **not a bound** by itself.

    .. math:: \frac{X^2 / \lambda}{\log(1 + X^2 / \lambda)} \cdot
        2 d \sigma^2 \log\left(1 + \frac{t X^2}{\lambda d}\right) \left(
        \frac d2 \log\left(1 + \frac{t X^2}{\lambda d}\right) + \log\frac2\delta \right)

    Outcomes are :math:`x^\top\theta_* + \text{noise}`, unbounded. The regret against
    :math:`\theta_*`, :math:`\sum (\hat y_s - y_s)^2 - \sum (x_s^\top\theta_* - y_s)^2`, is at most
    this **plus an unstated** :math:`o(\log^2 t)`, for all t at once with probability :math:`1 -
    \delta`. At a given t the regret may therefore be larger than this. In squared units of the
    outcome.

    Parameters
    ----------
    t : int or array
        Number of rounds.

    References
    ----------
    [1]_, Theorem 3.2.
    """
    known = {"dim": dim, "ridge": ridge, "feature_norm": feature_norm}
    leading = forward_leading(t, **known, noise_std=noise_std, delta=delta)
    return worst_excess(ridge, feature_norm) * leading


def forward_leading(
    t: ArrayLike, *, dim: int, ridge: float, feature_norm: float, noise_std: float, delta: float
) -> np.ndarray:
    r"""Leading term for the forward algorithm with noise; **not a bound** by itself.

    .. math:: 2 d \sigma^2 \log\left(1 + \frac{t X^2}{\lambda d}\right) \left(
        \frac d2 \log\left(1 + \frac{t X^2}{\lambda d}\right) + \log\frac2\delta \right)

    This is ``online_ridge_leading`` without its first factor, which is for designs that may be
    singular. The omitted terms, :math:`o(\log^2 t)`, depend on :math:`\lambda`.

    Parameters
    ----------
    t : int or array
        Number of rounds.

    References
    ----------
    [1]_, Theorem 3.3.
    """
    growth = log_det_closed(t, dim=dim, ridge=ridge, feature_norm=feature_norm)
    return 2 * noise_std**2 * growth * (growth / 2 + math.log(2 / delta))


def online_ridge_logdet(
    log_det: ArrayLike,
    *,
    ridge: float,
    comparator_norm: ArrayLike,
    loss_bound: float,
) -> np.ndarray:
    r"""Online ridge regression against any fixed fit u, by the log-determinant.

    .. math:: \sum_{s \le t} \ell_s(w_s) - \sum_{s \le t} \ell_s(u)
        \le \frac\lambda2 \lVert u\rVert^2
        + p^* \log\det\left(I + \frac1\lambda \sum_{s \le t} x_s x_s^\top\right), \qquad
        \ell_s(w) = \tfrac12 (w^\top x_s - y_s)^2

    The losses are **halved** squared errors; double the bound for the regret of squared errors.

    Corrected: the lecture prints :math:`2 p^*`. Its Lemma 2.1 (d), (e) lack a factor 1/2, so its
    divergences are twice too large. The lecture has :math:`\lambda = 1`; other values mean
    :math:`\eta = 1 / \lambda` in its (7).

    Parameters
    ----------
    log_det : float or array
        :math:`\log\det(\lambda I + \sum x x^\top) - d \log\lambda`.
    comparator_norm : float or array
        :math:`\lVert u\rVert`. For the regret against the best fit, give the norm of the best fit.
    loss_bound : float
        :math:`p^*`, a bound on the agent's losses :math:`\ell_s(w_s)`.

    References
    ----------
    [2]_, (10).
    """
    return ridge / 2 * np.square(comparator_norm) + loss_bound * np.asarray(log_det)


def online_ridge_logdet_closed(
    t: ArrayLike,
    *,
    dim: int,
    ridge: float,
    feature_norm: float,
    comparator_norm: ArrayLike,
    loss_bound: float,
) -> np.ndarray:
    r"""``online_ridge_logdet`` with the log-determinant replaced by its bound.

    .. math:: \frac\lambda2 \lVert u\rVert^2 + p^* d \log\left(1 + \frac{t X^2}{\lambda d}\right)

    It bounds the same regret, with the same correction.

    Parameters
    ----------
    t : int or array
        Number of rounds.
    comparator_norm, loss_bound : float
        :math:`\lVert u\rVert` and :math:`p^*`.

    References
    ----------
    [2]_, (11).
    """
    growth = log_det_closed(t, dim=dim, ridge=ridge, feature_norm=feature_norm)
    return online_ridge_logdet(
        growth, ridge=ridge, comparator_norm=comparator_norm, loss_bound=loss_bound
    )


def worst_excess(ridge: float, feature_norm: float) -> float:
    """Ridge's factor over forward: the largest u / log(1 + u) for u = x V^-1 x up to X² / ridge."""
    largest = feature_norm**2 / ridge
    return largest / math.log1p(largest)
