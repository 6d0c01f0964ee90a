"""Agents that know what is hidden: what they reach says what there is to be had on a task."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from agents.agent import Agent
from banditgym.data.simulated_logs import MadeLog
from banditgym.data.yahoo_lines import N_DESCRIBED, N_USER
from banditgym.tasks import NewsTask


@dataclass(kw_only=True, eq=False)
class ClickModel(Agent):
    r"""Play the article of the highest true click probability, known from a made log's model.

    Of the articles :math:`A_t` of event t and its user :math:`u_t` it plays
    :math:`a_t = \arg\max_{a \in A_t} p(u_t, a)`, p of
    ``banditgym.data.simulated_logs.MadeLog``. What features the task shows makes no difference:
    the log is made once more beside the environment's, and one call of ``act`` is one event. So
    nobody's expected click rate is higher; where features leave out the user, no agent's can be
    as high.

    A round costs what making an event does, about 20 µs, and :math:`O(n K)`; the memory is that of
    a chunk of events. It learns nothing, and cannot be saved.

    Parameters
    ----------
    format : {"R6A", "R6B"}
        Form of the task's made log.
    log_seed, n_articles, lifetime : int
        As the task's settings.
    """

    accepts: ClassVar = (NewsTask,)
    full_information: ClassVar = True
    saveable: ClassVar = False
    paper: ClassVar = "reference"

    format: str = "R6A"
    log_seed: int = 0
    n_articles: int = 20
    lifetime: int = 2000

    def __post_init__(self):
        self._log()

    def _log(self) -> MadeLog:
        return MadeLog(
            format=self.format, seed=self.log_seed, n_articles=self.n_articles,
            lifetime=self.lifetime,
        )  # fmt: skip

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

    def observe(
        self, observation: Any, action: Any, reward: Any, *, feedback: Any = None,
        observed: Any = None, decision: Any = None,
    ) -> None:  # fmt: skip
        """Learn nothing: of a log no labels are hidden, and the clicks' model is known."""

    def _start(self) -> None:
        self._events = self._known()

    def _choose(self, contexts: Any) -> np.ndarray:
        there, article = next(self._events)
        ids: Any = self.ids  # alike for every replicate
        if not np.array_equal(np.sort(ids[0][ids[0] >= 0]), there):
            raise ValueError(f"the articles shown are not those of {self._log()}")
        return (ids == article).argmax(axis=1)

    def _known(self) -> Iterator[tuple[np.ndarray, int]]:
        """Of each event the articles there, in ascending order, and the best of them."""
        log = self._log()
        for events in log.events():
            best = log.probabilities(events).argmax(axis=1)
            for ids, place in zip(events.ids, best, strict=True):
                yield np.sort(ids[ids >= 0]), ids[place]
