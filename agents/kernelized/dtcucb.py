"""DTC-UCB: GP-UCB with the deterministic training conditional."""

from dataclasses import dataclass
from typing import ClassVar

from agents.kernelized.sorucb import SoRUCB


@dataclass(kw_only=True, eq=False)
class DTCUCB(SoRUCB):
    r"""Optimism with a dictionary S of m arms, drawn once, and the corrected variance.

    With features and mean as in ``SoRUCB``, round t + 1 plays

    .. math:: a_{t+1} = \arg\max_a \; \tilde\mu_t(x_a) + \rho_t\,\tilde\sigma_t(x_a), \qquad
        \tilde\sigma_t^2(x) = \tfrac1\lambda \bigl(k(x, x) - z(x)^\top z(x)\bigr)
        + z(x)^\top V_t^{-1} z(x).

    The bracket is the part of the prior variance that S does not explain. No pull reduces it: arms
    far from S are explored forever, and the regret may grow with every round. BKB is this algorithm
    with a dictionary that follows the pulls. A round costs :math:`O(K m + m^2)` per replicate.
    Memory: about :math:`n (K m + m^2)` numbers, see ``agents.posteriors.FixedNystrom``. The arms
    must be fixed: finitely many, or the points of a box, where a round costs :math:`O(e m^2)` for e
    points tried.

    Its definition is ``tests/agents/definitions/kernelized/dtcucb.py``.

    Parameters
    ----------
    size, radius, delta, param_norm, covariance, ridge, noise_std
        As in ``SoRUCB``, with this :math:`\tilde\sigma_t` in the ``released`` radius.

    References
    ----------
    M. Seeger, C. K. I. Williams, N. Lawrence. Fast Forward Selection to Speed Up Sparse Gaussian
    Process Regression. AISTATS 2003: the posterior, with other dictionaries. As a baseline of BKB:
    D. Calandriello et al. Gaussian Process Optimization with Adaptive Sketching: Scalable and No
    Regret. COLT 2019.
    """

    paper: ClassVar = "Seeger et al. 2003"
    search: ClassVar = SoRUCB.search
    scope: ClassVar = "fixed arms or a box"
    variance: ClassVar = "dtc"
