"""A row of results as one line of JSON, and back, with every field checked.

Every line states the schema that it was written with. To add a field, raise ``SCHEMA`` and name the
field in ``ADDED``, with the value that it has in rows of earlier schemas; so every store remains
readable. Fields are never removed and never change their meaning.
"""

import functools
import json
import math
import operator
import re
from dataclasses import asdict, dataclass, field
from typing import Annotated, Any, NoReturn, get_type_hints

from pydantic import (
    AfterValidator,
    BaseModel,
    ConfigDict,
    Field,
    PlainValidator,
    ValidationError,
    WithJsonSchema,
    create_model,
)
from pydantic_core import from_json

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


ISOLATIONS = ("none", "process", "full")  # the weakest first
LARGEST = 2**63  # integers of a row, rounds among them, are smaller
ADDRESSES = 2**47  # bytes that a process can address: no state is larger, whatever an agent claims
_NUMBERS = {int, float, type(None)}
_SORTED = json.JSONEncoder(sort_keys=True)


def _ascending(rounds: list[int]) -> list[int]:
    if not all(map(operator.lt, rounds, rounds[1:])):
        raise ValueError("not ascending")
    return rounds


def _finite(curve: Any) -> Any:
    kinds = set(map(type, curve)) if type(curve) is list else {None}
    if kinds == {float} and math.isfinite(sum(curve)):  # nearly always
        return curve
    if not kinds <= _NUMBERS or math.inf in curve or -math.inf in curve:  # 1e999 is read as inf
        raise ValueError("not numbers")
    if int in kinds and any(abs(x) >= LARGEST for x in curve if type(x) is int):
        raise ValueError("too large")
    return curve


def _two_times(seconds: Any) -> Any:
    if len(_finite(seconds)) != 2 or any(x is not None and x < 0 for x in seconds):
        raise ValueError("not two times")
    return seconds


def _fault(fault: object) -> Any:
    if type(fault) is not list or [*map(type, fault)] != [int, str] or not 1 <= fault[0] < LARGEST:
        raise ValueError("not a fault")
    return fault


_Seed = Annotated[int, Field(ge=-1, lt=LARGEST)]
_Round = Annotated[int, Field(ge=1, lt=LARGEST)]
_Rounds = Annotated[list[_Round], Field(min_length=1), AfterValidator(_ascending)]
_Curve = Annotated[  # None for what was not finite
    list[float],
    PlainValidator(_finite),
    WithJsonSchema({"type": "array", "items": {"type": ["number", "null"]}}),
]
_Seconds = Annotated[
    list[float],
    PlainValidator(_two_times),
    WithJsonSchema(
        {
            "type": "array",
            "items": {"type": ["number", "null"], "minimum": 0},
            "minItems": 2,
            "maxItems": 2,
        }
    ),
]
_Size = Annotated[int, Field(ge=0, le=ADDRESSES)]
_Isolation = Annotated[
    str, PlainValidator(ISOLATIONS.index), WithJsonSchema({"enum": list(ISOLATIONS)})
]
_Fault = Annotated[
    Any,
    PlainValidator(_fault),
    WithJsonSchema(
        {
            "type": "array",
            "prefixItems": [{"type": "integer", "minimum": 1}, {"type": "string"}],
            "minItems": 2,
            "maxItems": 2,
        }
    ),
]
_SeedHex = Annotated[str, Field(pattern="^[0-9a-f]{32}$")]


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
        Hash of the code that the numbers depend on, see ``leaderboards.run.keys.sources``.
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
        Hash of the code that the environment's rewards depend on, see
        ``leaderboards.run.keys.sources``; empty in rows of earlier schemas, whose ``sources``
        covered it.
    versions : dict of str to str
        Versions of the libraries that computed, by name; empty where they were not recorded.
    """

    suite: str
    task: str
    agent: str
    spec: str
    hyperparameters: dict[str, Any]
    seed: _Seed
    sources: str
    data: dict[str, str]
    error: str | None = None
    rounds: _Rounds | None = None
    measures: dict[str, _Curve] | None = None
    seconds: _Seconds | None = None
    bytes: _Size | None = None
    facts: list[str]
    paper: str | None
    refused: bool = False
    full_information: bool = False
    isolation: _Isolation = "none"
    faults: list[_Fault] = field(default_factory=list)
    seed_hex: _SeedHex | None = None
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
        """Identifies an episode: rows with equal keys must have equal scores and curves.

        Rows from the sandbox and rows from outside it have different keys, because faults may
        change an episode in the sandbox, and an audit compares the two.
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
        return _SORTED.encode(parts)


def as_line(row: Row, schema: int | None = None) -> bytes:
    """Write a row as one line of JSON.

    Parameters
    ----------
    schema : int, optional
        The schema of the line, by default the present one. A field that this schema lacks is left
        out if it has the value with which older rows are read.
    """
    schema = SCHEMA if schema is None else schema
    record = {"schema": schema, **without_nan(asdict(row))}
    for number, fields in ADDED.items():
        for name, value in fields.items() if number > schema else ():
            if record[name] == value:
                del record[name]
    return (json.dumps(record, allow_nan=False) + "\n").encode()


def without_nan(value: object) -> Any:
    """Replace numbers that are not finite by None: JSON has no NaN."""
    if isinstance(value, dict):
        return {key: without_nan(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [without_nan(item) for item in value]
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


def _constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is not a JSON number")


_DECODER = json.JSONDecoder(parse_constant=_constant)
_SURROGATE = re.compile(rb"\\u[dD][89a-fA-F]")


def _record(line: bytes) -> Any:
    """The JSON of a line."""
    try:
        # In less than half of json's time, and what it reads json reads alike. It does not read all
        # that json does: not JSON nested over 200 deep, say.
        return from_json(line, allow_inf_nan=False)
    except ValueError:
        return _read_slowly(line)


def _read_slowly(line: bytes) -> Any:
    text = line.decode("utf-8")
    record = _DECODER.decode(text)
    if _SURROGATE.search(line):
        json.dumps(record, ensure_ascii=False).encode()  # raises for half a surrogate pair
    return record


@functools.cache
def checks(kind: type) -> type[BaseModel]:
    """What checks that every value is of its field's kind, exactly: True is not an integer here."""
    fields: dict[str, Any] = {
        name: (annotation, ...)
        for name, annotation in get_type_hints(kind, include_extras=True).items()
    }
    return create_model(kind.__name__, __config__=ConfigDict(strict=True), **fields)


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
    if record.keys() != Row.__dataclass_fields__.keys():
        raise ValueError("not a result")
    try:
        checks(Row).model_validate(record)
    except ValidationError as error:
        name = error.errors(include_url=False, include_context=False)[0]["loc"][0]
        raise ValueError(f"{name} is {record[name]!r}") from None
    if record["error"] is None:
        rounds, measures = record["rounds"], record["measures"]
        if rounds is None or measures is None:
            raise ValueError("a success without numbers")
        if any(len(curve) != len(rounds) for curve in measures.values()):
            raise ValueError("a curve needs one number per round")
    row = object.__new__(Row)
    vars(row).update(record)  # in a tenth of the time of Row(**record)
    return row
