r"""Bounds on the regret of linear bandits, in units of reward.

Functions of the number of rounds t, an int or an array of any shape. Symbols: d dimension ``dim``,
:math:`\lambda` ``ridge`` in squared units of features, X ``feature_norm`` a bound on
:math:`\lVert x_s\rVert`, S ``param_norm`` a bound on :math:`\lVert\theta_*\rVert` in units of
rewards per feature, :math:`\sigma` ``noise_std`` the sub-Gaussian constant of the noise in units of
rewards, :math:`\delta` ``delta`` the probability of failure.

References
----------
.. [1] Y. Abbasi-Yadkori, D. Pál, C. Szepesvári. Improved Algorithms for Linear Stochastic Bandits.
   NeurIPS 2011.
.. [2] R. Ouhamma, O.-A. Maillard, V. Perchet. Stochastic Online Linear Regression: the Forward
   Algorithm to Replace Ridge. NeurIPS 2021.
"""

from typing import Unpack

import numpy as np
from numpy.typing import ArrayLike

from agents.parts.bounds.regression_bounds import log_det_closed, worst_excess
from agents.parts.confidence import self_normalized_closed
from agents.parts.confidence.linear_radii import KnownBounded


def _radius_and_growth(
    t: ArrayLike, **known: Unpack[KnownBounded]
) -> tuple[np.ndarray, np.ndarray]:
    """The radius of OFUL, and the bound on the log-determinant, after t rounds."""
    growth = log_det_closed(
        t, dim=known["dim"], ridge=known["ridge"], feature_norm=known["feature_norm"]
    )
    return self_normalized_closed(np.asarray(t), **known), growth


def oful(t: ArrayLike, **known: Unpack[KnownBounded]) -> np.ndarray:
    r"""The regret of OFUL if every arm's expected reward lies in [-1, 1] (Assumption 1).

    .. math:: 4 \sqrt{t\, d \log\left(1 + \frac{t X^2}{\lambda d}\right)}\; \max\{1, \rho_t\},
        \qquad \rho_t = \sqrt\lambda S
        + \sigma \sqrt{2 \log(1/\delta) + d \log\left(1 + \frac{t X^2}{\lambda d}\right)}

    Bounds the regret against the best arm of every round, in expected reward, for all t at once
    with probability :math:`1 - \delta`. In units of reward.

    Corrected: the paper prints :math:`\log(\lambda + t X^2 / d)`. For :math:`\lambda < 1` this is
    smaller than the term that the proof gives, and may be negative. The step
    :math:`\min\{\rho w, 1\} \le \rho \min\{w, 1\}` of the proof needs :math:`\rho_t \ge 1`.

    Parameters
    ----------
    t : int or array
        Number of rounds.
    param_norm : float
        S, as given to the agent.

    References
    ----------
    [1]_, Theorem 3, as quoted in [2]_, section 4.
    """
    radius, growth = _radius_and_growth(t, **known)
    return 4 * np.sqrt(np.asarray(t) * growth) * np.maximum(1, radius)


def oful_unbounded(t: ArrayLike, **known: Unpack[KnownBounded]) -> np.ndarray:
    r"""The regret of OFUL with the ridge estimator, for expected rewards of any size.

    .. math:: 4 \sqrt{\frac{X^2 / \lambda}{\log(1 + X^2 / \lambda)}\;
        t\, d \log\left(1 + \frac{t X^2}{\lambda d}\right)}\; \rho_t

    :math:`\rho_t` is that of ``oful``, and so is the regret that it bounds. Corrected: the paper
    prints :math:`\log(\lambda + t X^2 / d)`, see ``oful``.

    Parameters
    ----------
    t : int or array
        Number of rounds.
    param_norm : float
        S, as given to the agent.

    References
    ----------
    [2]_, Theorem 4.1, first part.
    """
    radius, growth = _radius_and_growth(t, **known)
    widths = worst_excess(known["ridge"], known["feature_norm"]) * growth
    return 4 * np.sqrt(np.asarray(t) * widths) * radius


def forward_oful(t: ArrayLike, **known: Unpack[KnownBounded]) -> np.ndarray:
    r"""The regret of OFUL with the forward estimator, for expected rewards of any size.

    .. math:: 4 \sqrt{t\, d \log\left(1 + \frac{t X^2}{\lambda d}\right)} \left(
        (\sqrt\lambda + X) S
        + \sigma \sqrt{2 \log(1/\delta) + d \log\left(1 + \frac{t X^2}{\lambda d}\right)} \right)

    Bounds the same regret as ``oful``. Corrected: the paper prints
    :math:`\log(\lambda + t X^2 / d)`, see ``oful``.

    Parameters
    ----------
    t : int or array
        Number of rounds.
    param_norm : float
        S, as given to the agent.

    References
    ----------
    [2]_, Theorem 4.1, second part.
    """
    radius, growth = _radius_and_growth(t, **known)
    radius = known["feature_norm"] * known["param_norm"] + radius
    return 4 * np.sqrt(np.asarray(t) * growth) * radius
