"""A log that was read once, with all checks, and can be read again in chunks."""

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np

from banditgym.logs.log_chunks import LogChunk, check_rows, chunk_of
from banditgym.logs.log_columns import LogColumns, flat
from banditgym.logs.log_tables import LogTable
from banditgym.logs.round_order import RoundOrder
from banditgym.validation import whole

CHUNK, CHUNK_BYTES = (
    65_536,
    1 << 25,
)  # the most rows and bytes, approximately, that are read at once
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
        self.reward_limits, self.positions = (np.inf, -np.inf), ()
        self.rows_at_once = CHUNK
        for chunk in self._chunks(1):  # how large a row is
            self.rows_at_once = min(CHUNK, max(1, CHUNK_BYTES // chunk.nbytes))
            break
        self._check()

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

    def _check(self) -> None:
        order, largest = RoundOrder(self.name), 0
        positions: set[int] = set()
        for chunk in self._chunks(self.rows_at_once):
            if not self.n_rows:
                self._take_shapes(chunk)
            self._same_shapes(chunk)
            check_rows(chunk, self.n_arms, self.name)
            order.check(chunk)
            self.n_rows += len(chunk)
            largest = max(largest, int(chunk.actions.max()))
            low, high = self.reward_limits
            rewards = chunk.rewards
            self.reward_limits = min(low, float(rewards.min())), max(high, float(rewards.max()))
            self.binary &= bool(((rewards == 0.0) | (rewards == 1.0)).all())
            if chunk.propensity is not None:
                self.largest_propensity = max(
                    self.largest_propensity, float(chunk.propensity.max())
                )
                least = float(chunk.propensity.min())
                self.smallest_propensity = min(self.smallest_propensity, least)
                self._take_propensities(chunk)
            if chunk.contexts is not None:
                norm = float(np.sqrt((chunk.contexts * chunk.contexts).sum(axis=-1).max()))
                self.context_norm = max(self.context_norm, norm)
            if chunk.positions is not None:
                positions.update(np.unique(chunk.positions).tolist())
                if len(positions) > MOST_POSITIONS:
                    raise ValueError(
                        f"{self.name}: position says where an action was shown, in a few places, "
                        f"got more than {MOST_POSITIONS}: leave the column out"
                    )
        if not self.n_rows:
            raise ValueError(f"{self.name} has no rows")
        self.n_arms = self.n_arms or largest + 1
        self.positions, self.replicates = tuple(sorted(positions)), order.replicates

    def _take_propensities(self, chunk: LogChunk) -> None:
        table = chunk.propensities
        if table is None:
            self.least_propensity = self.smallest_propensity
            return
        could = table if chunk.action_mask is None else table[chunk.action_mask]
        self.least_propensity = min(self.least_propensity, float(could.min()))
        if not {"context", "action_mask", "position"} & self.holds:
            self._policy = getattr(self, "_policy", table[0].copy())
            self.policy_varies |= bool((table != self._policy).any())

    def _take_shapes(self, chunk: LogChunk) -> None:
        """Take the shapes of the first rows."""
        lists = {"propensities": chunk.propensities, "action_mask": chunk.action_mask}
        for name, array in (lists | {"mean": chunk.means}).items():
            if array is not None and array.ndim != 2:
                raise ValueError(f"{self.name}: {name} must be a list of K numbers in each row")
        if chunk.contexts is not None:
            self.context_shape = chunk.contexts.shape[1:]
            if len(self.context_shape) not in (1, 2):
                raise ValueError(
                    f"{self.name}: context must be d numbers or (K, d) in each row, got shape "
                    f"{self.context_shape}: one column of one number is columns={{'context': [..]}}"
                )
        widths = [array.shape[1] for array in _of_arms(chunk).values()]
        self.n_arms = self.n_arms or (widths[0] if widths else self.metadata.get("n_arms", 0))

    def _same_shapes(self, chunk: LogChunk) -> None:
        shape = () if chunk.contexts is None else chunk.contexts.shape[1:]
        if shape != self.context_shape:
            raise ValueError(
                f"{self.name}, row {chunk.first_row}: context must have the shape of the first "
                f"row, {self.context_shape}, got {shape}"
            )
        for name, array in _of_arms(chunk).items():
            if array.shape[1] != self.n_arms:
                raise ValueError(
                    f"{self.name}, row {chunk.first_row}: {name} must have an entry for each of "
                    f"the {self.n_arms} arms, got shape {array.shape[1:]}"
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
    >>> log.n_rows, log.n_arms, log.context, [chunk.contexts.tolist() for chunk in log.chunks()]
    (2, 2, 'shared', [[[31.0], [54.0]]])
    """
    return BanditLog(LogTable(data), LogColumns.of(columns), n_arms)


def _of_arms(chunk: LogChunk) -> dict[str, np.ndarray]:
    """The arrays with an entry for each arm."""
    found = {
        "propensities": chunk.propensities,
        "action_mask": chunk.action_mask,
        "mean": chunk.means,
        "context": chunk.contexts if np.ndim(chunk.contexts) == 3 else None,  # type: ignore[arg-type]
    }
    return {name: array for name, array in found.items() if array is not None}
