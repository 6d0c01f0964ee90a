"""Restarting: an agent that begins anew when a detector sees that rewards have changed."""

import dataclasses
from dataclasses import dataclass, field
from typing import Any, ClassVar

import numpy as np

from agents.agent import Agent
from agents.parts import detectors
from agents.parts.detectors import CUSUM, GLR, PageHinkley
from agents.parts.forced_exploration import force, usual_rate
from agents.parts.wrapping import Wrapping
from agents.search import Log
from agents.storage.states import put_rows
from banditgym.streams import AGENT, derived_seed
from banditgym.tasks import ArmedTask, LinearTask
from banditgym.validation import brief, nonnegative


@dataclass(kw_only=True, eq=False)
class Restarting(Wrapping):
    accepts: ClassVar = (ArmedTask, LinearTask)
    search: ClassVar = {"exploration": Log(0.001, 0.3)}
    from_task: ClassVar = {"exploration": usual_rate}
    on_request: ClassVar = True

    detector: GLR | PageHinkley | CUSUM = field(kw_only=False)
    exploration: float | None = None
    warmup: int = 0

    def __post_init__(self):
        super().__post_init__()
        known = tuple(getattr(detectors, name) for name in detectors.__all__)
        if not isinstance(self.detector, known):
            names = ", ".join(detectors.__all__)
            raise ValueError(f"detector must be one of {names}, got {brief(self.detector)}")
        if self.exploration is not None:
            nonnegative("exploration", self.exploration)

    def refusal(self, task) -> str | None:
        reason = super().refusal(task) or self.detector.refusal(task)
        kind = type(self.agent)
        if reason is None and (issubclass(kind, Wrapping) or _grows(kind)):
            return f"it cannot restart one replicate of {kind.__name__}"
        if reason is None and not (isinstance(task, ArmedTask) or self.estimates):
            return f"{kind.__name__} does not estimate the rewards of actions"
        return reason

    def _start(self) -> None:
        super()._start()
        self._per_arm = isinstance(self.task, ArmedTask)
        sequences = self.task.n_arms if self._per_arm else 1
        self.watched = self.detector.reset(self.task, self.n, sequences)
        self.restarts = np.zeros(self.n, np.int64)
        self._since = np.zeros(self.n, np.int64)  # decisions made before the last restart
        self._rate = float(self.known("exploration"))
        self._learned = np.zeros(self.n, np.int64)

    def _choose(self, contexts) -> np.ndarray:
        inner = self._informed(self.inner)
        inner.decisions[:] = self.decisions - self._since
        arms = inner._choose(contexts).copy()
        inner.decisions += 1
        force(arms, self.decisions, self._rate, self.restarts, self.task.n_arms, self.mask)
        return arms

    def _learn(self, contexts, actions, reward, observed) -> None:
        inner, of_now = self._informed(self.inner), observed
        if self.answered is not None:
            of_now = observed & (self.answered >= self._since)
            inner.answered = np.where(of_now, self.answered - self._since, inner.decisions - 1)
        sequence, values = actions, reward
        watched = of_now
        if not self._per_arm:
            sequence, values = np.zeros_like(actions), reward - inner._estimate(contexts, actions)
            self._learned += of_now
            watched = of_now & (self._learned > self.warmup)
        inner._learn(contexts, actions, reward, of_now)
        alarms = np.flatnonzero(self.watched.add(sequence, values, watched))
        if alarms.size:
            self._restart(alarms, contexts, actions)

    def _restart(self, which: np.ndarray, contexts, actions) -> None:
        seeds = [derived_seed(self.inner.seeds[i], AGENT) for i in which]
        fresh = dataclasses.replace(self.agent).reset(self.task, n=len(which), seed=seeds)
        if contexts is not None:
            shown = contexts[which]
            shown.flags.writeable = False
            fresh._estimate(shown, actions[which])  # so that fixed arms are known
        put_rows(vars(self.inner), vars(fresh), which, self.n)
        self.watched.forget(which)
        self.restarts[which] += 1
        self._since[which] = self.decisions[which]
        self._learned[which] = 0


def _grows(kind: type[Agent]) -> bool:
    """Whether arrays of an agent's state grow, so that replicates are not only their rows."""
    declared = (vars(base).get("loadable", {}) for base in kind.__mro__)
    return any(rule.axes for rules in declared for rule in rules.values())
