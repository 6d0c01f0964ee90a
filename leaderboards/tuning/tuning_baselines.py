"""The measures of uniform play and of references on seeds of tuning, kept in a folder."""

import json
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

from banditgym.files import whole_files
from leaderboards.console.progress import Advance, silent
from leaderboards.rank.baselines import baselines
from leaderboards.run.keys.sources import of_agent, of_environment
from leaderboards.suites.baselines_file import Ends, of_file
from leaderboards.suites.suite import Suite, SuiteTask

FILE = "baselines.json"


def kept_baselines(
    suite: Suite, folder: Path, *, workers: int | None = None, progress: Advance = silent
) -> dict[str, Ends]:
    """The ends of a suite on seeds of tuning: those of the folder, and others after playing them.

    Parameters
    ----------
    suite : Suite
        On seeds of tuning.
    workers, progress
        As for ``rank.baselines.baselines``.

    Raises
    ------
    ValueError
        If a task would not be scored on these seeds.
    """
    path = folder / FILE
    kept: dict[str, Any] = {}
    if path.exists():
        try:
            kept = json.loads(path.read_text(encoding="utf-8"))
        except ValueError:
            raise ValueError(f"{path} is not a file of baselines: remove it") from None
    wanted = {task.name: _about(task, suite) for task in suite.tasks}
    lacking = tuple(
        task for task in suite.tasks if kept.get(task.name, {}).get("of") != wanted[task.name]
    )
    if lacking:
        part = replace(suite, tasks=lacking)
        found = baselines(part, workers=workers, progress=progress)
        for task in lacking:
            kept[task.name] = {"of": wanted[task.name], **_lists(found[task.name], suite)}
        whole_files.write(path, json.dumps(kept, indent=1) + "\n")
    return {name: _ends(kept[name], suite) for name in wanted}


def _about(task: SuiteTask, suite: Suite) -> dict[str, Any]:
    """All that a task's baselines depend on, as JSON holds it."""
    plain = {**asdict(task), "files": [[name, of_file(path)] for name, path in task.files]}
    plain |= {"folder": "", "settings": task.written}
    reference = task.reference_place and of_agent(task.reference_place)
    about = [plain, of_environment(task), reference, [suite.seeds[0], suite.n_seeds]]
    return json.loads(json.dumps({"task": about}))


def _lists(ends: Ends, suite: Suite) -> dict[str, list[float]]:
    """The ends by the order of the seeds."""
    return {
        "uniform": [ends.uniform[seed] for seed in suite.seeds],
        "best": [ends.best[seed] for seed in suite.seeds] if ends.best else [],
    }


def _ends(kept: dict[str, Any], suite: Suite) -> Ends:
    return Ends(
        dict(zip(suite.seeds, kept["uniform"], strict=True)),
        dict(zip(suite.seeds, kept["best"], strict=True)) if kept["best"] else {},
    )
