"""What is scored: tasks (a world, its settings, a horizon), seeds, and frozen baselines.

A suite is a TOML file; the package ships some in ``leaderboards/suites``. It names no learner, so
a learner written later is scored on an old suite. Its hash covers what decides a number (worlds,
settings, horizons, measures, seeds) and not what is said about it (titles, baselines, references).
"""

import hashlib
import json
import math
import tomllib
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from agents.naming import nearest
from banditgym.registration import WORLDS

SHIPPED = Path(__file__).parent / "suites"
BASELINE_SEEDS = 10**6  # baselines are computed on seeds from here on, so scored seeds lie below

_SUITE_KEYS = {"title": str, "seeds": int, "task": list}
_TASK_KEYS = {
    "name": str,
    "env": str,
    "horizon": int,
    "measure": str,
    "baseline": float,
    "best": float,
    "noise": float,
    "reference": str,
    "settings": dict,
}
_REQUIRED_TASK_KEYS = ("name", "env", "horizon")
_KINDS = {
    str: "a string",
    int: "an integer",
    float: "a number",
    list: "an array",
    dict: "a table",
}


@dataclass(frozen=True, kw_only=True)
class SuiteTask:
    """One scored problem of a suite.

    Parameters
    ----------
    name : str
        Unique within the suite.
    env : str
        Id of the world.
    settings : dict
        Settings of the world, without the horizon. A string that names a file beside the suite
        is replaced by that file's path.
    horizon : int
        Rounds per episode, T.
    family : str
        The problem that the world belongs to.
    measure : str
        Name of the cumulative measure that is scored.
    baseline, best : float
        Mean of the measure at the horizon under uniform play, and the value that scores 1; NaN
        where the suite holds none.
    noise : float
        Standard error of ``baseline - best`` over seeds: of ``baseline`` alone where ``best`` is
        known, and of both, paired by seed, where it is a reference's mean.
    reference : str or None
        The learner whose mean ``best`` is, as ``agents.naming.resolve`` takes it. None where
        ``best`` is known: no regret.
    files : tuple of (str, str)
        Data files among the settings: (as written, path).
    """

    name: str
    env: str
    settings: dict[str, Any]
    horizon: int
    family: str
    measure: str = "regret"
    baseline: float = math.nan
    best: float = math.nan
    noise: float = math.nan
    reference: str | None = None
    files: tuple[tuple[str, str], ...] = ()

    @property
    def scored(self) -> bool:
        """Whether ``baseline`` and ``best`` differ by at least their noise."""
        return abs(self.baseline - self.best) >= self.noise and self.baseline != self.best


@dataclass(frozen=True, kw_only=True)
class Suite:
    """Tasks, the seeds that they are played on, and a hash of both.

    Parameters
    ----------
    name : str
        Name of the file without its ending.
    title : str
        One line on what the suite is about.
    seeds : tuple of int
        Seeds of the replicates that every learner plays.
    tasks : tuple of SuiteTask
    hash : str
        16 hexadecimal digits that identify worlds, settings, horizons, measures and seeds.
    n_seeds : int
        How many seeds its file has; ``seeds`` may be the first of them.
    """

    name: str
    title: str
    seeds: tuple[int, ...]
    tasks: tuple[SuiteTask, ...]
    hash: str
    n_seeds: int

    def first(self, n_seeds: int) -> "Suite":
        """The same suite on its first ``n_seeds`` seeds, for a quick look."""
        if not 1 <= n_seeds <= self.n_seeds:
            raise ValueError(
                f"{self.name} has {self.n_seeds} seeds, so seeds must be in "
                f"1..{self.n_seeds}, got {n_seeds}"
            )
        return replace(self, seeds=tuple(range(n_seeds)))


def available() -> list[str]:
    """Names of the suites that are shipped."""
    return sorted(path.stem for path in SHIPPED.glob("*.toml"))


def load(name_or_path: str | Path) -> Suite:
    """Read a suite.

    Parameters
    ----------
    name_or_path : str or Path
        The name of a shipped suite, or the path of a TOML file.

    Raises
    ------
    ValueError
        If there is no such suite, or its file breaks a rule: the message names both.
    """
    name = str(name_or_path)
    path = SHIPPED / f"{name}.toml" if name in available() else Path(name)
    if path.suffix != ".toml":
        known = available()
        hint = nearest(name, known) or f"; there are {', '.join(known)}"
        raise ValueError(f"unknown suite {name!r}{hint}")
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        reason = error.strerror if isinstance(error, OSError) else "it is not UTF-8 text"
        raise ValueError(f"the suite file {name} cannot be read: {reason}") from None
    try:
        data = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise ValueError(f"{path.name} is not valid TOML: {error}") from None
    except RecursionError:
        raise ValueError(f"{path.name} is nested too deeply") from None
    return _suite(data, path)


def _suite(data: dict[str, Any], path: Path) -> Suite:
    where = path.name
    _check_keys(data, _SUITE_KEYS, tuple(_SUITE_KEYS), where)
    if not 1 <= data["seeds"] <= BASELINE_SEEDS:
        raise ValueError(
            f"{where}: seeds is a number of replicates in 1..{BASELINE_SEEDS}, got {data['seeds']}"
        )
    if not data["task"]:
        raise ValueError(f"{where}: there must be at least one [[task]]")
    tasks = tuple(_task(entry, i, path) for i, entry in enumerate(data["task"], start=1))
    names = [task.name for task in tasks]
    for name in names:
        if names.count(name) > 1:
            raise ValueError(f"{where}: task names must be unique, {name!r} is there twice")
    seeds = tuple(range(data["seeds"]))
    return Suite(
        name=path.stem,
        title=data["title"],
        seeds=seeds,
        tasks=tasks,
        hash=_hash(data, seeds),
        n_seeds=len(seeds),
    )


def _task(entry: Any, position: int, path: Path) -> SuiteTask:
    where = f"{path.name}, task {position}"
    if not isinstance(entry, dict):
        raise ValueError(f"{where}: a task is a [[task]] table, got {entry!r}")
    if isinstance(entry.get("name"), str):
        where = f"{path.name}, task {entry['name']!r}"
    _check_keys(entry, _TASK_KEYS, _REQUIRED_TASK_KEYS, where)
    if not entry["horizon"] >= 1:
        raise ValueError(f"{where}: horizon must be >= 1, got {entry['horizon']}")
    scale = [key in entry for key in ("baseline", "best", "noise")]
    if any(scale) and not all(scale):
        raise ValueError(f"{where}: baseline, best and noise are given together or not at all")
    for key in ("baseline", "best", "noise"):
        if not math.isfinite(entry.get(key, 0.0)):
            raise ValueError(f"{where}: {key} must be finite, got {entry[key]}")
    if not entry.get("noise", 0.0) >= 0:
        raise ValueError(f"{where}: noise must be >= 0, got {entry['noise']}")
    if "reference" in entry and entry.get("measure", "regret") == "regret":
        raise ValueError(
            f"{where}: reference says where best comes from, and of regret best is 0: drop it"
        )
    settings = entry.get("settings", {})
    if "horizon" in settings:
        raise ValueError(f"{where}: horizon is a key of the task, not of its settings")
    try:
        json.dumps(settings, allow_nan=False)
    except (TypeError, ValueError):
        raise ValueError(
            f"{where}: settings are finite numbers, strings, booleans, arrays and tables of these"
        ) from None
    files = tuple((value, str(path.parent / value)) for value in _files(settings, path.parent))
    return SuiteTask(
        name=entry["name"],
        env=entry["env"],
        settings={
            key: dict(files).get(value, value) if isinstance(value, str) else value
            for key, value in settings.items()
        },
        horizon=entry["horizon"],
        family=_family(entry["env"], where),
        measure=entry.get("measure", "regret"),
        baseline=float(entry.get("baseline", math.nan)),
        best=float(entry.get("best", math.nan)),
        noise=float(entry.get("noise", math.nan)),
        reference=entry.get("reference"),
        files=files,
    )


def _family(env: str, where: str) -> str:
    if env not in WORLDS:
        raise ValueError(f"{where}: unknown environment {env!r}{nearest(env, WORLDS)}")
    return WORLDS[env].family


def _files(settings: dict[str, Any], folder: Path) -> list[str]:
    return [
        value
        for value in settings.values()
        if isinstance(value, str) and (folder / value).is_file()
    ]


def _check_keys(
    table: dict[str, Any], kinds: dict[str, type], required: tuple[str, ...], where: str
) -> None:
    for key, value in table.items():
        if key not in kinds:
            raise ValueError(f"{where}: unknown key {key!r}{nearest(key, kinds)}")
        kind = kinds[key]
        allowed = (int, float) if kind is float else kind
        if not isinstance(value, allowed) or isinstance(value, bool):
            raise ValueError(f"{where}: {key} must be {_KINDS[kind]}, got {value!r}")
    for key in required:
        if key not in table:
            raise ValueError(f"{where}: the key {key!r} is missing")


def _hash(data: dict[str, Any], seeds: tuple[int, ...]) -> str:
    """Hash of a canonical JSON text: the order of tasks and keys, and spelled defaults, are free.

    Settings enter as written, so a data file counts by its name here; its content is part of
    every result's own key.
    """
    tasks = {
        entry["name"]: {
            "env": entry["env"],
            "settings": entry.get("settings", {}),
            "horizon": entry["horizon"],
            "measure": entry.get("measure", "regret"),
        }
        for entry in data["task"]
    }
    text = json.dumps({"tasks": tasks, "seeds": seeds}, sort_keys=True, separators=(",", ":"))
    return hashlib.sha256(text.encode()).hexdigest()[:16]
