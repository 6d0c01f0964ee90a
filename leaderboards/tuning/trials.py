"""Trials: one setting of an agent, played on all tasks of a family, on all seeds at once."""

import contextlib
import math
import signal
import threading
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from types import FrameType
from typing import Any

import numpy as np

from agents.naming import label, resolve
from agents.search import with_values
from banditgym.validation import brief
from leaderboards.rank import scores_and_ranks
from leaderboards.rank.scale import scale_of
from leaderboards.run.impossible import too_many_errors
from leaderboards.run.outcomes import outcome
from leaderboards.suites.baselines_file import Baselines
from leaderboards.suites.suite import Suite

PATIENCE = 20  # a trial may take this many times the CPU time of the defaults
LEAST = 1.0  # CPU seconds that every trial may take
COMPILING = 120.0  # CPU seconds on top before a trial is stopped: it may compile


@dataclass(frozen=True)
class Played:
    """The outcome of a trial.

    Attributes
    ----------
    finals : dict of str to list of float
        By task, the measure after the last round on each seed; empty after an error.
    seconds : float
        CPU seconds of environments and agents, without compiling and imports.
    error : str or None
        Why the trial failed.
    """

    finals: dict[str, list[float]]
    seconds: float
    error: str | None = None


def spec_of(spec: str, values: Mapping[str, Any]) -> str:
    """The text that names an agent with some hyperparameters replaced.

    Examples
    --------
    >>> spec_of("OFUL(delta=0.05)", {"radius": 0.5})
    'OFUL(delta=0.05, radius=0.5)'
    """
    place, colon, _ = spec.strip().partition("(")[0].rpartition(":")
    return f"{place}{colon}{label(with_values(resolve(spec), values))}"


def play(spec: str, suite: Suite, limit: float | None = None) -> Played:
    """Play an agent on all tasks and seeds of a suite in this process.

    Parameters
    ----------
    limit : float, optional
        CPU seconds above which the trial counts as failed. A trial that takes two minutes more is
        stopped; compilation does not take that long.
    """
    finals: dict[str, list[float]] = {}
    seconds = 0.0
    for task in suite.tasks:
        left = None if limit is None else max(limit - seconds, 0.0) + COMPILING
        with _stopped_after(left):
            found = outcome(task, spec, suite.seeds)
        if "error" in found:
            return Played({}, seconds, f"{task.name}: {found['error']}")
        measures = found["measures"].get(task.measure)
        if measures is None or not np.isfinite(measures).all():
            return Played({}, seconds, f"{task.name}: {task.measure} is missing or not finite")
        if reason := too_many_errors(task, found["measures"].get("error", [])):
            return Played({}, seconds, f"{task.name}: {reason}")
        finals[task.name] = [curve[-1] for curve in measures]
        each = sum(part for part in found["seconds"] if not math.isnan(part))
        seconds += each * task.horizon * len(suite.seeds)
        if limit is not None and seconds > limit:
            return Played({}, seconds, f"took {seconds:.3g} CPU seconds, over {limit:.3g}")
    return Played(finals, seconds)


def limit_of(default: Played) -> float:
    """A trial's limit of CPU seconds, given those of the defaults; for safety only."""
    return max(PATIENCE * default.seconds, LEAST)


class Scoring:
    """Scores settings by the measures of uniform play and of the references on the same seeds.

    Parameters
    ----------
    suite : Suite
        The tasks and seeds that were played.

    Raises
    ------
    ValueError
        If a task would not be scored on these seeds.
    """

    def __init__(self, suite: Suite, baselines: Mapping[str, Baselines]):
        self.tasks = suite.tasks
        scales = []
        for task in suite.tasks:
            scale, reason = scale_of(task, baselines[task.name], suite.seeds)
            if scale is None or reason is not None:
                raise ValueError(f"{suite.name}, task {task.name!r} is not scored here: {reason}")
            scales.append(scale)
        self.uniform = np.array([scale.uniform for scale in scales]).T  # (S, M)
        self.gaps = np.stack([scale.gaps for scale in scales], axis=-1)

    def gains(self, finals: Mapping[str, Sequence[float]]) -> np.ndarray:
        """The gains over uniform play, (S, M)."""
        return self.uniform - np.array([finals[task.name] for task in self.tasks]).T

    def by_ranking(self, finals: Mapping[str, Sequence[float]]) -> dict[str, float]:
        """The score in each ranking, as a board would show it."""
        scores = scores_and_ranks.task_scores(self.gains(finals), self.gaps)
        return {name: float(scores[places].mean()) for name, places in self._rankings().items()}

    def score(self, finals: Mapping[str, Sequence[float]]) -> float:
        """The mean of the scores in the family's rankings, which tuning maximises."""
        return float(self._mean(scores_and_ranks.task_scores(self.gains(finals), self.gaps)))

    def difference(
        self, first: Mapping[str, Sequence[float]], second: Mapping[str, Sequence[float]]
    ) -> tuple[float, float, float]:
        """The score of the first minus that of the second, with its paired 95 % interval."""
        both = np.stack([self.gains(first), self.gains(second)])
        scores = (
            scores_and_ranks.task_scores(both, self.gaps),
            scores_and_ranks.score_draws(both, self.gaps),
        )
        own, drawn = map(self._mean, scores)
        found = scores_and_ranks.paired_differences(own, drawn, n_seeds=len(self.gaps))
        value, low, high = (float(part[0, 1]) for part in found)
        return value, low, high

    def _mean(self, scores: np.ndarray) -> np.ndarray:
        """Scores of tasks (..., M) -> the mean over the rankings (...)."""
        each = [scores[..., places].mean(axis=-1) for places in self._rankings().values()]
        return np.mean(each, axis=0)

    def _rankings(self) -> dict[str, list[int]]:
        """The places of each ranking's tasks."""
        found: dict[str, list[int]] = {}
        for place, task in enumerate(self.tasks):
            found.setdefault(task.ranking, []).append(place)
        return found


class _Overdue(Exception):
    """A trial took too long."""


@contextlib.contextmanager
def _stopped_after(seconds: float | None) -> Iterator[None]:
    """Raise in this process after so much of its CPU time; only the main thread can."""
    if seconds is None or threading.current_thread() is not threading.main_thread():
        yield
        return

    def stop(number: int, frame: FrameType | None) -> None:
        raise _Overdue(f"took over {brief(round(seconds, 1))} CPU seconds, and was stopped")

    before = signal.signal(signal.SIGPROF, stop)
    signal.setitimer(signal.ITIMER_PROF, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0.0)
        signal.signal(signal.SIGPROF, before)
