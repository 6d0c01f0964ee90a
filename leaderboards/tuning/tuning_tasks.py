"""The tasks that tuning plays: a suite's own on other seeds, or those of ``NAME.tuning.toml``.

Other seeds give other environments, unless all seeds share the same data. For tasks with shared
data, the file beside a suite names tasks on other data. If a suite has no such file, agents are
tuned on the data that they are scored on, and their rows say so.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from leaderboards.suites.seed_ranges import TUNING
from leaderboards.suites.suite import TUNING as BESIDE
from leaderboards.suites.suite import Suite, SuiteTask, find, load

# Their rewards come from data that are the same for all seeds.
_OF_DATA = ("MulticlassBandit-v0", "Reuters4-v0", "NewsReplay-v0")
_SAME = ("env", "horizon", "measure", "ranking", "family")


@dataclass(frozen=True)
class TuningTasks:
    """What tuning plays for a suite.

    Attributes
    ----------
    suite : Suite
        The suite that settings are tuned for.
    others : dict of str to SuiteTask
        The tasks that tuning plays in place of the suite's, by name.
    """

    suite: Suite
    others: dict[str, SuiteTask]

    @property
    def tried(self) -> tuple[SuiteTask, ...]:
        """The tasks that tuning plays, in the suite's order."""
        return tuple(self.others.get(task.name, task) for task in self.suite.tasks)

    def on(self, seeds: range, names: Sequence[str] | None = None) -> Suite:
        """The suite on seeds of tuning, with some of its tasks, or all.

        Raises
        ------
        ValueError
            If a seed is not one that settings may be tuned on.
        """
        return replace(
            self.suite,
            tasks=tuple(task for task in self.tried if names is None or task.name in names),
            seeds=tuple(seeds),
            n_seeds=len(seeds),
            baselines={},
            used=TUNING,
        )

    def on_same_data(self, names: Sequence[str]) -> tuple[str, ...]:
        """The tasks that are tuned on the data on which they are scored."""
        return tuple(
            task.name
            for task in self.suite.tasks
            if task.name in names
            and task.name not in self.others
            and ("data" in task.settings or task.env in _OF_DATA)
        )


def tuning_tasks(name_or_path: str | Path, *, trust: bool = False) -> TuningTasks:
    """Read a suite, and the tasks of the file beside it if there is one.

    Raises
    ------
    ValueError
        As for ``suite.load``, and if a task of the file is not one of the suite with other data:
        horizon, environment, measure and ranking are the same.
    """
    suite, path = load(name_or_path, trust=trust), find(name_or_path)
    beside = path.with_name(f"{path.stem}{BESIDE}.toml")
    if not beside.exists():
        return TuningTasks(suite, {})
    own = {task.name: task for task in suite.tasks}
    others = {task.name: task for task in load(beside, with_baselines=False, trust=trust).tasks}
    for name, task in others.items():
        if name not in own:
            raise ValueError(f"{beside.name}: {suite.name} has no task {name!r}")
        for key in _SAME:
            if getattr(task, key) != getattr(own[name], key):
                raise ValueError(
                    f"{beside.name}, task {name!r}: only data may differ from the suite's, and "
                    f"{key} is {getattr(task, key)!r}, not {getattr(own[name], key)!r}"
                )
    return TuningTasks(suite, others)
