"""Arrays that nobody may write to, such as the facts of a task, and rows that a caller may."""

import numpy as np


def read_only(array: np.ndarray) -> np.ndarray:
    """The array itself, made read-only; for a view, the memory that it shows stays writable."""
    array.setflags(write=False)  # half the time of ``array.flags.writeable = False``
    return array


def own_row(rows: np.ndarray, s: int) -> np.ndarray:
    """Row s of the first axis, or a copy in the same layout if the array is read-only.

    A read-only array of one row has that row in every place.
    """
    if rows.flags.writeable:
        return rows[s]
    return rows[s if len(rows) > 1 else 0].copy("K")
