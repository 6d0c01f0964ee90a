"""Tables of rows with full labels: read from csv, Parquet or a pandas frame, and checked.

A bandit can be played on a table only if the label of every row is known: the reward of every
action follows from it. A log of a bandit has the reward of the action that was played alone, and is
refused.
"""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pandas

from banditgym.validation import brief, nearest

CLASS, NUMBER = "class", "number"
FEWEST = 20  # rows
MOST_WHOLE = 20  # whole numbers of more distinct values are numbers, not classes
_ENDINGS = (".csv", ".csv.gz", ".csv.bz2", ".parquet")

# Names of columns by which logs of bandits are known, in lower case.
_ACTION = {"action", "actions", "action_id", "arm", "arm_id", "chosen_action", "chosen_arm"}
_REWARD = {"reward", "rewards", "click", "clicked", "clicks", "cost", "payoff"}
_PROPENSITY = {
    *("propensity", "propensity_score", "propensities", "pscore", "action_prob"),
    *("action_probability", "logging_probability", "logging_policy", "prob", "probability"),
}


@dataclass(frozen=True, kw_only=True, eq=False)
class LabelledTable:
    """Rows with a label each.

    Attributes
    ----------
    name : str
        The file's name, or "the frame".
    target : str
        The column of the labels.
    kind : "class" or "number"
    features : DataFrame of N rows
        All other columns.
    labels : ndarray of shape (N,)
        Of a class target the index of each row's class; else the numbers.
    classes : tuple of str
        Empty for numbers.
    """

    name: str
    target: str
    kind: str
    features: pandas.DataFrame
    labels: np.ndarray
    classes: tuple[str, ...]

    def __len__(self) -> int:
        return len(self.labels)


def labelled_table(data: Any, target: str, kind: str | None = None) -> LabelledTable:
    """Read and check a table.

    Parameters
    ----------
    data : str, Path or DataFrame
        A csv file (also .gz or .bz2), a Parquet file, or a frame.
    target : str
        Name of the column of the labels.
    kind : "class" or "number", optional
        How to read the target. By default text and booleans are classes, and so are whole numbers
        of at most 20 distinct values; all others are numbers.

    Raises
    ------
    ValueError
        In one line: if the file is missing or cannot be read, is the log of a bandit, or has no
        such column; if a label is missing, there is one class only, a class has one row, there are
        as many classes as rows, or there are fewer than 20 rows.
    """
    if kind not in (None, CLASS, NUMBER):
        raise ValueError(f"a target is read as class or number, got {brief(kind)}")
    name, frame = _frame(data)
    target, frame = str(target), frame.set_axis([str(column) for column in frame.columns], axis=1)
    if not frame.columns.is_unique:
        twice = frame.columns[frame.columns.duplicated()][0]
        raise ValueError(f"{name} has two columns named {twice!r}")
    _refuse_log(name, list(frame.columns))
    if target not in frame.columns:
        hint = nearest(target, frame.columns) or f"; there are {', '.join(frame.columns)}"
        raise ValueError(f"{name} has no column {target!r}{hint}")
    if len(frame.columns) < 2:
        raise ValueError(f"{name} has one column alone, and so no features")
    if len(frame) < FEWEST:
        raise ValueError(
            f"{name} has {len(frame)} rows, too few: half of them tune and half report, so at "
            f"least {FEWEST} are needed"
        )
    column: Any = frame[target]
    missing = np.flatnonzero(column.isna())
    if len(missing):
        raise ValueError(
            f"{name} lacks {target!r} in {len(missing)} of {len(frame)} rows, first in row "
            f"{missing[0] + 1}: full labels are needed, so leave these rows out"
        )
    where = f"the target {target!r} of {name}"
    if column.nunique() < 2:
        raise ValueError(f"{where} has one class only, {brief(column.iloc[0])}")
    kind = kind or _kind(column)
    labels, classes = _classes(where, column) if kind == CLASS else (_numbers(where, column), ())
    features = frame.drop(columns=target).reset_index(drop=True)
    return LabelledTable(
        name=name, target=target, kind=kind, features=features, labels=labels, classes=classes
    )


def _frame(data: Any) -> tuple[str, pandas.DataFrame]:
    if isinstance(data, pandas.DataFrame):
        return "the frame", data
    if not isinstance(data, str | Path):
        raise ValueError(f"data must be a csv or Parquet file or a frame, got {brief(data)}")
    path = Path(data)
    if not path.is_file():
        raise ValueError(f"no such file: {path}")
    if not path.name.endswith(_ENDINGS):
        raise ValueError(f"{path} must end in {', '.join(_ENDINGS)}")
    try:
        read = pandas.read_parquet if path.suffix == ".parquet" else pandas.read_csv
        return path.name, read(path)
    except ImportError:
        raise ValueError(
            f"{path.name}: Parquet needs pyarrow: pip install 'banditgym[parquet]'"
        ) from None
    except (ValueError, OSError, EOFError) as error:  # pyarrow's and pandas' own derive from these
        what = "Parquet" if path.suffix == ".parquet" else "csv"
        raise ValueError(f"{path.name} cannot be read as {what}: {brief(str(error))}") from None


def _refuse_log(name: str, columns: list[str]) -> None:
    """Refuse what looks like a log: two of action, reward and propensity among the columns."""
    found = []
    for known in (_ACTION, _REWARD, _PROPENSITY):
        found += [column for column in columns if column.strip().lower() in known][:1]
    if len(found) > 1:
        raise ValueError(
            f"{name} looks like the log of a bandit (columns {', '.join(found)}): it has the "
            "reward of the played action alone, and choosing needs full labels, from which the "
            "reward of every action follows; if these columns are something else, rename them"
        )


def _kind(column: pandas.Series) -> str:
    types = pandas.api.types
    if types.is_bool_dtype(column) or not types.is_numeric_dtype(column):
        return CLASS
    values = column.to_numpy(np.float64)
    whole = bool((values == np.round(values)).all())
    return CLASS if whole and column.nunique() <= MOST_WHOLE else NUMBER


def _classes(where: str, column: pandas.Series) -> tuple[np.ndarray, tuple[str, ...]]:
    """The index (N,) of each row's class, and the classes in order."""
    values = column if pandas.api.types.is_numeric_dtype(column) else column.astype(str)
    distinct, codes, counts = np.unique(values.to_numpy(), return_inverse=True, return_counts=True)
    if len(distinct) == len(column):
        raise ValueError(
            f"{where} has as many classes as rows, {len(column)}: it names rows, and no class of "
            "them"
        )
    if counts.min() < 2:
        rare = [brief(str(distinct[place])) for place in np.flatnonzero(counts < 2)]
        more = f" and {len(rare) - 3} more" if len(rare) > 3 else ""
        raise ValueError(
            f"{where} has classes of one row, {', '.join(rare[:3])}{more}: a class needs a row to "
            "tune on and one to report on, so merge them or leave them out"
        )
    return codes.astype(np.int64), tuple(str(one) for one in distinct)


def _numbers(where: str, column: pandas.Series) -> np.ndarray:
    try:
        values = column.to_numpy(np.float64)
    except (ValueError, TypeError):
        raise ValueError(f"{where} has text, which is no number: read it as classes") from None
    wrong = np.flatnonzero(~np.isfinite(values))
    if len(wrong):
        raise ValueError(f"{where} must be finite, got {values[wrong[0]]} in row {wrong[0] + 1}")
    return values
