"""BKB: GP-UCB with an adaptive Nyström posterior."""

from dataclasses import dataclass
from typing import ClassVar

from agents.kernelized.gpucb import GPUCB
from agents.parts.decision_rules import UCB
from agents.parts.kernelized_agent import Parts
from agents.parts.posteriors import Nystrom
from agents.search import Log


@dataclass(kw_only=True, eq=False)
class BKB(GPUCB):
    r"""Budgeted kernel bandit: optimism with a small dictionary of arms, redrawn every round.

    A dictionary :math:`S_t` of arms pulled gives every arm the features
    :math:`z_t(x) = (K_{SS}^{1/2})^+ k_S(x)`. With the features :math:`Z_t` of the t pulls and
    :math:`V_t = Z_t^\top Z_t + \lambda I`, round t + 1 plays

    .. math:: a_{t+1} = \arg\max_a \; \tilde\mu_t(x_a) + \rho_t\,\tilde\sigma_t(x_a), \qquad
        \tilde\mu_t(x) = z_t(x)^\top V_t^{-1} Z_t^\top y_t,

    .. math:: \tilde\sigma_t^2(x) = \tfrac1\lambda \bigl(k(x, x) - z_t(x)^\top z_t(x)\bigr)
        + z_t(x)^\top V_t^{-1} z_t(x).

    Then each pull i, the new one among them, enters :math:`S_{t+1}` with probability
    :math:`\min\{1, \bar q\,\tilde\sigma_t^2(x_i)\}`. The first arm is drawn uniformly, and is the
    first dictionary. A round costs :math:`O((K + u) m^2 + m^3)` per replicate, where m is the size
    of the dictionary and u the number of distinct arms pulled. Memory: :math:`n (5 K + 3 m^2)`
    numbers, and K for each arm that any replicate has pulled. Arms may change from round to round,
    or be the points of a box, where K points are tried. See ``agents.posteriors.Nystrom``.

    Its definition is ``tests/agents/definitions/kernelized/bkb.py``.

    Parameters
    ----------
    qbar : float
        :math:`\bar q > 0`, without unit. The theorems need ``agents.confidence.oversampling``,
        several hundred, and BKB is then GP-UCB for several hundred rounds. Below 5 the dictionary
        is unstable, and so is the variance.
    radius : "posterior", "released", "theory" or float
        :math:`\rho_t`, in units of reward, as in ``GPUCB``, with :math:`\tilde\sigma_t` in the
        ``released`` one; ``theory``: ``agents.confidence.nystrom``.
    accuracy : float
        :math:`\varepsilon` of the ``theory``, in (0, 1).
    delta, param_norm, covariance, ridge, noise_std
        As in ``GPUCB``.

    Notes
    -----
    Departs from the paper in three ways. By default the radius is two standard deviations; that of
    the authors' code is ``released``. ``theory`` is the radius that the paper's proof gives, which
    differs from the printed one; see ``agents.confidence.nystrom``. Variances are in units of the
    ridge throughout; the paper has this only after its equation (2).

    References
    ----------
    D. Calandriello, L. Carratino, A. Lazaric, M. Valko, L. Rosasco. Gaussian Process Optimization
    with Adaptive Sketching: Scalable and No Regret. COLT 2019, Algorithm 1.
    """

    paper: ClassVar = "Calandriello et al. 2019, Algorithm 1"
    search: ClassVar = {**GPUCB.search, "qbar": Log(5.0, 50.0)}
    scope: ClassVar = "a box too"

    qbar: float = 5.0
    accuracy: float = 0.5

    def parts(self) -> Parts:
        rule = UCB(radius=self.radius, delta=self.delta, accuracy=self.accuracy, uniform_first=True)
        return Parts(Nystrom(qbar=self.qbar), rule)
