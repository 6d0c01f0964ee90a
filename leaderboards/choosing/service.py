"""A chosen agent whose decisions and rewards outlive its process."""

import contextlib
import json
import sqlite3
import tempfile
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import agents
from banditgym.validation import real
from leaderboards.choosing.saved_choice import AGENT, load_choice

_TABLES = """
BEGIN EXCLUSIVE;
CREATE TABLE IF NOT EXISTS events (
    id INTEGER PRIMARY KEY, kind TEXT, visit TEXT, decision INTEGER, row TEXT, action, told REAL,
    UNIQUE (kind, visit)
);
CREATE TABLE IF NOT EXISTS saved (event INTEGER, agent BLOB);
COMMIT;
"""


class _Act(NamedTuple):
    decision: int
    row: str
    action: float


class Service:
    """A chosen agent that decides on rows, and learns what comes of it, with all of it in a file.

    An act or a reward is committed to the SQLite file before the call returns. A service that opens
    the file again, such as after a crash, repeats those since ``save``, and is bit for bit the one
    that was. What comes of a decision may come later, in another order, or never. A call that
    raises a ValueError or a TypeError changes nothing. If the file fails, as on a full disk, the
    service closes.

    Parameters
    ----------
    path : str or Path
        The file, made if there is none. One process and one thread may use it at a time.
    folder : str or Path
        That of ``banditgym choose --save`` or ``Choice.save``.
    allow : iterable of type, optional
        Your own agent, as for ``agents.load``.

    Attributes
    ----------
    encoder : RowEncoder
    agent : Agent

    Raises
    ------
    ValueError
        If the folder holds no choice, or the file has the decisions of another agent.
    sqlite3.DatabaseError
        If the file is none of a service, or another process uses it.
    """

    def __init__(self, path: str | Path, folder: str | Path, *, allow: Iterable[type] = ()):
        allow = list(allow)
        self.encoder, self.agent = load_choice(folder, allow=allow)
        self._db = sqlite3.connect(path, timeout=1.0)
        self._db.execute("PRAGMA locking_mode = EXCLUSIVE")
        self._db.executescript(_TABLES)
        last, file = self._db.execute("SELECT event, agent FROM saved").fetchone() or (0, None)
        if file is not None:
            with _as_file(file) as saved:
                self.agent = agents.load(saved, allow=allow)
        later = "SELECT kind, visit, row, action, told FROM events WHERE id > ? ORDER BY id"
        for kind, visit, row, action, told in self._db.execute(later, [last]).fetchall():
            if kind == "told":
                self._learn(self._act_of(visit), told)
            elif self.agent.act(self.encoder(json.loads(row))) != action:
                raise ValueError(
                    f"{path} has decisions of another agent than that of {folder}: name a new file"
                )

    def decide(self, visit: str, row: Any) -> Any:
        """The label, or the number, for a row: a mapping of plain values by columns.

        A visit that asks again gets the answer that it was given.
        """
        if (act := self._act_of(visit)) is not None:
            return self.encoder.meaning(act.action)
        text = json.dumps(row)
        observation, decision = self.encoder(json.loads(text)), int(self.agent.decisions[0])
        with self._transaction():
            action = self.agent.act(observation)
            insert = (
                "INSERT INTO events (kind, visit, decision, row, action) VALUES (?, ?, ?, ?, ?)"
            )
            self._db.execute(insert, ("act", visit, decision, text, action))
        return self.encoder.meaning(action)

    def hear(self, visit: str, told: float) -> None:
        """What came of a visit: of a label, the reward 0 or 1; of a predicted number, the number.

        Raises
        ------
        ValueError
            If it is none of these, if there was no such visit, or if the visit has been answered.
        """
        if (act := self._act_of(visit)) is None:
            raise ValueError(f"there was no visit {visit!r}")
        answers = "SELECT 1 FROM events WHERE kind = 'told' AND visit = ?"
        if self._db.execute(answers, [visit]).fetchone():
            raise ValueError(f"visit {visit!r} has been answered")
        if not self.encoder.labels:
            told = real("the number", told)
        elif told not in (0, 1):
            raise ValueError(f"the reward must be 0 or 1, got {told!r}")
        with self._transaction():
            insert = "INSERT INTO events (kind, visit, told) VALUES ('told', ?, ?)"
            self._db.execute(insert, (visit, float(told)))
            self._learn(act, float(told))  # which may refuse it

    def save(self) -> None:
        """Keep the agent in the file, so that a restart repeats only what comes later."""
        with _as_file() as path:
            self.agent.save(path)
            file = path.read_bytes()
        with self._transaction():
            self._db.execute("DELETE FROM saved")
            self._db.execute("INSERT INTO saved SELECT MAX(id), ? FROM events", [file])

    def close(self) -> None:
        """Close the file, for another process to open it."""
        self._db.close()

    @contextlib.contextmanager
    def _transaction(self) -> Iterator[None]:
        """Context manager: it is committed at the end, or there is none."""
        try:
            with self._db:
                yield
        except sqlite3.Error:  # the agent may be ahead of the file
            self.close()
            raise

    def _act_of(self, visit: str) -> _Act | None:
        acts = "SELECT decision, row, action FROM events WHERE kind = 'act' AND visit = ?"
        found = self._db.execute(acts, [visit]).fetchone()
        return found and _Act(*found)

    def _learn(self, act: _Act | None, told: float) -> None:
        assert act is not None
        observation, learned = self.encoder(json.loads(act.row)), {"decision": act.decision}
        if not self.encoder.labels:
            outcome = self.encoder.outcome(told)
            error = act.action - outcome
            learned["feedback"], told = outcome, -(error * error)
        self.agent.observe(observation, act.action, told, **learned)


@contextlib.contextmanager
def _as_file(data: bytes = b"") -> Iterator[Path]:
    """Context manager: the path of a file with these bytes."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, AGENT)
        path.write_bytes(data)
        yield path
