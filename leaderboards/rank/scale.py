"""The scale of a task's scores: the measures that score 0 and 1 on the scored seeds.

The ends of the scale come from the file beside a suite (see `leaderboards.suites.baselines_file`).
Without such a file they are rows of the store, which the runner plays before any agent.
"""

import functools
import json
import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from banditgym.measures import BEST_AT_0, higher_is_better
from leaderboards.rank.entries import fault_of, last_of
from leaderboards.run.store.store import Row
from leaderboards.suites.baselines_file import UNIFORM, Baselines
from leaderboards.suites.suite import Suite, SuiteTask

CLEAR = 2.0  # a task is scored if baseline and best differ by more standard errors


@dataclass(frozen=True)
class Scale:
    """The two ends of a task's scale on the seeds of a section.

    Attributes
    ----------
    uniform : tuple of float
        The measure of uniform play after the last round on each seed, which scores 0.
    best : tuple of float
        The measure that scores 1 on each seed.
    """

    uniform: tuple[float, ...]
    best: tuple[float, ...]

    @property
    def baseline(self) -> float:
        """Mean of uniform play."""
        return float(np.mean(self.uniform))

    @property
    def ceiling(self) -> float:
        """Mean of the best."""
        return float(np.mean(self.best))

    @property
    def gaps(self) -> np.ndarray:
        """The possible gain on each seed, ``uniform - best``, of shape (S,)."""
        return np.subtract(self.uniform, self.best)

    def on(self, places: Sequence[int]) -> "Scale":
        """The scale on some of the seeds, given by their positions."""
        return Scale(tuple(self.uniform[s] for s in places), tuple(self.best[s] for s in places))

    @property
    def noise(self) -> float:
        """Standard error of ``baseline - ceiling``, paired by seed; NaN with one seed."""
        n = len(self.uniform)
        return float(self.gaps.std(ddof=1) / math.sqrt(n)) if n > 1 else math.nan


def baselines_of(suite: Suite, rows: Iterable[Row]) -> dict[str, Baselines]:
    """Collect the baselines from the suite's file and, for other seeds, from rows of results.

    Parameters
    ----------
    rows : iterable of Row
        Results of this suite, in any order.

    Returns
    -------
    dict of str to Baselines
        One for every task, by its name.
    """
    tasks = {task.name: task for task in suite.tasks}
    known = {name: suite.baselines.get(name, Baselines()) for name in tasks}
    uniform: dict[str, dict[int, float]] = {name: {} for name in tasks}
    best: dict[str, dict[int, float]] = {name: {} for name in tasks}
    named = functools.cache(_named)  # slow: only where the file beside the suite lacks a seed
    for row in rows:
        task = tasks[row.task]
        if row.where != "none":  # baselines always play unisolated
            continue
        roles = []
        if row.spec in UNIFORM:
            roles.append(uniform[row.task])
        if (
            task.reference_place
            and row.seed not in known[row.task].best
            and _agent(row.spec, row.hyperparameters) == named(task.reference_place)
        ):
            roles.append(best[row.task])
        if not roles or fault_of(row, task):
            continue
        value = last_of(row, task)
        for values in roles:
            # The order of rows must not matter, even if machines give different numbers.
            values[row.seed] = min(value, values.get(row.seed, value))
    return {
        name: Baselines(uniform[name] | own.uniform, best[name] | own.best)
        for name, own in known.items()
    }


def scale_of(
    task: SuiteTask, baselines: Baselines, seeds: Sequence[int]
) -> tuple[Scale | None, str | None]:
    """Return a task's scale on some seeds, and why the task is not scored on them, if it is not.

    A task is not scored if baseline and best differ by less than ``CLEAR`` standard errors of their
    difference, paired by seed: a ratio whose denominator may be 0 has no bounded interval (E. C.
    Fieller. Some Problems in Interval Estimation. JRSS B 16, 1954). One seed has no standard error,
    so this rule does not apply to it.
    """
    if task.measure not in BEST_AT_0 and task.reference is None:
        reason = f"the suite names no reference, so the best {task.measure} is not known"
        return None, f"{reason}: name one to score it"
    if not seeds:
        return None, None
    uniform, best = baselines.lacking(task, seeds)
    missing = len({*uniform, *best})
    if missing:
        who = "baseline or reference" if task.reference else "baseline"
        lacks = f"the {who} has no result on {missing} of {len(seeds)} seeds"
        return None, f"{lacks}: leaderboard run plays it"
    found = Scale(
        tuple(baselines.uniform[seed] for seed in seeds),
        tuple(baselines.best[seed] if task.reference else 0.0 for seed in seeds),
    )
    return found, unclear(task, found)


def unclear(task: SuiteTask, scale: Scale) -> str | None:
    """Why a scale cannot be used for scores; None if its ends are clearly different."""
    sign = 1 if higher_is_better(task.measure) else -1
    both = f"baseline {scale.baseline:.4g} and best {scale.ceiling:.4g}"
    if not sign * (scale.ceiling - scale.baseline) > 0:
        return f"uniform play is as good as the best: {both}"
    if abs(scale.baseline - scale.ceiling) < CLEAR * scale.noise:
        limit = f"{CLEAR:g} standard errors, {CLEAR * scale.noise:.2g}"
        return f"{both} differ by less than {limit}"
    return None


def _named(spec: str) -> tuple[str, str] | None:
    """The agent that a text names, as of `_agent`; None if it no longer exists."""
    from leaderboards.run.entrants import entrants  # slow to import

    try:
        (reference,) = entrants([spec])
        return _agent(reference.about["spec"], reference.about["hyperparameters"])
    except (ValueError, OSError):
        return None


def _agent(spec: str, values: dict) -> tuple[str, str]:
    """An agent's place and hyperparameters, independent of how the text spells them."""
    return spec.strip().partition("(")[0], json.dumps(values, sort_keys=True)
