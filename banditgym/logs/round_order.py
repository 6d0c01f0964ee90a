"""Rounds and times that increase within every replicate of a log."""

from typing import Any

import numpy as np

from banditgym.logs.log_chunks import LogChunk

_KEYS = ("agents", "seeds", "replicates")


class RoundOrder:
    """Checks a log's chunks in their order; it keeps the last round and time of each replicate.

    A replicate is all rows with the same agent, seed and replicate.

    Attributes
    ----------
    replicates : dict
        The number of rows of each replicate, by its agent, seed and replicate; None for those that
        the log does not have.
    """

    def __init__(self, where: str):
        self._where = where
        self.replicates: dict[tuple[Any, Any, Any], int] = {}
        self._rounds: dict[Any, Any] = {}
        self._times: dict[Any, Any] = {}

    def check(self, chunk: LogChunk) -> None:
        """Check the next chunk.

        Raises
        ------
        ValueError
            If a round occurs twice within an episode of a replicate, or a round or a time is below
            an earlier one, in one line with the row.
        """
        present = [key for key in _KEYS if getattr(chunk, key) is not None]
        keys = [getattr(chunk, key) for key in present]
        groups, members = _groups(keys, len(chunk))
        for member, rows in zip(members, np.bincount(groups).tolist(), strict=True):
            named = dict(zip(present, member, strict=True))
            whole = tuple(named.get(key) for key in _KEYS)
            self.replicates[whole] = self.replicates.get(whole, 0) + rows  # type: ignore[index]
        if chunk.rounds is not None:
            within = groups, members
            if chunk.episodes is not None:
                within = _groups([*keys, chunk.episodes], len(chunk))
            row, before = _first_below(*within, chunk.rounds, self._rounds, strict=True)
            if row >= 0:
                fault = "occurs twice" if before == chunk.rounds[row] else f"comes after {before}"
                self._refuse(
                    chunk, row, f"round {chunk.rounds[row]} {fault} in its replicate: sort the "
                    "rows by round, drop what is there twice, or name the columns that tell "
                    "replicates apart (seed, replicate, agent, episode)",
                )  # fmt: skip
        if chunk.times is not None:
            row, before = _first_below(groups, members, chunk.times, self._times, strict=False)
            if row >= 0:
                self._refuse(
                    chunk, row, f"time {chunk.times[row]} comes after {before} in its replicate: "
                    "sort the rows by time, or leave the column out by columns={'time': None}",
                )  # fmt: skip

    def _refuse(self, chunk: LogChunk, row: int, fault: str) -> None:
        raise ValueError(f"{self._where}, row {chunk.first_row + row}: {fault}")


def _first_below(
    groups: np.ndarray,
    members: list[Any],
    values: np.ndarray,
    last: dict[Any, Any],
    *,
    strict: bool,
) -> tuple[int, Any]:
    """The first row whose value is below an earlier one of its group, with that one; -1: none.

    With ``strict``, an equal value counts as below. ``last`` has the last value of each group, and
    takes those of these rows.
    """
    # A stable sort by group, so that the rows of a group stand together, in their order.
    order = np.argsort(groups, kind="stable") if len(members) > 1 else np.arange(len(values))
    ordered, group = values[order], groups[order]
    begins = np.flatnonzero(np.append(True, group[1:] != group[:-1]))
    before = np.empty_like(ordered)
    before[1:] = ordered[:-1]
    known = np.ones(len(ordered), bool)
    for begin in begins:
        member = members[group[begin]]
        known[begin] = member in last
        before[begin] = last.get(member, 0)
    below = known & ((ordered <= before) if strict else (ordered < before))
    for begin, end in zip(begins, np.append(begins[1:], len(ordered)), strict=True):
        last[members[group[begin]]] = ordered[end - 1]
    if not below.any():
        return -1, None
    places = np.flatnonzero(below)
    place = places[order[places].argmin()]
    return int(order[place]), before[place]


def _groups(keys: list[np.ndarray], rows: int) -> tuple[np.ndarray, list[Any]]:
    """The group of each row (m,), and the keys of each group."""
    import pandas

    groups = np.zeros(rows, np.int64)
    members: list[Any] = [()]
    for key in keys:
        codes, values = pandas.factorize(key)
        values = values.tolist()
        joint = groups * len(values) + codes
        found, groups = np.unique(joint, return_inverse=True)
        members = [(*members[one // len(values)], values[one % len(values)]) for one in found]
    return groups, members
