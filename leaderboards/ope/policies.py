"""The policies that ``banditgym evaluate`` takes: agents, saved agents, and files of probabilities.

An agent is frozen: what it learned before is all that it knows, and it does not learn from the
rows on which it is evaluated.
"""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

import agents
from agents.naming import label, resolve
from agents.storage.states import put_rows
from agents.tiles import copy_of
from banditgym.logs import BanditLog, LogChunk
from banditgym.logs.log_chunks import check_probabilities, column_of
from banditgym.logs.log_tables import LogTable
from banditgym.logs.log_tasks import features_shown, task_of_log
from banditgym.rounds.kinds import ARM, NOTHING

TABLES = (".csv", ".csv.gz", ".csv.bz2", ".parquet")
_WIDE = 1024  # rows at once
_COMPARED = 16  # rows, spread over the first chunk


def policy_of(what: str, log: BanditLog) -> "TablePolicy | AgentPolicy":
    """The policy of a text: a file of probabilities, a saved agent, or an agent's name.

    Raises
    ------
    ValueError
        If it is none of these, or does not fit the log.
    """
    path = Path(what)
    if what.endswith(TABLES):
        return TablePolicy(path, log)
    if path.is_file() and ":" not in what:
        try:
            agent = agents.load(path)
        except (ValueError, OSError) as error:
            raise ValueError(
                f"{path.name} is neither a saved agent ({error}) nor a table of probabilities, "
                f"which ends in {', '.join(TABLES)}"
            ) from None
        if agent.n != 1 or agent.task.plays is not ARM or agent.task.n_arms != log.n_arms:
            raise ValueError(
                f"{path.name} must be one replicate of an agent that plays the log's "
                f"{log.n_arms} arms"
            )
        return AgentPolicy(path.name, agent, log, learns=False)
    agent = resolve(what)
    return AgentPolicy(label(agent), agent, log, learns=True)


class TablePolicy:
    """A file with a column for each action, 0 .. K - 1 in their order, and a row for each row."""

    learns = False

    def __init__(self, path: Path, log: BanditLog):
        self._table, self.name = LogTable(path), path.name
        self._rows: Iterator[np.ndarray] = iter(())
        self._left, self._at = np.zeros((0, log.n_arms)), 1
        if len(self._table.names) != log.n_arms:
            raise ValueError(
                f"{path.name} has {len(self._table.names)} columns: give one for each of the "
                f"{log.n_arms} actions, in their order"
            )
        n_rows = sum(len(rows) for rows in self._read())
        if n_rows != log.n_rows:
            raise ValueError(
                f"{path.name} has {n_rows:,} rows and {log.name} {log.n_rows:,}: give the same"
            )

    def _read(self) -> Iterator[np.ndarray]:
        first, names = 1, self._table.names
        for cells in self._table.chunks(names, 65_536):
            rows = column_of(cells, names, first, self.name).astype(float)
            check_probabilities("probabilities", rows, first, self.name)
            first += len(rows)
            yield rows

    def probabilities(self, chunk: LogChunk) -> np.ndarray:
        """The probabilities (m, K) in the rows of a chunk."""
        if chunk.first_row < self._at or self._at == 1:
            self._rows, self._left, self._at = self._read(), self._left[:0], 1
        until = chunk.first_row + len(chunk)
        while self._at + len(self._left) < until:
            # Rows before the chunk are passed over.
            passed = min(len(self._left), max(chunk.first_row - self._at, 0))
            self._left, self._at = self._left[passed:], self._at + passed
            self._left = np.concatenate([self._left, next(self._rows)])
        begin = chunk.first_row - self._at
        found, self._left = self._left[begin : begin + len(chunk)], self._left[begin + len(chunk) :]
        self._at = until
        return found


class AgentPolicy:
    """An agent that has learned, and plays on as it is.

    Attributes
    ----------
    learns : bool
        Whether it is to learn from the log's first rows.
    """

    def __init__(self, name: str, agent: Any, log: BanditLog, learns: bool):
        self.name, self.learns, self._agent, self._log = name, learns, agent, log
        if "action_mask" in log.holds:
            raise ValueError(
                f"{name} would have to know which arms are there: give a table of its "
                "probabilities instead"
            )
        if learns:
            agent.reset(task_of_log(log))
        self._task, self._wide = agent.task, None
        if not agent.gives_propensities:
            raise ValueError(f"{name} does not say with which probabilities it plays")

    def learn(self, log: BanditLog, first: int) -> None:
        """Learn from the rows before ``first``."""
        agents.learn(self._agent.reset(task_of_log(log)), _FirstRows(log, first))

    def probabilities(self, chunk: LogChunk) -> np.ndarray:
        """The probabilities (m, K) in the rows of a chunk."""
        shown = features_shown(self._log, chunk)
        if shown is None or self._task.observes is NOTHING:
            shown = np.zeros(len(chunk), int)
        if self._wide is None:
            self._wide = self._widened(shown)
        if self._wide is False:
            return np.stack([self._own(one) for one in shown])
        return self._at_once(self._wide, shown)

    def _own(self, shown: Any) -> np.ndarray:
        if self._agent.solo:
            return self._agent.propensities(shown)
        return self._agent.propensities(shown[None])[0]

    def _at_once(self, wide: Any, shown: np.ndarray) -> np.ndarray:
        found = []
        for begin in range(0, len(shown), _WIDE):
            rows = np.minimum(np.arange(begin, begin + _WIDE), len(shown) - 1)
            found.append(wide.propensities(shown[rows])[: len(shown) - begin])
        return np.concatenate(found)

    def _widened(self, shown: np.ndarray) -> Any:
        """An agent of many replicates that all know what this one knows; False if none can be."""
        aside = ("task", "seeds", "solo", "n", "_seen")
        state = {name: value for name, value in vars(self._agent).items() if name not in aside}
        try:
            task = task_of_log(self._log) if self.learns else self._task
            wide: Any = copy_of(self._agent).reset(task, n=_WIDE)
            put_rows(vars(wide), state, np.arange(_WIDE), _WIDE)
            some = np.unique(np.linspace(0, len(shown) - 1, _COMPARED).astype(int))
            found = self._at_once(wide, shown)[some]
        except (ValueError, TypeError, KeyError, AttributeError):
            return False
        # What an agent knows beside the arrays of its replicates is not spread.
        own = [self._own(one) for one in shown[some]]
        return wide if np.allclose(found, own, rtol=0, atol=1e-9) else False


class _FirstRows(BanditLog):
    """The first rows of a log, as if one replicate had played them all."""

    def __init__(self, log: BanditLog, first: int):
        vars(self).update(vars(log))
        self._log, self.n_rows = log, first
        self.replicates = dict(list(log.replicates.items())[:1])

    def chunks(self, rows: int | None = None) -> Iterator[LogChunk]:
        for chunk in self._log.chunks(rows):
            if (left := self.n_rows - chunk.first_row + 1) > 0:
                yield chunk[:left]


Policy = TablePolicy | AgentPolicy
