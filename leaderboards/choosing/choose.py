"""``leaderboards.choose``: plays suitable agents on labelled data, tuned on half of the rows."""

import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from agents.naming import own_agents
from banditgym.validation import brief, whole
from leaderboards.choosing.bandit_problem import BanditProblem, bandit_problem
from leaderboards.choosing.candidates import Choice, choice
from leaderboards.choosing.fixed_actions import FIXED
from leaderboards.choosing.labelled_table import labelled_table
from leaderboards.console.progress import Advance, silent
from leaderboards.defaults import CHOSEN, TRIALS
from leaderboards.rank.tuned_records import Tuned
from leaderboards.run import runner
from leaderboards.run.entrants import Entrant, entrants, known_of
from leaderboards.run.keys.sources import current
from leaderboards.run.plan import work
from leaderboards.run.sizes import execution_for
from leaderboards.run.store.store import Row, Store
from leaderboards.suites.baselines_file import UNIFORM
from leaderboards.tuning.optional import optuna
from leaderboards.tuning.tune import ROWS, planned, seconds_of, tune

SEEDS = 30


def choose(
    data: Any,
    target: str,
    agents: Sequence[str] | None = None,
    *,
    kind: str | None = None,
    trials: int = TRIALS,
    seeds: int = SEEDS,
    horizon: int | None = None,
    store: str | Path = CHOSEN,
) -> Choice:
    """Find the agent to take on labelled data.

    The rows are divided in two halves. Agents are tuned on one, as by ``banditgym tune``, and
    played on the other with their defaults and with their settings. All agents are trusted.

    Parameters
    ----------
    data : str, Path or pandas.DataFrame
        A CSV or Parquet file, or a DataFrame, with the full label of every row.
    target : str
        The column of the labels: classes for a multiclass bandit, or numbers.
    agents : sequence of str, optional
        Agents as `agents.naming.resolve` takes them; by default all of this package's that can play
        the problem.
    kind : "class", "number" or "predicted", optional
        How to read the target; see `leaderboards.choosing.labelled_table`. Agents predict the
        numbers of "predicted", an online regression; other numbers make a kernelized bandit whose
        arms are the rows.
    trials : int
        Settings to try for each agent, the defaults first; with 1, or without Optuna, all play
        their defaults.
    seeds : int
        Seeds of the report: 0, 1, ..
    horizon : int, optional
        Rounds per episode.
    store : str or Path
        Folder of results. The same call finds them there, and continues if it was stopped.

    Raises
    ------
    ValueError
        In one line, if the data is not a table with full labels, or if an agent does not exist or
        cannot play the problem.
    """
    table = labelled_table(data, target, kind)
    problem = bandit_problem(table, Path(store), whole("seeds", seeds), horizon)
    for text in problem.warned:
        warnings.warn(f"{table.name}: {text}", stacklevel=2)
    return Choosing(problem, agents, whole("trials", trials)).play()


@dataclass
class Choosing:
    """A choice as it is played.

    Parameters
    ----------
    workers : int, optional
        How many cells and studies run at a time; by default 1 for short work, and one per core
        for long work.
    progress : callable
        As for ``runner.run``.
    """

    problem: BanditProblem
    agents: Sequence[str] | None = None
    trials: int = TRIALS
    workers: int | None = None
    progress: Advance = silent

    def __post_init__(self):
        self.entrants = suitable(self.problem, self.agents)

    @property
    def seconds(self) -> float:
        """Rough seconds of one core for everything."""
        suite, task = self.problem.suite, self.problem.task
        paces = [entrant.seconds_per_round for entrant in self.entrants]
        seconds = sum(work(task, pace) for pace in paces) * len(suite.seeds)
        specs = self._tunable(())
        if specs and self._why_not_tuned() is None:
            seconds += seconds_of(
                self.problem.tasks, planned(self.problem.tasks, specs, None), self.trials
            )
        return seconds

    def play(self) -> Choice:
        """Play the defaults on the reporting rows, tune on the others, and play the settings."""
        problem, folder = self.problem, self.problem.folder
        execution = execution_for(self.seconds, self.workers)
        specs = [entrant.about["spec"] for entrant in self.entrants]
        if problem.task.env in FIXED:
            specs.append(FIXED[problem.task.env].spec)
        runner.run(
            problem.suite,
            specs,
            store=Store(folder / ROWS),
            execution=execution,
            progress=self.progress,
        )
        failed = {row.spec for row in self._rows(specs) if row.error is not None}
        tunable, found = self._tunable(failed), list[Tuned]()
        reason = self._why_not_tuned()
        if tunable and reason is None:
            found = tune(
                problem.tasks,
                tunable,
                folder,
                trials=self.trials,
                execution=execution,
                progress=self.progress,
            )
        settings = [one.tuned for one in found]
        return choice(problem, self._rows([*specs, *settings]), found, _notes(found, reason))

    def _rows(self, specs: Sequence[str]) -> list[Row]:
        """The results of the present sources of some agents and of uniform play."""
        suite = self.problem.suite
        rows, _ = current(suite, Store(self.problem.folder / ROWS).rows(suite.hash))
        return [row for row in rows if row.spec in {*specs, *UNIFORM}]

    def _tunable(self, failed: Sequence[str] | set[str]) -> list[str]:
        """The agents that have a search space and did not fail."""
        return [
            entrant.about["spec"]
            for entrant in self.entrants
            if entrant.agent is not None
            and entrant.agent.search
            and entrant.about["spec"] not in failed
        ]

    def _why_not_tuned(self) -> str | None:
        if self.trials == 1:
            return "nothing was tuned, all agents play their defaults: one trial is the defaults"
        try:
            optuna()
        except ValueError as error:
            return f"nothing was tuned, all agents play their defaults: {error}"
        return None


def suitable(problem: BanditProblem, agents: Sequence[str] | None) -> list[Entrant]:
    """The agents that are named, or all of this package's that can play the problem.

    Raises
    ------
    ValueError
        If one that is named does not exist, has full information, or cannot play the problem.
    """
    if isinstance(agents, str) or (agents is not None and not list(agents)):
        raise ValueError(f"agents are a list of names, got {brief(agents)}")
    specs = agents or [
        name
        for name, kind in own_agents().items()
        if not kind.full_information and name not in UNIFORM
    ]
    known = known_of(problem.task)
    found = []
    for entrant in entrants(specs, limit=None):
        label, reason = entrant.about["agent"], entrant.refusal(problem.task, known)
        if entrant.about["full_information"]:
            reason = "it is given the true labels: a reference"
        if reason is None:
            found.append(entrant)
        elif agents is not None:
            raise ValueError(f"{label} cannot be chosen for {problem.table.name}: {reason}")
    return found


def _notes(found: Sequence[Tuned], reason: str | None) -> list[str]:
    if reason is not None:
        return [reason]
    if not found:
        return ["nothing was tuned: these agents have nothing to tune"]
    one = found[0]
    failed = sum(each.failed for each in found)
    return [
        f"settings: {one.trials} trials of each agent on {one.seeds[1]} seeds of the tuning rows; "
        f"the defaults are kept unless the best trial beats them on {one.further[1]} further seeds"
        + (f"; {failed} trials failed" if failed else "")
    ]
