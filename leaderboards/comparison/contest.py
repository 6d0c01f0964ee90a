"""What a comparison compares: agents, the tasks that all of them play, and the scores' scale."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from agents.naming import resolve
from agents.ownership import that_play
from agents.play import play, task_of
from banditgym.registration import ENVIRONMENTS
from banditgym.validation import nearest
from leaderboards.comparison.comparison import title_of
from leaderboards.run.entrants import Entrant, entrants, known_of
from leaderboards.run.outcomes import make
from leaderboards.run.plan import fixed_by, work
from leaderboards.suites import environments
from leaderboards.suites.baselines_file import baseline_of
from leaderboards.suites.seed_ranges import BASELINES
from leaderboards.suites.suite import Suite, SuiteTask, available, load, of_environment

PROBES = 8  # seeds that are looked at to see whether seeds change an environment


@dataclass(frozen=True)
class Contest:
    """Agents, and the tasks that they are compared on.

    Attributes
    ----------
    on : str
        The environment with its settings, or the suite.
    suite : Suite
        With the tasks that every agent plays.
    contestants : dict of str to Entrant
        By label.
    fixing : dict of str to (Entrant, Entrant or None)
        By task, the baseline and the reference.
    notes : tuple of str
        Which tasks do not count, and why.
    """

    on: str
    suite: Suite
    contestants: dict[str, Entrant]
    fixing: dict[str, tuple[Entrant, Entrant | None]]
    notes: tuple[str, ...]

    def seconds(self, n_seeds: int) -> float:
        """Rough seconds of one core for all agents on this many seeds."""
        paces = [entrant.seconds_per_round for entrant in self.contestants.values()]
        return n_seeds * sum(work(task, pace) for task in self.suite.tasks for pace in paces)


def contest_of(
    on: str,
    specs: Sequence[str],
    *,
    horizon: int | None = None,
    settings: Mapping[str, Any] | None = None,
    trust: bool = False,
) -> Contest:
    """Describe agents and find the tasks that all of them play.

    Parameters
    ----------
    on : str
        A suite, by name or file, or an environment, as in `leaderboards.suites.environments`.
    specs : sequence of str
        Agents as ``agents.naming.resolve`` takes them, two or more; an agent may be named twice.
    horizon : int, optional
        Rounds per episode of an environment; by default its own.
    settings : mapping, optional
        Settings of an environment.
    trust : bool
        Whether third-party code that a suite names may run.

    Raises
    ------
    ValueError
        If an environment, a suite or an agent does not exist; if fewer than two agents are named;
        or if no task is played by all.
    """
    if len(specs) < 2:
        raise ValueError(f"compare at least two agents, got {', '.join(specs) or 'none'}")
    alone = on not in available() and not on.endswith(".toml")
    if alone:
        suite = _of_environment(on, horizon, settings or {})
        title = title_of(on, {**(settings or {}), **({"horizon": horizon} if horizon else {})})
    elif horizon is not None or settings:
        raise ValueError(f"{on} is a suite, which sets its environments: drop --set and --horizon")
    else:
        suite = load(on, trust=trust)
        title = suite.name
    contestants = _contestants(specs, suite.tasks)
    refusals = {task.name: _refusal(task, contestants) for task in suite.tasks}
    tasks = [task for task in suite.tasks if refusals[task.name] is None]
    left_out = [name for name, reason in refusals.items() if reason is not None]
    if not tasks:
        among = "" if alone else f"no task of {suite.name} is played by all: "
        raise ValueError(f"{among}{refusals[left_out[0]]}")
    notes = (f"not counted, because not every agent plays it: {', '.join(left_out)}",)
    fixing = {task.name: fixed_by(suite, task) for task in tasks}
    kept = replace(suite, tasks=tuple(tasks))  # results of one belong to the other
    return Contest(title, kept, contestants, fixing, notes * bool(left_out))


def _of_environment(env: str, horizon: int | None, settings: Mapping[str, Any]) -> Suite:
    if not environments.known(env):
        known = (*available(), *ENVIRONMENTS)
        hint = nearest(env, known) or f"; there are {', '.join(known)}"
        raise ValueError(f"unknown environment or suite {env!r}{hint}")
    given = dict(settings) if horizon is None else {**settings, "horizon": horizon}
    rounds = task_of(environments.make(env, 1, given)).horizon
    if rounds is None:
        raise ValueError(f"{env} states no number of rounds: give one with --horizon")
    return of_environment(env, rounds, settings)


def _contestants(specs: Sequence[str], tasks: Sequence[SuiteTask]) -> dict[str, Entrant]:
    """The agents by labels that are unique."""
    known: dict[str, Entrant] = {}
    for spec in specs:
        if spec not in known:
            (known[spec],) = entrants([spec], tasks)
    labels = unique_labels(known[spec].about["agent"] for spec in specs)
    return {label: known[spec] for label, spec in zip(labels, specs, strict=True)}


def unique_labels(labels: Iterable[str]) -> list[str]:
    """Labels made unique.

    >>> unique_labels(["LinUCB", "LinTS", "LinUCB"])
    ['LinUCB', 'LinTS', 'LinUCB #2']
    """
    seen: Counter[str] = Counter()
    found = []
    for label in labels:
        seen[label] += 1
        found.append(f"{label} #{seen[label]}" if seen[label] > 1 else label)
    return found


def _refusal(task: SuiteTask, contestants: Mapping[str, Entrant]) -> str | None:
    """Why a task does not count; None if every agent plays it."""
    known = known_of(task)
    if known is None:
        return f"the data of {task.name} is missing"
    for label, entrant in contestants.items():
        reason = entrant.refusal(task, known)
        if reason is not None:
            return f"{label} cannot play {task.name}: {reason}{that_play(known)}"
    return None


def same_on_every_seed(suite: Suite) -> list[str]:
    """The tasks of a suite that are the same on every seed, found by playing a few seeds.

    Raises
    ------
    ValueError
        If all tasks are, or if a task does not have the measure that it is scored by.
    """
    same = []
    for task in suite.tasks:
        trace = play(
            make(task, PROBES),
            resolve(baseline_of(task.family)),
            horizon=task.horizon,
            seed=BASELINES[:PROBES],
            agent_seed=[0] * PROBES,
        )
        if task.measure not in trace.measures:
            raise ValueError(
                f"{task.name} has no {task.measure}, so what scores 1 is unknown: compare on a "
                "suite whose tasks name a measure and a reference"
            )
        if same_on_all(trace.measures):
            same.append(task.name)
    if len(same) == len(suite.tasks):
        raise ValueError(f"{suite.name} is the same on every seed, so further seeds cannot decide")
    return same


def same_on_all(measures: Mapping[str, Any]) -> bool:
    """Whether all measures, by name and of shape (n, c), are equal in all replicates."""
    curves = [np.asarray(curve) for curve in measures.values() if curve is not None]
    return all((curve == curve[:1]).all() for curve in curves)
