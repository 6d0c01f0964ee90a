"""KernelUCB: GP-UCB with a constant radius."""

from dataclasses import dataclass
from typing import ClassVar

from agents.parts.decision_rules import UCB
from agents.parts.kernelized_agent import KernelizedAgent, Parts
from agents.parts.posteriors import Exact
from agents.search import Log
from banditgym.validation import checked, nonnegative


@dataclass(kw_only=True, eq=False)
class KernelUCB(KernelizedAgent):
    r"""Play the arm with the largest upper confidence bound of kernel ridge regression.

    .. math:: a_{t+1} = \arg\max_a \; k_t(x_a)^\top (K_t + \lambda I)^{-1} y_t
        + \frac{\alpha}{\sqrt\lambda}
        \sqrt{k(x_a, x_a) - k_t(x_a)^\top (K_t + \lambda I)^{-1} k_t(x_a)}

    This is ``GPUCB(radius=alpha)``, with the same cost and memory: a round costs :math:`O(K u +
    u^2)` with u distinct arms pulled. As for ``GPUCB``, arms may change from round to round, or be
    the points of a box.

    Its definition is ``tests/agents/definitions/kernelized/kernelucb.py``.

    Parameters
    ----------
    alpha : float
        Width of the bonus, :math:`\alpha \ge 0`, on the scale of the rewards; 0 is greedy; z
        standard deviations of the posterior are :math:`z \sqrt\lambda`. The paper's :math:`\eta`.
    covariance, ridge, noise_std
        As in every kernelized agent, see ``agents.parts.kernelized_agent.KernelizedAgent``.
        ``noise_std`` is used for the ridge alone; in the paper the ridge is a separate parameter.

    Notes
    -----
    Departs from the paper in the first round. The paper plays the first arm; this agent plays the
    arm with the largest prior variance, which is the first arm if all variances are equal.

    References
    ----------
    M. Valko, N. Korda, R. Munos, I. Flaounas, N. Cristianini. Finite-Time Analysis of Kernelised
    Contextual Bandits. UAI 2013, Algorithm 1.
    """

    paper: ClassVar = "Valko et al. 2013, Algorithm 1"
    search: ClassVar = {"alpha": Log(0.02, 2.0), "ridge": Log(0.001, 0.1)}
    scope: ClassVar = "a box too"

    alpha: float = checked(nonnegative, 1.0)

    def parts(self) -> Parts:
        return Parts(Exact(), UCB(radius=self.alpha))
