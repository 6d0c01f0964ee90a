"""SoR-UCB: GP-UCB with the subset of regressors."""

from dataclasses import dataclass
from typing import ClassVar

from agents.kernelized.gpucb import GPUCB
from agents.parts.decision_rules import UCB
from agents.parts.kernelized_agent import Parts
from agents.parts.posteriors import FixedNystrom
from agents.search import Log


@dataclass(kw_only=True, eq=False)
class SoRUCB(GPUCB):
    r"""Optimism with a dictionary S of m arms that is drawn once, uniformly.

    With the features :math:`z(x) = (K_{SS}^{1/2})^+ k_S(x)`, the features :math:`Z_t` of the t
    pulls and :math:`V_t = Z_t^\top Z_t + \lambda I`, round t + 1 plays

    .. math:: a_{t+1} = \arg\max_a \; \tilde\mu_t(x_a) + \rho_t\,\tilde\sigma_t(x_a), \qquad
        \tilde\mu_t(x) = z(x)^\top V_t^{-1} Z_t^\top y_t, \qquad
        \tilde\sigma_t^2(x) = z(x)^\top V_t^{-1} z(x).

    Far from S the variance is 0 from the start. Arms there are never explored, and the regret may
    grow with every round. A round costs :math:`O(K m + m^2)` per replicate. Memory: about :math:`n
    (K m + m^2)` numbers, see ``agents.posteriors.FixedNystrom``. The arms must be fixed: finitely
    many, or the points of a box, where a round costs :math:`O(e m^2)` for e points tried.

    Its definition is ``tests/agents/definitions/kernelized/sorucb.py``.

    Parameters
    ----------
    size : int
        m >= 1. If it is at least the number of arms, S contains all arms and the agent is
        ``GPUCB``.
    radius : "posterior", "released" or float
        In units of reward, as in ``GPUCB``, with this :math:`\tilde\sigma_t` in the ``released``
        one, which no theorem covers here.
    delta, param_norm, covariance, ridge, noise_std
        As in ``GPUCB``.

    References
    ----------
    J. Quiñonero-Candela, C. E. Rasmussen. A Unifying View of Sparse Approximate Gaussian Process
    Regression. JMLR 2005, section 3: the posterior. As a baseline of BKB: D. Calandriello et al.
    Gaussian Process Optimization with Adaptive Sketching: Scalable and No Regret. COLT 2019.
    """

    paper: ClassVar = "Quiñonero-Candela & Rasmussen 2005, section 3"
    search: ClassVar = {**GPUCB.search, "size": Log(20, 200)}
    scope: ClassVar = "fixed arms or a box"
    variance: ClassVar = "sor"

    size: int = FixedNystrom.size

    def parts(self) -> Parts:
        posterior = FixedNystrom(size=self.size, variance=self.variance)
        return Parts(posterior, UCB(radius=self.radius, delta=self.delta))
