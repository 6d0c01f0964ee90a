"""Plays seeds in order until betting decides between agents, or plays the given seeds.

Results are rows of a store, as those of ``leaderboard run``. A second call continues a comparison
that was stopped, or one that ended at a smaller budget. The verdict is a function of the rows: the
first verdict of the confidence sequence, which stays. It depends neither on how often one looked
nor on the sizes of batches.
"""

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from numbers import Integral
from pathlib import Path

import numpy as np

from banditgym.measures import higher_is_better
from banditgym.validation import brief
from leaderboards.comparison.contest import Contest, same_on_every_seed
from leaderboards.comparison.decision import (
    MARGIN,
    SCALED,
    Decision,
    Rule,
    decision,
    denominators_text,
)
from leaderboards.console.progress import Advance, silent
from leaderboards.defaults import STORE
from leaderboards.rank.baselines import played_baselines
from leaderboards.rank.betting import ALPHA
from leaderboards.rank.entries import Entry
from leaderboards.rank.scale import baselines_of, scale_of
from leaderboards.report.cell_texts import measure_text
from leaderboards.run.entrants import Entrant, known_of
from leaderboards.run.runner import run
from leaderboards.run.sizes import execution_for
from leaderboards.run.store.store import Row, Store
from leaderboards.suites.baselines_file import Baselines
from leaderboards.suites.seed_ranges import BASELINES, SCORING
from leaderboards.suites.suite import SuiteTask

BATCH = 16
BUDGET = 1000
SEEDS = 20  # that are given, by default
FROZEN = BASELINES[:100]  # the seeds of the denominators


@dataclass(frozen=True, kw_only=True)
class Until:
    """When a comparison ends, and where its results are kept.

    Parameters
    ----------
    margin : float
        Agents are equivalent if neither one's mean regret exceeds the other's by more than this
        share; above 0, below 1.
    budget : int
        Largest number of seeds.
    store : str or Path
        Folder of results.
    """

    margin: float = MARGIN
    budget: int = BUDGET
    store: str | Path = STORE

    def __post_init__(self):
        if not 0 < self.margin < 1:
            raise ValueError(f"margin is a share in (0, 1), got {self.margin}")
        check_seeds("budget", self.budget)


def check_seeds(name: str, number: int) -> None:
    """Refuse a number of seeds that is not whole, or more than there are to score on."""
    most = len(SCORING)
    if isinstance(number, bool) or not isinstance(number, Integral) or not 1 <= number <= most:
        raise ValueError(f"{name} is a number of seeds in 1..{most}, got {brief(number)}")


@dataclass
class SequentialPlay:
    """A comparison as it is played.

    Parameters
    ----------
    seeds : int, optional
        Number of seeds: 0, 1, ..; by default seeds are played until every pair is decided.
    workers : int, optional
        How many cells run at a time; by default 1 for short batches, and one per core for long
        ones. With 1, all agents play in this process and are trusted.
    progress, say : callable
        As for ``runner.run``; ``say`` gets the denominators before the first seed is played.
    """

    contest: Contest
    until: Until
    seeds: int | None = None
    workers: int | None = None
    progress: Advance = silent
    say: Callable[[str], None] = lambda text: None
    denominators: dict[str, float] = field(default_factory=dict)
    bound: float = 1.0
    notes: tuple[str, ...] = ()

    def __post_init__(self):
        if self.seeds is not None:
            check_seeds("seeds", self.seeds)

    @property
    def most(self) -> int:
        """Largest number of seeds."""
        return self.until.budget if self.seeds is None else self.seeds

    @property
    def rule(self) -> Rule:
        """What is fixed before the first seed."""
        n_pairs = math.comb(len(self.contest.contestants), 2)
        sequential, until, tasks = self.seeds is None, self.until, self.contest.suite.tasks
        alone = len(tasks) == 1
        return Rule(
            sequential,
            until.budget,
            until.margin,
            ALPHA / n_pairs,
            self.bound,
            measure=_regret_text(tasks[0]) if alone else SCALED,
            unit=self.denominators[tasks[0].name] if alone and self.denominators else 1.0,
        )

    def play(self) -> Decision:
        """Play to the end, and return the decision.

        Raises
        ------
        ValueError
            If no task has a scale, or all are the same on every seed; or if an agent or a baseline
            fails: no seed may be left out.
        """
        self._fix()
        found = None
        for size in self._sizes():
            run(
                replace(self.contest.suite, seeds=tuple(SCORING[:size])),
                self._undecided(found),
                store=Store(self.until.store),
                execution=execution_for(self.contest.seconds(size), self.workers),
                progress=self.progress,
            )
            found = self.found(size)
            if found is None:
                raise ValueError(f"{self.until.store} lacks rows that were just played")
            if found.rule.until_decided and found.decided:
                break
        assert found is not None
        return found

    def found(self, most: int | None = None) -> Decision | None:
        """The decision from the store's rows so far; None before a seed has all results.

        Parameters
        ----------
        most : int, optional
            Use at most this many seeds.
        """
        if not self.denominators:
            return None
        suite, seeds = self.contest.suite, SCORING[: most or self.most]
        results = _Results(self.contest, Store(self.until.store))
        for task in suite.tasks:
            results.check_fixed(task, seeds)
        best = np.array([[results.best(task, seed) for task in suite.tasks] for seed in seeds])
        signs = [-1 if higher_is_better(task.measure) else 1 for task in suite.tasks]
        below = np.array([self.denominators[task.name] for task in suite.tasks])
        regrets = {}
        for label, entrant in self.contest.contestants.items():
            finals = results.finals(label, entrant, seeds)  # (S, M)
            own = signs * (finals - best) / below
            missing = ~np.isfinite(own).all(axis=1)
            regrets[label] = own[: int(missing.argmax()) if missing.any() else len(own)]
        if not all(map(len, regrets.values())):
            return None
        notes = (*self.contest.notes, *self.notes)
        return decision(self.contest.on, self.rule, regrets, self.denominators, notes)

    def _fix(self) -> None:
        """Play the baselines on seeds of their own, which alone fix denominators and bound."""
        suite = self.contest.suite
        same = same_on_every_seed(suite)
        fixed = played_baselines(
            replace(suite, seeds=tuple(FROZEN), used=BASELINES),
            store=Store(self.until.store),
            execution=execution_for(self.contest.seconds(len(FROZEN)), self.workers),
            progress=self.progress,
        )
        kept, bounds, reasons = [], [], {}
        for task in suite.tasks:
            scale, reason = scale_of(task, fixed[task.name], FROZEN)
            if scale is None or reason is not None:
                reasons[task.name] = reason
            else:
                kept.append(task)
                self.denominators[task.name] = abs(float(scale.gaps.mean()))
                bounds.append(_bound(task, scale.gaps))
        if not kept:
            why = next(iter(reasons.values()))
            raise ValueError(f"there is no scale for scores on {self.contest.on}: {why}")
        self.bound = float(np.mean(bounds))
        self.contest = replace(self.contest, suite=replace(suite, tasks=tuple(kept)))
        alike = f"the environment is the same on every seed of {', '.join(same)}: only agents vary"
        left_out = [f"not counted: {name}: {why}" for name, why in reasons.items()]
        self.notes = (*left_out, *[alike] * bool(same))
        seeds = f"seeds {FROZEN[0]}..{FROZEN[-1]}"
        self.say(f"{denominators_text(self.denominators)}: {seeds}")

    def _sizes(self) -> Iterator[int]:
        """Numbers of seeds after which to look."""
        size = BATCH
        while self.seeds is None and size < self.most:
            yield size
            size *= 2
        yield self.most

    def _undecided(self, found: Decision | None) -> list[str]:
        """The specs of the agents with a pair that is undecided."""
        contestants = self.contest.contestants
        labels = set(contestants)
        if found is not None:
            labels = {n for one in found.pairs if not one.verdict for n in (one.first, one.second)}
        specs = [one.about["spec"] for label, one in contestants.items() if label in labels]
        return list(dict.fromkeys(specs))


class _Results:
    """The rows of a store that were played by the present code of a contest's agents."""

    def __init__(self, contest: Contest, store: Store):
        suite, self._fixing = contest.suite, contest.fixing
        self._tasks = {task.name: task for task in suite.tasks}
        players = [
            (task, entrant)
            for task in suite.tasks
            for entrant in (*contest.contestants.values(), *contest.fixing[task.name])
            if entrant is not None
        ]
        wanted = {entrant.row(suite, task).key for task, entrant in players}
        rows = [row for row in store.rows(suite.hash) if replace(row, seed=-1).key in wanted]
        self.baselines: Mapping[str, Baselines] = baselines_of(suite, rows)
        self._by_spec: dict[str, list[Row]] = {}
        for row in rows:
            self._by_spec.setdefault(row.spec, []).append(row)

    def finals(self, label: str, entrant: Entrant, seeds: Sequence[int]) -> np.ndarray:
        """An agent's measures after the last round, of shape (S, M); NaN if not yet played.

        Raises
        ------
        ValueError
            If the agent failed on one of the seeds.
        """
        entry = self._entry(entrant)
        for (task, seed), error in entry.errors.items():
            if seed in seeds:
                raise ValueError(
                    f"{label} failed on {task}, seed {seed}, and no seed may be left out: {error}"
                )
        return entry.finals(list(self._tasks.values()), seeds)

    def best(self, task: SuiteTask, seed: int) -> float:
        """The best measure, 0 or the reference's; NaN if not yet played."""
        if task.reference is None:
            return 0.0
        return self.baselines[task.name].best.get(seed, math.nan)

    def check_fixed(self, task: SuiteTask, seeds: Sequence[int]) -> None:
        """Raise an error if the baseline or the reference failed on one of the seeds."""
        for entrant in filter(None, self._fixing[task.name]):
            for (name, seed), error in self._entry(entrant).errors.items():
                if name == task.name and seed in seeds:
                    who = entrant.about["agent"]
                    raise ValueError(f"{who}, which fixes the scores, failed on {name}: {error}")

    def _entry(self, entrant: Entrant) -> Entry:
        spec = entrant.about["spec"]
        return Entry(spec, self._by_spec.get(spec, []), self._tasks)


def _bound(task: SuiteTask, gaps: np.ndarray) -> float:
    """The largest regret to allow for, as a share of the mean of uniform play's regrets (S,).

    It is the largest of uniform play, and at least that of an agent that never plays the best of K
    arms or labels, which is K / (K - 1) if the others are equally bad, or k / (k - r) in r slots.
    """
    known = known_of(task)
    n_arms, slots = (getattr(known, name, None) for name in ("n_arms", "slots"))
    wrong = 1.0 - (slots or 1) / n_arms if n_arms else 1.0
    return max(float((gaps / gaps.mean()).max()), 1.0 / wrong if wrong > 0 else 1.0)


def _regret_text(task: SuiteTask) -> str:
    """What a task's regret is called beside its numbers."""
    if task.reference is None:
        return task.measure
    side = "below" if higher_is_better(task.measure) else "above"
    return f"{measure_text(task.measure)} {side} the reference's"
