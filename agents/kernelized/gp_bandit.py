"""GPBandit: a kernelized bandit agent made of a posterior, a decision rule and a batching."""

from dataclasses import dataclass
from typing import ClassVar

from agents.agent import norm_bound
from agents.parts import posteriors
from agents.parts.batching import Batching, EveryRound, VarianceBatches
from agents.parts.decision_rules import UCB, ThompsonSampling
from agents.parts.kernelized_agent import KernelizedAgent, Parts
from agents.parts.posteriors import Exact
from agents.parts.posteriors.posterior import Posterior
from banditgym.validation import brief, checked, nonnegative

_POSTERIORS = tuple(getattr(posteriors, name) for name in posteriors.__all__)


@dataclass(kw_only=True, eq=False)
class GPBandit(KernelizedAgent):
    r"""A kernelized bandit agent made of parts; by default it is ``GPUCB``.

    In round t the rule chooses an arm from the posterior of the past rounds, with mean :math:`\mu`
    and variance :math:`\sigma^2` of every arm: ``UCB`` plays :math:`\arg\max_a \mu(x_a) +
    \rho_t\,\sigma(x_a)`; ``ThompsonSampling`` draws a function from the posterior and plays its
    best arm. Then the posterior learns the reward, at once or at the end of the batch.

    ===========================  ==================================================================
    agent                        parts
    ===========================  ==================================================================
    ``GPUCB``, ``KernelUCB``     ``Exact``, ``UCB``
    ``GPTS``                     ``Exact``, ``ThompsonSampling``
    ``BKB``                      ``Nystrom``, ``UCB(uniform_first=True)``
    ``BBKB``                     ``Nystrom``, ``UCB(uniform_first=True)``, ``VarianceBatches``
    ``SoRUCB``, ``DTCUCB``       ``FixedNystrom``, ``UCB``
    ``RFFUCB``                   ``RandomFourier``, ``UCB``
    ``QFFTS``                    ``QuadratureFourier``, ``ThompsonSampling``
    ===========================  ==================================================================

    Cost and memory are the posterior's.

    Its definition is ``tests/agents/definitions/kernelized/gp_bandit.py``.

    Parameters
    ----------
    posterior : Exact, Nystrom, FixedNystrom, RandomFourier or QuadratureFourier
        A part of ``agents.posteriors``.
    rule : UCB or ThompsonSampling
        A part of ``agents.parts.decision_rules``.
    batching : EveryRound or VarianceBatches
        A part of ``agents.parts.batching``.
    covariance, ridge, noise_std
        As in every kernelized agent, see ``agents.parts.kernelized_agent.KernelizedAgent``.
    param_norm : float, optional
        F, a bound on f's norm in the space of k, without unit: :math:`|f(x)| \le F \sqrt{k(x, x)}`;
        the task's if None.

    Raises
    ------
    ValueError
        If the parts do not work together; the message gives the reason.

    Examples
    --------
    >>> from agents.parts.decision_rules import UCB
    >>> from agents.parts.posteriors import Nystrom
    >>> import agents, banditgym, gymnasium
    >>> envs = gymnasium.make_vec("KernelBandit-v0", num_envs=3, n_arms=30, horizon=50)
    >>> rule = UCB(uniform_first=True)
    >>> parts = agents.play(envs, agents.GPBandit(posterior=Nystrom(qbar=3.0), rule=rule))
    >>> bool((parts.regret == agents.play(envs, agents.BKB(qbar=3.0)).regret).all())
    True
    """

    paper: ClassVar = "parts of the papers' agents"
    scope: ClassVar = "parts of your choice"
    on_request: ClassVar = True
    from_task: ClassVar = {**KernelizedAgent.from_task, "param_norm": norm_bound}

    posterior: Posterior = Exact()  # noqa: RUF009 (it is frozen)
    rule: UCB | ThompsonSampling = UCB()  # noqa: RUF009 (it is frozen)
    batching: Batching = EveryRound()  # noqa: RUF009 (it is frozen)
    param_norm: float | None = checked(nonnegative, None)

    def __post_init__(self):
        for name, kinds in (
            ("posterior", _POSTERIORS),
            ("rule", (UCB, ThompsonSampling)),
            ("batching", (EveryRound, VarianceBatches)),
        ):
            value = getattr(self, name)
            if type(value) not in kinds:
                names = ", ".join(kind.__name__ for kind in kinds)
                raise ValueError(f"{name} must be one of {names}, got {brief(value)}")
        super().__post_init__()

    def parts(self) -> Parts:
        return Parts(self.posterior, self.rule, self.batching)
