"""Rows of a log as arrays, and the checks of each row."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from banditgym.logs.log_columns import Names
from banditgym.logs.log_tables import BadCell, Cells, arrivals, numbers, texts, times

TOLERANCE = 1e-6  # of probabilities that must sum to 1 or agree: logs are often kept in float32


@dataclass(frozen=True, eq=False)
class LogChunk:
    """Consecutive rows of a log; what the log does not have is None.

    Attributes
    ----------
    first_row : int
        The number of the first row, from 1 on.
    action : int64 ndarray of shape (m,)
    reward : ndarray of shape (m,)
    context : ndarray of shape (m, d) or (m, K, d), or None
    propensity : ndarray of shape (m,), or None
        Of the actions; from ``propensities`` if it has no column.
    propensities, mean : ndarray of shape (m, K), or None
        A mean may be NaN.
    action_mask : bool ndarray of shape (m, K), or None
    position, round, episode, seed, replicate : int64 ndarray of shape (m,), or None
    time : ndarray of shape (m,), or None
        Numbers as they are, times in nanoseconds.
    agent : ndarray of m str, or None
    arrival : ndarray of shape (m,), or None
        NaN where the reward never arrived.
    """

    first_row: int
    action: np.ndarray
    reward: np.ndarray
    context: np.ndarray | None = None
    propensity: np.ndarray | None = None
    propensities: np.ndarray | None = None
    action_mask: np.ndarray | None = None
    position: np.ndarray | None = None
    round: np.ndarray | None = None
    episode: np.ndarray | None = None
    time: np.ndarray | None = None
    seed: np.ndarray | None = None
    replicate: np.ndarray | None = None
    agent: np.ndarray | None = None
    arrival: np.ndarray | None = None
    mean: np.ndarray | None = None

    def __len__(self) -> int:
        return len(self.action)

    def __getitem__(self, which: slice | np.ndarray) -> "LogChunk":
        """Some of the rows; ``first_row`` is that of a slice, and stays for a mask or places."""
        skipped = which.start or 0 if isinstance(which, slice) else 0
        arrays = {name: array[which] for name, array in self.arrays.items()}
        return replace(self, first_row=self.first_row + skipped, **arrays)

    @property
    def arrays(self) -> dict[str, np.ndarray]:
        """Those that it has, by the names of ``LogColumns``."""
        return {name: value for name, value in vars(self).items() if isinstance(value, np.ndarray)}

    @property
    def arrived(self) -> np.ndarray:
        """The rows whose reward arrived, bool (m,)."""
        return np.ones(len(self), bool) if self.arrival is None else ~np.isnan(self.arrival)


_READ: dict[str, Callable[[Cells], np.ndarray]] = {
    "time": times,
    "agent": texts,
    "arrival": arrivals,
}
_WHOLE = ("action", "position", "round", "episode", "seed", "replicate")


def chunk_of(
    cells: Mapping[str, Cells], columns: Mapping[str, Names], first_row: int, where: str
) -> LogChunk:
    """Rows as arrays.

    Raises
    ------
    ValueError
        For a cell that cannot be used, in one line with its row.
    """
    found: dict[str, Any] = {}
    for kind, names in columns.items():
        array = column_of(cells, names, first_row, where, _READ.get(kind, numbers))
        if kind in _WHOLE:
            wrong = np.floor(array) != array
            _refuse(where, first_row, wrong, array, f"{kind} must be a whole number")
            array = array.astype(np.int64)
        elif kind == "action_mask":
            array = array != 0
        elif kind not in _READ:
            array = np.ascontiguousarray(array, np.float64)
        found[kind] = array
    chunk = LogChunk(first_row, **found)
    table = chunk.propensities
    if chunk.propensity is None and table is not None and table.ndim == 2:
        chunk = replace(chunk, propensity=_played(chunk, table))
    return chunk


def column_of(
    cells: Mapping[str, Cells],
    names: Names,
    first_row: int,
    where: str,
    read: Callable[[Cells], np.ndarray] = numbers,
) -> np.ndarray:
    """A column, or several side by side, as an array (m, ..); it raises as ``chunk_of``."""
    if not isinstance(names, str):
        parts = [column_of(cells, one, first_row, where, read) for one in names]
        return np.stack(parts, axis=1)
    try:
        return read(cells[names])
    except BadCell as bad:
        row = first_row + bad.place
        raise ValueError(f"{where}, row {row}: the column {names!r} {bad.fault}") from None


def check_rows(chunk: LogChunk, n_arms: int, where: str) -> None:
    """Check what a row says by itself; ``n_arms`` is 0 if the number of arms is unknown.

    Raises
    ------
    ValueError
        In one line, with the row and what to do.
    """

    def refuse(wrong: np.ndarray, values: np.ndarray, rule: str) -> None:
        _refuse(where, chunk.first_row, wrong, values, f"{rule}, or leave the row out")

    among = f"one of 0 .. {n_arms - 1}" if n_arms else "at least 0"
    outside = (chunk.action < 0) | (chunk.action >= (n_arms or np.inf))
    refuse(outside, chunk.action, f"action must be {among}: number the arms from 0 on")
    for name in ("reward", "context"):
        array = chunk.arrays.get(name)
        if array is not None:
            refuse(~np.isfinite(array), array, f"{name} must be finite: fill it in")
    propensity, table = chunk.propensity, chunk.propensities
    if propensity is not None:
        refuse(
            ~((propensity > 0) & (propensity <= 1 + TOLERANCE)), propensity,
            "propensity must be above 0 and at most 1: give the probability with which the action "
            "was played",
        )  # fmt: skip
    if propensity is not None and table is not None:
        check_probabilities("propensities", table, chunk.first_row, where)
        refuse(
            np.abs(_played(chunk, table) - propensity) > TOLERANCE, propensity,
            "propensity must be that of propensities for the action: leave one of both out",
        )  # fmt: skip
    if chunk.action_mask is not None:
        unavailable = ~_played(chunk, chunk.action_mask)
        refuse(unavailable, chunk.action, "action must be available by action_mask: correct the "
               "mask")  # fmt: skip


def check_probabilities(name: str, table: np.ndarray, first_row: int, where: str) -> None:
    """Check rows of probabilities (m, K); it raises as ``check_rows``."""
    _refuse(
        where, first_row, ~((table >= 0) & (table <= 1 + TOLERANCE)), table,
        f"{name} must be within 0 and 1: correct them, or leave the row out",
    )  # fmt: skip
    total = table.sum(axis=1)
    rule = f"{name} must sum to 1: divide them by their sum"
    _refuse(where, first_row, np.abs(total - 1) > TOLERANCE, total, rule)


def _refuse(where: str, first_row: int, wrong: np.ndarray, values: np.ndarray, rule: str) -> None:
    """A ValueError about the first row of ``wrong`` (m,) or (m, ..), if there is one."""
    if wrong.any():
        place = np.unravel_index(int(wrong.argmax()), wrong.shape)
        raise ValueError(f"{where}, row {first_row + place[0]}: {rule}, got {values[place]}")


def _played(chunk: LogChunk, table: np.ndarray) -> np.ndarray:
    """The entries of a table (m, K) at the actions; 0 for an action outside of it."""
    inside = (chunk.action >= 0) & (chunk.action < table.shape[1])
    found = table[np.arange(len(chunk)), np.where(inside, chunk.action, 0)]
    return np.where(inside, found, np.zeros((), table.dtype))
