"""Suites, which define what is scored: tasks (an environment, its settings, a horizon) and seeds.

A suite is a TOML file; the package ships some in ``leaderboards/suites``. It names no agent, so an
old suite can score newer agents. Its hash covers what results depend on (environments, settings,
horizons, measures, seeds) and nothing else: not titles, and not the measures that score 0 and 1,
which are in a file beside it (see `leaderboards.ends`).
"""

import hashlib
import json
import re
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from agents.places import names_own
from banditgym.registration import ENVIRONMENTS
from banditgym.validation import nearest
from banditgym.vector_env import MOST_ROUNDS
from leaderboards import ends, environments, resources, seed_ranges
from leaderboards.ends import Ends
from leaderboards.resources import Resources

SHIPPED = Path(__file__).parent / "suites"
HELD_OUT = ".held-out"  # suffix of the name of a suite's file of ranges
TUNING = ".tuning"  # suffix of the name of a suite's file of tasks that are tuned on
OVERALL = "overall"  # the ranking over all tasks
MOST_SEEDS = len(seed_ranges.SCORING)

_SUITE_KEYS = {"title": str, "seeds": int, "task": list}
_TASK_KEYS = {
    "name": str,
    "env": str,
    "horizon": int,
    "measure": str,
    "reference": str,
    "ranking": str,
    "settings": dict,
}
_REQUIRED_TASK_KEYS = ("name", "env", "horizon")
_KINDS = {
    str: "a string",
    int: "an integer",
    list: "an array",
    dict: "a table",
}


@dataclass(frozen=True, kw_only=True)
class SuiteTask:
    """One problem of a suite.

    Parameters
    ----------
    name : str
        Unique within the suite.
    env : str
        Id of the environment.
    settings : dict
        Settings of the environment, without the horizon. A string that names a file beside the
        suite is replaced by that file's path.
    horizon : int
        Rounds per episode, T.
    family : str
        The problem that the environment belongs to.
    measure : str
        Name of the cumulative measure that is scored.
    reference : str or None
        The agent whose measure scores 1 on each seed, as ``agents.naming.resolve`` takes it. None
        if regret 0 scores 1.
    ranking : str
        The ranking that the task counts in: its family's, or a separate one if only some agents of
        the family can play it. Only agents that play all tasks of a ranking are ranked.
    files : tuple of (str, str)
        Files that its rewards depend on, as (name in the suite, path): data files among the
        settings, and the code of a third-party environment.
    folder : str
        The folder of the suite's file, in which files of code are looked for.
    hidden : tuple of int
        For an epoch's task: the environment's seed of every index, which rows and errors do not
        contain. Empty if the suite's own seeds are played.
    """

    name: str
    env: str
    settings: dict[str, Any]
    horizon: int
    family: str
    measure: str = "regret"
    reference: str | None = None
    ranking: str = ""
    files: tuple[tuple[str, str], ...] = ()
    folder: str = ""
    hidden: tuple[int, ...] = field(default=(), repr=False)

    def __post_init__(self):
        if not self.ranking:
            object.__setattr__(self, "ranking", self.family)

    @classmethod
    def from_plain(cls, fields: Mapping[str, Any]) -> "SuiteTask":
        """A task from its fields as JSON holds them: tuples are lists there."""
        tuples = {"files": tuple(map(tuple, fields["files"])), "hidden": tuple(fields["hidden"])}
        return cls(**{**fields, **tuples})

    def played(self, seeds: Sequence[int]) -> list[int]:
        """The environment's seeds for these seeds of rows."""
        return [self.hidden[seed] for seed in seeds] if self.hidden else list(seeds)

    @property
    def place(self) -> str:
        """The environment's name in a form that works in any working directory."""
        return environments.located(self.env, self.folder)

    @property
    def reference_place(self) -> str | None:
        """The reference's name in the same form."""
        return self.reference and environments.located(self.reference, self.folder)


@dataclass(frozen=True, kw_only=True)
class Suite:
    """Tasks, the seeds that they are played on, and a hash of both.

    Parameters
    ----------
    name : str
        Name of the file without its extension.
    title : str
        One line on what the suite is about.
    seeds : tuple of int
        Seeds of the replicates that every agent plays.
    tasks : tuple of SuiteTask
    hash : str
        16 hexadecimal digits that identify environments, settings, horizons, measures and seeds.
    n_seeds : int
        Number of seeds in its file; ``seeds`` may be only the first of them.
    ends : dict of str to Ends
        The measures that score 0 and 1, by task, as far as a file beside the suite has them.
    resources : Resources or None
        What an agent may use in the sandbox; None for a suite without a file.
    used : range
        The use of the seeds: a range of `leaderboards.seed_ranges`.

    Raises
    ------
    ValueError
        If a seed is outside that range; not if the tasks have hidden seeds, because ``seeds`` are
        then their indices.
    """

    name: str
    title: str
    seeds: tuple[int, ...]
    tasks: tuple[SuiteTask, ...]
    hash: str
    n_seeds: int
    ends: dict[str, Ends] = field(default_factory=dict)
    resources: Resources | None = None
    used: range = seed_ranges.SCORING

    def __post_init__(self):
        if not any(task.hidden for task in self.tasks):
            seed_ranges.check(self.seeds, self.used)

    def __repr__(self) -> str:
        return f"<Suite {self.name}: {len(self.tasks)} tasks, {len(self.seeds)} seeds>"

    def first(self, n_seeds: int) -> "Suite":
        """The suite with only its first ``n_seeds`` seeds."""
        if not 1 <= n_seeds <= self.n_seeds:
            raise ValueError(
                f"{self.name} has {self.n_seeds} seeds, so seeds must be in "
                f"1..{self.n_seeds}, got {n_seeds}"
            )
        return replace(self, seeds=tuple(range(n_seeds)))


def available() -> list[str]:
    """Names of the suites that are shipped."""
    names = (path.stem for path in SHIPPED.glob("*.toml"))
    beside = (HELD_OUT, TUNING, resources.BESIDE)
    return sorted(name for name in names if not name.endswith(beside))


def find(name_or_path: str | Path) -> Path:
    """The file of a suite: its path, or the name of a shipped one.

    Raises
    ------
    ValueError
        If there is no suite of that name.
    """
    name = str(name_or_path)
    path = SHIPPED / f"{name}.toml" if name in available() else Path(name)
    if path.suffix != ".toml":
        known = available()
        hint = nearest(name, known) or f"; there are {', '.join(known)}"
        raise ValueError(f"unknown suite {name!r}{hint}")
    return path


def load(name_or_path: str | Path, *, with_ends: bool = True, trust: bool = False) -> Suite:
    """Read a suite.

    Parameters
    ----------
    name_or_path : str or Path
        The name of a shipped suite, or the path of a TOML file.
    with_ends : bool
        Whether to read the file of baselines beside it; not if it is about to be rewritten.
    trust : bool
        Whether third-party code that the suite names may run: environments and references in other
        files and modules.

    Raises
    ------
    ValueError
        If there is no such suite, or its file breaks a rule; the message names the file and the
        rule. If it names third-party code without ``trust``; the code is then not imported.
    """
    path = find(name_or_path)
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        reason = error.strerror if isinstance(error, OSError) else "it is not UTF-8 text"
        raise ValueError(f"the suite file {name_or_path} cannot be read: {reason}") from None
    try:
        data = tomllib.loads(text)
    except ValueError as error:  # also for integers with too many digits
        raise ValueError(f"{path.name} is not valid TOML: {error}") from None
    except RecursionError:
        raise ValueError(f"{path.name} is nested too deeply") from None
    return _suite(data, path, with_ends, trust)


def of_environment(env: str, horizon: int, settings: Mapping[str, Any]) -> Suite:
    """A suite of one task, without a file and with the environment's name.

    Its hash covers no seeds, so results of any seed belong to it. Third-party code is trusted.

    Raises
    ------
    ValueError
        If the environment does not exist, or the settings are not those of a suite.
    """
    entry = {"name": env, "env": env, "horizon": horizon, "settings": dict(settings)}
    task = _task(entry, 1, Path("comparison"), trust=True)
    digest = hash_of([entry], ())
    return Suite(name=env, title=env, seeds=(), tasks=(task,), hash=digest, n_seeds=0)


def _suite(data: dict[str, Any], path: Path, with_ends: bool, trust: bool) -> Suite:
    where = path.name
    _check_keys(data, _SUITE_KEYS, tuple(_SUITE_KEYS), where)
    if not 1 <= data["seeds"] <= MOST_SEEDS:
        raise ValueError(
            f"{where}: seeds is a number of replicates in 1..{MOST_SEEDS}, got {data['seeds']}"
        )
    if not data["task"]:
        raise ValueError(f"{where}: there must be at least one [[task]]")
    tasks = tuple(_task(entry, i, path, trust) for i, entry in enumerate(data["task"], start=1))
    names = [task.name for task in tasks]
    for name in names:
        if names.count(name) > 1:
            raise ValueError(f"{where}: task names must be unique, {name!r} occurs twice")
    seeds = tuple(range(data["seeds"]))
    digest = hash_of(data["task"], seeds)
    return Suite(
        name=path.stem,
        title=data["title"],
        seeds=seeds,
        tasks=tasks,
        hash=digest,
        n_seeds=len(seeds),
        ends=ends.read(ends.path_of(path), digest, len(seeds), tasks) if with_ends else {},
        resources=resources.of_suite(path),
    )


def _task(entry: object, position: int, path: Path, trust: bool) -> SuiteTask:
    where = f"{path.name}, task {position}"
    if not isinstance(entry, dict):
        raise ValueError(f"{where}: a task is a [[task]] table, got {entry!r}")
    if isinstance(entry.get("name"), str):
        where = f"{path.name}, task {entry['name']!r}"
    _check_keys(entry, _TASK_KEYS, _REQUIRED_TASK_KEYS, where)
    if not 1 <= entry["horizon"] <= MOST_ROUNDS:
        raise ValueError(f"{where}: horizon must be in 1..{MOST_ROUNDS}, got {entry['horizon']}")
    if "reference" in entry and entry.get("measure", "regret") == "regret":
        raise ValueError(
            f"{where}: a reference says what scores 1; for regret 0 regret scores 1: drop it"
        )
    ranking = entry.get("ranking", "")
    if ranking and (ranking == OVERALL or not re.fullmatch("[a-z0-9_-]+", ranking)):
        raise ValueError(
            f"{where}: ranking must consist of lower-case letters, digits, - and _, and not be "
            f"{OVERALL!r}, got {ranking!r}"
        )
    settings = entry.get("settings", {})
    for name in ("horizon", "max_episode_steps"):
        if name in settings:
            raise ValueError(f"{where}: {name}: horizon is a key of the task, not of its settings")
    try:
        json.dumps(settings, allow_nan=False)
    except (TypeError, ValueError):
        raise ValueError(
            f"{where}: settings must be finite numbers, strings, booleans, arrays or tables of "
            "these"
        ) from None
    texts = [text for value in settings.values() if (text := _text(value)) is not None]
    files = tuple(
        (text, str(path.parent / text)) for text in texts if (path.parent / text).is_file()
    )
    folder = str(path.parent.resolve())
    _check_code(entry, folder, trust, where)
    chosen = {key: _with_paths(value, dict(files)) for key, value in settings.items()}
    family, code = _about(entry, folder, chosen, where)
    return SuiteTask(
        name=entry["name"],
        env=entry["env"],
        settings=chosen,
        horizon=entry["horizon"],
        family=family,
        measure=entry.get("measure", "regret"),
        reference=entry.get("reference"),
        ranking=ranking,
        files=files + code,
        folder=folder,
    )


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


def _check_code(entry: dict[str, Any], folder: str, trust: bool, where: str) -> None:
    """Refuse an unknown environment, and third-party code without ``trust``."""
    env, reference = entry["env"], entry.get("reference", "")
    if not environments.known(env):
        hint = (
            f"; name the class too, {env}:Mine"
            if env.endswith(".py")
            else nearest(env, ENVIRONMENTS)
        )
        raise ValueError(f"{where}: unknown environment {env!r}{hint}")
    for name, ours in ((env, environments.is_ours(env)), (reference, names_own(reference))):
        if not (ours or trust):
            raise ValueError(
                f"{where}: {name} is code that is not banditgym's: read it, then run it with "
                "--trust (trust=True in Python)"
            )


def _about(
    entry: dict[str, Any], folder: str, settings: dict[str, Any], where: str
) -> tuple[str, tuple[tuple[str, str], ...]]:
    """The family of a task, and the file with its environment's code if it is third-party."""
    name = environments.located(entry["env"], folder)
    try:
        family = environments.family(name, {"horizon": entry["horizon"], **settings})
        code = environments.source(name)
    except (ValueError, OSError) as error:
        raise ValueError(f"{where}: {error}") from None
    return family, () if code is None else ((entry["env"], code),)


def _check_keys(
    table: dict[str, Any], kinds: dict[str, type], required: tuple[str, ...], where: str
) -> None:
    for key, value in table.items():
        if key not in kinds:
            raise ValueError(f"{where}: unknown key {key!r}{nearest(key, kinds)}")
        kind = kinds[key]
        if not isinstance(value, kind) or isinstance(value, bool):
            raise ValueError(f"{where}: {key} must be {_KINDS[kind]}, got {value!r}")
    for key in required:
        if key not in table:
            raise ValueError(f"{where}: the key {key!r} is missing")


def hash_of(entries: Sequence[Mapping[str, Any]], seeds: tuple[int, ...]) -> str:
    """Hash of a canonical JSON text, equal for any order of tasks and keys and explicit defaults.

    Settings are hashed as written, so a data file is hashed by its name; the key of every result
    covers the file's contents.

    Parameters
    ----------
    entries : sequence of mapping
        The tables of the tasks, as in a suite's file.
    seeds : tuple of int
    """
    tasks = {
        entry["name"]: {
            "env": entry["env"],
            "settings": entry.get("settings", {}),
            "horizon": entry["horizon"],
            "measure": entry.get("measure", "regret"),
        }
        for entry in entries
    }
    text = json.dumps({"tasks": tasks, "seeds": seeds}, sort_keys=True, separators=(",", ":"))
    return hashlib.sha256(text.encode()).hexdigest()[:16]
