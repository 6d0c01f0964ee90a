"""One line of a store: a row as JSON, and back again with every field checked.

Every line names the schema that it was written by. A field is added by raising ``SCHEMA`` and by
naming it in ``ADDED`` with the value that rows of earlier schemas are read with, so no store is
lost. Fields are never removed, and none changes its meaning.
"""

import json
import math
import operator
import re
from collections.abc import Callable
from dataclasses import asdict, dataclass, field
from typing import Any

SCHEMA = 5
# Schema -> the fields that it added to the one before, with their values in older rows.
# The third added the schema's own number, so a line without it may be of the first or the second.
ADDED: dict[int, dict[str, Any]] = {
    2: {"full_information": False},
    3: {},
    4: {"isolation": "none", "faults": [], "seed_hex": None},
    5: {"bound": [], "audit": False},
}


@dataclass(frozen=True, kw_only=True)
class Row:
    """What became of one learner on one seed of one task.

    Parameters
    ----------
    suite : str
        Hash of the suite.
    task : str
        Name of the task within the suite.
    agent : str
        Short label of the learner.
    spec : str
        How to name the learner again.
    hyperparameters : dict
        The learner's hyperparameters as plain data.
    seed : int
        Seed of world and learner; -1 where the learner refused the task.
    sources : str
        Hash of the sources of banditgym and agents, and of a third party's file.
    data : dict of str to str
        Hash of every data file among the task's settings.
    error : str or None
        One line on what went wrong; then the numbers below are None.
    rounds : list of int or None
        Rounds at which the curves were recorded.
    measures : dict of str to list of float, or None
        Cumulative measures at these rounds.
    seconds : list of float or None
        CPU seconds per round of one replicate: [world, learner].
    bytes : int or None
        Size of the learner's state per replicate.
    facts : list of str
        Hyperparameters that were taken from the task.
    paper : str or None
        Short citation of the learner.
    refused : bool
        Whether the learner cannot play the task; ``error`` then holds its reason.
    full_information : bool
        Whether the learner is handed hidden labels, and so is a reference.
    isolation : str
        Where the learner ran: ``none``, in the environment's process; ``process``, in one of its
        own; ``full``, in a sandbox whose limits were all seen to bind.
    faults : list of [int, str]
        Round and kind of what the learner did wrong in the sandbox, from which on uniform play went
        on for it.
    seed_hex : str or None
        The environment's seed, 32 hexadecimal digits, where it was held out and is revealed;
        ``seed`` is then the replicate's number.
    bound : list of str
        The sandbox's limits that were shown to bind on the machine, by the names of
        ``sandbox.probes``.
    audit : bool
        Whether each replicate had a process of its own in the sandbox, so that none knew another.
    """

    suite: str
    task: str
    agent: str
    spec: str
    hyperparameters: dict[str, Any]
    seed: int
    sources: str
    data: dict[str, str]
    error: str | None
    rounds: list[int] | None
    measures: dict[str, list[float]] | None
    seconds: list[float] | None
    bytes: int | None
    facts: list[str]
    paper: str | None
    refused: bool = False
    full_information: bool = False
    isolation: str = "none"
    faults: list[Any] = field(default_factory=list)
    seed_hex: str | None = None
    bound: list[str] = field(default_factory=list)
    audit: bool = False

    @property
    def where(self) -> str:
        """Where the agent played, in a word or two: ``none``, ``process``, ``full, audit``, .."""
        return f"{self.isolation}, audit" if self.audit else self.isolation

    @property
    def key(self) -> str:
        """What the row is about: equal keys mean equal scores and curves.

        What was played in the sandbox does not stand for what was played without, nor the other
        way round: faults may have changed it, and pooling is for an audit to find.
        """
        parts: tuple[Any, ...] = (
            self.suite,
            self.task,
            self.spec,
            self.hyperparameters,
            self.seed,
            self.sources,
            self.data,
        )
        if self.where != "none":
            parts += (self.where,)
        return json.dumps(parts, sort_keys=True)


def as_line(row: Row, schema: int | None = None) -> bytes:
    """A row as the store writes it: one line of JSON.

    Parameters
    ----------
    row : Row
    schema : int, optional
        The schema of the line, the present one by default. Of fields that it does not have yet,
        those are left out whose values an earlier row is read with.
    """
    schema = SCHEMA if schema is None else schema
    record = {"schema": schema, **_without_nan(asdict(row))}
    for number, fields in ADDED.items():
        for name, value in fields.items() if number > schema else ():
            if record[name] == value:
                del record[name]
    return (json.dumps(record, allow_nan=False) + "\n").encode()


def _without_nan(value: Any) -> Any:
    """Missing numbers are null: JSON has no NaN."""
    if isinstance(value, dict):
        return {key: _without_nan(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_without_nan(item) for item in value]
    if isinstance(value, float) and not math.isfinite(value):
        return None
    return value


def read_line(line: bytes) -> Row:
    """The row that a line holds.

    Raises
    ------
    LaterError
        If a later version wrote it.
    ValueError
        If it is no row.
    RecursionError
        If it is nested too deeply.
    """
    return _row(_record(line))


class LaterError(ValueError):
    """A line of a schema that is not known yet."""


def _constant(name: str) -> Any:
    raise ValueError(f"{name} is no number of JSON")


_DECODER = json.JSONDecoder(parse_constant=_constant)
_SURROGATE = re.compile(rb"\\u[dD][89a-fA-F]")


def _record(line: bytes) -> Any:
    """The JSON of a line."""
    text = line.decode("utf-8")
    record = _DECODER.decode(text)
    if _SURROGATE.search(line):
        json.dumps(record, ensure_ascii=False).encode()  # half a character is not to be written
    return record


def _is(*kinds: type) -> Callable[[Any], bool]:
    return lambda value: type(value) in kinds  # of exact types: True is no number


def _texts(value: Any) -> bool:
    return type(value) is list and all(type(item) is str for item in value)


def _hashes(value: Any) -> bool:
    return type(value) is dict and all(type(item) is str for item in value.values())


def _size(value: Any) -> bool:
    return value is None or (type(value) is int and 0 <= value < _LARGEST)


def _is_rounds(value: Any) -> bool:
    if value is None:
        return True
    if type(value) is not list or not value or set(map(type, value)) != {int}:
        return False
    return value[0] >= 1 and value[-1] < _LARGEST and all(map(operator.lt, value, value[1:]))


def _is_curve(value: Any) -> bool:
    if type(value) is not list:
        return False
    kinds = set(map(type, value))
    if not kinds <= _NUMBERS:
        return False
    return int not in kinds or all(abs(x) < _LARGEST for x in value if type(x) is int)


def _are_curves(value: Any) -> bool:
    return value is None or (type(value) is dict and all(map(_is_curve, value.values())))


def _are_seconds(value: Any) -> bool:
    if value is None:
        return True
    return (
        _is_curve(value) and len(value) == 2 and all(x is None or 0 <= x < math.inf for x in value)
    )


def _are_faults(value: Any) -> bool:
    return type(value) is list and all(map(_is_fault, value))


def _is_fault(value: Any) -> bool:
    if type(value) is not list or [type(part) for part in value] != [int, str]:
        return False
    return 1 <= value[0] < _LARGEST


def _is_seed_hex(value: Any) -> bool:
    return value is None or (type(value) is str and re.fullmatch("[0-9a-f]{32}", value) is not None)


ISOLATIONS = ("none", "process", "full")  # the weakest first
_LARGEST = 2**63
_NUMBERS = {int, float, type(None)}
_TEXT = _is(str)
_TEXT_OR_NONE = _is(str, type(None))
_FLAG = _is(bool)
# What the value of each field must be.
_CHECKS: dict[str, Callable[[Any], bool]] = {
    "suite": _TEXT,
    "task": _TEXT,
    "agent": _TEXT,
    "spec": _TEXT,
    "hyperparameters": _is(dict),
    "seed": lambda value: type(value) is int and -1 <= value < _LARGEST,
    "sources": _TEXT,
    "data": _hashes,
    "error": _TEXT_OR_NONE,
    "rounds": _is_rounds,
    "measures": _are_curves,
    "seconds": _are_seconds,
    "bytes": _size,
    "facts": _texts,
    "paper": _TEXT_OR_NONE,
    "refused": _FLAG,
    "full_information": _FLAG,
    "isolation": lambda value: type(value) is str and value in ISOLATIONS,
    "faults": _are_faults,
    "seed_hex": _is_seed_hex,
    "bound": _texts,
    "audit": _FLAG,
}


def _row(record: Any) -> Row:
    if not isinstance(record, dict):
        raise ValueError("not a result")
    schema = record.pop("schema", 1)
    if type(schema) is not int or not schema >= 1:
        raise ValueError(f"schema is {schema!r}")
    if schema > SCHEMA:
        raise LaterError
    for number, fields in ADDED.items():
        if number > schema:
            record = {**fields, **record}
    if record.keys() != _CHECKS.keys():
        raise ValueError("not a result")
    for name, fits in _CHECKS.items():
        if not fits(record[name]):
            raise ValueError(f"{name} is {record[name]!r}")
    if record["error"] is None:
        rounds, measures = record["rounds"], record["measures"]
        if rounds is None or measures is None:
            raise ValueError("a success without numbers")
        if any(len(curve) != len(rounds) for curve in measures.values()):
            raise ValueError("a curve has not as many numbers as there are rounds")
    return Row(**record)
