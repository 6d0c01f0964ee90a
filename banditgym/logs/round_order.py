"""Rounds and times that increase within every replicate of a log."""

from typing import Any

import numpy as np

from banditgym.logs.log_chunks import LogChunk

_KEYS, _ORDERED = ("agent", "seed", "replicate"), ("episode", "round", "time")


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
        self._last: dict[str, Any] = {}  # the rows that were last, of each replicate

    def check(self, chunk: LogChunk) -> None:
        """Check the next chunk.

        Raises
        ------
        ValueError
            If a round occurs twice within an episode of a replicate, or a round or a time is below
            an earlier one, in one line with the row.
        """
        import pandas

        given = chunk.arrays
        # Without any of these columns, all rows belong to one replicate.
        keys = [name for name in _KEYS if name in given]
        columns = {name: given[name] for name in (*keys, *_ORDERED) if name in given}
        frame = pandas.DataFrame({"": 0, **columns}, index=range(len(chunk)))
        sizes: Any = frame.groupby(keys or [""], sort=False).size()
        for row in sizes.reset_index(name="rows").to_dict("records"):
            whole = row.get("agent"), row.get("seed"), row.get("replicate")
            self.replicates[whole] = self.replicates.get(whole, 0) + row["rows"]
        for name, within in (("round", ["episode"]), ("time", [])):
            if name in given:
                within = [*keys, *(one for one in within if one in given)] or [""]
                self._increases(chunk.first_row, frame[[*within, name]], within, name)

    def _increases(self, first_row: int, frame: Any, keys: list[str], name: str) -> None:
        import pandas

        rows = pandas.concat([self._last.get(name, frame[:0]), frame], ignore_index=True)
        groups = rows.groupby(keys, sort=False)
        now = rows[name]
        lowest = -np.inf if now.dtype.kind == "f" else np.iinfo(np.int64).min
        before = groups[name].shift(fill_value=lowest)  # of the first row of a group
        below: Any = (now <= before) if name == "round" else (now < before)
        self._last[name] = groups.tail(1)
        if below.any():
            place = int(np.argmax(below))
            row = first_row + place - (len(rows) - len(frame))
            now, before = now[place].item(), before[place].item()
            if name == "time":
                fault = (
                    f"comes after {before} in its replicate: sort the rows by time, or leave the "
                    "column out by columns={'time': None}"
                )
            else:
                fault = (
                    f"{'occurs twice' if now == before else f'comes after {before}'} in its "
                    "replicate: sort the rows by round, drop what is there twice, or name the "
                    "columns that tell replicates apart (seed, replicate, agent, episode)"
                )
            raise ValueError(f"{self._where}, row {row}: {name} {now} {fault}")
