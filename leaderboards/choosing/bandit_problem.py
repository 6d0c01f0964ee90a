"""A labelled table as a bandit: two tasks of one environment, on the two parts of the rows.

- Classes are a multiclass bandit, ``MulticlassBandit-v0``: a row is shown, a class is played, and
  the reward is 1 if it is right.
- Numbers are a kernelized bandit over the rows, ``KernelBandit-v0``: the rows are the arms, and the
  number of a row is its mean reward. An agent searches for a row with a high number and tries few
  rows. (Agents that predict the number are not compared.)

Each part is a file in one folder, so that results can be kept, and other processes can play. The
file names and the hash of the suite contain the digests of the contents, so results of different
data never mix.
"""

import hashlib
import math
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from banditgym.data.labelled_rows import within_range
from banditgym.data.regression_data import to_unit_cube
from banditgym.data.table_encoding import encoded
from banditgym.files import whole_files
from banditgym.functions.covariances import RBF
from leaderboards.choosing.labelled_table import CLASS, LabelledTable
from leaderboards.choosing.split import Split, halves, repeated
from leaderboards.suites.seed_ranges import SCORING
from leaderboards.suites.suite import Suite, SuiteTask, hash_of
from leaderboards.tuning.tuning_tasks import TuningTasks

TASK = "rows"
ROUNDS = {"MulticlassBandit-v0": 1000, "KernelBandit-v0": 100}  # at most, by default
MOST_ARMS = 500  # of each part
NOISE = 0.1  # standard deviation of the rewards' noise, in standard deviations of the numbers
_FITTED = 200  # rows that the kernel is fitted to
# Length-scales that are tried, in units of sqrt(d / 6): the mean distance of points of a cube.
_LENGTH_SCALES = (0.1, 0.2, 0.3, 0.5, 0.7, 1.0, 1.5, 2.0, 3.0)
_SHARES = (0.01, 0.03, 0.1, 0.3, 0.6)  # of the variance that is independent, likewise


@dataclass(frozen=True, eq=False)
class BanditProblem:
    """What is played.

    Attributes
    ----------
    split : Split
        The rows of both.
    tasks : TuningTasks
        The suite on the reporting rows, and its task on the tuning rows.
    folder : Path
        Of the files, and of all that is played on them.
    said : tuple of str
        Sentences on how the table became a bandit.
    warned : tuple of str
        What the owner of the table should know; see ``Encoded``.
    """

    table: LabelledTable
    split: Split
    tasks: TuningTasks
    folder: Path
    said: tuple[str, ...]
    warned: tuple[str, ...]

    @property
    def suite(self) -> Suite:
        """The suite on the reporting rows."""
        return self.tasks.suite

    @property
    def task(self) -> SuiteTask:
        """Its task."""
        (task,) = self.tasks.suite.tasks
        return task


def bandit_problem(
    table: LabelledTable, store: Path, n_seeds: int, horizon: int | None = None
) -> BanditProblem:
    """Encode a table, divide its rows, and write both parts below a folder.

    Parameters
    ----------
    store : Path
        Every problem has a folder of its own here.
    n_seeds : int
        Seeds 0, 1, .. of the report.
    horizon : int, optional
        Rounds per episode, for tuning and for the report; by default the rows of the smaller part,
        and at most 1000 of classes and 100 of numbers.

    Raises
    ------
    ValueError
        If the horizon is above the rows of a part, or no column is left as a feature.
    """
    if not 1 <= n_seeds <= len(SCORING):
        raise ValueError(f"seeds is a number in 1..{len(SCORING)}, got {n_seeds}")
    split = halves(table)
    env = "MulticlassBandit-v0" if table.kind == CLASS else "KernelBandit-v0"
    if table.kind != CLASS:
        split = split.first(MOST_ARMS)
    fewest = min(len(split.tuning), len(split.reporting))
    rounds = min(fewest, ROUNDS[env]) if horizon is None else horizon
    if not rounds >= 1 or (table.kind == CLASS and rounds > fewest):
        limit = f"1..{fewest}, the rows of a part" if table.kind == CLASS else ">= 1"
        raise ValueError(f"horizon must be in {limit}, got {rounds}")
    encoding = encoded(table.features, split.tuning)
    if table.kind == CLASS:
        rows, settings = _with_constant(encoding.rows), {"sparse": False}
        shown = f"{rounds} of them in its own order"
        also = "a constant feature is added, and all are divided by the square root of their number"
    else:
        rows = encoding.rows
        length_scale = fitted_length_scale(rows[split.tuning], table.labels[split.tuning])
        settings: dict[str, Any] = {
            "noise_std": NOISE,
            "covariance": {"kind": "rbf", "length_scale": length_scale},
        }
        shown = f"{rounds} rounds with its own noise"
        also = (
            f"the agents are given an RBF kernel of length-scale {length_scale:g}, the most likely "
            f"one on the tuning rows, and noise of {NOISE:g} standard deviations is added to the "
            "numbers"
        )
    places = split.reporting, split.tuning
    contents = [svmlight_lines(rows[place], table.labels[place]) for place in places]
    names = [f"{hashlib.sha256(content).hexdigest()[:16]}.svmlight" for content in contents]
    entry = {"name": TASK, "env": env, "horizon": rounds, "settings": settings | {"data": names}}
    digest = hash_of([entry], ())
    folder = store.resolve() / digest
    reporting, tuning = (_task(entry, settings, folder / name) for name in names)
    suite = Suite(
        name=table.name,
        title=table.name,
        seeds=tuple(range(n_seeds)),
        tasks=(reporting,),
        hash=digest,
        n_seeds=n_seeds,
    )
    folder.mkdir(parents=True, exist_ok=True)
    for name, content in zip(names, contents, strict=True):
        path = folder / name
        if not path.exists() or path.read_bytes() != content:
            whole_files.write(path, content)
    said = (
        _of_table(table, env),
        *encoding.said,
        f"{encoding.rows.shape[1]} features, encoded by the tuning rows alone",
        also,
        f"{len(split.tuning)} rows for tuning, {len(split.reporting)} for the report; a seed plays "
        f"{shown}",
        *_of_repeated(table, split),
    )
    tasks = TuningTasks(suite, {TASK: tuning})
    return BanditProblem(table, split, tasks, folder, said, encoding.warned)


def fitted_length_scale(rows: np.ndarray, numbers: np.ndarray) -> float:
    """The length-scale under which numbers (N,) are most likely at rows (N, d) in the unit cube.

    The likelihood is that of a Gaussian process of an RBF kernel on the first 200 rows, whose
    numbers are standardised. A share of their variance, which is also fitted, is independent from
    row to row. Without it, variance that the features do not explain would make the length-scale
    short.
    """
    points, values = to_unit_cube(rows[:_FITTED]), numbers[:_FITTED]
    (values,) = within_range(values[:, None]).T
    unit = (values - values.mean()) / (values.std() or 1.0)
    own = np.eye(len(points))

    def likelihood(length_scale: float) -> float:
        smooth = RBF(length_scale=length_scale)(points, points)
        return max(_likelihood(smooth + share * (own - smooth), unit) for share in _SHARES)

    mean_distance = math.sqrt(points.shape[1] / 6)
    return max((float(f"{one * mean_distance:.2g}") for one in _LENGTH_SCALES), key=likelihood)


def _likelihood(gram: np.ndarray, values: np.ndarray) -> float:
    """The logarithm, up to a constant, of the density of values (N,) with covariance (N, N)."""
    _, logarithm = np.linalg.slogdet(gram)
    return -0.5 * float(values @ np.linalg.solve(gram, values) + logarithm)


def svmlight_lines(rows: np.ndarray, labels: np.ndarray) -> bytes:
    """Rows (N, d) and their labels as a file that counts features from 0.

    Zeros are left out, except in the first and the last feature, from which a reader infers d.
    """
    lines = []
    ends = {0, rows.shape[1] - 1}
    for row, label in zip(rows.tolist(), labels.tolist(), strict=True):
        pairs = (f"{i}:{value!r}" for i, value in enumerate(row) if value or i in ends)
        lines.append(" ".join([repr(label), *pairs]))
    return ("\n".join(lines) + "\n").encode()


def _with_constant(rows: np.ndarray) -> np.ndarray:
    """The rows with a feature that is 1, all divided by the root of the number of features."""
    with_constant = np.hstack([rows, np.ones((len(rows), 1))])
    return with_constant / math.sqrt(with_constant.shape[1])


def _task(entry: dict[str, Any], settings: dict[str, Any], path: Path) -> SuiteTask:
    return SuiteTask(
        name=TASK,
        env=entry["env"],
        settings=settings | {"data": str(path)},
        horizon=entry["horizon"],
        family="multiclass" if entry["env"].startswith("Multiclass") else "kernelized",
        files=((path.name, str(path)),),
    )


def _of_table(table: LabelledTable, env: str) -> str:
    start = f"{table.name}: {len(table)} rows, target {table.target}"
    if table.kind == CLASS:
        some = ", ".join(table.classes[:6]) + (", .." if len(table.classes) > 6 else "")
        return (
            f"{start} of {len(table.classes)} classes ({some}): a multiclass bandit ({env}), whose "
            "reward is 1 for the right class"
        )
    return (
        f"{start} of numbers: a kernelized bandit ({env}), whose arms are the rows, and the higher "
        "a row's number the better"
    )


def _of_repeated(table: LabelledTable, split: Split) -> list[str]:
    count = repeated(table, split)
    if not count:
        return []
    return [
        f"{count} of the reporting rows are equal to a tuning row: if they are copies of one case, "
        "drop the copies first"
    ]
