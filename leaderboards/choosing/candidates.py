"""The result of a choice: agents with settings, scores and times, and which agent to take."""

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
from rich.console import Group
from rich.table import Table
from rich.text import Text

from agents import Agent
from leaderboards.choosing import saved_choice
from leaderboards.choosing.bandit_problem import ARMS, NUMBERS, TASK, BanditProblem
from leaderboards.choosing.fixed_actions import FIXED, MEASURES
from leaderboards.choosing.row_encoder import RowEncoder
from leaderboards.choosing.supervised import supervised
from leaderboards.comparison.comparison import as_text
from leaderboards.rank.board import build
from leaderboards.rank.entries import finals
from leaderboards.rank.interval_estimates import mean_interval
from leaderboards.rank.standing import Interval, Standing, interval
from leaderboards.rank.tuned import refuse_seen, tuned_rows, with_tuned
from leaderboards.rank.tuned_records import Tuned
from leaderboards.report.cell_texts import NONE, amount_text, interval_text, rank_text, time_text
from leaderboards.report.remarks import SCOPE
from leaderboards.report.tuned_tables import DEFAULTS, values_text
from leaderboards.run.store.store import Row
from leaderboards.suites.baselines_file import BEST_FIXED, UNIFORM


@dataclass(frozen=True)
class Candidate:
    """An agent with its setting, on the reporting rows.

    Attributes
    ----------
    agent : str
        Its label with the defaults.
    spec : str
        The text that names it with its setting.
    setting : dict of str to object
        The hyperparameters that tuning replaced; empty if it plays its defaults.
    tuned : bool
        Whether it was tuned.
    score : Interval or None
        The share of the possible gain over uniform play: 0 is uniform play, 1 no regret. None if
        it failed.
    default : Interval or None
        The same of its defaults.
    gain : Interval or None
        The paired difference of the two; None if the defaults were kept.
    measure : Interval or None
        For classes, how many labels of a hundred are right; for numbers that are predicted, the
        mean squared error in variances of the numbers; for arms, the regret of a round in standard
        deviations of the numbers.
    over_fixed : Interval or None
        For classes, how many labels of a hundred more are right than of the best fixed label; for
        numbers, how much smaller the mean squared error is than that of the best constant. It is
        the paired difference on the same seeds. None for arms, and if it failed.
    microseconds : float or None
        The agent's CPU time per round.
    standing : Standing
        The line of the board.
    edges : dict of str to (float, float)
        The ranges of the values of the setting that lie at an end of theirs.
    """

    agent: str
    spec: str
    setting: dict[str, Any]
    tuned: bool
    score: Interval | None
    default: Interval | None
    gain: Interval | None
    measure: Interval | None
    over_fixed: Interval | None
    microseconds: float | None
    standing: Standing
    edges: dict[str, tuple[float, float]]

    @property
    def first(self) -> bool:
        """Whether no agent is clearly better."""
        return self.standing.rank is not None and self.standing.rank[0] == 1

    @property
    def may_be_taken(self) -> bool:
        """Whether it is ranked and, except for arms, clearly better than the best fixed action."""
        if self.standing.rank is None or self.over_fixed is None:
            return self.standing.rank is not None
        return self.over_fixed.low is not None and self.over_fixed.low > 0


@dataclass(frozen=True, repr=False)
class Choice:
    """The agents on a user's data, best first.

    Attributes
    ----------
    notes : tuple of str
        How settings were tuned, or why not, and who failed.
    supervised : (str, float) or None
        A model that is given all labels of the tuning rows, and its measure on the others.
    """

    problem: BanditProblem
    candidates: tuple[Candidate, ...]
    notes: tuple[str, ...]
    supervised: tuple[str, float] | None = None

    @property
    def encoder(self) -> RowEncoder | None:
        """What turns a row into the agent's observation; None where the rows are the arms."""
        return self.problem.encoder

    @cached_property
    def agent(self) -> Agent | None:
        """The agent to take, with its setting, trained on all rows; None if there is none.

        ``act`` takes what the encoder makes of a row. There is none where the rows are the arms.
        """
        if self.best is None or self.encoder is None:
            return None
        return saved_choice.trained(self.problem, self.best.spec)

    def save(self, folder: str | Path) -> None:
        """Write the agent and the encoder to a folder, for ``leaderboards.load_choice``.

        Raises
        ------
        ValueError
            If there is no agent to take, or the rows are the arms.
        """
        if self.encoder is None or self.best is None or self.agent is None:
            reason = saved_choice.OF_ARMS if self.encoder is None else "there is no agent to take"
            raise ValueError(f"nothing is saved to {folder}: {reason}")
        plain = self.plain()
        keys = ("take", "environment", "rounds", "data", "said")
        more = {key: plain[key] for key in keys} | {"setting": self.best.setting}
        saved_choice.save(folder, self.encoder, self.agent, more)

    @property
    def best(self) -> Candidate | None:
        """The agent with the highest score of those that may be taken; None if there is none.

        Nothing is taken if uniform play is not clearly worse than the others. An agent that is not
        clearly better than the best fixed label, or the best constant, is not taken.
        """
        if any(one.first for one in self.candidates if one.spec in UNIFORM):
            return None
        return next((one for one in self.candidates if one.may_be_taken), None)

    @property
    def alike(self) -> tuple[Candidate, ...]:
        """The agents that are not clearly worse than the best one, the fastest first."""
        best = self.best
        others = [one for one in self.candidates if one.first and one.may_be_taken]
        others = [one for one in others if one is not best]
        return tuple(sorted(others, key=lambda one: one.microseconds or 0.0))

    @property
    def advice(self) -> str:
        """Which agent to take, in a sentence or two."""
        best = self.best
        if best is None:
            return f"take none of these: no agent is clearly better than {self._nothing_learned}"
        text = f"take {best.spec}: score {interval_text(best.score)}"
        if best.microseconds is not None:
            text += f", {time_text(best.standing)} µs per round"
        if best is not self.candidates[0]:  # which is not clearly better than a fixed action
            fixed = FIXED[self.problem.task.env].name
            text += f"; of agents that are better than {fixed} it has the highest score"
        elif not any(one.first for one in self.candidates[1:]):
            return f"{text}; it is better than all others"
        if not self.alike:
            return text
        names = ", ".join(f"{one.spec} ({time_text(one.standing)} µs)" for one in self.alike)
        return f"{text}; not clearly worse, the fastest first: {names}"

    def table(self) -> Group:
        """The same for a terminal."""
        return Group(
            *(Text(f"- {line}") for line in self.problem.said),
            *(Text(f"- {line}") for line in self.notes),
            Text(),
            self._grid(),
            Text(f"the ranks hold {SCOPE}", style="dim"),
            Text(),
            Text(self.advice[0].upper() + self.advice[1:], style="bold"),
        )

    def plain(self) -> dict[str, Any]:
        """The same as JSON holds it."""
        best, given = self.best, self.supervised
        keys = (
            *("agent", "spec", "setting", "tuned", "score", "default", "gain", "over_fixed"),
            "microseconds",
        )
        lines = []
        for one in self.candidates:
            fields = asdict(one)
            ranks = None if one.standing.rank is None else list(one.standing.rank)
            lines.append({"ranks": ranks, **{key: fields[key] for key in keys}})
            lines[-1][self._measure] = fields["measure"]
            lines[-1]["failed"] = one.standing.unranked if one.score is None else None
        return {
            "data": self.problem.table.name,
            "target": self.problem.table.target,
            "environment": self.problem.task.env,
            "rounds": self.problem.task.horizon,
            "seeds": len(self.problem.suite.seeds),
            "said": [*self.problem.said, *self.notes],
            "supervised": given and {"model": given[0], self._measure: given[1]},
            "take": None if best is None else best.spec,
            "not clearly worse": [one.spec for one in self.alike] if best else [],
            "agents": lines,
        }

    def __repr__(self) -> str:
        return as_text(self.table(), 140)

    @property
    def _nothing_learned(self) -> str:
        """What no agent is better than: uniform play, or the best fixed action."""
        known = FIXED.get(self.problem.task.env)
        fixed = [one for one in self.candidates if known and one.spec == known.spec]
        learned = not any(one.first for one in self.candidates if one.spec in UNIFORM)
        if known is None or not fixed or (not learned and known.spec == BEST_FIXED):
            return "uniform play"
        return known.always.format(amount_text(fixed[0].measure))

    @property
    def _measure(self) -> str:
        return MEASURES[self.problem.task.env]

    def _grid(self) -> Table:
        grid = Table(header_style="bold", box=None, padding=(0, 2, 0, 0))
        grid.add_column("rank", no_wrap=True)
        grid.add_column("agent", min_width=12, overflow="fold")
        for name in ("score", "defaults", self._measure, "µs/round"):
            grid.add_column(Text(name), justify="right", no_wrap=True)
        grid.add_column("setting", overflow="fold")
        for one in self.candidates:
            default = None if one.default is None else Interval(one.default.value, None, None)
            cells = (
                rank_text(one.standing),
                one.agent,
                interval_text(one.score),
                interval_text(default),
                amount_text(one.measure),
                time_text(one.standing),
                values_text(one.setting, one.edges) or (DEFAULTS if one.tuned else NONE),
            )
            grid.add_row(*map(Text, cells))
        return grid


def choice(
    problem: BanditProblem, rows: Sequence[Row], found: Sequence[Tuned], notes: Sequence[str]
) -> Choice:
    """Rank agents as tuned by their rows on the reporting part.

    Parameters
    ----------
    rows : sequence of Row
        Of the defaults and of the settings.
    found : sequence of Tuned
    notes : sequence of str

    Raises
    ------
    ValueError
        If a row is of other data than the reporting rows, or of a seed that tuning saw.
    """
    suite = problem.suite
    refuse_other_rows(problem, rows)
    refuse_seen(suite, rows, found)
    settings = {one.tuned for one in found if one.setting}
    before = build(suite, [row for row in rows if row.spec not in settings], compared=False)
    gains = {
        one.label: one.gain for own in with_tuned(before, rows, found).tuned.values() for one in own
    }
    as_tuned = tuned_rows(suite, rows, found)
    (section,) = build(suite, as_tuned, compared=False).sections
    defaults = {one.label: one.score for one in before.sections[0].standings}
    records = {one.agent: one for one in found}
    candidates = []
    for standing in section.standings:
        record = records.get(standing.label)
        candidates.append(
            Candidate(
                agent=standing.label,
                spec=standing.spec,
                setting=record.setting if record else {},
                tuned=record is not None,
                score=standing.score,
                default=defaults.get(standing.label),
                gain=gains.get(standing.label),
                measure=_measured(problem, as_tuned, standing),
                over_fixed=_over_fixed(problem, as_tuned, standing.spec),
                microseconds=standing.microseconds,
                standing=standing,
                edges=record.edges if record else {},
            )
        )
    failed = [f"{one.label}: {text}" for one in section.standings for text in one.messages]
    fixed = FIXED.get(problem.task.env)
    if fixed and any(one.spec == fixed.spec for one in candidates):
        notes = (*notes, fixed.note)
    given = supervised(problem)
    if given is not None:
        notes = (*notes, _of_supervised(problem, *given))
    notes = (*notes, *(f"failed: {text}" for text in failed))
    return Choice(problem, tuple(candidates), notes, given)


def _of_supervised(problem: BanditProblem, model: str, score: float) -> str:
    measure = f"is right {score:.3g} of 100 times"
    if problem.task.env == NUMBERS:
        measure = f"has a mean squared error of {score:.3g}"
    return (
        f"for comparison, scikit-learn's {model} {measure} on the rows of the report, after it was "
        "given all labels of the tuning rows"
    )


def refuse_other_rows(problem: BanditProblem, rows: Sequence[Row]) -> None:
    """Refuse results that were not played on the reporting rows alone.

    Raises
    ------
    ValueError
        With the first one.
    """
    (own,) = [name for name, _ in problem.task.files]
    for row in rows:
        if set(row.data) != {own}:
            raise ValueError(
                f"{row.spec}, seed {row.seed}, was not played on the reporting rows: no setting is "
                "scored on a row that its tuning saw"
            )


def _measured(problem: BanditProblem, rows: Sequence[Row], standing: Standing) -> Interval | None:
    found, rounds, env = standing.tasks[TASK].measure, problem.task.horizon, problem.task.env
    if found is None:
        return None
    if env == NUMBERS:
        mine = [row for row in rows if row.spec == standing.spec]
        own = {row.seed: (row.measures or {})["reward"][-1] for row in mine}
        errors = np.array([-own[seed] / rounds for seed in problem.suite.seeds])
        return interval(mean_interval(errors, within=(0.0, np.inf)))
    ends = [found.value, found.low, found.high]
    if env == ARMS:
        value, low, high = (None if end is None else end / rounds for end in ends)
    else:  # mistakes become right labels: the limits change places
        value, high, low = (None if end is None else 100 * (1 - end / rounds) for end in ends)
    assert value is not None
    return Interval(value, low, high)


def _over_fixed(problem: BanditProblem, rows: Sequence[Row], spec: str) -> Interval | None:
    """How much better a round of an agent is than one of the best fixed action, on average."""
    known = FIXED.get(problem.task.env)
    if known is None:
        return None
    fixed, own = (
        finals(name, [problem.task], rows, problem.suite.seeds)[:, 0] for name in (known.spec, spec)
    )
    if not np.isfinite(fixed - own).all():
        return None
    return interval(mean_interval(known.unit * (fixed - own) / problem.task.horizon))
