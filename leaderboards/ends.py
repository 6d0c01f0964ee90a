"""Where scores are 0 and where they are 1: measures by seed, in a file beside the suite.

Both ends come from play on the very seeds that are scored. Uniform play (in regression, predicting
0) scores 0. No regret scores 1 or, where another measure counts, what the task's reference reaches.
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
    from leaderboards.suite import Suite, SuiteTask


@dataclass(frozen=True)
class Ends:
    """What uniform play and the reference reach on a task, as far as it is known.

    Attributes
    ----------
    uniform : dict of int to float
        Seed to the measure after the last round.
    best : dict of int to float
        The same of the task's reference; empty without one.
    """

    uniform: dict[int, float] = field(default_factory=dict)
    best: dict[int, float] = field(default_factory=dict)

    def lacking(
        self, task: "SuiteTask", seeds: Sequence[int]
    ) -> tuple[tuple[int, ...], tuple[int, ...]]:
        """Seeds without uniform play, and seeds without the reference that the task has."""
        return (
            tuple(seed for seed in seeds if seed not in self.uniform),
            tuple(seed for seed in seeds if task.reference and seed not in self.best),
        )


def path_of(suite: Path) -> Path:
    """The file of ends beside a suite's own file."""
    return suite.with_suffix(".baselines.json")


def read(
    path: Path, suite_hash: str, n_seeds: int, tasks: Iterable["SuiteTask"]
) -> dict[str, Ends]:
    """The ends of a suite's tasks, by name; none where there is no such file.

    A file that was written for another suite counts as missing, and so does a task whose reference
    or data file is not the one that it was written for.

    Raises
    ------
    ValueError
        If the file is something else, or a task lacks a finite number for any of the seeds.
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
            task.name: Ends(
                _by_seed(own["uniform"], n_seeds),
                _by_seed(own["best"], n_seeds) if task.reference else {},
            )
            for task in tasks
            if (own := found["tasks"][task.name])["reference"] == task.reference
            and own["data"] == _data(task)
        }
    except (ValueError, KeyError, TypeError):
        raise ValueError(
            f"{path} is no file of baselines: write it with banditgym leaderboard baselines"
        ) from None


def as_text(suite: "Suite", ends: Mapping[str, Ends]) -> str:
    """What `read` reads: the suite's hash and, a line for each task, its numbers in full.

    The numbers are those of the suite's seeds 0, 1, .. in this order.
    """
    lines = []
    for task in suite.tasks:
        own, seeds = ends[task.name], range(suite.n_seeds)
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
