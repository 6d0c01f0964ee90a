"""``submission.toml``: an agent's authors, licence and entry point.

All problems of a file are reported at once, each with its key and a remedy. This module imports no
code of a submission, so it does not check whether the hyperparameters exist.
"""

import ast
import json
import re
import tomllib
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, StringConstraints
from pydantic import ValidationError as Invalid
from pydantic_core import ErrorDetails

from agents.naming import nearest, own_agents
from banditgym.validation import brief, visible
from leaderboards.submit.folder import MANIFEST, Folder
from leaderboards.submit.licences import LICENCES
from leaderboards.submit.problems import Problem, SubmissionError

LARGEST = 2**16  # bytes of the file
LARGEST_CODE = 2**17  # bytes of the entry point's file: long f-strings take quadratic time to parse
DEEPEST = 32  # nested tables and arrays
LONGEST_HYPERPARAMETERS = 2**14  # characters, as JSON

_ENTRY = re.compile(
    r"(?:(?P<file>[A-Za-z0-9_][\w./+-]*\.py)|(?P<module>[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)*))"
    r":(?P<name>[A-Za-z_]\w*)",
    re.ASCII,
)
_URL = re.compile(r"https://[A-Za-z0-9.-]+\.[A-Za-z]{2,}(?:[/?#][A-Za-z0-9._~:/?#@!$&+,;=%-]*)?")
_CONTACT = re.compile(r"[A-Za-z0-9._%+-]+@[A-Za-z0-9.-]+\.[A-Za-z]{2,}")


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


def _entry(text: str) -> str:
    match = _ENTRY.fullmatch(text)
    if match is None or {"", ".", ".."} & set((match["file"] or "x").split("/")):
        raise ValueError("must be file.py:Class or module:Class, within the folder")
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


def _all_visible(value: Any) -> bool:
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

    schema_version: Literal[1] = Field(alias="schema", examples=["schema = 1"])
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
    entry: Annotated[Line, AfterValidator(_entry)] = Field(examples=['entry = "agent.py:MyAgent"'])
    hyperparameters: Annotated[dict[str, Any], AfterValidator(_hyperparameters)] = Field(
        examples=["[hyperparameters] with lines such as alpha = 0.5"]
    )
    tuning: Tuning = Field(examples=["[tuning] with where, on and trials"])
    paper: Line | None = Field(default=None, examples=['paper = "Honda, Takemura 2015"'])
    link: Annotated[Line, AfterValidator(_url)] | None = Field(
        default=None, examples=['link = "https://jmlr.org/papers/v16/honda15a.html"']
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
    entry = data.get("entry")
    if isinstance(entry, str) and _ENTRY.fullmatch(entry):
        problems += _missing_class(folder, entry)
    if isinstance(name := data.get("name"), str) and is_taken_by_ours(name):
        what = f"{name!r} is an agent of this package"
        problems.append(Problem(MANIFEST, "name", what, "choose another name"))
    if problems:
        raise SubmissionError(problems)
    return Manifest.model_validate(data)


def file_of(folder: Folder, entry: str) -> tuple[str, str]:
    """The file of an entry point, as a path within the folder, and the class's name."""
    match = _ENTRY.fullmatch(entry)
    assert match is not None
    if match["file"]:
        return match["file"], match["name"]
    stem = match["module"].replace(".", "/")
    package = f"{stem}/__init__.py"
    return (package if package in folder.files else f"{stem}.py"), match["name"]


def canonical(name: str) -> str:
    """The form in which names must differ: ``LinUCB`` and ``lin-ucb`` are the same name."""
    return re.sub("[^a-z0-9]", "", name.lower())


def is_taken_by_ours(name: str) -> bool:
    """Whether an agent of this package has that name."""
    return canonical(name) in {canonical(known) for known in own_agents()}


def _toml(contents: bytes) -> dict[str, Any]:
    def refuse(what: str, remedy: str) -> SubmissionError:
        return SubmissionError([Problem(MANIFEST, "", what, remedy)])

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


def _problem(error: ErrorDetails) -> Problem:
    """A problem that pydantic found, with our message."""
    keys = [str(part) for part in error["loc"] if part not in ("nullable",)]
    key, kind, given = ".".join(keys), error["type"], brief(error["input"])
    context = error.get("ctx", {})
    known = _keys(keys[:-1])
    remedy = f"write {_example(key)}"
    if kind == "missing":
        what = "the key is missing"
    elif kind == "extra_forbidden":
        what, hint = "there is no such key", nearest(keys[-1], known)
        remedy = hint.removeprefix("; ") or f"drop it; there are {', '.join(known)}"
    elif kind in _KINDS:
        what = f"it must be {_KINDS[kind]}, got {given}"
    elif kind == "value_error":
        what = f"it {context['error']}, got {given}"
    elif kind == "literal_error":
        what = f"this version reads schema {context['expected']}, got {given}"
    elif kind == "string_pattern_mismatch":
        what = f"it does not have the required form, got {given}"
    elif kind in ("string_too_long", "too_long"):
        what = f"it is longer than {context['max_length']}"
    elif kind in ("string_too_short", "too_short"):
        what = "it is empty"
    elif kind in ("greater_than_equal", "less_than_equal"):
        what = f"it is out of range, got {given}"
    else:
        what = f"{error['msg']}, got {given}"
    return Problem(MANIFEST, key, what, remedy)


def _keys(path: list[str]) -> list[str]:
    fields = (Tuning if path == ["tuning"] else Manifest).model_fields
    return [field.alias or name for name, field in fields.items()]


def _example(key: str) -> str:
    """An example of a key's line; for an element of an array, of the array's line."""
    parts = key.split(".")
    model = Tuning if parts[0] == "tuning" and len(parts) > 1 else Manifest
    wanted = parts[1] if model is Tuning else parts[0]
    for name, field in model.model_fields.items():
        if wanted == (field.alias or name):
            return str((field.examples or [""])[0])
    return key


def _missing_class(folder: Folder, entry: str) -> list[Problem]:
    """The problems of the entry point that its source shows without running it."""
    place, name = file_of(folder, entry)

    def refuse(what: str, remedy: str) -> list[Problem]:
        return [Problem(MANIFEST, "entry", what, remedy)]

    if place not in folder.files:
        files = [file for file in folder.files if file.endswith(".py")]
        hint = nearest(place, files).removeprefix("; ") or f"there are {', '.join(files) or 'none'}"
        return refuse(f"there is no file {place!r}", hint)
    if len(folder.files[place]) > LARGEST_CODE:
        what = f"{place} is larger than {LARGEST_CODE // 1024} KiB"
        return refuse(what, "move what is long to other files")
    try:
        tree = ast.parse(folder.files[place])
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        line = getattr(error, "lineno", None)
        where = f", line {line}" if line else ""
        reason = error.msg if isinstance(error, SyntaxError) else str(error) or type(error).__name__
        return [Problem(f"{place}{where}", "", f"it is not valid Python: {reason}", "correct it")]
    classes = [node.name for node in tree.body if isinstance(node, ast.ClassDef)]
    if name in classes:
        return []
    # The class may also be imported from another file: only running the code shows whether it is.
    bound = {
        alias.asname or alias.name
        for node in ast.walk(tree)
        if isinstance(node, ast.ImportFrom | ast.Import)
        for alias in node.names
    }
    bound |= {
        node.id
        for node in ast.walk(tree)
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)
    }
    if name in bound or "*" in bound:
        return []
    hint = nearest(name, classes).removeprefix("; ")
    there = f"there are {', '.join(classes)}" if classes else "there is none"
    return refuse(f"{place} has no class {name!r}", hint or there)
