"""Learners that think of one replicate at a time."""

from dataclasses import dataclass
from numbers import Integral
from typing import Any, ClassVar

import numpy as np

from agents.agent import Agent
from banditgym.streams import LEARNER
from banditgym.tasks import ArmedTask, LinearTask


@dataclass(kw_only=True, eq=False)
class ScalarAgent(Agent):
    """A learner written for one replicate; n of them are kept and asked in turn.

    The easy way to bring an algorithm that plays arms, or to wrap another library's: batching,
    seeds, masks, save and load come from here. Learners of rows, points and labels derive from
    ``Agent``. A subclass is a dataclass that says ``begin``, ``choose`` and
    ``learn``, and puts its state into attributes of its own.

    ``choose`` is called once for every decision and ``learn`` once for every reward that was
    observed, in the order in which they come: rewards may be late, in batches, or never come. The
    generator that ``begin`` is given is the replicate's own and moves on with every draw, so that
    no two decisions share numbers. Within both calls ``self.decision`` is the number of the
    decision that is made, or answered: who weighs a reward by the probability of its arm keeps that
    probability by this number. It is no part of the state.

    Examples
    --------
    >>> from dataclasses import dataclass
    >>> import agents
    >>> @dataclass(kw_only=True, eq=False)
    ... class FollowTheLeader(agents.ScalarAgent):
    ...     def begin(self, task, rng):
    ...         self.sums, self.pulls = np.zeros(task.n_arms), np.zeros(task.n_arms)
    ...     def choose(self, contexts):
    ...         return int(np.argmax(self.sums / np.maximum(self.pulls, 1e-9)))
    ...     def learn(self, contexts, arm, reward):
    ...         self.sums[arm] += reward
    ...         self.pulls[arm] += 1
    """

    __slots__ = ("decision",)

    accepts: ClassVar = (ArmedTask, LinearTask)

    def begin(self, task: Any, rng: np.random.Generator) -> None:
        """Make the state for one replicate of a task; draw random numbers from ``rng`` alone."""
        raise NotImplementedError(f"{type(self).__name__} must define begin(task, rng)")

    def choose(self, contexts: np.ndarray | None) -> int:
        """An arm, given features (K, d), or None where the family has none."""
        raise NotImplementedError(f"{type(self).__name__} must define choose(contexts)")

    def learn(self, contexts: np.ndarray | None, arm: int, reward: float) -> None:
        """Learn what an arm paid."""
        raise NotImplementedError(f"{type(self).__name__} must define learn(contexts, arm, reward)")

    def _start(self) -> None:
        self.replicas = []
        for seed in self.seeds:
            replica = type(self)(**self.hyperparameters())
            entropy = np.random.SeedSequence(seed, spawn_key=(LEARNER, 0, 0))
            replica.begin(self.task, np.random.default_rng(entropy))
            self.replicas.append(replica)

    def _choose(self, contexts) -> np.ndarray:
        chosen = []
        each = zip(self.replicas, self._each(contexts), self.decisions.tolist(), strict=True)
        for replica, x, decision in each:
            replica.decision = decision
            arm = replica.choose(x)
            chosen.append(arm)
            if not isinstance(arm, Integral) or isinstance(arm, bool):
                raise ValueError(f"{type(self).__name__}.choose must return an arm, got {arm!r}")
        return np.array(chosen, dtype=np.int64)

    def _learn(self, contexts, actions, reward, observed) -> None:
        answered = (self.decisions - 1 if self.answered is None else self.answered).tolist()
        given = (self._each(contexts), actions, reward, observed, answered)
        for replica, x, arm, paid, seen, decision in zip(self.replicas, *given, strict=True):
            if seen:
                replica.decision = decision
                replica.learn(x, int(arm), float(paid))

    def _each(self, contexts: np.ndarray | None) -> Any:
        return [None] * self.n if contexts is None else contexts.transpose(0, 2, 1)
