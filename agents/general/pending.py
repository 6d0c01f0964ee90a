"""Pending: open decisions count as if their rewards were what the agent expects."""

import copy
import math
from dataclasses import dataclass
from typing import Any, ClassVar, Self

import numpy as np

from agents.agent import Agent
from agents.parts.open_plays import OpenPlays
from agents.parts.wrapping import Wrapping
from agents.search import Linear
from agents.storage.states import within
from banditgym.tasks import ArmedTask, ConvexSetTask, KernelTask, LinearTask
from banditgym.validation import checked, ruled, whole

_LESS = 1e-9  # by which an imputed reward is below the estimate


@dataclass(kw_only=True, eq=False)
class Pending(Wrapping):
    r"""Impute the rewards that have not come: ``Pending(UCB1())``.

    ``inner`` is the agent that has learned the rewards that came, and
    :math:`\hat r_s = \mathtt{inner.estimate}(x_s, a_s)`, as of now, is what it expects of the open
    decision s. Round t plays what ``inner`` would play if it had also learned :math:`\hat r_s` for
    every open decision s < t, in their order. When the reward comes, it takes the place of
    :math:`\hat r_s`, and the other estimates follow.

    The estimate of an arm without a reward is ``value``. Imputing an estimate leaves the mean of an
    arm, of ridge regression or of a Gaussian process as it is. So for ``UCB1``, ``LinUCB`` or
    ``GPUCB`` it counts the decision in the bonus, and in nothing else: a rule that would repeat an
    arm until its reward comes plays others meanwhile. ``value`` therefore matters to agents of arms
    alone. An arm that never answers is played seldom if ``value`` is low, and often if it is as
    high as a good arm's mean. Beside arms of the means 0.2, 0.4 and 0.6, ``UCB1`` plays it in 9 of
    1,000 rounds with 0, in 340 by default and in 972 with 1: the top of the range does not help.

    If nothing is open, and so wherever rewards come at once, it plays as the agent itself. A round
    after rewards came copies the agent's state and imputes all open decisions, in one pass in which
    each costs an estimate and an update of all replicates; in other rounds only the last decision
    is imputed. Memory: twice that of the agent, and for every open decision of the replicate that
    has most of them, in all replicates, its features and two numbers, in room that may be twice as
    large. Without ``patience``, decisions that are never answered stay open for ever.

    Its definition is ``tests/agents/definitions/general/pending.py``.

    Parameters
    ----------
    agent : Agent
        The agent that plays, which must estimate rewards: those of arms, of ridge regression and of
        Gaussian processes do, and a ``ScalarAgent`` that defines ``expect``.
    value : float, optional
        The stand-in for the estimate of an arm without a reward, in units of reward. If None, the
        mean of the replicate's rewards so far; before the first one the middle of their range, 1/2,
        for Bernoulli rewards, and 0 for others.
    patience : int, optional
        An open decision is dropped, and no longer counts, in the round after this many further
        rounds. Its reward, if it comes after all, is learned as any other. None never drops.

    Attributes
    ----------
    inner : Agent
        The agent, which has learned the rewards that came.
    open : agents.parts.open_plays.OpenPlays
        The open decisions.

    Notes
    -----
    The source imputes the mean of a Gaussian process at points whose values are being computed;
    here any agent's estimate is imputed. GP-BUCB (Desautels et al. 2014) does the same with
    hallucinated observations, and widens the radius for it; here the radius is the agent's own.

    Where contexts are features, imputed rewards are 1e-9 below the estimates. This decides between
    arms that are exactly equal: a greedy agent whose estimates are all 0 would otherwise repeat the
    first arm until its reward comes.

    A reward that answers a decision that is not open, because it was dropped or answered before,
    is learned, and nothing is taken back.

    References
    ----------
    D. Ginsbourger, R. Le Riche, L. Carraro. Kriging Is Well-Suited to Parallelize Optimization. In
    Computational Intelligence in Expensive Optimization Problems, Springer 2010, Kriging Believer.

    T. Desautels, A. Krause, J. Burdick. Parallelizing Exploration-Exploitation Tradeoffs in
    Gaussian Process Bandit Optimization. JMLR 15, 2014.
    """

    __slots__ = ("_acting",)

    accepts: ClassVar = (ArmedTask, LinearTask, KernelTask, ConvexSetTask)
    paper: ClassVar = "Ginsbourger et al. 2010, Kriging Believer, with any agent's estimate"
    search: ClassVar = {"value": Linear(0.0, 1.0)}
    scope: ClassVar = "around an agent that estimates rewards"
    on_request: ClassVar = True

    value: float | None = checked(ruled(math.isfinite, "must be finite"), None)
    patience: int | None = checked(whole, None)

    def __new__(cls, *args: Any, **hyperparameters: Any) -> Self:
        self = super().__new__(cls, *args, **hyperparameters)
        self._acting = None
        return self

    def refusal(self, task) -> str | None:
        reason = super().refusal(task)
        if reason is None and not self.estimates:
            return f"{type(self.agent).__name__} does not estimate the rewards of actions"
        return reason

    def _start(self) -> None:
        super()._start()
        self.open = OpenPlays.initial(self.task, self.n)
        self._sum, self._t = np.zeros(self.n), np.zeros(self.n, np.int64)  # of rewards that came
        # A cache beside the state: the agent that chooses, a copy of ``inner`` that has learned the
        # estimates of open decisions, and the number (n,) of the first one that it has not.
        self._acting: tuple[Agent, np.ndarray] | None = None

    def _choose(self, contexts) -> np.ndarray:
        actions = self._ready(contexts)._choose(contexts)
        self.inner.decisions[:] = self.decisions + 1
        self.open.open(self.decisions, actions, contexts)
        if self.patience is not None and self.open.drop(self.decisions + 1 - self.patience):
            self._acting = None
        return actions

    def _propensities(self, contexts) -> np.ndarray:
        return self._ready(contexts)._propensities(contexts)

    def _ready(self, contexts: Any) -> Agent:
        """The agent that chooses, which knows the decision's number."""
        acting = self._informed(self._imputed(contexts))
        acting.decisions[:] = self.decisions
        return acting

    def _learn(self, contexts, actions, reward, observed) -> None:
        if not observed.any():
            return
        answered = self.decisions - 1 if self.answered is None else self.answered
        inner = self._informed(self.inner)
        inner.answered = answered
        inner._learn(contexts, actions, reward, observed)
        self.open.close(answered, observed)
        self._sum += np.where(observed, reward, 0.0)
        self._t += observed
        self._acting = None

    def _imputed(self, contexts: Any) -> Agent:
        """The agent that chooses; ``contexts`` are those of every round if none are kept."""
        if self._acting is None:
            if not self.open.any():
                return self.inner
            self._acting = self._copy(), np.zeros_like(self.decisions)
        acting, first = self._acting
        for play in self.open.since(first):
            shown = contexts if play.contexts is None else play.contexts
            acting.answered = play.number
            acting._impute(shown, play.actions, self._expected(shown, play.actions), play.exists)
        self._acting = acting, self.decisions.copy()
        return acting

    def _expected(self, contexts: Any, actions: np.ndarray) -> np.ndarray:
        expected = self._estimate(contexts, actions)
        if not isinstance(self.task, ArmedTask):
            expected -= _LESS
        value = self.value
        if value is None:
            unknown = np.full(self.n, 0.5 if getattr(self.task, "bernoulli", False) else 0.0)
            value = np.divide(self._sum, self._t, out=unknown, where=self._t > 0)
        return np.where(np.isnan(expected), value, expected)

    def _copy(self) -> Agent:
        """A copy of ``inner`` that shares what choosing changes: generators and counters."""
        shared = [self.task]
        for part in within(self.inner):
            if isinstance(part, np.random.Generator):
                shared.append(part)
            elif isinstance(part, Agent):
                shared += [getattr(part, name) for name in part.kept_choosing]
        return copy.deepcopy(self.inner, {id(one): one for one in shared})
