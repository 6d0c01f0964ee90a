"""``submission.toml``: an agent's authors, licence and entry point.

All problems of a file are reported at once, each with its key and a remedy. This module imports no
code of a submission, so it does not check whether the hyperparameters exist.
"""

import json
import re
import tomllib
from typing import Annotated, Any, Literal

from pydantic import (
    AfterValidator,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    StringConstraints,
)
from pydantic import ValidationError as Invalid
from pydantic.fields import FieldInfo
from pydantic_core import ErrorDetails, PydanticKnownError

from agents.naming import own_agents
from banditgym.validation import brief, nearest, visible
from leaderboards.submit import entry_point
from leaderboards.submit.folder import MANIFEST, Folder
from leaderboards.submit.problems import Problem, SubmissionError

LARGEST = 2**16  # bytes of the file
DEEPEST = 32  # nested tables and arrays
LONGEST_HYPERPARAMETERS = 2**14  # characters, as JSON
# Licences that permit redistributing and running the code, by their SPDX identifiers
# (https://spdx.org/licenses). Software licences are approved by the Open Source Initiative; those
# of texts and data are on the Free Software Foundation's list of free ones.
LICENCES = (
    "0BSD", "AGPL-3.0-only", "AGPL-3.0-or-later", "Apache-2.0", "Artistic-2.0", "BSD-2-Clause",
    "BSD-3-Clause", "BSL-1.0", "CC-BY-4.0", "CC-BY-SA-4.0", "CC0-1.0", "EPL-2.0", "EUPL-1.2",
    "GPL-2.0-only", "GPL-2.0-or-later", "GPL-3.0-only", "GPL-3.0-or-later", "ISC",
    "LGPL-2.1-only", "LGPL-2.1-or-later", "LGPL-3.0-only", "LGPL-3.0-or-later", "MIT", "MIT-0",
    "MPL-2.0", "Unlicense", "Zlib",
)  # fmt: skip

_URL = re.compile(r"https://[A-Za-z0-9.-]+\.[A-Za-z]{2,}(?:[/?#][A-Za-z0-9._~:/?#@!$&+,;=%-]*)?")
_CONTACT = re.compile(r"[A-Za-z0-9._%+-]+@[A-Za-z0-9.-]+\.[A-Za-z]{2,}")


def an_integer(value: object) -> object:
    """The value if it is an integer: pydantic's ``Literal[1]`` takes true and 1.0 too."""
    if type(value) is not int:
        raise PydanticKnownError("int_type")
    return value


def _plain_line(text: str) -> str:
    if visible(text) != text or "\n" in text or text.strip() != text:
        raise ValueError("must be one line without control characters or surrounding blanks")
    return text


def _contact(text: str) -> str:
    if not (_CONTACT.fullmatch(text) or _URL.fullmatch(text)):
        raise ValueError("must be an e-mail address or an https:// address")
    return text


def _url(text: str) -> str:
    if not _URL.fullmatch(text):
        raise ValueError("must be an https:// address of plain characters")
    return text


def _licence(text: str) -> str:
    if text not in LICENCES:
        hint = nearest(text, LICENCES).removeprefix("; ")
        raise ValueError(
            "is not the SPDX identifier of a licence that allows redistribution and replay"
            + (f" ({hint})" if hint else f" (there are {', '.join(LICENCES)})")
        )
    return text


def _hyperparameters(values: dict[str, Any]) -> dict[str, Any]:
    for name in values:
        if not (name.isidentifier() and name.isascii()) or name.startswith("_"):
            raise ValueError(f"has a name that is not a Python identifier, {brief(name)}")
    try:
        size = len(json.dumps(values, allow_nan=False))
    except (TypeError, ValueError, RecursionError):
        raise ValueError("may hold finite numbers, strings, booleans, arrays and tables") from None
    if size > LONGEST_HYPERPARAMETERS:
        raise ValueError(f"takes {size} characters, more than {LONGEST_HYPERPARAMETERS}")
    if not _all_visible(values):
        raise ValueError("has text with control characters")
    return values


def _all_visible(value: object) -> bool:
    if isinstance(value, dict):
        return all(_all_visible(key) and _all_visible(item) for key, item in value.items())
    if isinstance(value, list):
        return all(map(_all_visible, value))
    return not isinstance(value, str) or visible(value) == value


Line = Annotated[str, StringConstraints(min_length=1, max_length=200), AfterValidator(_plain_line)]


class Tuning(BaseModel):
    """How the hyperparameters were chosen: where, on what, in how many trials."""

    model_config = ConfigDict(strict=True, extra="forbid", frozen=True)

    where: Line = Field(examples=['where = "a laptop"'])
    on: Line = Field(examples=['on = "LinearBandit-v0 with dim = 10, seeds 1000 to 1019"'])
    trials: int = Field(ge=0, le=10**12, examples=["trials = 20"])


class Manifest(BaseModel):
    """The contents of ``submission.toml``."""

    model_config = ConfigDict(strict=True, extra="forbid", frozen=True)

    schema_version: Annotated[Literal[1], BeforeValidator(an_integer)] = Field(
        alias="schema", examples=["schema = 1"]
    )
    name: Annotated[
        str, StringConstraints(pattern=r"^[a-z][a-z0-9]*(-[a-z0-9]+)*$", max_length=40)
    ] = Field(examples=['name = "my-agent", of small letters, digits and single hyphens'])
    version: Annotated[
        str, StringConstraints(pattern=r"^(0|[1-9]\d{0,5})(\.(0|[1-9]\d{0,5})){2}$")
    ] = Field(examples=['version = "1.0.0", three numbers; a change is a new version'])
    authors: Annotated[list[Line], Field(min_length=1, max_length=50)] = Field(
        examples=['authors = ["First Author", "Second Author"]']
    )
    contact: Annotated[Line, AfterValidator(_contact)] = Field(
        examples=['contact = "me@university.edu"']
    )
    license: Annotated[str, AfterValidator(_licence)] = Field(examples=['license = "MIT"'])
    entry: Annotated[Line, AfterValidator(entry_point.form)] = Field(
        examples=['entry = "agent.py:MyAgent"']
    )
    hyperparameters: Annotated[dict[str, Any], AfterValidator(_hyperparameters)] = Field(
        examples=["[hyperparameters] with lines such as alpha = 0.5"]
    )
    tuning: Tuning = Field(examples=["[tuning] with where, on and trials"])
    paper: Line | None = Field(default=None, examples=['paper = "Honda, Takemura 2015"'])
    link: Annotated[Line, AfterValidator(_url)] | None = Field(
        default=None, examples=['link = "https://jmlr.org/papers/v16/honda15a.html"']
    )
    written_by: Literal["person", "program", "both"] | None = Field(
        default=None, examples=['written_by = "person", "program" or "both"']
    )
    facts: Annotated[list[Line], Field(max_length=50)] = Field(
        examples=['facts = ["noise_std"], or facts = [] if it takes nothing from the task']
    )

    @property
    def title(self) -> str:
        """``name==version``, as packages are named."""
        return f"{self.name}=={self.version}"


def read(folder: Folder) -> Manifest:
    """The manifest in a submission's folder.

    Raises
    ------
    SubmissionError
        If the file or its entry point has problems; the message lists them all.
    """
    data = _toml(folder.files[MANIFEST])
    problems = problems_of(data)
    problems += entry_point.problems_of(folder, data.get("entry"))
    if isinstance(name := data.get("name"), str) and is_taken_by_ours(name):
        what = f"{name!r} is an agent of this package"
        problems.append(Problem(MANIFEST, "name", what, "choose another name"))
    if problems:
        raise SubmissionError(*problems)
    return Manifest.model_validate(data)


def canonical(name: str) -> str:
    """The form in which names must differ: ``LinUCB`` and ``lin-ucb`` are the same name."""
    return re.sub("[^a-z0-9]", "", name.lower())


_EARLIER = {"imed"}  # submissions published before this package had an agent of that name


def is_taken_by_ours(name: str) -> bool:
    """Whether an agent of this package has that name, and had it first."""
    taken = {canonical(known) for known in own_agents()} - _EARLIER
    return canonical(name) in taken


def _toml(contents: bytes) -> dict[str, Any]:
    def refuse(what: str, remedy: str) -> SubmissionError:
        return SubmissionError(Problem(MANIFEST, "", what, remedy))

    deep = refuse("it is nested too deeply", "flatten the hyperparameters")
    large = refuse("it holds an integer of more than 64 bits", "write it as a float or a string")
    if len(contents) > LARGEST:
        raise refuse(f"it is larger than {LARGEST} bytes", "keep it short")
    if any(piece.count(b".") > 2 * DEEPEST for piece in re.split(rb"[,\n]", contents)):
        raise deep  # a.b.c.. takes quadratic time to read
    try:
        data = tomllib.loads(contents.decode("utf-8"))
    except UnicodeDecodeError:
        raise refuse("it is not UTF-8 text", "save it as UTF-8") from None
    except tomllib.TOMLDecodeError as error:
        raise refuse(f"it is not valid TOML: {error}", "see https://toml.io") from None
    except ValueError:  # Python refuses decimal integers of thousands of digits
        raise large from None
    except RecursionError:
        raise deep from None
    level: list[Any] = [data]
    for _ in range(DEEPEST):
        if any(isinstance(value, int) and not -(2**63) <= value < 2**63 for value in level):
            raise large
        tables = [value for value in level if isinstance(value, dict | list)]
        level = [x for t in tables for x in (t.values() if isinstance(t, dict) else t)]
        if not level:
            return data
    raise deep


def problems_of(data: dict[str, Any]) -> list[Problem]:
    """The problems of a parsed ``submission.toml``, key by key."""
    problems = []
    try:
        Manifest.model_validate(data)
    except Invalid as error:
        problems = [_problem(each) for each in error.errors(include_url=False)]
    if "paper" not in data and "link" not in data:
        remedy = f"write {_example('paper')} or {_example('link')}"
        problems.append(Problem(MANIFEST, "paper", "it needs a paper or a link", remedy))
    return problems


_KINDS = {
    "string_type": "a string",
    "int_type": "an integer",
    "list_type": "an array",
    "dict_type": "a table",
    "model_type": "a table",
    "model_attributes_type": "a table",
}
# What is wrong, by the kind of pydantic's error, with what that error says.
_WORDS = {
    "missing": "the key is missing",
    "extra_forbidden": "there is no such key",
    "value_error": "it {error}, got {given}",
    "literal_error": "this version reads schema {expected}, got {given}",
    "string_pattern_mismatch": "it does not have the required form, got {given}",
    **{kind: f"it must be {word}, got {{given}}" for kind, word in _KINDS.items()},
    **dict.fromkeys(("string_too_long", "too_long"), "it is longer than {max_length}"),
    **dict.fromkeys(("string_too_short", "too_short"), "it is empty"),
    **dict.fromkeys(("greater_than_equal", "less_than_equal"), "it is out of range, got {given}"),
}


def _problem(error: ErrorDetails) -> Problem:
    """A problem that pydantic found, with our message."""
    keys = [str(part) for part in error["loc"] if part not in ("nullable",)]
    key, known = ".".join(keys), [*_fields(Tuning if keys[:-1] == ["tuning"] else Manifest)]
    said = {**error.get("ctx", {}), "msg": error["msg"], "given": brief(error["input"])}
    what = _WORDS.get(error["type"], "{msg}, got {given}").format_map(said)
    remedy = f"write {_example(key)}"
    if error["type"] == "extra_forbidden":
        hint = nearest(keys[-1], known)
        remedy = hint.removeprefix("; ") or f"drop it; there are {', '.join(known)}"
    return Problem(MANIFEST, key, what, remedy)


def _fields(model: type[BaseModel]) -> dict[str, FieldInfo]:
    """The fields of a table by their keys in the file."""
    return {field.alias or name: field for name, field in model.model_fields.items()}


def _example(key: str) -> str:
    """An example of a key's line; for an element of an array, of the array's line."""
    first, *inner = key.split(".")
    fields, wanted = _fields(Manifest), first
    if first == "tuning" and inner:
        fields, wanted = _fields(Tuning), inner[0]
    return str((fields[wanted].examples or [""])[0]) if wanted in fields else key
