"""The two parts of a table's rows: settings are tuned on one, and reported on the other."""

from dataclasses import dataclass

import numpy as np

from leaderboards.choosing.labelled_table import CLASS, LabelledTable


@dataclass(frozen=True, eq=False)
class Split:
    """The indices of the rows of both parts, each part in its own order.

    Parameters
    ----------
    tuning, reporting : int64 ndarray of shapes (M,) and (N - M,)

    Raises
    ------
    ValueError
        If a row is in both: a score on rows that tuning saw is too high.
    """

    tuning: np.ndarray
    reporting: np.ndarray

    def __post_init__(self):
        both = np.intersect1d(self.tuning, self.reporting)
        if len(both):
            raise ValueError(
                f"{len(both)} rows, first row {both[0] + 1}, are in both parts: no setting is "
                "scored on a row that its tuning saw"
            )

    def first(self, most: int) -> "Split":
        """At most this many rows of each part."""
        return Split(self.tuning[:most], self.reporting[:most])


def halves(table: LabelledTable) -> Split:
    """Half of the rows for each part, drawn; of classes, half of the rows of each class.

    The draw depends on the number of rows, and on the classes, alone.
    """
    order = np.random.default_rng(0).permutation(len(table))
    if table.kind != CLASS:
        middle = len(order) // 2
        return Split(order[:middle], order[middle:])
    labels = table.labels[order]
    place = np.empty(len(order), np.int64)  # of a row among those of its class
    for label in range(len(table.classes)):
        own = np.flatnonzero(labels == label)
        place[own] = np.arange(len(own))
    return Split(order[place % 2 == 0], order[place % 2 == 1])


def repeated(table: LabelledTable, split: Split) -> int:
    """How many reporting rows are equal to a row that tuning saw, label and all."""
    frame = table.features.assign(**{table.target: table.labels})
    # By their texts, in which a missing value is equal to another.
    seen = set(map(repr, frame.iloc[split.tuning].itertuples(index=False, name=None)))
    rows = map(repr, frame.iloc[split.reporting].itertuples(index=False, name=None))
    return sum(row in seen for row in rows)
