"""Suites, which define what is scored: tasks (an environment, its settings, a horizon) and seeds.

A suite is a TOML file; the package ships some in ``leaderboards/suites``. It can score any agent,
also newer ones: its key ``agents`` only says which ones play if none is named. Its hash covers what
results depend on (environments, settings, horizons, measures, seeds) and nothing else: not titles,
and not the measures that score 0 and 1, which are in a file beside it (see
`leaderboards.suites.baselines_file`).
"""

import hashlib
import json
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from banditgym.validation import nearest
from leaderboards.suites import baselines_file, environments, resources, seed_ranges
from leaderboards.suites.baselines_file import Baselines
from leaderboards.suites.resources import Resources
from leaderboards.suites.suite_tables import check_suite, check_twins, task_fields, tasks_of

SHIPPED = Path(__file__).parent
HELD_OUT = ".held-out"  # suffix of the name of a suite's file of ranges
TUNING = ".tuning"  # suffix of the name of a suite's file of tasks that are tuned on
# The ranking of tasks that are no fair test beside others of their family.
APART = {
    "DriftingArmedBandit-v0": "armed-drift",
    "DriftingLinearBandit-v0": "linear-drift",
}
# What a suite's hash covers of a task, with the values of keys that its table lacks.
_HASHED = {"env": None, "settings": {}, "horizon": None, "measure": "regret"}


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
        the family can play it, or if its parameter drifts. Only agents that play all tasks of a
        ranking are ranked.
    twin : str or None
        The task that differs from it in some settings alone; tables show the difference to it on
        the same seeds.
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
    twin: str | None = None
    files: tuple[tuple[str, str], ...] = ()
    folder: str = ""
    hidden: tuple[int, ...] = field(default=(), repr=False)

    def __post_init__(self):
        if not self.ranking:
            object.__setattr__(self, "ranking", APART.get(self.env, self.family))

    @classmethod
    def from_plain(cls, fields: Mapping[str, Any]) -> "SuiteTask":
        """A task from its fields as JSON holds them: tuples are lists there."""
        tuples = {"files": tuple(map(tuple, fields["files"])), "hidden": tuple(fields["hidden"])}
        return cls(**{**fields, **tuples})

    def played(self, seeds: Sequence[int]) -> list[int]:
        """The environment's seeds for these seeds of rows."""
        return [self.hidden[seed] for seed in seeds] if self.hidden else list(seeds)

    @property
    def written(self) -> dict[str, Any]:
        """Its settings with files named as in the suite."""
        names = {path: name for name, path in self.files}
        return {
            key: names.get(value, value) if isinstance(value, str) else value
            for key, value in self.settings.items()
        }

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
    hash : str
        16 hexadecimal digits that identify environments, settings, horizons, measures and seeds.
    n_seeds : int
        Number of seeds in its file; ``seeds`` may be only the first of them.
    baselines : dict of str to Baselines
        The measures that score 0 and 1, by task, as far as a file beside the suite has them.
    resources : Resources or None
        What an agent may use in the sandbox; None for a suite without a file.
    agents : tuple of str or None
        The agents that play if none is named; None for every agent of this package.
    used : range
        The use of the seeds: a range of `leaderboards.suites.seed_ranges`.

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
    baselines: dict[str, Baselines] = field(default_factory=dict)
    resources: Resources | None = None
    agents: tuple[str, ...] | None = None
    used: range = seed_ranges.SCORING

    def __post_init__(self):
        if not any(task.hidden for task in self.tasks):
            seed_ranges.check(self.seeds, self.used)

    def __repr__(self) -> str:
        return f"<Suite {self.name}: {len(self.tasks)} tasks, {len(self.seeds)} seeds>"

    @property
    def families(self) -> list[str]:
        """The families of its tasks, in its order."""
        return list(dict.fromkeys(task.family for task in self.tasks))

    def of(self, family: str) -> "Suite":
        """The suite with only its tasks of a family; results of one belong to the other."""
        return replace(self, tasks=tuple(task for task in self.tasks if task.family == family))

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


def load(name_or_path: str | Path, *, with_baselines: bool = True, trust: bool = False) -> Suite:
    """Read a suite.

    Parameters
    ----------
    name_or_path : str or Path
        The name of a shipped suite, or the path of a TOML file.
    with_baselines : bool
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
    return _suite(data, path, with_baselines, trust)


def of_environment(env: str, horizon: int, settings: Mapping[str, Any]) -> Suite:
    """A suite of one task, without a file and with the environment's name.

    Its hash covers no seeds, so results of any seed belong to it. Third-party code is trusted.

    Raises
    ------
    ValueError
        If the environment does not exist, or the settings are not those of a suite.
    """
    entry = {"name": env, "env": env, "horizon": horizon, "settings": dict(settings)}
    task = SuiteTask(**task_fields(entry, 1, Path("comparison"), trust=True))
    digest = hash_of([entry], ())
    return Suite(name=env, title=env, seeds=(), tasks=(task,), hash=digest, n_seeds=0)


def _suite(data: dict[str, Any], path: Path, with_baselines: bool, trust: bool) -> Suite:
    where = path.name
    check_suite(data, where)
    entries = tasks_of(data["task"], where)
    tasks = tuple(
        SuiteTask(**task_fields(entry, i, path, trust)) for i, entry in enumerate(entries, start=1)
    )
    names = [task.name for task in tasks]
    for name in names:
        if names.count(name) > 1:
            raise ValueError(f"{where}: task names must be unique, {name!r} occurs twice")
    check_twins(entries, where)
    seeds = tuple(range(data["seeds"]))
    digest, beside = hash_of(entries, seeds), baselines_file.path_of(path)
    known = baselines_file.read(beside, digest, len(seeds), tasks) if with_baselines else {}
    return Suite(
        name=path.stem,
        title=data["title"],
        seeds=seeds,
        tasks=tasks,
        hash=digest,
        n_seeds=len(seeds),
        baselines=known,
        resources=resources.of_suite(path),
        agents=None if "agents" not in data else tuple(data["agents"]),
    )


def hash_of(entries: Sequence[Mapping[str, Any]], seeds: tuple[int, ...]) -> str:
    """Hash of a canonical JSON text, equal for any order of tasks and keys and explicit defaults.

    Settings are hashed as written, so a data file is hashed by its name; the key of every result
    covers the file's contents.

    Parameters
    ----------
    entries : sequence of mapping
        The tables of the tasks, as in a suite's file; other keys than those of ``_HASHED`` do not
        count.
    """
    tasks = {
        entry["name"]: {key: entry.get(key, default) for key, default in _HASHED.items()}
        for entry in entries
    }
    text = json.dumps({"tasks": tasks, "seeds": seeds}, sort_keys=True, separators=(",", ":"))
    return hashlib.sha256(text.encode()).hexdigest()[:16]
