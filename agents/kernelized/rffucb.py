"""RFF-UCB: GP-UCB with random Fourier features."""

from dataclasses import dataclass
from typing import ClassVar

from agents.kernelized.gpucb import GPUCB
from agents.parts.decision_rules import UCB
from agents.parts.kernelized_agent import Parts
from agents.parts.posteriors import RandomFourier
from agents.search import Choice


@dataclass(kw_only=True, eq=False)
class RFFUCB(GPUCB):
    r"""Optimism with linear regression on D random features.

    With frequencies :math:`\omega_j` drawn from the kernel's spectral distribution, arms' features

    .. math:: z(x) = \sqrt{\frac{k(x, x)}{D/2}}
        \bigl(\cos\langle\omega_j, x\rangle, \sin\langle\omega_j, x\rangle\bigr)_{j \le D/2},

    the features :math:`Z_t` of the t pulls, and :math:`V_t = Z_t^\top Z_t + \lambda I`, round t + 1
    plays

    .. math:: a_{t+1} = \arg\max_a \; z(x_a)^\top V_t^{-1} Z_t^\top y_t
        + \rho_t \sqrt{z(x_a)^\top V_t^{-1} z(x_a)}.

    A round costs :math:`O(K D + D^2)` per replicate. Memory: about :math:`n (K D + D^2)` numbers,
    see ``agents.posteriors.RandomFourier``. The covariance must be stationary (RBF or Matern), and
    the arms fixed: finitely many, or the points of a box, where a round costs :math:`O(e D^2)` for
    e points tried.

    Its definition is ``tests/agents/definitions/kernelized/rffucb.py``.

    Parameters
    ----------
    size : int
        D, an even number >= 2.
    radius, delta, param_norm, covariance, ridge, noise_std
        As in ``SoRUCB``, with this :math:`\sigma_t` in the ``released`` radius.

    References
    ----------
    A. Rahimi, B. Recht. Random Features for Large-Scale Kernel Machines. NIPS 2007: the features.
    As a baseline of BKB: D. Calandriello et al. Gaussian Process Optimization with Adaptive
    Sketching: Scalable and No Regret. COLT 2019.
    """

    paper: ClassVar = "Rahimi & Recht 2007"
    search: ClassVar = {**GPUCB.search, "size": Choice((50, 100, 200, 400))}
    scope: ClassVar = "fixed arms or a box"

    size: int = RandomFourier.size

    def parts(self) -> Parts:
        posterior = RandomFourier(size=self.size)
        return Parts(posterior, UCB(radius=self.radius, delta=self.delta))
