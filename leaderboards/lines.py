"""A row of results as one line of JSON, and back, with every field checked.

Every line states the schema that it was written with. To add a field, raise ``SCHEMA`` and name the
field in ``ADDED``, with the value that it has in rows of earlier schemas; so every store remains
readable. Fields are never removed and never change their meaning.
"""

import json
import math
import operator
import re
from collections.abc import Callable
from dataclasses import asdict, dataclass, field
from typing import Any

SCHEMA = 6
# Schema -> the fields that it added, with their values in older rows. The third schema added the
# schema's number itself: a line without it is of the first or the second.
ADDED: dict[int, dict[str, Any]] = {
    2: {"full_information": False},
    3: {},
    4: {"isolation": "none", "faults": [], "seed_hex": None},
    5: {"bound": [], "audit": False},
    6: {"environment": "", "versions": {}},
}


@dataclass(frozen=True, kw_only=True)
class Row:
    """The result of one agent on one seed of one task.

    Parameters
    ----------
    suite : str
        Hash of the suite.
    task : str
        Name of the task within the suite.
    agent : str
        Short label of the agent.
    spec : str
        The text that names the agent, as ``agents.naming.resolve`` takes it.
    hyperparameters : dict
        The agent's hyperparameters as plain data.
    seed : int
        Seed of environment and agent; -1 if the agent refused the task.
    sources : str
        Hash of what the numbers depend on, see ``leaderboards.run.sources``.
    data : dict of str to str
        Hash of every data file among the task's settings.
    error : str or None
        One line on what went wrong; the numbers below are then None.
    rounds : list of int or None
        Rounds at which the curves were recorded.
    measures : dict of str to list of float, or None
        Cumulative measures at these rounds.
    seconds : list of float or None
        CPU seconds per round of one replicate: [environment, agent].
    bytes : int or None
        Size of the agent's state per replicate.
    facts : list of str
        Hyperparameters that were taken from the task.
    paper : str or None
        Short citation of the agent's source.
    refused : bool
        Whether the agent cannot play the task; ``error`` then holds its reason.
    full_information : bool
        Whether the agent is given hidden labels, which makes it a reference.
    isolation : str
        Where the agent ran. ``none``: in the environment's process; ``process``: in a separate
        process; ``full``: in a sandbox whose limits were all shown to hold.
    faults : list of [int, str]
        Round and kind of the agent's faults in the sandbox. From that round on, uniform play
        replaces the agent.
    seed_hex : str or None
        The environment's seed, 32 hexadecimal digits, if it was held out and has been revealed;
        ``seed`` is then the number of the replicate.
    bound : list of str
        The sandbox's limits that were shown to hold on the machine, by the names of
        ``sandbox.probes``.
    audit : bool
        Whether each replicate had its own process in the sandbox, so that replicates could not
        share information.
    environment : str
        Hash of what the environment's rewards depend on, see ``leaderboards.run.sources``; empty in
        rows of earlier schemas, whose ``sources`` covered it.
    versions : dict of str to str
        Versions of the libraries that computed, by name; empty where they were not recorded.
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
    environment: str = ""
    versions: dict[str, str] = field(default_factory=dict)

    @property
    def where(self) -> str:
        """Where the agent played, as a label: ``none``, ``process``, ``full, audit``, .."""
        return f"{self.isolation}, audit" if self.audit else self.isolation

    @property
    def key(self) -> str:
        """Identifies a game: rows with equal keys must have equal scores and curves.

        Rows from the sandbox and rows from outside it have different keys: faults may change the
        game in the sandbox, and an audit compares the two.
        """
        parts: tuple[Any, ...] = (
            self.suite,
            self.task,
            self.spec,
            self.hyperparameters,
            self.seed,
            self.sources,
            self.data,
            self.environment,
        )
        if self.where != "none":
            parts += (self.where,)
        return json.dumps(parts, sort_keys=True)


def as_line(row: Row, schema: int | None = None) -> bytes:
    """Write a row as one line of JSON.

    Parameters
    ----------
    row : Row
    schema : int, optional
        The schema of the line, by default the present one. A field that this schema lacks is left
        out if it has the value with which older rows are read.
    """
    schema = SCHEMA if schema is None else schema
    record = {"schema": schema, **_without_nan(asdict(row))}
    for number, fields in ADDED.items():
        for name, value in fields.items() if number > schema else ():
            if record[name] == value:
                del record[name]
    return (json.dumps(record, allow_nan=False) + "\n").encode()


def _without_nan(value: Any) -> Any:
    """Replace numbers that are not finite by None: JSON has no NaN."""
    if isinstance(value, dict):
        return {key: _without_nan(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_without_nan(item) for item in value]
    if isinstance(value, float) and not math.isfinite(value):
        return None
    return value


def read_line(line: bytes) -> Row:
    """Read a row from a line.

    Raises
    ------
    LaterError
        If a later version of banditgym wrote the line.
    ValueError
        If the line is not a row.
    RecursionError
        If its JSON is nested too deeply.
    """
    return _row(_record(line))


class LaterError(ValueError):
    """A line whose schema this version does not know."""


def _constant(name: str) -> Any:
    raise ValueError(f"{name} is not a JSON number")


_DECODER = json.JSONDecoder(parse_constant=_constant)
_SURROGATE = re.compile(rb"\\u[dD][89a-fA-F]")


def _record(line: bytes) -> Any:
    """The JSON of a line."""
    text = line.decode("utf-8")
    record = _DECODER.decode(text)
    if _SURROGATE.search(line):
        json.dumps(record, ensure_ascii=False).encode()  # raises for half a surrogate pair
    return record


def _is(*kinds: type) -> Callable[[Any], bool]:
    return lambda value: type(value) in kinds  # exact types: True is not an integer here


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
    if not kinds <= _NUMBERS or math.inf in value or -math.inf in value:  # 1e999 is read as inf
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
# The check of each field's value.
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
    "environment": _TEXT,
    "versions": _hashes,
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
            raise ValueError("a curve needs one number per round")
    return Row(**record)
