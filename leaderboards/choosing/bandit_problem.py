"""A labelled table as a bandit: two tasks of one environment, on the two parts of the rows.

- Classes are a multiclass bandit, ``MulticlassBandit-v0``: a row is shown, a class is played, and
  the reward is 1 if it is right.
- Numbers that are to be predicted are an online regression, ``OnlineRegression-v0``: a row is
  shown, a number is predicted, and the number of the row is revealed.
- Other numbers are a kernelized bandit over the rows, ``KernelBandit-v0``: the rows are the arms,
  and the number of a row is its mean reward. An agent searches for a row with a high number and
  tries few rows.

Each part is a file in one folder, so that results can be kept, and other processes can play. The
file names and the hash of the suite contain the digests of the contents, so results of different
data never mix.
"""

import hashlib
import math
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from banditgym.data.labelled_rows import within_range
from banditgym.data.regression_data import to_unit_cube
from banditgym.data.table_encoding import Encoded, encoded
from banditgym.files import whole_files
from banditgym.functions.covariances import RBF
from leaderboards.choosing.labelled_table import CLASS, NUMBER, PREDICTED, LabelledTable
from leaderboards.choosing.row_encoder import FARTHEST, RowEncoder, for_numbers
from leaderboards.choosing.split import Split, halves, repeated
from leaderboards.suites.seed_ranges import SCORING
from leaderboards.suites.suite import Suite, SuiteTask, hash_of
from leaderboards.tuning.tuning_tasks import TuningTasks

TASK = "rows"
LABELS, NUMBERS, ARMS = "MulticlassBandit-v0", "OnlineRegression-v0", "KernelBandit-v0"
ROUNDS = {LABELS: 1000, NUMBERS: 1000, ARMS: 100}  # at most, by default
_ENV = {CLASS: LABELS, PREDICTED: NUMBERS, NUMBER: ARMS}
_FAMILY = {LABELS: "multiclass", NUMBERS: "regression", ARMS: "kernelized"}
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
    rows, labels : float64 ndarray of shape (N, d), and ndarray of shape (N,)
        All rows of the table as they are played.
    encoder : RowEncoder or None
        What agents are shown of a row; None where the rows are the arms.
    said : tuple of str
        Sentences on how the table became a bandit.
    warned : tuple of str
        What the owner of the table should know; see ``Encoded``.
    """

    table: LabelledTable
    split: Split
    tasks: TuningTasks
    folder: Path
    rows: np.ndarray
    labels: np.ndarray
    encoder: RowEncoder | None
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
        and at most 1000, or 100 where the rows are the arms.

    Raises
    ------
    ValueError
        If the horizon is above the rows of a part, or no column is left as a feature.
    """
    if not 1 <= n_seeds <= len(SCORING):
        raise ValueError(f"seeds is a number in 1..{len(SCORING)}, got {n_seeds}")
    env = _ENV[table.kind]
    split = halves(table)
    if env == ARMS:
        split = split.first(MOST_ARMS)
    fewest = min(len(split.tuning), len(split.reporting))
    rounds = min(fewest, ROUNDS[env]) if horizon is None else horizon
    if not rounds >= 1 or (env != ARMS and rounds > fewest):
        limit = f"1..{fewest}, the rows of a part" if env != ARMS else ">= 1"
        raise ValueError(f"horizon must be in {limit}, got {rounds}")
    encoding = encoded(table.features, split.tuning)
    form = (_arms if env == ARMS else _stream)(table, split.tuning, encoding)
    rows, labels, settings = form.rows, form.labels, form.settings
    places = split.reporting, split.tuning
    contents = [svmlight_lines(rows[place], labels[place]) for place in places]
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
        form.said,
        f"{len(split.tuning)} rows for tuning, {len(split.reporting)} for the report; a seed plays "
        f"{rounds} {form.shown}",
        *_of_more_rows(rounds, fewest, env),
        *_of_repeated(table, split),
    )
    tasks = TuningTasks(suite, {TASK: tuning})
    return BanditProblem(
        table, split, tasks, folder, rows, labels, form.encoder, said, encoding.warned
    )


class _Form(NamedTuple):
    """How rows are played: their features and labels, the settings, and sentences on it."""

    rows: np.ndarray
    labels: np.ndarray
    settings: dict[str, Any]
    encoder: RowEncoder | None
    said: str
    shown: str


def _arms(table: LabelledTable, tuning: np.ndarray, encoding: Encoded) -> _Form:
    length_scale = fitted_length_scale(encoding.rows[tuning], table.labels[tuning])
    covariance = {"kind": "rbf", "length_scale": length_scale}
    said = (
        f"the agents are given an RBF kernel of length-scale {length_scale:g}, the most likely "
        f"one on the tuning rows, and noise of {NOISE:g} standard deviations is added to the "
        "numbers"
    )
    settings = {"noise_std": NOISE, "covariance": covariance}
    shown = "rounds with its own noise"
    return _Form(encoding.rows, table.labels, settings, None, said, shown)


def _stream(table: LabelledTable, tuning: np.ndarray, encoding: Encoded) -> _Form:
    said = (
        f"numbers are bounded at {FARTHEST:g} standard deviations from the mean of their column, a "
        "constant feature is added, and all are divided by the square root of their number"
    )
    if table.kind == CLASS:
        encoder = RowEncoder(encoding.encoder, table.target, table.classes)
        labels, settings = table.labels, {"sparse": False}
    else:
        encoder = for_numbers(encoding.encoder, table.target, table.labels[tuning])
        labels, settings = encoder.outcome(table.labels), {}
        said += "; agents predict numbers scaled to mean 0 and standard deviation 1"
    shown = "of them in its own order"
    return _Form(encoder.observed(encoding.rows), labels, settings, encoder, said, shown)


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


def _task(entry: dict[str, Any], settings: dict[str, Any], path: Path) -> SuiteTask:
    return SuiteTask(
        name=TASK,
        env=entry["env"],
        settings=settings | {"data": str(path)},
        horizon=entry["horizon"],
        family=_FAMILY[entry["env"]],
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
    if env == NUMBERS:
        return (
            f"{start} of numbers: an online regression ({env}), which loses the squared error of "
            "each prediction"
        )
    return (
        f"{start} of numbers: a kernelized bandit ({env}), whose arms are the rows, and the higher "
        "a row's number the better"
    )


def _of_more_rows(rounds: int, fewest: int, env: str) -> list[str]:
    if env == ARMS or rounds == fewest:
        return []
    return [
        f"the rows suffice for {fewest} rounds, and agents are tuned and compared on {rounds}: "
        f"with --horizon {fewest} differences are clearer, and settings suit longer use"
    ]


def _of_repeated(table: LabelledTable, split: Split) -> list[str]:
    count = repeated(table, split)
    if not count:
        return []
    return [
        f"{count} of the reporting rows are equal to a tuning row: if they are copies of one case, "
        "drop the copies first"
    ]
