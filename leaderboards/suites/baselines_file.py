"""The measures that score 0 and 1 on each seed, stored in a file beside the suite.

Both are played on the same seeds that are scored. Uniform play (in regression, predicting 0) scores
0. Regret 0 scores 1, and so do an error and a stopping time of 0; for other measures, the result of
the task's reference agent scores 1.
"""

import hashlib
import json
import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from leaderboards.suites.suite import Suite, SuiteTask

UNIFORM = ("UniformRandom", "PredictZero")  # baselines; PredictZero is the one of regression
BEST_FIXED = "leaderboards.references:BestFixedAction"  # a reference, which is never ranked
BEST_CONSTANT = "leaderboards.references:BestConstant"  # likewise, for ``banditgym choose`` alone


@dataclass(frozen=True)
class Baselines:
    """The results of uniform play and of the reference on a task, for the seeds that are known.

    Attributes
    ----------
    uniform : dict of int to float
        By seed, the measure of uniform play after the last round.
    best : dict of int to float
        By seed, the measure of the task's reference; empty if the task has none.
    """

    uniform: dict[int, float] = field(default_factory=dict)
    best: dict[int, float] = field(default_factory=dict)

    def lacking(
        self, task: "SuiteTask", seeds: Sequence[int]
    ) -> tuple[tuple[int, ...], tuple[int, ...]]:
        """The seeds that lack uniform play, and those that lack the reference if there is one."""
        return (
            tuple(seed for seed in seeds if seed not in self.uniform),
            tuple(seed for seed in seeds if task.reference and seed not in self.best),
        )


def baseline_of(family: str) -> str:
    """The name of the agent of `UNIFORM` that scores 0 on the tasks of a family."""
    from agents.naming import families_of, own_agents

    plays = {name: families_of(own_agents()[name]) for name in UNIFORM}
    return next((name for name in reversed(UNIFORM) if family in plays[name]), UNIFORM[0])


def path_of(suite: Path) -> Path:
    """The path of the file of baselines that belongs to a suite's file."""
    return suite.with_suffix(".baselines.json")


def read(
    path: Path, suite_hash: str, n_seeds: int, tasks: Iterable["SuiteTask"]
) -> dict[str, Baselines]:
    """Read the baselines of a suite's tasks, by the tasks' names; empty if there is no such file.

    A file that was written for another suite counts as missing. So does a task whose reference or
    data files have changed since the file was written.

    Raises
    ------
    ValueError
        If it is not a file of baselines, or a task lacks a finite number for one of the seeds.
    """
    try:
        text = path.read_text(encoding="utf-8")
    except FileNotFoundError:
        return {}
    try:
        found = json.loads(text)
        if found["suite"] != suite_hash:
            return {}
        return {
            task.name: Baselines(
                _by_seed(own["uniform"], n_seeds),
                _by_seed(own["best"], n_seeds) if task.reference else {},
            )
            for task in tasks
            if (own := found["tasks"][task.name])["reference"] == task.reference
            and own["data"] == _data(task)
        }
    except (ValueError, KeyError, TypeError):
        raise ValueError(
            f"{path} is not a file of baselines: write one with banditgym leaderboard baselines"
        ) from None


def as_text(suite: "Suite", baselines: Mapping[str, Baselines]) -> str:
    """The contents of the file: the suite's hash, and a line with the numbers of each task.

    The numbers are in the order of the suite's seeds 0, 1, .. and in full precision.
    """
    lines = []
    for task in suite.tasks:
        own, seeds = baselines[task.name], range(suite.n_seeds)
        numbers = {
            "reference": task.reference,
            "data": _data(task),
            "uniform": [own.uniform[seed] for seed in seeds],
            "best": [own.best[seed] for seed in seeds] if task.reference else None,
        }
        lines.append(f"{json.dumps(task.name)}: {json.dumps(numbers, allow_nan=False)}")
    return f'{{"suite": "{suite.hash}", "tasks": {{\n' + ",\n".join(lines) + "\n}}\n"


def _by_seed(values: Any, n_seeds: int) -> dict[int, float]:
    known = isinstance(values, list) and len(values) == n_seeds
    if not known or not all(type(v) in (int, float) and math.isfinite(v) for v in values):
        raise ValueError(f"needs {n_seeds} finite numbers")
    return dict(enumerate(values))


def _data(task: "SuiteTask") -> dict[str, str]:
    return {name: of_file(path) for name, path in task.files}


@cache
def of_file(path: str) -> str:
    """Hash of a data file: 16 hexadecimal digits."""
    with open(path, "rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()[:16]
