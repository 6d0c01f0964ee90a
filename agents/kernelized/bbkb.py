"""BBKB: BKB in batches, during which the dictionary, the mean and the radius are constant."""

from dataclasses import dataclass
from typing import ClassVar

from agents.kernelized.gpucb import GPUCB
from agents.parts.batching import VarianceBatches
from agents.parts.decision_rules import UCB
from agents.parts.kernelized_agent import Parts
from agents.parts.posteriors import Nystrom
from agents.search import Log


@dataclass(kw_only=True, eq=False)
class BBKB(GPUCB):
    r"""Batched BKB: update the posterior only when its variance has changed enough.

    The dictionary, the mean :math:`\tilde\mu_b` and the radius are those of the batch, which began
    after pull b; the variance :math:`\tilde\sigma_t^2` has a rank-one update after every pull.
    Round t + 1 plays

    .. math:: a_{t+1} = \arg\max_a \; \tilde\mu_b(x_a) + \rho_b\,\tilde\sigma_t(x_a),

    and the batch ends after the first pull with

    .. math:: 1 + \sum_{i=b+1}^{t} \tilde\sigma_b^2(x_i) > C.

    Then the dictionary is drawn anew. Each pull enters it with probability :math:`\min\{1, \bar
    q\,\tilde\sigma_b^2(x_i)\}`. Mean, variance and radius are computed from it. Choices within a
    batch use none of its rewards, so all of its pulls could be made at once. The first arm is drawn
    uniformly. A round costs :math:`O(K m + m^2)` per replicate within a batch, where m is the size
    of the dictionary; the end of a batch costs as much as a round of ``BKB``. Memory is that of
    ``BKB``. The arms must be fixed and finitely many.

    Its definition is ``tests/agents/definitions/kernelized/bbkb.py``.

    Parameters
    ----------
    qbar : float
        :math:`\bar q > 0`, without unit, as in ``BKB``.
    threshold : float
        C >= 1, without unit: the factor by which variances may fall within a batch.
    radius : "posterior", "released" or float
        :math:`\rho_b`, in units of reward, as in ``GPUCB``; ``released``: :math:`\sqrt\lambda F +
        \xi \sqrt{C \sum_{i=1}^{b} \log(1 + \tilde\sigma_{b(i)}^2(x_i)) + \log(1/\delta)}`, where
        b(i) is the last pull before pull i's batch, ``agents.confidence.batched``.
    delta, param_norm, covariance, ridge, noise_std
        As in ``GPUCB``.

    Notes
    -----
    Departs from the paper in the radius: ``released`` has the constants of the authors' code.

    References
    ----------
    D. Calandriello, L. Carratino, A. Lazaric, M. Valko, L. Rosasco. Near-linear Time Gaussian
    Process Optimization with Adaptive Batching and Resparsification. ICML 2020, Algorithm 1.
    """

    paper: ClassVar = "Calandriello et al. 2020, Algorithm 1"
    search: ClassVar = {**GPUCB.search, "qbar": Log(5.0, 50.0), "threshold": Log(1.0, 10.0)}
    scope: ClassVar = "fixed arms, no box"

    qbar: float = 5.0
    threshold: float = 2.0

    def parts(self) -> Parts:
        rule = UCB(radius=self.radius, delta=self.delta, uniform_first=True)
        return Parts(Nystrom(qbar=self.qbar), rule, VarianceBatches(threshold=self.threshold))
