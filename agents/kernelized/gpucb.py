"""GP-UCB: optimism with a Gaussian process's exact posterior."""

from dataclasses import dataclass
from typing import Any, ClassVar

from agents.agent import norm_bound
from agents.parts.decision_rules import UCB
from agents.parts.kernelized_agent import KernelizedAgent, Parts
from agents.parts.posteriors import Exact
from agents.search import Log
from banditgym.validation import checked, nonnegative


@dataclass(kw_only=True, eq=False)
class GPUCB(KernelizedAgent):
    r"""Play the arm with the largest upper confidence bound on f.

    With the covariance k, the covariances :math:`K_t` among the t arms pulled so far, their
    covariances :math:`k_t(x)` with x and their rewards :math:`y_t`, round t + 1 plays

    .. math:: a_{t+1} = \arg\max_a \; \mu_t(x_a) + \rho_t\,\sigma_t(x_a), \qquad
        \mu_t(x) = k_t(x)^\top (K_t + \lambda I)^{-1} y_t,

    .. math:: \sigma_t^2(x)
        = \tfrac1\lambda \bigl(k(x, x) - k_t(x)^\top (K_t + \lambda I)^{-1} k_t(x)\bigr).

    The posterior is exact. A round costs :math:`O(K u + u^2)` per replicate, where u is the number
    of distinct arms pulled. Memory: about :math:`n (3 K + 2 u^2)` numbers, and K for each arm that
    any replicate has pulled. Arms may change from round to round, at a cost of :math:`O(K t (d +
    t))` a round, or be the points of a box, where K points are tried.

    The decision rule is ``agents.parts.decision_rules.UCB``. The update is that of
    ``agents.posteriors.Exact``, which calls
    ``agents.numerics.kernel.kernel_posterior.absorb_pulls``. ``KernelizedAgent`` joins the two.

    Its definition is ``tests/agents/definitions/kernelized/gpucb.py``.

    Parameters
    ----------
    radius : "posterior", "released", "theory" or float
        :math:`\rho_t`. ``posterior``: :math:`2 \sqrt\lambda`, two standard deviations of the
        posterior, which assumes noise of variance :math:`\lambda`; ``released``:
        :math:`\sqrt\lambda F + \xi \sqrt{s_t \log\max(t, 1) + \log(1/\delta)}` with :math:`s_t`
        the sum of :math:`\sigma_t^2` over the t pulls, ``agents.confidence.released``; ``theory``:
        :math:`\sqrt\lambda F + \xi \sqrt{\log\det(K_t / \lambda + I) + 2 \log(1/\delta)}`, which
        holds for all t and arms with probability :math:`1 - \delta`; a number: that constant, in
        units of reward. A width of z standard deviations is :math:`z \sqrt\lambda`: with ``ridge``
        0.01, ``radius`` 0.2 is two.
    delta : float
        Probability of failure of ``released`` and ``theory``, in (0, 1).
    param_norm : float, optional
        F, a bound on f's norm in the space of k, without unit: :math:`|f(x)| \le F \sqrt{k(x, x)}`,
        for ``released`` and ``theory``; the task's if None.
    covariance, ridge, noise_std
        As in every kernelized agent, see ``agents.parts.kernelized_agent.KernelizedAgent``.

    Notes
    -----
    Departs from Srinivas et al. in the radii. Theirs is :math:`\sqrt{2 \log(K t^2 \pi^2 / (6
    \delta))}` times :math:`\sqrt\lambda`, for a finite set of arms and f drawn from the process.
    ``released`` is the radius of BKB's code, so that the two agents can be compared. ``theory`` is
    the radius of Chowdhury and Gopalan with two changes. It has the log-determinant of the actual
    pulls in place of its largest value. It has neither their ridge :math:`1 + 2/T` nor the term 1
    that comes with it: finitely many arms span a space of finite dimension, for which
    Abbasi-Yadkori et al. prove this form.

    References
    ----------
    N. Srinivas, A. Krause, S. Kakade, M. Seeger. Gaussian Process Optimization in the Bandit
    Setting: No Regret and Experimental Design. ICML 2010, Algorithm 1.
    S. R. Chowdhury, A. Gopalan. On Kernelized Multi-armed Bandits. ICML 2017, Theorem 2.
    Y. Abbasi-Yadkori, D. Pál, C. Szepesvári. Improved Algorithms for Linear Stochastic Bandits.
    NeurIPS 2011, Theorem 2.

    Examples
    --------
    >>> import agents, banditgym, gymnasium
    >>> env = gymnasium.make("KernelBandit-v0", n_arms=100, dim=2, horizon=200)
    >>> trace = agents.play(env, agents.GPUCB())
    >>> bool(trace.regret[0, -1] < 60)  # uniform play: 235
    True
    """

    paper: ClassVar = "Srinivas et al. 2010, Algorithm 1"
    search: ClassVar[Any] = {"radius": Log(0.02, 2.0), "ridge": Log(0.001, 0.1)}
    scope: ClassVar = "a box too"
    from_task: ClassVar = {**KernelizedAgent.from_task, "param_norm": norm_bound}

    radius: str | float = "posterior"
    delta: float = 0.1
    param_norm: float | None = checked(nonnegative, None)

    def parts(self) -> Parts:
        return Parts(Exact(), UCB(radius=self.radius, delta=self.delta))
