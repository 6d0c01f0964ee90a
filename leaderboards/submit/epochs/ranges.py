"""The ranges that an epoch draws a suite's settings from: ``NAME.held-out.toml`` beside the suite.

Every task of the suite is listed, either with its ranges, which may be empty, or as a task on
public data, which is not verified. A setting that depends on another setting is given by a formula.
"""

import hashlib
import json
import math
import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from banditgym.validation import nearest
from leaderboards.submit.epochs.derivation import Range, setting
from leaderboards.suites.suite import HELD_OUT, Suite, find

_FORMULA = re.compile(r"sqrt\(([a-z_]+)\)")


@dataclass(frozen=True)
class Formula:
    """The square root of another setting."""

    of: str

    def __call__(self, drawn: Mapping[str, Any]) -> float:
        return math.sqrt(drawn[self.of])


@dataclass(frozen=True)
class Ranges:
    """The ranges of all tasks of a suite.

    Attributes
    ----------
    suite : str
        Name of the suite.
    tasks : dict of str to dict
        By task: its settings' names (a dot separates levels of tables), each with a `Range` or a
        `Formula`.
    public : dict of str to str
        Tasks that are not verified, with the reason.
    hash : str
        16 hexadecimal digits that identify the ranges and the suite; reasons are not hashed.
    """

    suite: str
    tasks: dict[str, dict[str, Range | Formula]]
    public: dict[str, str]
    hash: str

    def draw(self, secret: bytes, task: str, index: int) -> dict[str, int | float]:
        """The settings of one draw of a task."""
        ranges = self.tasks[task]
        drawn: dict[str, int | float] = {
            name: setting(secret, self.hash, task, index, name, among)
            for name, among in ranges.items()
            if isinstance(among, Range)
        }
        formulas = {name: how for name, how in ranges.items() if isinstance(how, Formula)}
        return drawn | {name: formula(drawn) for name, formula in formulas.items()}


def path_of(suite: str | Path) -> Path:
    """The file of ranges beside a suite's file."""
    path = find(suite)
    return path.with_name(f"{path.stem}{HELD_OUT}.toml")


def load(suite: Suite, path: Path) -> Ranges:
    """Read the ranges of a suite.

    Raises
    ------
    ValueError
        If the file breaks a rule; the message names the file and the rule.
    """
    try:
        data = tomllib.loads(path.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError, RecursionError) as error:
        reason = error.strerror if isinstance(error, OSError) else str(error)
        raise ValueError(f"the ranges {path} cannot be read: {reason}") from None
    unknown = data.keys() - {"suite", "public", "ranges"}
    public, ranges = data.get("public", {}), data.get("ranges", {})
    if unknown or data.get("suite") != suite.name:
        raise ValueError(f'{path.name}: its keys are suite = "{suite.name}", public and ranges')
    names = [task.name for task in suite.tasks]
    for name in (*public, *ranges):
        if name not in names:
            raise ValueError(
                f"{path.name}: {suite.name} has no task {name!r}{nearest(name, names)}"
            )
    for name in names:
        if (name in public) == (name in ranges):
            raise ValueError(
                f"{path.name}: task {name!r} must be either in [public], with a reason, or in "
                f"[ranges.{name}], which may be empty"
            )
    tasks = {
        name: {key: _read(path, name, key, value, own) for key, value in sorted(own.items())}
        for name, own in ranges.items()
    }
    for name, reason in public.items():
        if not isinstance(reason, str):
            raise ValueError(f"{path.name}: the reason why {name!r} is public is text")
    return Ranges(suite.name, tasks, public, _hash(suite, ranges))


def applied(settings: Mapping[str, Any], drawn: Mapping[str, Any]) -> dict[str, Any]:
    """Settings updated with drawn values; tables are copied, never changed."""
    out = dict(settings)
    for name, value in drawn.items():
        first, dot, rest = name.partition(".")
        out[first] = applied(out.get(first, {}), {rest: value}) if dot else value
    return out


def _read(path: Path, task: str, key: str, value: Any, own: Mapping[str, Any]) -> Range | Formula:
    where = f"{path.name}, task {task!r}, {key}"
    if isinstance(value, str):
        match = _FORMULA.fullmatch(value)
        if match is None or not isinstance(own.get(match[1]), list):
            raise ValueError(f"{where}: a formula is sqrt(NAME) of a setting drawn here")
        return Formula(match[1])
    if not isinstance(value, list) or len(value) != 2:
        raise ValueError(f"{where}: a range is [low, high], got {value!r}")
    try:
        return Range(*value)
    except ValueError as error:
        raise ValueError(f"{where}: {error}") from None


def _hash(suite: Suite, ranges: Mapping[str, Any]) -> str:
    hashed = {"suite": suite.hash, "ranges": ranges}
    text = json.dumps(hashed, sort_keys=True, separators=(",", ":"))
    return hashlib.sha256(text.encode()).hexdigest()[:16]
