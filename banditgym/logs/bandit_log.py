"""A log that was read once, with all checks, and can be read again in chunks."""

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np

from banditgym.logs.log_chunks import LogChunk, check_rows, chunk_of
from banditgym.logs.log_columns import LogColumns, flat
from banditgym.logs.log_tables import LogTable
from banditgym.logs.round_order import RoundOrder
from banditgym.validation import whole

CHUNK, CHUNK_BYTES = 65_536, 1 << 25  # the most that are read at once, approximately
MOST_POSITIONS = 1000


class BanditLog:
    """The rounds of a log, one a row; ``open_log`` makes it.

    Attributes
    ----------
    name : str
        The file's name, or "the frame" or "the table".
    n_rows : int
    rows_at_once : int
        How many rows ``chunks`` yields at a time by default: some megabytes.
    n_arms : int
        K: as given, of the columns with a number for each arm, or the largest action and 1 more.
    holds : frozenset of str
        The kinds of columns that it has, named as in ``LogColumns``.
    context : str
        "arms" for features (K, d) of all arms, "shared" for d features, "played" for those of the
        arm that was played, "none" without features.
    context_shape : tuple of int
        (K, d), (d,), or () without features.
    context_norm : float
        The largest Euclidean norm of features (d,).
    reward_limits : tuple of float
        The least and the greatest reward.
    binary : bool
        Whether all rewards are 0 or 1.
    smallest_propensity, largest_propensity : float
        Of the actions played; NaN without propensities.
    least_propensity : float
        Of all arms that could be played; of the actions played where only theirs are known.
    policy_varies : bool
        Whether the propensities of all arms change although nothing that was seen does.
    replicates : dict
        The number of rows of each replicate, by its agent, seed and replicate; None for those that
        the log does not have.
    positions : tuple of int
        The positions that occur, in order.
    metadata : dict
        What ``agents.play`` wrote: ``version``, ``env``, ``settings``, ``agents`` and ``context``;
        empty for other logs.
    """

    def __init__(self, table: LogTable, columns: LogColumns, n_arms: int | None):
        self._table = table
        self._columns = columns.among(table.name, table.names)
        self.name, self.metadata = table.name, table.metadata
        self.holds = frozenset(self._columns)
        self.n_arms = 0 if n_arms is None else whole("n_arms", n_arms)
        self.n_rows, self.context_norm = 0, 0.0
        self.context_shape: tuple[int, ...] = ()
        known = {"propensity", "propensities"} & self.holds
        self.smallest_propensity = self.least_propensity = np.inf if known else np.nan
        self.largest_propensity = -self.smallest_propensity
        self.policy_varies, self.binary = False, True
        self.reward_limits = (np.inf, -np.inf)
        first = next(self._chunks(1), None)
        if first is None:
            raise ValueError(f"{self.name} has no rows")
        row = sum(array.nbytes for array in first.arrays.values())
        self.rows_at_once = min(CHUNK, max(1, CHUNK_BYTES // row))
        self._take_shapes(first.arrays)
        self._check(first)

    @property
    def context(self) -> str:
        shapes = ("none", "shared", "arms")[len(self.context_shape)]
        return self.metadata.get("context", shapes) if self.context_shape else shapes

    def chunks(self, rows: int | None = None) -> Iterator[LogChunk]:
        """The rows in their order, at most ``rows`` at a time; by default some megabytes.

        Raises
        ------
        ValueError
            If the log has gained or lost rows since ``open_log`` read it.
        """
        read = 0
        for chunk in self._chunks(self.rows_at_once if rows is None else whole("rows", rows)):
            read += len(chunk)
            yield chunk
        if read != self.n_rows:
            raise ValueError(f"{self.name} had {self.n_rows} rows when it was checked, now {read}")

    def _chunks(self, rows: int) -> Iterator[LogChunk]:
        first = 1
        names = [name for given in self._columns.values() for name in flat(given)]
        for cells in self._table.chunks(names, rows):
            chunk = chunk_of(cells, self._columns, first, self.name)
            first += len(chunk)
            yield chunk

    def _check(self, first: LogChunk) -> None:
        order, largest, positions = RoundOrder(self.name), 0, set[int]()
        # Of a policy that sees nothing, the propensities are the same in all rows.
        blind = not {"context", "action_mask", "position"} & self.holds
        for chunk in self._chunks(self.rows_at_once):
            self._same_shapes(chunk, first)
            check_rows(chunk, self.n_arms, self.name)
            order.check(chunk)
            self.n_rows += len(chunk)
            largest = max(largest, int(chunk.action.max()))
            (low, high), rewards = self.reward_limits, chunk.reward
            self.reward_limits = min(low, float(rewards.min())), max(high, float(rewards.max()))
            self.binary &= bool(((rewards == 0.0) | (rewards == 1.0)).all())
            if (played := chunk.propensity) is not None:
                self.largest_propensity = max(self.largest_propensity, float(played.max()))
                self.smallest_propensity = min(self.smallest_propensity, float(played.min()))
                could, mask = chunk.propensities, chunk.action_mask
                if could is None:
                    could = played
                elif blind:
                    self.policy_varies |= bool((could != first.propensities).any())
                elif mask is not None:
                    could = could[mask]
                self.least_propensity = min(self.least_propensity, float(could.min()))
            if chunk.context is not None:
                norm = float(np.sqrt((chunk.context * chunk.context).sum(axis=-1).max()))
                self.context_norm = max(self.context_norm, norm)
            if chunk.position is not None:
                positions.update(np.unique(chunk.position).tolist())
                if len(positions) > MOST_POSITIONS:
                    raise ValueError(
                        f"{self.name}: position says where an action was shown, in a few places, "
                        f"got more than {MOST_POSITIONS}: leave the column out"
                    )
        self.n_arms = self.n_arms or largest + 1
        self.positions, self.replicates = tuple(sorted(positions)), order.replicates

    def _take_shapes(self, arrays: Mapping[str, np.ndarray]) -> None:
        """Take the shapes of the first row."""
        of_arms = [name for name in ("propensities", "action_mask", "mean") if name in arrays]
        for name in of_arms:
            if arrays[name].ndim != 2:
                raise ValueError(f"{self.name}: {name} must be a list of K numbers in each row")
        if "context" in arrays:
            self.context_shape = arrays["context"].shape[1:]
            if len(self.context_shape) not in (1, 2):
                raise ValueError(
                    f"{self.name}: context must be d numbers or (K, d) in each row, got shape "
                    f"{self.context_shape}: one column of one number is columns={{'context': [..]}}"
                )
            of_arms += ["context"] * (len(self.context_shape) == 2)
        for name in of_arms:
            shape = arrays[name].shape[1:]
            self.n_arms = self.n_arms or shape[0]
            if shape[0] != self.n_arms:
                raise ValueError(
                    f"{self.name}, row 1: {name} must have an entry for each of the {self.n_arms} "
                    f"arms, got shape {shape}"
                )
        self.n_arms = self.n_arms or self.metadata.get("n_arms", 0)

    def _same_shapes(self, chunk: LogChunk, first: LogChunk) -> None:
        for name, array in chunk.arrays.items():
            shape, expected = array.shape[1:], first.arrays[name].shape[1:]
            if shape != expected:
                raise ValueError(
                    f"{self.name}, row {chunk.first_row}: {name} must have the shape of the first "
                    f"row, {expected}, got {shape}"
                )


def open_log(
    data: Any, columns: LogColumns | Mapping[str, Any] | None = None, *, n_arms: int | None = None
) -> BanditLog:
    """Read a log once and check it; its rows are then read in chunks, in bounded memory.

    Parameters
    ----------
    data : str, path, DataFrame or table
        A Parquet or CSV file (also .gz or .bz2), a pandas DataFrame, or any table with Arrow's
        stream interface (``__arrow_c_stream__``) that can be read more than once.
    columns : LogColumns or mapping, optional
        Which columns hold what.
    n_arms : int, optional
        The number of arms, where it is more than the log shows.

    Raises
    ------
    ValueError
        In one line with the row and the remedy: a column is missing; a cell is missing, or text
        among numbers; a propensity is 0 or above 1, or propensities do not sum to 1; an action is
        none of the arms; a number is not finite; a round occurs twice in a replicate, or rounds or
        times run backwards. Parquet and tables of Arrow need pyarrow.

    Examples
    --------
    >>> import pandas
    >>> from banditgym.logs import open_log
    >>> rows = pandas.DataFrame({"shown": [0, 1], "clicked": [0, 1], "age": [31, 54]})
    >>> log = open_log(rows, {"action": "shown", "reward": "clicked", "context": ["age"]})
    >>> log.n_rows, log.n_arms, log.context, [chunk.context.tolist() for chunk in log.chunks()]
    (2, 2, 'shared', [[[31.0], [54.0]]])
    """
    return BanditLog(LogTable(data), LogColumns.of(columns), n_arms)
