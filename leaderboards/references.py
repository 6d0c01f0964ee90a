"""Agents that know what is hidden: their results define the best score on a task."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from agents.agent import Agent
from agents.play import play
from banditgym.data.simulated_logs import MadeLog
from banditgym.data.yahoo_lines import N_DESCRIBED, N_USER
from banditgym.tasks import ArmedTask, MulticlassTask, NewsTask, RegressionTask


class Reference(Agent):
    """Knows what is hidden: it learns nothing, is never ranked and cannot be saved."""

    full_information: ClassVar = True
    saveable: ClassVar = False
    paper: ClassVar = "reference"

    def observe(self, *outcome: Any, **more: Any) -> None:
        """Learn nothing."""


@dataclass(kw_only=True, eq=False)
class ClickModel(Reference):
    r"""Play the article with the highest true click probability, by a simulated log's model.

    For event t with articles :math:`A_t` and user :math:`u_t` it plays :math:`a_t = \arg\max_{a \in
    A_t} p(u_t, a)` with the p of ``banditgym.data.simulated_logs.MadeLog``. It does not use the
    task's features: the agent makes the same log as the environment, and one call of ``act`` is one
    event. No agent has a higher expected click rate. If the features omit the user, no agent can
    reach this click rate.

    A round costs as much as making an event, about 20 µs, plus :math:`O(n K)`; the memory is that
    of a chunk of events. The agent learns nothing and cannot be saved.

    Parameters
    ----------
    format : {"R6A", "R6B"}
        Form of the task's simulated log.
    log_seed, n_articles, lifetime : int
        The settings of the task's environment.
    """

    accepts: ClassVar = (NewsTask,)

    format: str = "R6A"
    log_seed: int = 0
    n_articles: int = 20
    lifetime: int = 2000

    def __post_init__(self):
        self._log()

    def _log(self) -> MadeLog:
        return MadeLog(
            format=self.format,
            seed=self.log_seed,
            n_articles=self.n_articles,
            lifetime=self.lifetime,
        )

    def refusal(self, task: Any) -> str | None:
        """Why it cannot play a task: another family, or features of the other format's log."""
        reason = super().refusal(task)
        if reason is not None:
            return reason
        both = N_DESCRIBED**2 if self.format == "R6A" else N_USER + task.n_arms
        user = N_DESCRIBED if self.format == "R6A" else N_USER
        if task.dim in (user, both):
            return None
        return f"features of {self.format} are {user} or {both} numbers, the task's {task.dim}"

    def _start(self) -> None:
        self._events = self._known()

    def _choose(self, contexts: np.ndarray) -> np.ndarray:
        there, article = next(self._events)
        ids: Any = self.ids  # equal for all replicates
        if not np.array_equal(np.sort(ids[0][ids[0] >= 0]), there):
            raise ValueError(f"the articles shown are not those of {self._log()}")
        return (ids == article).argmax(axis=1)

    def _known(self) -> Iterator[tuple[np.ndarray, int]]:
        """For each event, its articles in ascending order and the best of them."""
        log = self._log()
        for events in log.events():
            best = log.probabilities(events).argmax(axis=1)
            for ids, place in zip(events.ids, best, strict=True):
                yield np.sort(ids[ids >= 0]), ids[place]


@dataclass(kw_only=True, eq=False)
class BestFixedAction(Reference):
    r"""Play in every round the one action that is best in hindsight.

    With labels :math:`y_t` it plays on every seed :math:`\arg\max_k |\{t : y_t = k\}|`, or with r
    slots the r most frequent labels; of arms it plays the one with the highest sum of its means.
    An agent that uses the features has to be better than this to be worth its features.

    It knows the actions from `foresee`, which ``leaderboards.run.outcomes`` calls before the
    episode with an environment of the same seeds. It is never ranked, learns nothing, and cannot be
    saved.
    """

    __slots__ = ("_best",)  # beside the attributes that a reset deletes

    accepts: ClassVar = (ArmedTask, MulticlassTask)

    def foresee(self, envs: Any, seeds: Sequence[int]) -> None:
        """Find the best actions on the seeds (n,) of a batched environment, by playing it."""
        task = envs.unwrapped.task
        if isinstance(task, MulticlassTask):
            counted = _LabelCounts()
            play(envs, counted, seed=seeds)
            order = np.argsort(-counted.counts, axis=1, kind="stable")
            self._best = order[:, 0] if task.slots is None else order[:, : task.slots]
        elif isinstance(task, ArmedTask):
            # The means of this id never change, so a round of each arm is enough.
            rounds = 1 if getattr(envs.spec, "id", None) == "ArmedBandit-v0" else None
            lost = [
                np.asarray(play(envs, _OneArm(arm=arm), seed=seeds, horizon=rounds).regret)[:, -1]
                for arm in range(task.n_arms)
            ]
            self._best = np.argmin(lost, axis=0)

    def _start(self) -> None:
        if len(getattr(self, "_best", ())) != self.n:
            raise ValueError(
                f"{type(self).__name__} is played on boards alone: foresee must be called with an "
                f"environment of n={self.n} replicates before the episode"
            )

    def _choose(self, contexts: np.ndarray) -> np.ndarray:
        return self._best


@dataclass(kw_only=True, eq=False)
class BestConstant(BestFixedAction):
    r"""Predict in every round the one number that is best in hindsight.

    With outcomes :math:`y_t` it predicts on every seed :math:`\frac1T \sum_t y_t`, which has the
    smallest sum of squared errors of all constants. An agent that uses the features has to be
    better than this to be worth its features. For the rest it is as `BestFixedAction`.
    """

    accepts: ClassVar = (RegressionTask,)

    def foresee(self, envs: Any, seeds: Sequence[int]) -> None:
        """Play the environment on these seeds, and keep the mean outcome of each (n,)."""
        summed = _OutcomeSums()
        trace = play(envs, summed, seed=seeds)
        self._best = summed.total / trace.rounds[-1]


@dataclass(kw_only=True, eq=False)
class _OutcomeSums(Agent):
    """Sums the outcomes (n,) of an episode, and predicts 0."""

    accepts: ClassVar = (RegressionTask,)

    def _start(self) -> None:
        self.total = np.zeros(self.n)

    def _choose(self, contexts: Any) -> np.ndarray:
        return np.zeros(self.n)

    def _learn(self, contexts: Any, actions: Any, outcome: np.ndarray, observed: Any) -> None:
        self.total += outcome


@dataclass(kw_only=True, eq=False)
class _LabelCounts(Agent):
    """Counts the true labels (n, k) of an episode."""

    accepts: ClassVar = (MulticlassTask,)
    full_information: ClassVar = True

    def _start(self) -> None:
        task = self.task
        self.counts = np.zeros((self.n, task.n_labels), np.int64)
        every = np.arange(task.slots or 1)
        self._played = np.tile(every, (self.n, 1)) if task.slots else np.zeros(self.n, np.int64)

    def _choose(self, contexts: Any) -> np.ndarray:
        return self._played

    def _learn(self, contexts: Any, actions: Any, labels: np.ndarray, observed: np.ndarray) -> None:
        self.counts[np.arange(self.n), labels] += observed


@dataclass(kw_only=True, eq=False)
class _OneArm(Agent):
    """Plays one arm."""

    accepts: ClassVar = (ArmedTask,)

    arm: int

    def _start(self) -> None:
        pass

    def _choose(self, contexts: Any) -> np.ndarray:
        return np.full(self.n, self.arm)

    def _learn(self, contexts: Any, actions: Any, reward: Any, observed: Any) -> None:
        pass
