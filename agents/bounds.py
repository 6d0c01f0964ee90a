r"""Bounds on regret, one function per theorem, to be laid over curves.

Regression and bandits: functions of the number of rounds t, an int or an array of any shape.
Symbols: d dimension ``dim``, :math:`\lambda` ``ridge`` in squared units of features, X
``feature_norm`` a bound on :math:`\lVert x_s\rVert`, Y ``outcome_bound``, S ``param_norm`` a bound
on :math:`\lVert\theta_*\rVert` in units of outcomes per feature, :math:`\sigma` ``noise_std`` the
sub-Gaussian constant of the noise in units of outcomes or rewards, :math:`\delta` ``delta`` the
probability of failure.

Losses: functions of what was met on the way, which give the bound after every round. Symbols:
:math:`x_t` the point played, in the ball of radius D around 0, :math:`G_t` norm of the gradient
there, in units of loss per length, :math:`H_t` curvature, in units of loss per squared length,
:math:`H_{1:t}` its sum. Regret is against the best fixed point of the ball. Gradients must be those
at the points that the learner meant to play; rounds that it did not observe are left out.

Mistakes: bounds on the number of wrong labels of multiclass learners [5]_. Symbols: k ``n_labels``,
:math:`\gamma` ``gamma`` the learner's exploration, L ``hinge_loss`` and D ``complexity`` of any
weights that it is compared with.

References
----------
.. [1] R. Ouhamma, O.-A. Maillard, V. Perchet. Stochastic Online Linear Regression: the Forward
   Algorithm to Replace Ridge. NeurIPS 2021.
.. [2] A. Rakhlin. Online convex optimization: ridge regression, adaptivity. Lecture 24 of
   CS281B/Stat241B, Berkeley 2008.
.. [3] Y. Abbasi-Yadkori, D. Pál, C. Szepesvári. Improved Algorithms for Linear Stochastic Bandits.
   NeurIPS 2011.
.. [4] P. L. Bartlett, E. Hazan, A. Rakhlin. Adaptive Online Gradient Descent. NeurIPS 2007.
.. [5] S. Kakade, S. Shalev-Shwartz, A. Tewari. Efficient Bandit Algorithms for Online Multiclass
   Prediction. ICML 2008.
"""

import math
from typing import Any

import numpy as np

from agents.confidence import self_normalized_closed
from agents.losses.adaptive_descent import to_add


def log_det_closed(t: Any, *, dim: int, ridge: float, feature_norm: float) -> np.ndarray:
    r"""Bound on the log-determinant of a Gram matrix of t features.

    .. math:: \log\det\left(I + \frac1\lambda \sum_{s \le t} x_s x_s^\top\right)
        \le d \log\left(1 + \frac{t X^2}{\lambda d}\right)

    The inequality of arithmetic and geometric means for the eigenvalues.

    References
    ----------
    [2]_, between (10) and (11).
    """
    return dim * np.log1p(np.asarray(t) * (feature_norm**2 / (ridge * dim)))


def online_ridge_adversarial(
    t: Any, *, dim: int, ridge: float, feature_norm: float, outcome_bound: float
) -> np.ndarray:
    r"""Online ridge regression on any sequence, against the best *regularised* fit.

    .. math:: \sum_{s \le t} (\hat y_s - y_s)^2
        - \min_\theta \left( \sum_{s \le t} (x_s^\top\theta - y_s)^2
        + \lambda \lVert\theta\rVert^2 \right)
        \le 4 Y^2 d \log\left(1 + \frac{t X^2}{\lambda d}\right)

    In squared units of the outcome. Y bounds outcomes **and predictions**; with predictions clipped
    to [-Y, Y] bounded outcomes suffice, since a clipped prediction is no farther from them. Against
    the best fit, unregularised, add :math:`\lambda` times its squared norm.

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
    t: Any, *, dim: int, ridge: float, feature_norm: float, outcome_bound: float
) -> np.ndarray:
    r"""The forward algorithm on any sequence, against the best *regularised* fit.

    .. math:: \sum_{s \le t} (\hat y_s - y_s)^2
        - \min_\theta \left( \sum_{s \le t} (x_s^\top\theta - y_s)^2
        + \lambda \lVert\theta\rVert^2 \right)
        \le Y^2 d \log\left(1 + \frac{t X^2}{\lambda d}\right)

    A quarter of ``online_ridge_adversarial``, in the same units, and Y bounds outcomes alone.
    Against the best fit, unregularised, add :math:`\lambda` times its squared norm.

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
    t: Any, *, dim: int, ridge: float, feature_norm: float, noise_std: float, delta: float
) -> np.ndarray:
    r"""Leading term for online ridge regression with noise; **not a bound** by itself.

    .. math:: \frac{X^2 / \lambda}{\log(1 + X^2 / \lambda)} \cdot
        2 d \sigma^2 \log\left(1 + \frac{t X^2}{\lambda d}\right) \left(
        \frac d2 \log\left(1 + \frac{t X^2}{\lambda d}\right) + \log\frac2\delta \right)

    For outcomes :math:`x^\top\theta_* + \text{noise}`, unbounded, the regret against
    :math:`\theta_*`, :math:`\sum (\hat y_s - y_s)^2 - \sum (x_s^\top\theta_* - y_s)^2`, is at most
    this **plus an unstated** :math:`o(\log^2 t)`, for all t at once with probability
    :math:`1 - \delta`: at any given t it may lie above. In squared units of the outcome.

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
    return _worst_excess(ridge, feature_norm) * leading


def forward_leading(
    t: Any, *, dim: int, ridge: float, feature_norm: float, noise_std: float, delta: float
) -> np.ndarray:
    r"""Leading term for the forward algorithm with noise; **not a bound** by itself.

    .. math:: 2 d \sigma^2 \log\left(1 + \frac{t X^2}{\lambda d}\right) \left(
        \frac d2 \log\left(1 + \frac{t X^2}{\lambda d}\right) + \log\frac2\delta \right)

    As ``online_ridge_leading``, without the factor for a design that may be singular; what is left
    out, :math:`o(\log^2 t)`, depends on :math:`\lambda`.

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


def oful(
    t: Any, *, dim: int, ridge: float, feature_norm: float, noise_std: float, param_norm: float,
    delta: float,
) -> np.ndarray:  # fmt: skip
    r"""OFUL where every arm's expected reward lies in [-1, 1] (Assumption 1).

    .. math:: 4 \sqrt{t\, d \log\left(1 + \frac{t X^2}{\lambda d}\right)}\; \max\{1, \rho_t\},
        \qquad \rho_t = \sqrt\lambda S
        + \sigma \sqrt{2 \log(1/\delta) + d \log\left(1 + \frac{t X^2}{\lambda d}\right)}

    Bounds the regret against the best arm of every round, in expected reward, for all t at once
    with probability :math:`1 - \delta`. In units of reward.

    Corrected: printed is :math:`\log(\lambda + t X^2 / d)`, which is below what the proof gives
    where :math:`\lambda < 1` and may be negative; and the step
    :math:`\min\{\rho w, 1\} \le \rho \min\{w, 1\}` of the proof needs :math:`\rho_t \ge 1`.

    Parameters
    ----------
    t : int or array
        Number of rounds.
    param_norm : float
        S, as the learner was told.

    References
    ----------
    [3]_, Theorem 3, as quoted in [1]_, section 4.
    """
    known = {"dim": dim, "ridge": ridge, "feature_norm": feature_norm}
    radius = self_normalized_closed(
        np.asarray(t), **known, delta=delta, noise_std=noise_std, param_norm=param_norm
    )
    return 4 * np.sqrt(np.asarray(t) * log_det_closed(t, **known)) * np.maximum(1, radius)


def oful_unbounded(
    t: Any, *, dim: int, ridge: float, feature_norm: float, noise_std: float, param_norm: float,
    delta: float,
) -> np.ndarray:  # fmt: skip
    r"""OFUL with the ridge estimator, whatever the size of expected rewards.

    .. math:: 4 \sqrt{\frac{X^2 / \lambda}{\log(1 + X^2 / \lambda)}\;
        t\, d \log\left(1 + \frac{t X^2}{\lambda d}\right)}\; \rho_t

    With :math:`\rho_t` of ``oful``; what it bounds is the same. Corrected: printed is
    :math:`\log(\lambda + t X^2 / d)`, see there.

    Parameters
    ----------
    t : int or array
        Number of rounds.
    param_norm : float
        S, as the learner was told.

    References
    ----------
    [1]_, Theorem 4.1, first part.
    """
    known = {"dim": dim, "ridge": ridge, "feature_norm": feature_norm}
    radius = self_normalized_closed(
        np.asarray(t), **known, delta=delta, noise_std=noise_std, param_norm=param_norm
    )
    widths = _worst_excess(ridge, feature_norm) * log_det_closed(t, **known)
    return 4 * np.sqrt(np.asarray(t) * widths) * radius


def forward_oful(
    t: Any, *, dim: int, ridge: float, feature_norm: float, noise_std: float, param_norm: float,
    delta: float,
) -> np.ndarray:  # fmt: skip
    r"""OFUL with the forward estimator, whatever the size of expected rewards.

    .. math:: 4 \sqrt{t\, d \log\left(1 + \frac{t X^2}{\lambda d}\right)} \left(
        (\sqrt\lambda + X) S
        + \sigma \sqrt{2 \log(1/\delta) + d \log\left(1 + \frac{t X^2}{\lambda d}\right)} \right)

    What it bounds is that of ``oful``. Corrected: printed is :math:`\log(\lambda + t X^2 / d)`, see
    there.

    Parameters
    ----------
    t : int or array
        Number of rounds.
    param_norm : float
        S, as the learner was told.

    References
    ----------
    [1]_, Theorem 4.1, second part.
    """
    known = {"dim": dim, "ridge": ridge, "feature_norm": feature_norm}
    radius = feature_norm * param_norm + self_normalized_closed(
        np.asarray(t), **known, delta=delta, noise_std=noise_std, param_norm=param_norm
    )
    return 4 * np.sqrt(np.asarray(t) * log_det_closed(t, **known)) * radius


def online_ridge_logdet(
    log_det: Any, *, ridge: float, comparator_norm: Any, loss_bound: float
) -> np.ndarray:
    r"""Online ridge regression against any fixed fit u, by the log-determinant.

    .. math:: \sum_{s \le t} \ell_s(w_s) - \sum_{s \le t} \ell_s(u)
        \le \frac\lambda2 \lVert u\rVert^2
        + p^* \log\det\left(I + \frac1\lambda \sum_{s \le t} x_s x_s^\top\right), \qquad
        \ell_s(w) = \tfrac12 (w^\top x_s - y_s)^2

    The losses are **halved** squared errors: for the regret of squared errors double it.

    Corrected: the lecture prints :math:`2 p^*`; its Lemma 2.1 (d), (e) lack a factor 1/2, without
    which its divergences are twice too large. It has :math:`\lambda = 1`; otherwise
    :math:`\eta = 1 / \lambda` in its (7).

    Parameters
    ----------
    log_det : float or array
        :math:`\log\det(\lambda I + \sum x x^\top) - d \log\lambda`.
    comparator_norm : float or array
        :math:`\lVert u\rVert`; of the best fit for the regret against it.
    loss_bound : float
        :math:`p^*`, a bound on the learner's losses :math:`\ell_s(w_s)`.

    References
    ----------
    [2]_, (10).
    """
    return ridge / 2 * np.square(comparator_norm) + loss_bound * np.asarray(log_det)


def online_ridge_logdet_closed(
    t: Any, *, dim: int, ridge: float, feature_norm: float, comparator_norm: Any, loss_bound: float
) -> np.ndarray:
    r"""``online_ridge_logdet`` with the log-determinant replaced by its bound.

    .. math:: \frac\lambda2 \lVert u\rVert^2 + p^* d \log\left(1 + \frac{t X^2}{\lambda d}\right)

    What it bounds, and what was corrected, is the same.

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


def follow_the_regularized_leader(
    gradient_norms: Any, curvatures: Any, *, ridge: float, radius: float
) -> np.ndarray:
    r"""FollowTheRegularizedLeader against the best fixed point of the ball.

    .. math:: \frac\lambda2 D^2 + \frac12 \sum_{s \le t} \frac{G_s^2}{\lambda + H_{1:s}}

    In units of loss. :math:`\lambda > 0` has the unit of curvature. The lecture's (2) and (5),
    whose equality becomes an inequality where a point was projected.

    Parameters
    ----------
    gradient_norms, curvatures : array of shape (.., T)
        :math:`G_t` and :math:`H_t`.
    radius : float
        D.

    Returns
    -------
    ndarray of shape (.., T)
        The bound after every round.

    References
    ----------
    [2]_, section 2.1; H. B. McMahan. A Survey of Algorithms and Analysis for Adaptive Online
    Learning. JMLR 18, 2017, Theorem 1.
    """
    norms, curvatures = np.broadcast_arrays(gradient_norms, curvatures)
    total = ridge + np.cumsum(curvatures, axis=-1, dtype=np.float64)
    return ridge / 2 * radius**2 + np.cumsum(norms * (norms / total), axis=-1) / 2


def curvature_descent(gradient_norms: Any, curvatures: Any) -> np.ndarray:
    r"""CurvatureDescent against the best fixed point of the ball.

    .. math:: \frac12 \sum_{s \le t} \frac{G_s^2}{H_{1:s}}

    In units of loss. Infinite from the first round on that had a gradient before there was any
    curvature: nothing holds then. Projection onto a set that holds the comparator, which the
    lecture lacks, changes nothing.

    Parameters
    ----------
    gradient_norms, curvatures : array of shape (.., T)
        :math:`G_t` and :math:`H_t`.

    Returns
    -------
    ndarray of shape (.., T)
        The bound after every round.

    References
    ----------
    [2]_, Lemma 2.3.
    """
    norms, curvatures = np.broadcast_arrays(gradient_norms, curvatures)
    total = np.cumsum(curvatures, axis=-1, dtype=np.float64)
    with np.errstate(divide="ignore", invalid="ignore"):
        each = np.where(norms == 0, 0.0, norms * (norms / total))
    return np.cumsum(each, axis=-1) / 2


def adaptive_descent(gradient_norms: Any, curvatures: Any, *, radius: float) -> np.ndarray:
    r"""AdaptiveDescent against the best fixed point of the ball.

    .. math:: \frac12 D^2 \lambda_{1:t}
        + \frac12 \sum_{s \le t} \frac{(G_s + \lambda_s D)^2}{H_{1:s} + \lambda_{1:s}}

    In units of loss; :math:`\lambda_s` is the learner's. Corrected: that one, printed with itself
    on its right-hand side; see there. D is the radius: what the proof needs is
    :math:`\lVert x\rVert \le D`, not the diameter.

    Parameters
    ----------
    gradient_norms, curvatures : array of shape (.., T)
        :math:`G_t` and :math:`H_t`.
    radius : float
        D.

    Returns
    -------
    ndarray of shape (.., T)
        The bound after every round.

    References
    ----------
    [2]_, section 2.4; [4]_, Theorem 3.1.
    """
    norms, added, total = _regularised(gradient_norms, curvatures, radius)
    steps = norms + added * radius
    each = added * radius**2 + _over(steps, total)
    return np.cumsum(each, axis=-1) / 2


def adaptive_descent_balanced(gradient_norms: Any, curvatures: Any, *, radius: float) -> np.ndarray:
    r"""``adaptive_descent`` in the looser form that the choice of :math:`\lambda_t` balances.

    .. math:: \frac32 D^2 \lambda_{1:t}
        + \sum_{s \le t} \frac{G_s^2}{H_{1:s} + \lambda_{1:s}},

    two equal halves. It follows by :math:`(a + b)^2 \le 2 a^2 + 2 b^2` and
    :math:`\lambda_s \le H_{1:s} + \lambda_{1:s}`.

    Parameters
    ----------
    gradient_norms, curvatures : array of shape (.., T)
        :math:`G_t` and :math:`H_t`.
    radius : float
        D.

    Returns
    -------
    ndarray of shape (.., T)
        The bound after every round.

    References
    ----------
    [4]_, proof of Theorem 3.1.
    """
    norms, added, total = _regularised(gradient_norms, curvatures, radius)
    each = 1.5 * radius**2 * added + _over(norms, total)
    return np.cumsum(each, axis=-1)


def online_gradient_descent(t: Any, *, gradient_norm: float, radius: float) -> np.ndarray:
    r"""OnlineGradientDescent against the best fixed point of the ball: :math:`3 D G \sqrt t`.

    In units of loss. :math:`(2D)^2 / (2 \eta_t) + \frac12 G^2 \sum_s \eta_s` at the step
    :math:`\eta_s = D / (G \sqrt s)`.

    Parameters
    ----------
    t : int or array
        Number of rounds.
    gradient_norm : float
        G, a bound on every :math:`G_s`, as the learner was told.
    radius : float
        D.

    References
    ----------
    M. Zinkevich. Online Convex Programming and Generalized Infinitesimal Gradient Ascent. ICML
    2003, Theorem 1.
    """
    return 3 * radius * gradient_norm * np.sqrt(t)


def _worst_excess(ridge: float, feature_norm: float) -> float:
    """The largest u / log(1 + u) for u = x V^-1 x up to X² / ridge: what no forward term costs."""
    largest = feature_norm**2 / ridge
    return largest / math.log1p(largest)


def _over(norms: np.ndarray, total: np.ndarray) -> np.ndarray:
    """norms² / total, and 0 where both are 0: before the first gradient."""
    return norms * np.divide(norms, total, out=np.zeros_like(total), where=norms > 0)


def _regularised(gradient_norms: Any, curvatures: Any, radius: float) -> tuple:
    """Gradient norms, curvatures added, and all curvature up to each round, (.., T) each."""
    norms, curvatures = np.broadcast_arrays(
        np.asarray(gradient_norms, dtype=np.float64), np.asarray(curvatures, dtype=np.float64)
    )
    added, total = np.zeros(norms.shape), np.cumsum(curvatures, axis=-1)
    for row in np.ndindex(norms.shape[:-1]):
        so_far = 0.0
        for s in range(norms.shape[-1]):
            at = (*row, s)
            added[at] = to_add(total[at] + so_far, norms[at], float(radius))
            so_far += added[at]
            total[at] += so_far
    return norms, added, total


def perceptron_mistakes(*, hinge_loss: Any, complexity: float) -> np.ndarray:
    r"""Mistakes of the Perceptron on rows with :math:`\lVert x \rVert \le 1`.

    .. math:: L + D + \sqrt{L D}

    For every matrix W, with L the cumulative hinge loss of W,
    :math:`\max_{r \ne y} [1 - (W x)_y + (W x)_r]_+` in each round, and
    :math:`D = 2 \lVert W \rVert_F^2`. For rows up to X long multiply D by X².

    Parameters
    ----------
    hinge_loss : float or array
        L, up to each round that the bound is asked for.
    complexity : float
        D.

    References
    ----------
    [5]_, (7).
    """
    loss = np.asarray(hinge_loss, dtype=np.float64)
    return loss + complexity + np.sqrt(loss * complexity)


def banditron_mistakes(
    t: Any, *, n_labels: int, gamma: float, hinge_loss: Any, complexity: float
) -> np.ndarray:
    r"""Expected mistakes of the Banditron on rows with :math:`\lVert x \rVert \le 1`.

    .. math:: L + \gamma t + 3 \max\left\{\frac{k D}{\gamma}, \sqrt{D \gamma t}\right\}
        + \sqrt{\frac{k D L}{\gamma}}

    With L and D of ``perceptron_mistakes``, k labels and :math:`\gamma \le 1/2`; the mistakes are
    those of the labels played, exploration included.

    Parameters
    ----------
    t : int or array
        Number of rounds.
    gamma : float
        The learner's probability of exploring.
    hinge_loss : float or array
        L, up to each round of t.
    complexity : float
        D.

    References
    ----------
    [5]_, Theorem 1.
    """
    t, loss = np.asarray(t), np.asarray(hinge_loss, dtype=np.float64)
    complexities = n_labels * complexity / gamma
    largest = np.maximum(complexities, np.sqrt(complexity * gamma * t))
    return loss + gamma * t + 3 * largest + np.sqrt(complexities * loss)


def halving_mistakes(*, n_labels: int, hypotheses: int) -> float:
    r"""Mistakes of Halving over a class with a hypothesis that is always right: :math:`k \ln |H|`.

    Parameters
    ----------
    hypotheses : int
        :math:`|H|`.

    References
    ----------
    [5]_, Lemma 6.
    """
    return n_labels * math.log(hypotheses)
