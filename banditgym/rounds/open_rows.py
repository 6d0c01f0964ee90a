"""Rows that are kept until they are taken, in memory that is used again."""

from collections.abc import Mapping, Sequence

import numpy as np


class OpenRows:
    """Rows of some arrays.

    The memory is at most twice what was needed for the largest number of rows kept at one time.

    Parameters
    ----------
    like : mapping of str to ndarray of shape (.., *)
        One array of rows for each name, of the dtype and the shape of a row; their numbers do not
        matter.
    """

    def __init__(self, like: Mapping[str, np.ndarray]):
        self._rows = {
            name: np.empty((0, *rows.shape[1:]), rows.dtype) for name, rows in like.items()
        }
        self._length, self._free = 0, list[int]()

    def put(self, rows: Mapping[str, np.ndarray], which: np.ndarray) -> list[int]:
        """Keep the rows ``which`` (m,) of arrays; returns the place of each."""
        free, needed = self._free, len(which)
        if len(free) < needed:
            self._grow(needed - len(free))
        places = free[len(free) - needed :]
        del free[len(free) - needed :]
        for name, kept in self._rows.items():
            kept[places] = rows[name][which]
        return places

    def take(self, places: Sequence[int]) -> dict[str, np.ndarray]:
        """The rows at some places, which are then free."""
        self._free.extend(places)
        which = np.array(places, np.int64)
        return {name: rows[which] for name, rows in self._rows.items()}

    def _grow(self, least: int) -> None:
        old = self._length
        more = max(least, old)
        self._length = old + more
        for name, rows in self._rows.items():
            self._rows[name] = np.concatenate([rows, np.empty((more, *rows.shape[1:]), rows.dtype)])
        self._free.extend(range(old + more - 1, old - 1, -1))
