"""Tunes agents for a suite: studies side by side, and then their settings on the suite's seeds.

Every agent of a family has the same number of trials on the same seeds. The seeds of the trials and
of the comparison with the defaults are the first of `leaderboards.suites.seed_ranges.TUNING`. The
suite's seeds are played after all studies have ended, and no choice depends on them.
"""

from collections.abc import Callable, Sequence
from concurrent.futures import BrokenExecutor, Executor
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

from agents.naming import named, own_agents
from banditgym.files import whole_files
from banditgym.validation import nearest
from leaderboards.console.progress import Advance, silent, words
from leaderboards.defaults import TRIALS
from leaderboards.processes.pool import collected
from leaderboards.rank.baselines import check_scored, played_baselines
from leaderboards.rank.board import Board
from leaderboards.rank.tuned import with_tuned
from leaderboards.rank.tuned_records import Tuned, as_text, from_text
from leaderboards.run import runner
from leaderboards.run.entrants import Entrant, entrants, known_of
from leaderboards.run.execution import DEFAULT, Execution
from leaderboards.run.keys.sources import current
from leaderboards.run.plan import work
from leaderboards.run.store.store import Row, Store
from leaderboards.suites.seed_ranges import TUNING
from leaderboards.suites.suite import Suite, hash_of
from leaderboards.tuning.optional import optuna
from leaderboards.tuning.study import Study, run
from leaderboards.tuning.trials import spec_of
from leaderboards.tuning.tuning_tasks import TuningTasks

SEEDS = 16  # of a trial, all at once
FURTHER = 64  # on which the best setting must beat the defaults
SETTINGS = "settings.json"  # what was found, in the folder of the journals
BASELINES = "baselines"  # folder of the results of baselines and references on seeds of tuning
ROWS = "rows"  # folder of the results on the suite's seeds


@dataclass(frozen=True)
class PlannedStudy:
    """An agent, a family, and the tasks of the family that the agent plays."""

    entrant: Entrant
    family: str
    names: tuple[str, ...]


def tune(
    tasks: TuningTasks,
    specs: Sequence[str] | None,
    folder: Path,
    *,
    family: str | None = None,
    trials: int = TRIALS,
    execution: Execution = DEFAULT,
    progress: Advance = silent,
) -> list[Tuned]:
    """Tune agents, and play their settings and their defaults on the suite's seeds.

    All agents are trusted. Results that the folder has are not played again.

    Parameters
    ----------
    specs : sequence of str, or None
        Agents; None means every agent of ours that is ranked and has a search space.
    folder : Path
        For the journals, the settings found, and the rows of results.
    family : str, optional
        Only this one of the suite's families.
    trials : int
        Number of trials of every study; the first one is the defaults.
    execution : Execution
        How many studies, and cells, run at a time, and by what.
    progress : callable
        As for ``runner.run``.

    Returns
    -------
    list of Tuned
        In the order of the suite's families and of the agents.

    Raises
    ------
    ValueError
        If there is nothing to tune, a journal is of another study, or the defaults fail.
    OSError
        If a process dies; finished trials are kept.
    """
    optuna()
    if not trials >= 1:
        raise ValueError(f"trials must be >= 1, got {trials}")
    todo = planned(tasks, specs, family)
    folder.mkdir(parents=True, exist_ok=True)
    names = list(dict.fromkeys(name for one in todo for name in one.names))
    both = tasks.on(range(TUNING.start, TUNING.start + SEEDS + FURTHER), names)
    # Of all tasks, even if few agents are tuned, so that a later call finds these rows. The file
    # beside the suite may have other settings than the suite, so its own hash would not do.
    known = hash_of([{**vars(task), "settings": task.written} for task in tasks.tried], ())
    played = played_baselines(
        replace(both, hash=known),
        store=Store(folder / BASELINES),
        execution=execution,
        progress=progress,
    )
    check_scored(both, played)
    studies = [_study(tasks, one, trials, played) for one in todo]
    results = _side_by_side(studies, folder, execution.fresh(len(studies)), progress)
    found = [
        _record(tasks, one, study, result)
        for one, study, result in zip(todo, studies, results, strict=True)
    ]
    _keep(folder, found)
    for name in tasks.suite.families:
        own = [one for one in found if one.family == name]
        specs = list(dict.fromkeys(spec for one in own for spec in (one.spec, one.tuned)))
        if own:
            store = Store(folder / ROWS)
            part = tasks.suite.of(name)
            runner.run(part, specs, store=store, execution=execution, progress=progress)
    return found


def planned(
    tasks: TuningTasks, specs: Sequence[str] | None, family: str | None
) -> list[PlannedStudy]:
    """The studies to run: every agent on every family, if it can play a task of the family.

    Raises
    ------
    ValueError
        If the suite has no such family, an agent is a reference or declares no space, or plays
        none of the tasks.
    """
    families = tasks.suite.families
    if family is not None and family not in families:
        hint = nearest(family, families) or f"; there are {', '.join(families)}"
        raise ValueError(f"{tasks.suite.name} has no family {family!r}{hint}")
    chosen = entrants(ranked(tasks.suite) if specs is None else specs, limit=None)
    for entrant in chosen:
        _refuse_untunable(entrant)
    known = {task.name: known_of(task) for task in tasks.tried}
    found = []
    for name in families if family is None else [family]:
        for entrant in chosen:
            own = [task for task in tasks.tried if task.family == name]
            played = [task.name for task in own if entrant.refusal(task, known[task.name]) is None]
            if played:
                found.append(PlannedStudy(entrant, name, tuple(played)))
    if not found:
        where = f"the {family} tasks" if family else "a task"
        labels = ", ".join(entrant.about["agent"] for entrant in chosen)
        raise ValueError(f"{labels} cannot play {where} of {tasks.suite.name}")
    return found


def seconds_of(tasks: TuningTasks, todo: Sequence[PlannedStudy], trials: int) -> float:
    """Rough seconds of one core for studies, and for scoring what they find."""
    own = {task.name: work(task) for task in tasks.suite.tasks}
    seeds = SEEDS * trials + 2 * FURTHER + 2 * tasks.suite.n_seeds
    return seeds * sum(own[name] for one in todo for name in one.names)


def ranked(suite: Suite) -> list[str]:
    """The suite's agents of this package that are ranked and have something to tune."""
    own = named()
    classes = {spec: own.get(spec.partition("(")[0]) for spec in suite.agents or own_agents()}
    return [
        spec for spec, cls in classes.items() if cls and cls.search and not cls.full_information
    ]


def read(folder: Path) -> list[Tuned]:
    """The settings in a folder.

    Raises
    ------
    ValueError
        If there are none, or the file is damaged.
    """
    path = folder / SETTINGS
    if not path.exists():
        raise ValueError(f"{folder} has no tuned settings: banditgym tune writes them there")
    try:
        return from_text(path.read_text("utf-8"))
    except (ValueError, KeyError, TypeError):
        raise ValueError(f"{path} is not a file of tuned settings") from None


def rows_of(folder: Path, suite: Suite) -> list[Row]:
    """A folder's results of settings and defaults on the suite's seeds."""
    return Store(folder / ROWS).rows(suite.hash)


def with_folder(board: Board, rows: list[Row], folder: Path) -> Board:
    """The board of the defaults' rows with the settings of a folder.

    Raises
    ------
    ValueError
        If results of the folder come from other sources than the present ones.
    """
    tuned, outdated = current(board.suite, rows_of(folder, board.suite))
    if outdated:
        raise ValueError(
            f"{folder} was tuned with other sources of {', '.join(outdated[:3])}"
            f"{', ..' if len(outdated) > 3 else ''}: run banditgym tune into another folder"
        )
    return with_tuned(board, [*rows, *tuned], read(folder))


def _refuse_untunable(entrant: Entrant) -> None:
    agent = entrant.agent
    label = entrant.about["agent"]
    if agent is None or agent.full_information:
        raise ValueError(f"{label} is a reference, which is not ranked, and so is not tuned")
    if not agent.search:
        raise ValueError(
            f"{label} has nothing to tune: its class attribute search names no hyperparameters"
        )


def _study(tasks: TuningTasks, planned_study: PlannedStudy, trials: int, baselines: dict) -> Study:
    agent = planned_study.entrant.agent
    assert agent is not None
    middle = TUNING.start + SEEDS
    return Study(
        spec=planned_study.entrant.about["spec"],
        family=planned_study.family,
        space=dict(agent.search or {}),
        trials=trials,
        search=tasks.on(range(TUNING.start, middle), planned_study.names),
        check=tasks.on(range(middle, middle + FURTHER), planned_study.names),
        baselines={name: baselines[name] for name in planned_study.names},
        sources=planned_study.entrant.about["sources"],
    )


def _side_by_side(
    studies: Sequence[Study], folder: Path, fresh: Callable[[], Executor], progress: Advance
) -> list[dict[str, Any]]:
    """Run studies in processes, the longest ones first; a process runs one study at a time."""
    order = sorted(range(len(studies)), key=lambda i: -_length(studies[i]))
    found: dict[int, dict[str, Any]] = {}
    try:
        for ended, running in collected(
            fresh(), {i: partial(run, studies[i], folder) for i in order}
        ):
            found |= {i: future.result() for i, future in ended}
            now = [f"{studies[i].spec} on {studies[i].family}" for i in running[:2]]
            progress(len(found) / len(studies), False, words(len(found), len(studies), now))
    except BrokenExecutor as error:
        raise OSError(f"a process of a study died; finished trials are kept: {error}") from error
    return [found[i] for i in range(len(studies))]


def _length(study: Study) -> float:
    """Rounds of a study, roughly by the cost of a round."""
    slow = {"kernelized": 30.0, "news": 3.0}.get(study.family, 1.0)
    return slow * sum(task.horizon for task in study.search.tasks)


def _record(
    tasks: TuningTasks, planned_study: PlannedStudy, study: Study, found: dict[str, Any]
) -> Tuned:
    tuned = spec_of(study.spec, found["setting"]) if found["setting"] else study.spec
    (described,) = entrants([tuned], limit=None)
    return Tuned(
        agent=planned_study.entrant.about["agent"],
        spec=study.spec,
        tuned=described.about["spec"],
        family=planned_study.family,
        tasks=planned_study.names,
        trials=study.trials,
        seeds=(study.search.seeds[0], study.search.n_seeds),
        further=(study.check.seeds[0], study.check.n_seeds),
        same_data=tasks.on_same_data(planned_study.names),
        space=study.about()["space"],
        suite=tasks.suite.hash,
        sources=study.sources,
        **found,
    )


def _keep(folder: Path, found: Sequence[Tuned]) -> None:
    """Write settings into the folder's file, in place of earlier ones of the same studies."""
    path = folder / SETTINGS
    before = read(folder) if path.exists() else []
    every = {(one.spec, one.family): one for one in [*before, *found]}
    whole_files.write(path, as_text(every.values()))
