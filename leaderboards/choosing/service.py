"""A chosen agent whose decisions and rewards outlive its process."""

import contextlib
import functools
import hashlib
import json
import math
import os
import sqlite3
import tempfile
import threading
import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, Concatenate, NamedTuple, ParamSpec, Self, TypeVar

import numpy as np
import portalocker

import agents
from banditgym.validation import brief, real
from leaderboards.choosing.row_encoder import RowEncoder
from leaderboards.choosing.saved_choice import AGENT, CHOICE, load_choice

_Given = ParamSpec("_Given")
_Answer = TypeVar("_Answer")
_EVERY = 2000  # acts and rewards after which the agent is saved
_PROGRAM = 0x62676D73  # SQLite's application_id, of files of services
_TABLES = f"""
BEGIN;
PRAGMA application_id = {_PROGRAM};
CREATE TABLE events (
    id INTEGER PRIMARY KEY, kind TEXT, visit TEXT, decision INTEGER, row TEXT, action, told REAL,
    UNIQUE (kind, visit)
);
CREATE TABLE saved (event INTEGER, agent BLOB);
CREATE TABLE choice (sha256 TEXT);
COMMIT;
"""


class _Act(NamedTuple):
    decision: int
    row: str
    action: float


def _alone(
    method: Callable[Concatenate["Service", _Given], _Answer],
) -> Callable[Concatenate["Service", _Given], _Answer]:
    """A method of an open service that one thread runs at a time, and no fork of its process."""

    @functools.wraps(method)
    def run(self: "Service", *given: _Given.args, **named: _Given.kwargs) -> _Answer:
        if os.getpid() != self._process:  # first: a fork may have been made with the lock held
            raise RuntimeError("a fork of the process that opened a service cannot use it")
        with self._lock:
            if self._closed:
                raise RuntimeError("the service is closed: open its file again")
            return method(self, *given, **named)

    return run


class Service:
    """A chosen agent that decides on rows, and learns what comes of it, with all of it in a file.

    An act or a reward is committed to the SQLite file before the call returns. After every 2,000 of
    them the agent is saved there, too. A service that opens the file again, such as after a crash,
    repeats those since then, and is bit for bit the one that was. While it opens, a copy of the
    agent acts and learns once, so that machine code is loaded or compiled before the first visit.

    Outcomes may come late, in any order, or never. A call that raises a ValueError or a TypeError
    has no effect. An error that may leave the agent ahead of the file, such as that of a full disk
    or an interrupt, closes the service: every later call raises a RuntimeError, and the file must
    be opened again. If the agent cannot be saved there is a warning, and nothing is lost.

    Parameters
    ----------
    path : str or Path
        The file, made if there is none, with a lock in ``{path}.lock`` beside it. Only one
        service may have it open. All threads of its process may call it, one after the other.
    folder : str or Path
        That of ``banditgym choose --save`` or ``Choice.save``; for a file that exists, the one that
        it was made with.
    allow : iterable of type, optional
        Your own agent, as for ``agents.load``.

    Attributes
    ----------
    encoder : RowEncoder
    agent : Agent

    Raises
    ------
    ValueError
        If the folder holds no choice or another one, the file is none of a service, or another
        service has it open.
    """

    def __init__(self, path: str | Path, folder: str | Path, *, allow: Iterable[type] = ()):
        allow, choice = list(allow), _hash_of(folder)
        self.encoder, self.agent = load_choice(folder, allow=allow)
        self._process, self._lock, self._closed = os.getpid(), threading.RLock(), False
        try:
            if choice != _hash_of(folder):
                raise ValueError("the choice is being written")
            with contextlib.ExitStack() as files:  # which closes them at any exception
                lock = files.enter_context(Path(f"{path}.lock").open("ab"))
                portalocker.lock(lock, portalocker.LOCK_EX | portalocker.LOCK_NB)
                self._db = sqlite3.connect(Path(path).absolute(), check_same_thread=False)
                files.callback(self._db.close)
                self._open(choice, allow)
                _warm_up(*load_choice(folder, allow=allow))
                self._files = files.pop_all()
        except portalocker.AlreadyLocked:
            raise ValueError(f"another service has {path} open") from None
        except (ValueError, OSError, sqlite3.Error) as error:
            raise ValueError(f"{path} is no file to serve {folder} from: {error}") from None

    def _open(self, choice: str, allow: list[type]) -> None:
        """Make or check the tables, load the agent that was saved, and repeat what came since."""
        if not self._db.execute("SELECT COUNT(*) FROM sqlite_master").fetchone()[0]:
            self._db.executescript(_TABLES)
        if self._db.execute("PRAGMA application_id").fetchone() != (_PROGRAM,):
            raise ValueError("it is of another program")
        (of,) = self._db.execute("SELECT sha256 FROM choice").fetchone() or (None,)
        if of is None:
            with self._db:
                self._db.execute("INSERT INTO choice VALUES (?)", [choice])
        elif of != choice:
            raise ValueError("it was made for another choice, so name a new file")
        last, file = self._db.execute("SELECT event, agent FROM saved").fetchone() or (0, None)
        if file is not None:
            with _as_file(file) as saved:
                self.agent = agents.load(saved, allow=allow)
        later = "SELECT kind, visit, row, action, told FROM events WHERE id > ? ORDER BY id"
        events = self._db.execute(later, [last]).fetchall()
        self._since = len(events)  # acts and rewards since the agent was saved
        for kind, visit, row, action, told in events:
            if kind == "told":
                self._learn(self._act_of(visit), told)
            elif self.agent.act(self.encoder(json.loads(row))) != action:
                raise ValueError(
                    f"the agent does not repeat its answer to visit {visit!r}, perhaps because it "
                    "was given by another version of banditgym"
                )

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    @_alone
    def decide(self, visit: str, row: Mapping[str, Any]) -> Any:
        """The label (a text) or the number for a row, which is a mapping by columns.

        ``visit`` is a key of your own. A visit that asks again gets the answer that it was given,
        also for another row.
        """
        if not isinstance(row, Mapping):
            raise TypeError(f"a row must be a mapping by columns, got {type(row).__name__}")
        if (known := self._act_of(visit)) is not None:
            return self.encoder.meaning(known.action)
        text = json.dumps(dict(row), default=_plain)
        observation, decision = self.encoder(json.loads(text)), int(self.agent.decisions[0])

        def act() -> float:
            action = self.agent.act(observation)
            if not math.isfinite(action):
                raise ArithmeticError(f"the agent's answer to visit {visit!r} is {action}")
            insert = (
                "INSERT INTO events (kind, visit, decision, row, action) VALUES (?, ?, ?, ?, ?)"
            )
            self._db.execute(insert, ("act", visit, decision, text, action))
            return action

        return self.encoder.meaning(self._added(act))

    @_alone
    def hear(self, visit: str, told: float) -> None:
        """What came of a visit: of a label, the reward 0 or 1; of a predicted number, the number.

        To tell it twice has no effect, so tell it again if you are not sure.

        Raises
        ------
        ValueError
            If ``told`` has another value, if there was no such visit, or if ``hear`` was told
            something else of it before.
        """
        if (act := self._act_of(visit)) is None:
            raise ValueError(f"there was no visit {visit!r}")
        if not self.encoder.labels:
            told = real("the number", told)
        elif not isinstance(told, bool | np.bool_) and real("the reward", told) not in (0, 1):
            raise ValueError(f"the reward must be 0 or 1, got {told!r}")
        told = float(told)
        heard = "SELECT told FROM events WHERE kind = 'told' AND visit = ?"
        if (before := self._db.execute(heard, [visit]).fetchone()) is not None:
            if before != (told,):
                raise ValueError(f"visit {visit!r} has {before[0]!r}, which cannot become {told!r}")
            return

        def learn() -> None:
            insert = "INSERT INTO events (kind, visit, told) VALUES ('told', ?, ?)"
            self._db.execute(insert, (visit, told))
            self._learn(act, told)

        self._added(learn)

    @_alone
    def save(self) -> None:
        """Save the agent in the file now, so that a restart repeats only what comes later.

        Other calls wait until it is written. If writing fails, the file is unchanged.
        """
        with _as_file() as path:
            self.agent.save(path)
            file = path.read_bytes()

        with self._db:
            self._db.execute("DELETE FROM saved")
            now = "INSERT INTO saved SELECT COALESCE(MAX(id), 0), ? FROM events"
            self._db.execute(now, [file])
        self._since = 0

    def close(self) -> None:
        """Close the file, so that another service can open it; a ``with`` block does so at its end.

        Nothing is lost if you never close it.
        """
        if os.getpid() != self._process:  # a fork's copy of the lock may be held for ever
            return
        with self._lock:
            self._closed = True
            self._files.close()

    def _added(self, event: Callable[[], Any]) -> Any:
        """What an event returns, once it is on disk. Then saves the agent, if it is time to."""
        answer = self._committed(event)
        self._since += 1
        if self._since >= _EVERY:
            self._since = 0  # if it fails, the next attempt is not at the next call
            try:
                self.save()
            except Exception as error:  # the event is in the file
                text = f"the agent cannot be saved, so a restart will repeat more: {error}"
                warnings.warn(text, stacklevel=4)
        return answer

    def _committed(self, change: Callable[[], Any]) -> Any:
        """What a change of the agent and of the file returns, once it is on disk."""
        try:
            with self._db:
                return change()
        except (ValueError, TypeError):  # the agent's own, which has learned nothing
            raise
        except BaseException:  # the agent may be ahead of the file
            self.close()
            raise

    def _act_of(self, visit: str) -> _Act | None:
        if not isinstance(visit, str):
            raise TypeError(f"the key of a visit must be a text, got {brief(visit)}")
        acts = "SELECT decision, row, action FROM events WHERE kind = 'act' AND visit = ?"
        found = self._db.execute(acts, [visit]).fetchone()
        return found and _Act(*found)

    def _learn(self, act: _Act | None, told: float) -> None:
        assert act is not None
        observation = self.encoder(json.loads(act.row))
        _learn(self.encoder, self.agent, observation, act.action, told, act.decision)


def _learn(
    encoder: RowEncoder,
    agent: Any,
    observation: np.ndarray,
    action: float,
    told: float,
    decision: int | None = None,
) -> None:
    """Let an agent learn what came of an action: a reward, or the number that it predicted."""
    feedback = None
    if not encoder.labels:
        feedback = encoder.outcome(told)
        error = action - feedback
        told = -(error * error)
    agent.observe(observation, action, told, feedback=feedback, decision=decision)


def _warm_up(encoder: RowEncoder, agent: Any) -> None:
    """Load or compile an agent's machine code: it acts and learns once, and must serve nobody."""
    observation = encoder.observed(np.zeros(encoder.columns.dim))
    _learn(encoder, agent, observation, agent.act(observation), encoder.mean)


def _hash_of(folder: str | Path) -> str:
    """A hash of the files of a choice, and of none if there are none."""
    found = hashlib.sha256()
    for name in (CHOICE, AGENT):
        with contextlib.suppress(OSError):
            found.update(Path(folder, name).read_bytes())
    return found.hexdigest()


@contextlib.contextmanager
def _as_file(data: bytes = b"") -> Iterator[Path]:
    """Context manager: the path of a file with these bytes."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, AGENT)
        path.write_bytes(data)
        yield path


def _plain(value: Any) -> Any:
    for kind, plain in ((np.bool_, bool), (np.integer, int), (np.floating, float)):
        if isinstance(value, kind) and not isinstance(value, np.timedelta64):
            return plain(value)
    raise TypeError(f"a row has numbers and texts, got {brief(value)}")
