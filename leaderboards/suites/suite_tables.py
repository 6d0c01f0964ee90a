"""The rules of a suite's file: which keys its tables have, and what their values may be.

An error names the file, the task and the rule.
"""

import contextlib
import itertools
import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from banditgym.files.class_paths import names_own
from banditgym.registration import ENVIRONMENTS
from banditgym.validation import nearest
from leaderboards.suites import environments, seed_ranges

OVERALL = "overall"  # the ranking over all tasks
MOST_SEEDS = len(seed_ranges.SCORING)
MOST_ROUNDS = 2**63 - 1  # of an environment
_SUITE_KEYS = {"title": str, "seeds": int, "task": list, "agents": list}
_REQUIRED_SUITE_KEYS = ("title", "seeds", "task")
_TASK_KEYS = {
    "name": str,
    "env": str,
    "horizon": int,
    "measure": str,
    "reference": str,
    "ranking": str,
    "twin": str,
    "settings": dict,
    "grid": dict,
}
_REQUIRED_TASK_KEYS = ("name", "env", "horizon")
# The measures of a family that has no regret; all others have that.
_ALWAYS = {"news": ("clicks", "matched", "clicks_per_10000")}
_KINDS = {str: "a string", int: "an integer", list: "an array", dict: "a table"}


def check_suite(data: dict[str, Any], where: str) -> None:
    """Refuse a file with other keys, no tasks, or too many seeds; ``where`` is its name."""
    with _named(where):
        _check_keys(data, _SUITE_KEYS, _REQUIRED_SUITE_KEYS)
        if not 1 <= data["seeds"] <= MOST_SEEDS:
            raise ValueError(
                f"seeds is a number of replicates in 1..{MOST_SEEDS}, got {data['seeds']}"
            )
        for name in data.get("agents", ()):
            if not isinstance(name, str):
                raise ValueError(f"agents are named by texts, got {name!r}")
        if not data["task"]:
            raise ValueError("there must be at least one [[task]]")


def tasks_of(entries: list[Any], where: str) -> list[Any]:
    """The tables of tasks, with one for each combination of the values of a ``grid``.

    Its name is the task's followed by the values, such as ``"small dim=5 n_arms=10"``; a table
    without a grid stays as it is.

    Raises
    ------
    ValueError
        If a grid is not lists of values of settings that the task does not set.
    """
    found = []
    for entry in entries:
        if not isinstance(entry, dict) or "grid" not in entry:
            found.append(entry)
            continue
        with _named(f"{where}, task {entry.get('name')!r}"):
            _check_keys(entry, _TASK_KEYS, _REQUIRED_TASK_KEYS)
            grid, settings = entry["grid"], entry.get("settings", {})
            for name, values in grid.items():
                if not isinstance(values, list) or not values:
                    raise ValueError(f"grid has a list of values for {name}, got {values!r}")
                if name in settings:
                    raise ValueError(f"{name} is both in settings and in grid: drop one")
        rest = {key: value for key, value in entry.items() if key != "grid"}
        for values in itertools.product(*grid.values()):
            chosen = dict(zip(grid, values, strict=True))
            name = " ".join([entry["name"], *(f"{k}={v}" for k, v in chosen.items())])
            found.append({**rest, "name": name, "settings": {**settings, **chosen}})
    return found


def task_fields(entry: Any, position: int, path: Path, trust: bool) -> dict[str, Any]:
    """The fields of a ``SuiteTask`` from its table in a suite's file.

    Parameters
    ----------
    entry : object
        The table; anything else is refused.
    position : int
        The number of the table in the file, from 1.
    path : Path
        Of the file, beside which files of data and code are looked for.
    trust : bool
        Whether third-party code that the table names may run.

    Raises
    ------
    ValueError
        If the table breaks a rule.
    """
    name = entry.get("name") if isinstance(entry, dict) else None
    with _named(
        f"{path.name}, task {name!r}" if isinstance(name, str) else f"{path.name}, task {position}"
    ):
        if not isinstance(entry, dict):
            raise ValueError(f"a task is a [[task]] table, got {entry!r}")
        _check_keys(entry, _TASK_KEYS, _REQUIRED_TASK_KEYS)
        _check_values(entry)
        folder = str(path.parent.resolve())
        _check_code(entry, trust)
        settings = entry.get("settings", {})
        texts = [text for value in settings.values() if (text := _text(value)) is not None]
        files = {text: str(path.parent / text) for text in texts if (path.parent / text).is_file()}
        chosen = {key: _with_paths(value, files) for key, value in settings.items()}
        place = environments.located(entry["env"], folder)
        played = {"horizon": entry["horizon"], **chosen}
        family, code = environments.family(place, played), environments.source(place)
        _check_measure(entry, place, played, family)
        if code is not None:
            files[entry["env"]] = code
    return {
        "ranking": "",
        **entry,
        "settings": chosen,
        "family": family,
        "files": tuple(files.items()),
        "folder": folder,
    }


def check_twins(tasks: list[dict[str, Any]], where: str) -> None:
    """Refuse a task whose twin is no task to compare it with; the tables have been read."""
    named = {entry["name"]: entry for entry in tasks}
    for entry in tasks:
        name = entry.get("twin")
        if name is None:
            continue
        with _named(f"{where}, task {entry['name']!r}"):
            if name not in named or name == entry["name"]:
                raise ValueError(f"twin must be another task, got {name!r}{nearest(name, named)}")
            for key in ("env", "horizon", "measure", "ranking"):
                if entry.get(key) != named[name].get(key):
                    raise ValueError(f"its {key} must be that of its twin {name!r}")


@contextlib.contextmanager
def _named(where: str) -> Iterator[None]:
    """Put the place of a table before the message of an error."""
    try:
        yield
    except (ValueError, OSError) as error:
        raise ValueError(f"{where}: {error}") from None


def _check_values(entry: dict[str, Any]) -> None:
    if not 1 <= entry["horizon"] <= MOST_ROUNDS:
        raise ValueError(f"horizon must be in 1..{MOST_ROUNDS}, got {entry['horizon']}")
    if "reference" in entry and entry.get("measure", "regret") == "regret":
        raise ValueError("a reference says what scores 1; with regret, a regret of 0 does: drop it")
    ranking = entry.get("ranking", "")
    if ranking and (ranking == OVERALL or not re.fullmatch("[a-z0-9_-]+", ranking)):
        raise ValueError(
            "ranking must consist of lower-case letters, digits, - and _, and not be "
            f"{OVERALL!r}, got {ranking!r}"
        )
    settings = entry.get("settings", {})
    for name in ("horizon", "max_episode_steps"):
        if name in settings:
            raise ValueError(f"{name}: horizon is a key of the task, not of its settings")
    try:
        json.dumps(settings, allow_nan=False)
    except (TypeError, ValueError):
        raise ValueError(
            "settings must be finite numbers, strings, booleans, arrays or tables of these"
        ) from None


def _text(value: object) -> str | None:
    """The part of a setting that may name a file: a string, or the table beside its target."""
    if isinstance(value, list) and len(value) == 2 and isinstance(value[1], str):
        value = value[0]
    return value if isinstance(value, str) else None


def _with_paths(value: Any, paths: dict[str, str]) -> Any:
    """A setting with the path of the file that it names."""
    path = paths.get(_text(value) or "")
    if path is None:
        return value
    return path if isinstance(value, str) else [path, *value[1:]]


def _check_code(entry: dict[str, Any], trust: bool) -> None:
    """Refuse an unknown environment, and third-party code without ``trust``."""
    env, reference = entry["env"], entry.get("reference", "")
    if not environments.known(env):
        own_file = f"; name the class too, {env}:Mine" if env.endswith(".py") else None
        raise ValueError(f"unknown environment {env!r}{own_file or nearest(env, ENVIRONMENTS)}")
    for name, ours in ((env, environments.is_ours(env)), (reference, names_own(reference))):
        if not (ours or trust):
            raise ValueError(
                f"{name} is code that is not banditgym's: read it, then run it with --trust "
                "(trust=True in Python)"
            )


def _check_measure(
    entry: dict[str, Any], place: str, settings: dict[str, Any], family: str
) -> None:
    """Refuse a measure that the environment does not report: no result could have it."""
    measure = entry.get("measure", "regret")
    if measure in _ALWAYS.get(family, ("regret",)):  # as nearly always: no environment is made
        return
    finds_best = settings.get("objective") == "best_arm" and environments.is_ours(place)
    if finds_best and measure in ("error", *["stopping_time"] * ("delta" in settings)):
        return
    known = environments.measures(place, settings)
    if measure not in known:
        raise ValueError(
            f"{entry['env']} has no measure {measure!r}{nearest(measure, known)}; it has "
            f"{', '.join(known)}"
        )


def _check_keys(table: dict[str, Any], kinds: dict[str, type], required: tuple[str, ...]) -> None:
    for key, value in table.items():
        if key not in kinds:
            raise ValueError(f"unknown key {key!r}{nearest(key, kinds)}")
        kind = kinds[key]
        if not isinstance(value, kind) or isinstance(value, bool):
            raise ValueError(f"{key} must be {_KINDS[kind]}, got {value!r}")
    for key in required:
        if key not in table:
            raise ValueError(f"the key {key!r} is missing")
