"""Tables of rows with full labels: read from CSV, Parquet or a pandas DataFrame, and checked.

A bandit can be played on a table only if the label of every row is known, because the reward of
every action follows from it. The log of a bandit has only the reward of the action played, and is
refused.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas

from banditgym.data.target_tables import numbers_of, read_table, target_column
from banditgym.validation import brief

CLASS, NUMBER, PREDICTED = "class", "number", "predicted"
FEWEST = 20  # rows
MOST_WHOLE = 20  # whole numbers of more distinct values are numbers, not classes

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
    kind : "class", "number" or "predicted"
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
    kind : "class", "number" or "predicted", optional
        How to read the target; "predicted" are numbers, too. By default text and booleans are
        classes, and so are whole numbers of at most 20 distinct values; all others are numbers.

    Raises
    ------
    ValueError
        In one line: if the file is missing or cannot be read, is the log of a bandit, or has no
        such column; if a label is missing, there is one class only, a class has one row, there are
        as many classes as rows, or there are fewer than 20 rows.
    """
    if kind not in (None, CLASS, NUMBER, PREDICTED):
        raise ValueError(f"a target is read as class, number or predicted, got {brief(kind)}")
    target = str(target)
    name, frame = read_table(data, target)
    _refuse_log(name, list(frame.columns))
    column = target_column(name, frame, target)
    if len(frame) < FEWEST:
        raise ValueError(
            f"{name} has {len(frame)} rows, too few: half tune and half are for the report, so "
            f"at least {FEWEST} are needed"
        )
    where = f"the target {target!r} of {name}"
    if column.nunique() < 2:
        raise ValueError(f"{where} has one class only, {brief(column.iloc[0])}")
    kind = kind or _kind(column)
    labels, classes = _classes(where, column) if kind == CLASS else (numbers_of(where, column), ())
    features = frame.drop(columns=target).reset_index(drop=True)
    return LabelledTable(
        name=name, target=target, kind=kind, features=features, labels=labels, classes=classes
    )


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
            f"{where} has as many classes as rows, {len(column)}: it names rows, not classes"
        )
    if counts.min() < 2:
        rare = [brief(str(distinct[place])) for place in np.flatnonzero(counts < 2)]
        more = f" and {len(rare) - 3} more" if len(rare) > 3 else ""
        raise ValueError(
            f"{where} has classes of one row, {', '.join(rare[:3])}{more}: a class needs a row to "
            "tune on and one to report on, so merge them or leave them out"
        )
    return codes.astype(np.int64), tuple(str(one) for one in distinct)
