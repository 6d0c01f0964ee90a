"""GP-TS: Thompson sampling from a Gaussian process's exact posterior."""

from dataclasses import dataclass
from typing import ClassVar

from agents.agent import norm_bound
from agents.parts.decision_rules import ThompsonSampling
from agents.parts.kernelized_agent import KernelizedAgent, Parts
from agents.parts.posteriors import Exact
from agents.search import Log
from banditgym.validation import checked, nonnegative


@dataclass(kw_only=True, eq=False)
class GPTS(KernelizedAgent):
    r"""Draw a function from the posterior and play its best arm.

    With :math:`\mu_t, K_t, k_t` as in ``GPUCB``, round t + 1 draws f at all arms at once and plays

    .. math:: f_{t+1} \sim \mathcal{N}(\mu_t, v_t^2 \Sigma_t), \qquad
        \Sigma_t(x, x') = \tfrac1\lambda \bigl(k(x, x') - k_t(x)^\top (K_t + \lambda I)^{-1}
        k_t(x')\bigr), \qquad a_{t+1} = \arg\max_a f_{t+1}(x_a).

    A round costs :math:`O(K^2)` per replicate, and the first round :math:`O(K^3)`. Memory:
    :math:`K^2` numbers, and those of ``GPUCB``; for more than 5000 arms see
    ``agents.posteriors.Exact``. The arms must be fixed and finitely many, because a function on a
    box, drawn from the exact posterior, has no finite representation.

    Its definition is ``tests/agents/definitions/kernelized/gpts.py``.

    Parameters
    ----------
    scale : "posterior", "theory" or float
        :math:`v_t`. ``posterior``: :math:`\sqrt\lambda`, which draws from the posterior if f is
        drawn from the process and the noise is normal with variance :math:`\lambda`; ``theory``:
        :math:`\sqrt\lambda F + \xi \sqrt{\log\det(K_t / \lambda + I) + 2 + 2 \log(2/\delta)}`,
        which explores more, often with more regret; a number: that constant, in units of reward;
        :math:`z \sqrt\lambda` draws with z standard deviations of the posterior.
    delta : float
        Probability of failure of ``theory``, in (0, 1).
    param_norm : float, optional
        F, a bound on f's norm in the space of k, without unit: :math:`|f(x)| \le F \sqrt{k(x, x)}`,
        for ``theory``; the task's if None.
    covariance, ridge, noise_std
        As in every kernelized agent, see ``agents.parts.kernelized_agent.KernelizedAgent``.

    Notes
    -----
    ``theory`` departs from the paper's scale as described in ``agents.confidence.thompson_scale``.
    The paper draws on a grid that becomes finer, which a finite set of arms does not need.

    References
    ----------
    S. R. Chowdhury, A. Gopalan. On Kernelized Multi-armed Bandits. ICML 2017, Algorithm 2.
    """

    paper: ClassVar = "Chowdhury & Gopalan 2017, Algorithm 2"
    search: ClassVar = {"scale": Log(0.01, 1.0), "ridge": Log(0.001, 0.1)}
    scope: ClassVar = "fixed arms, no box"
    from_task: ClassVar = {**KernelizedAgent.from_task, "param_norm": norm_bound}

    scale: str | float = "posterior"
    delta: float = 0.1
    param_norm: float | None = checked(nonnegative, None)

    def parts(self) -> Parts:
        return Parts(Exact(), ThompsonSampling(scale=self.scale, delta=self.delta))
