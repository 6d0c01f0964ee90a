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
    actions : int64 ndarray of shape (m,)
    rewards : ndarray of shape (m,)
    contexts : ndarray of shape (m, d) or (m, K, d), or None
    propensity : ndarray of shape (m,), or None
        Of the actions; from ``propensities`` if it has no column.
    propensities, means : ndarray of shape (m, K), or None
        A mean may be NaN.
    action_mask : bool ndarray of shape (m, K), or None
    positions, rounds, episodes, seeds, replicates : int64 ndarray of shape (m,), or None
    times : ndarray of shape (m,), or None
        Numbers as they are, times in nanoseconds.
    agents : ndarray of m str, or None
    arrivals : ndarray of shape (m,), or None
        NaN where the reward never arrived.
    """

    first_row: int
    actions: np.ndarray
    rewards: np.ndarray
    contexts: np.ndarray | None = None
    propensity: np.ndarray | None = None
    propensities: np.ndarray | None = None
    action_mask: np.ndarray | None = None
    positions: np.ndarray | None = None
    rounds: np.ndarray | None = None
    episodes: np.ndarray | None = None
    times: np.ndarray | None = None
    seeds: np.ndarray | None = None
    replicates: np.ndarray | None = None
    agents: np.ndarray | None = None
    arrivals: np.ndarray | None = None
    means: np.ndarray | None = None

    def __len__(self) -> int:
        return len(self.actions)

    def __getitem__(self, which: np.ndarray) -> "LogChunk":
        """Some of the rows, by a mask or their places; ``first_row`` stays."""
        arrays = {
            name: value for name, value in vars(self).items() if isinstance(value, np.ndarray)
        }
        return replace(self, **{name: array[which] for name, array in arrays.items()})

    @property
    def nbytes(self) -> int:
        """The bytes of its arrays."""
        return sum(array.nbytes for array in vars(self).values() if isinstance(array, np.ndarray))

    def refuse(self, wrong: np.ndarray, values: np.ndarray, where: str, rule: str) -> None:
        """A ValueError about the first row of ``wrong`` (m,) or (m, ..), if there is one."""
        if wrong.any():
            place = np.unravel_index(int(wrong.argmax()), wrong.shape)
            row = self.first_row + int(place[0])
            raise ValueError(f"{where}, row {row}: {rule}, got {values[place]}")


_ATTRIBUTES = {  # of chunks, where their names are not those of the columns
    "action": "actions",
    "reward": "rewards",
    "context": "contexts",
    "position": "positions",
    "round": "rounds",
    "episode": "episodes",
    "time": "times",
    "seed": "seeds",
    "replicate": "replicates",
    "agent": "agents",
    "arrival": "arrivals",
    "mean": "means",
}
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
        read = _READ.get(kind, numbers)
        array = _column(cells, names, read, first_row, where)
        if kind in _WHOLE:
            whole = np.floor(array) == array
            if not whole.all():
                row = first_row + int((~whole).argmax())
                value = array[~whole][0]
                raise ValueError(f"{where}, row {row}: {kind} must be a whole number, got {value}")
            array = array.astype(np.int64)
        elif kind == "action_mask":
            array = array != 0
        elif kind not in _READ:
            array = np.ascontiguousarray(array, np.float64)
        found[_ATTRIBUTES.get(kind, kind)] = array
    chunk = LogChunk(first_row, **found)
    table = chunk.propensities
    if chunk.propensity is None and table is not None and table.ndim == 2:
        chunk = replace(chunk, propensity=_played(chunk, table))
    return chunk


def check_rows(chunk: LogChunk, n_arms: int, where: str) -> None:
    """Check what a row says by itself; ``n_arms`` is 0 if the number of arms is unknown.

    Raises
    ------
    ValueError
        In one line, with the row and what to do.
    """
    among = f"one of 0 .. {n_arms - 1}" if n_arms else "at least 0"
    outside = (chunk.actions < 0) | (chunk.actions >= (n_arms or np.inf))
    chunk.refuse(
        outside, chunk.actions, where,
        f"action must be {among}: number the arms from 0 on, or leave the row out",
    )  # fmt: skip
    for name in ("rewards", "contexts"):
        array = getattr(chunk, name)
        if array is not None:
            rule = f"{name[:-1]} must be finite: fill it in, or leave the row out"
            chunk.refuse(~np.isfinite(array), array, where, rule)
    if chunk.propensity is not None:
        chunk.refuse(
            ~((chunk.propensity > 0) & (chunk.propensity <= 1 + TOLERANCE)),
            chunk.propensity, where,
            "propensity must be above 0 and at most 1: give the probability with which the action "
            "was played, or leave the row out",
        )  # fmt: skip
    if chunk.propensities is not None:
        _check_propensities(chunk, chunk.propensities, where)
    if chunk.action_mask is not None:
        unavailable = ~_played(chunk, chunk.action_mask)
        chunk.refuse(
            unavailable, chunk.actions, where,
            "action must be available by action_mask: correct the mask, or leave the row out",
        )  # fmt: skip


def _check_propensities(chunk: LogChunk, table: np.ndarray, where: str) -> None:
    chunk.refuse(
        ~((table >= 0) & (table <= 1 + TOLERANCE)), table, where,
        "propensities must be within 0 and 1: correct them, or leave the row out",
    )  # fmt: skip
    total = table.sum(axis=1)
    chunk.refuse(
        np.abs(total - 1) > TOLERANCE, total, where,
        "propensities must sum to 1: divide them by their sum",
    )  # fmt: skip
    assert chunk.propensity is not None
    chunk.refuse(
        np.abs(_played(chunk, table) - chunk.propensity) > TOLERANCE, chunk.propensity, where,
        "propensity must be that of propensities for the action: leave one of both out",
    )  # fmt: skip


def _played(chunk: LogChunk, table: np.ndarray) -> np.ndarray:
    """The entries of a table (m, K) at the actions; 0 for an action outside of it."""
    actions = chunk.actions
    inside = (actions >= 0) & (actions < table.shape[1])
    found = table[np.arange(len(actions)), np.where(inside, actions, 0)]
    return np.where(inside, found, np.zeros((), table.dtype))


def _column(
    cells: Mapping[str, Cells],
    names: Names,
    read: Callable[[Cells], np.ndarray],
    first_row: int,
    where: str,
) -> np.ndarray:
    if not isinstance(names, str):
        parts = [_column(cells, one, read, first_row, where) for one in names]
        return np.stack(parts, axis=1)
    try:
        return read(cells[names])
    except BadCell as bad:
        row = first_row + bad.place
        raise ValueError(f"{where}, row {row}: the column {names!r} {bad.fault}") from None
