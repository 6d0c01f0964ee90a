"""The base class of kernelized agents, whose round joins a posterior, a rule and a batching."""

from dataclasses import dataclass
from typing import Any, ClassVar, NamedTuple

import numpy as np

from agents.agent import Agent, noise_level
from agents.drivers.frequencies import draw_apart, frequencies
from agents.numerics.random_choice import exploring
from agents.parts.batching import Batches, Batching, EveryRound, Rounds, VarianceBatches
from agents.parts.box_search import EVALUATIONS, BoxSearch
from agents.parts.decision_rules import UCB, ThompsonSampling
from agents.parts.posteriors import Exact
from agents.parts.posteriors.posterior import Posterior
from banditgym.functions.covariances import Covariance, read_covariance
from banditgym.tasks import KernelTask
from banditgym.validation import checked, nonnegative, positive, whole

# Shares of the largest prior variance: the least ridge that is taken from a task, and the ridge
# below which factorisations of covariances lose all digits.
_LEAST_RIDGE, _SOUND_RIDGE = 1e-6, 1e-9


class Parts(NamedTuple):
    """What a kernelized agent is made of."""

    posterior: Posterior
    rule: UCB | ThompsonSampling
    batching: Batching = EveryRound()


@dataclass(kw_only=True, eq=False)
class KernelizedAgent(Agent):
    r"""The round that all kernelized agents share; a subclass gives its ``parts``.

    Parameters
    ----------
    covariance : RBF, Matern or Linear, optional
        k, of ``banditgym.functions.covariances``; the task's if None.
    ridge : float, optional
        :math:`\lambda`, on the scale of the covariance: the noise variance that the posterior
        assumes. If None, ``noise_std`` squared, and at least 1e-6 of the largest prior variance
        k(x, x). Less than 1e-9 of that is refused. (With changing arms and on a box, the largest
        prior variance is that at x = (1, .., 1), the largest in the unit cube.)
    noise_std : float, optional
        :math:`\xi`, the sub-Gaussian constant of the noise in units of reward; the task's if None,
        or its standard deviation where the noise has no such constant.
    evaluations : int
        On a box, the number of points per coordinate at which the rule is evaluated in a round to
        find the best one; see ``agents.parts.box_search.BoxSearch``.

    Attributes
    ----------
    model : agents.parts.posteriors.posterior.PosteriorState
        The posterior's state, with ``mean`` and ``variance`` of the arms.
    choice : agents.parts.decision_rules.ucb.UCBState or thompson_sampling.ThompsonSamplingState
        The rule's state: ``choice.radius`` or ``choice.scale`` (n,) is that of the coming round.
    batches : agents.parts.batching.Rounds or Batches
        The batching's state; the first, if there are no batches.
    box : agents.parts.box_search.BoxSearch or None
        The search on a box.
    """

    accepts: ClassVar = (KernelTask,)
    follows_masks: ClassVar = True
    from_task: ClassVar = {"covariance": lambda task: task.covariance, "noise_std": noise_level}

    covariance: Covariance | None = None
    ridge: float | None = checked(positive, None)
    noise_std: float | None = checked(nonnegative, None)
    evaluations: int = checked(whole, EVALUATIONS)

    def parts(self) -> Parts:
        """The parts of which ``GPBandit`` makes this agent."""
        raise NotImplementedError

    def __post_init__(self):
        super().__post_init__()
        if self.covariance is not None:
            self.covariance = read_covariance(self.covariance)
        posterior, rule, batching = self.parts()
        if isinstance(batching, VarianceBatches) and not posterior.batches:
            name = type(posterior).__name__
            raise ValueError(f"{name} is updated in every round: it has no batches")
        reason = rule.refusal(posterior, batching)
        if reason is not None:
            raise ValueError(reason)

    def refusal(self, task: KernelTask) -> str | None:
        reason = super().refusal(task)
        if reason is not None:
            return reason
        posterior, rule, batching = self.parts()
        if task.on_box:
            if isinstance(batching, VarianceBatches):
                return "its VarianceBatches need finitely many arms, not a box"
            if isinstance(posterior, Exact) and isinstance(rule, ThompsonSampling):
                return "draws from the exact posterior need finitely many arms, not a box"
        if not task.fixed_arms:
            for part in (rule, batching):
                if isinstance(part, ThompsonSampling | VarianceBatches):
                    return f"its {type(part).__name__} is for fixed arms; this task's arms change"
        covariance = self.covariance or task.covariance
        reason = posterior.refusal(task, covariance)
        least = _SOUND_RIDGE * _largest_variance(task, covariance)
        if reason is None and self.ridge is not None and not self.ridge >= least:
            return (
                f"ridge must be at least {least:g}, 1e-9 of the largest prior variance, "
                f"got {self.ridge}"
            )
        return reason

    def _start(self) -> None:
        posterior, rule, batching = self.parts()
        covariance = self.known("covariance")
        prior_variance = _largest_variance(self.task, covariance)
        noise_std = float(self.known("noise_std"))
        ridge = self.ridge
        if ridge is None:
            # With a linear kernel and all arms at the origin, f is 0 for any ridge.
            ridge = max(noise_std * noise_std, _LEAST_RIDGE * prior_variance) or 1.0
        bound = float(self.known("param_norm")) if "param_norm" in self.from_task else 0.0
        self.model: Any = posterior.reset(  # a state of the posterior's own class
            self.task, n=self.n, seeds=self.seeds, covariance=covariance, ridge=float(ridge)
        )
        batched = isinstance(batching, VarianceBatches)
        self.batches = batching.reset(self.n) if batched else Rounds()
        self.choice = rule.reset(
            seeds=self.seeds,
            posterior=posterior,
            batching=batching,
            ridge=float(ridge),
            noise_std=noise_std,
            param_norm=bound,
            prior_variance=prior_variance,
        )
        self.choice.follow(self.model, self.batches)
        self.box = None
        if self.task.on_box:
            self.box = BoxSearch.initial(
                self.task.action_set,
                n=self.n,
                seeds=self.seeds,
                evaluations=self.evaluations,
                uniform_first=getattr(rule, "uniform_first", False),
            )

    def _choose(self, contexts: Any) -> np.ndarray:
        if self.box is None:
            return self.choice.choose(self.model, contexts, self.decisions, self.mask)
        score = self.choice.score(self.model, self.decisions)
        return self.box.choose(self.task.action_set, score, self.model.pulls, self.decisions)

    @property
    def exact_propensities(self) -> bool:  # pyright: ignore[reportIncompatibleVariableOverride]
        return not isinstance(self.parts().rule, ThompsonSampling)

    def _propensities(self, contexts: Any) -> np.ndarray:
        if not self.exact_propensities:
            self.choice.keys = draw_apart(self)
            return frequencies(self, contexts)
        first = (self.model.pulls == 0) & (len(self.choice.keys) > 0)  # a uniform arm
        self.choice.keys = self.choice.keys[:0]
        return exploring(self._choose(contexts), first, self._available())

    def _estimate(self, contexts: Any, actions: np.ndarray) -> np.ndarray:
        if self.box is not None:
            contexts, actions = actions[:, :, None], np.zeros(self.n, np.int64)
        return self.model.predict(contexts)[0][np.arange(self.n), actions]

    def _learn(self, contexts, actions, reward, observed) -> None:
        if self.box is not None:
            self.box.follow(actions, observed)
            contexts, actions = actions[:, :, None], np.zeros(self.n, np.int64)
        ends = None  # without batches every reward updates the posterior
        if isinstance(self.batches, Batches):
            ends = self.batches.after(actions, observed, self.model.start_variance)
        self.model.update(contexts, actions, reward, observed, ends)
        self.choice.follow(self.model, self.batches, ends)


def _largest_variance(task: KernelTask, covariance: Covariance) -> float:
    arms = np.ones((1, task.dim)) if task.arms is None else task.arms
    return float(covariance.diagonal(arms).max())
