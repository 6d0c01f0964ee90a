"""A Parquet file with the rounds that agents play."""

import contextlib
import json
from importlib import metadata
from pathlib import Path
from types import TracebackType
from typing import Any, Self

import numpy as np

from banditgym.files import whole_files
from banditgym.logs.log_tables import AGENTS, METADATA, NEEDS_ARROW
from banditgym.rounds.kinds import ARM, PAIRS
from banditgym.validation import brief, word

CONTEXTS = ("all", "played", "none")
_ROWS, _BYTES = 65_536, 1 << 25  # the most in a row group
_REPEATED = ["seed", "replicate", "episode", "agent"]  # columns of few values


class LogFile:
    """A Parquet file that takes one row for each round and replicate of a play.

    ``agents.play(.., log="log.parquet")`` writes the rounds of one play. To write several plays to
    one file, open it once::

        with agents.LogFile("log.parquet") as log:
            for agent in (agents.UniformRandom(), agents.EpsilonGreedy()):
                agents.play(envs, agent, log=log)

    Rows are in the order of plays, within a play of rounds, and within a round of replicates. They
    are written a row group at a time, to a file beside ``path`` that takes its name when the block
    ends: an error leaves no file.

    ``agent``
        The agent's label.
    ``seed``, ``replicate``
        Of the environment; replicates are counted from 0.
    ``episode``
        How many plays of the agent there were in the file before.
    ``round``
        Counted from 0, as ``agent.decisions`` are.
    ``context``
        Features (K, d), or (d,) if the arms share them or with ``"played"``; none where the
        environment shows nothing.
    ``action_mask``
        K numbers, 1 where an arm could be played, where arms come and go.
    ``action``, ``propensity``, ``propensities``
        The arm, its probability and those of all arms, just before the act. Where the agent's
        ``exact_propensities`` is false they are frequencies c in D draws, and the played arm counts
        as one more: :math:`(c_k + 1\\{k = a\\}) / (D + 1)`. So the arm played never has 0, and the
        weight 1 / propensity has the mean :math:`(1 - (1 - p)^{D+1}) / p`, which is 1 / p unless p
        is near 1 / D or below.
    ``reward``
        Of the round, even if it arrived later or never; 0 where the environment does not show it.
    ``arrival``
        The round in which the reward arrived; null if it did not arrive in the play.
    ``mean``
        The mean rewards of all arms, if the environment knows them, and NaN where an arm could not
        be played.

    The file's metadata have, under ``banditgym`` as JSON, the ``version`` of this package, the id
    ``env`` and the ``settings`` of the environment, ``n_arms``, and ``context``, which is ``arms``,
    ``shared``, ``played`` or ``none``. Under ``banditgym_agents`` they have for each play
    ``agent``, ``exact_propensities``, and whether the agent ``learns``: whether its state changed.

    Parameters
    ----------
    path : str or Path
        A file that does not exist yet; it ends in ``.parquet``.
    context : {"all", "played", "none"}
        Which features are written: all that were seen, those of the arm played, or none.

    Raises
    ------
    ValueError
        If the file exists or cannot be written, or pyarrow is not installed.
    """

    def __init__(self, path: str | Path, context: str = "all"):
        self.path, self.context = Path(path), word("context", context, CONTEXTS)
        if self.path.suffix != ".parquet":
            raise ValueError(f"a log must end in .parquet, got {self.path}")
        if self.path.exists():
            raise ValueError(f"{self.path} exists: name another file, or remove it")
        if not self.path.parent.is_dir():
            raise ValueError(f"{self.path} cannot be written: there is no {self.path.parent}")
        try:
            import pyarrow.parquet as parquet
        except ImportError:
            raise ValueError(f"{self.path}: Parquet {NEEDS_ARROW}") from None
        self._parquet: Any = parquet
        self._stack = contextlib.ExitStack()
        self._writer: Any = None
        self._about: dict[str, Any] = {}
        self._playing = False
        self._plays: list[dict[str, Any]] = []
        self._buffer: dict[str, np.ndarray] = {}
        self._filled = self._size = 0

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        if kind is None and self._playing:
            kind = ValueError
            error = ValueError(f"{self.path} is not written, because a play did not end")
        if kind is None and self._writer is not None:
            self._flush()
            self._writer.add_key_value_metadata({AGENTS: json.dumps(self._plays)})
        # The file beside ``path`` takes its name only if there was no error.
        self._stack.__exit__(kind, error, traceback)
        if error is not None and kind is ValueError and self._playing:
            raise error

    def refusal(self, agent: Any, task: Any) -> str | None:
        """Why the rounds of an agent on a task cannot be logged; None if they can."""
        if task.plays is not ARM:
            return f"{task.family} tasks have no arms or labels, of which logs have probabilities"
        if not agent.gives_propensities:
            return f"{type(agent).__name__} does not say with which probabilities it plays"
        if task.observes is PAIRS and task.sparse and self.context != "none":
            return "features are sparse: give context='none'"
        return None

    def begin(self, about: dict[str, Any], play: dict[str, Any]) -> int:
        """Begin a play; returns how many of the agent came before.

        Parameters
        ----------
        about : dict
            The metadata of the log, the same for all plays.
        play : dict
            Those of the play; its owner may add to it until the play ends.
        """
        if self._playing:
            raise ValueError(f"{self.path} takes one play at a time")
        about = {"version": metadata.version("banditgym"), **about}
        about = json.loads(json.dumps(about, default=brief))  # as a reader finds them
        if self._plays and about != self._about:
            raise ValueError(
                f"{self.path} has the rounds of {brief(self._about)}: a log has one environment, "
                f"got {brief(about)}"
            )
        self._playing, self._about = True, about
        self._plays.append(play)
        return sum(one["agent"] == play["agent"] for one in self._plays) - 1

    def add(self, n: int, columns: dict[str, Any]) -> None:
        """Add a round of n replicates: arrays (n, ..), or a value for all; None is left out."""
        if self._writer is None:
            self._open({name: columns[name] for name in _TYPES if columns.get(name) is not None})
        if self._filled + n > self._size:
            self._flush()
            if n > self._size:
                self._size = n
                self._buffer = {
                    name: np.empty((n, *array.shape[1:]), array.dtype)
                    for name, array in self._buffer.items()
                }
        rows = slice(self._filled, self._filled + n)
        for name, array in self._buffer.items():
            array[rows] = columns[name]
        self._filled += n

    def end(self) -> None:
        """The play has ended: its rows are whole."""
        self._playing = False

    def _open(self, columns: dict[str, Any]) -> None:
        import pyarrow

        shapes = {name: np.shape(column)[1:] for name, column in columns.items()}
        row = sum(8 * int(np.prod(shape)) for shape in shapes.values())
        self._size, fields = max(1, min(_ROWS, _BYTES // row)), []
        for name, shape in shapes.items():
            kind = _TYPES[name]
            self._buffer[name] = np.empty((self._size, *shape), kind or object)
            arrow = pyarrow.from_numpy_dtype(kind) if kind else pyarrow.string()
            for width in reversed(shape):
                arrow = pyarrow.list_(arrow, width)
            fields.append(pyarrow.field(name, arrow))
        schema = pyarrow.schema(fields, {METADATA: json.dumps(self._about)})
        file = self._stack.enter_context(whole_files.opened(self.path))
        self._writer = self._stack.enter_context(
            self._parquet.ParquetWriter(file, schema, use_dictionary=_REPEATED)
        )

    def _flush(self) -> None:
        """Write the rows of the buffer as a row group."""
        import pyarrow

        if not self._filled:
            return
        arrays = []
        for name, buffer in self._buffer.items():
            rows = buffer[: self._filled]
            array = pyarrow.array(rows.ravel(), mask=rows < 0 if name == "arrival" else None)
            for width in reversed(rows.shape[1:]):
                array = pyarrow.FixedSizeListArray.from_arrays(array, width)
            arrays.append(array)
        self._writer.write_batch(pyarrow.record_batch(arrays, self._writer.schema))
        self._filled = 0


# The columns in their order, with the types of their entries; "" is text.
_TYPES = {
    "agent": "",
    "seed": "int64",
    "replicate": "int64",
    "episode": "int64",
    "round": "int64",
    "context": "float64",
    "action_mask": "int8",
    "action": "int64",
    "propensity": "float64",
    "propensities": "float64",
    "reward": "float64",
    "arrival": "int64",
    "mean": "float64",
}
