"""The difference of two agents over seeds, its confidence sequence, and both as a table.

On every seed s the difference of two agents is

.. math:: D_s = \\frac{1}{M} \\sum_{m=1}^{M} \\mathrm{clip}(a_{sm}, -1, 1)
          - \\mathrm{clip}(b_{sm}, -1, 1),

with their scores :math:`a_{sm}` and :math:`b_{sm}` on M tasks. The denominators of the scores are
fixed before the first seed, so the differences of different seeds are independent, and
:math:`x_s = (D_s + 2) / 4` lies in [0, 1], as `leaderboards.rank.betting` needs it. Scores are
clipped because a single seed with a score of -50 would otherwise decide.
"""

import itertools
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
from rich.console import Group
from rich.table import Table
from rich.text import Text

from banditgym.validation import visible
from leaderboards.comparison.comparison import as_text
from leaderboards.rank import betting
from leaderboards.rank.interval_estimates import mean_interval
from leaderboards.rank.standing import Interval, interval
from leaderboards.rank.statistics import probability_of_improvement
from leaderboards.report.cell_texts import interval_text
from leaderboards.report.remarks import counted

CLIP = 1.0
MARGIN = 0.05
CONTINUATIONS = 200  # drawn to say how many more seeds would decide
FARTHEST = 10_000  # seeds: continuations end there

# By the codes of `betting`: undecided, higher, lower, equivalent.
_WORDS = (None, "better", "worse", "equivalent")


def as_share(differences: np.ndarray) -> np.ndarray:
    """Differences in [-2, 2] as values in [0, 1]."""
    return (differences + 2 * CLIP) / (4 * CLIP)


@dataclass(frozen=True)
class Pair:
    """Two agents on the same seeds.

    Attributes
    ----------
    verdict : "better", "worse", "equivalent" or None
        The first agent's verdict by the confidence sequence; None if it is undecided.
    decided_after : int or None
        Number of seeds after which the verdict was first reached.
    seeds : int
        Number of seeds behind the numbers below: those until the decision, or all given seeds.
    difference : Interval
        The clipped mean score of the first agent minus that of the second. The limits are those of
        the confidence sequence, or of Student's t interval if the seeds are given.
    improvement : Interval
        How often the first agent has the higher score on a seed of a task; a tie counts half.
    clipped : int
        Number of scores outside [-1, 1], of both agents.
    cells : int
        Number of scores.
    more : int or None
        On given seeds: how many more seeds would decide the pair, 0 if it is decided; None if more
        than the budget or 10,000.
    """

    first: str
    second: str
    verdict: str | None
    decided_after: int | None
    seeds: int
    difference: Interval
    improvement: Interval
    clipped: int
    cells: int
    more: int | None

    @property
    def found(self) -> str:
        """The verdict in words."""
        if self.verdict is None:
            return f"undecided after {counted(self.seeds, 'seed')}"
        who = {"better": f"{self.first} is better", "worse": f"{self.second} is better"}
        said = who.get(self.verdict, self.verdict)
        return f"{said} after {counted(self.decided_after or 0, 'seed')}"


@dataclass(frozen=True)
class Rule:
    """What is fixed before the first seed is played.

    Attributes
    ----------
    until_decided : bool
        Whether seeds are played until every pair is decided; else all seeds are given.
    budget : int
        Largest number of seeds.
    margin : float
        Agents are equivalent if their difference is within this, in either direction.
    alpha : float
        Probability that a pair is ever decided wrongly: 0.05 divided by the number of pairs.
    """

    until_decided: bool
    budget: int
    margin: float
    alpha: float

    @property
    def farthest(self) -> int:
        """The total number of seeds of a continuation."""
        return min(self.budget, FARTHEST)


def pair(names: tuple[str, str], first: np.ndarray, second: np.ndarray, rule: Rule) -> Pair:
    """Compare two agents by their scores.

    Parameters
    ----------
    first, second : ndarray of shape (S, M)
        Scores on S seeds, in the order of play, of M tasks.
    """
    both = np.stack([first, second])  # (2, S, M)
    means = np.clip(both, -CLIP, CLIP).mean(axis=-1)
    differences = means[0] - means[1]
    values, margin = as_share(differences), rule.margin / (4 * CLIP)
    code, seen = (int(n) for n in betting.first_verdict(values, margin, rule.alpha))
    verdict = _WORDS[code]
    n = seen if rule.until_decided else len(values)
    if rule.until_decided:
        low, high = (4 * CLIP * x - 2 * CLIP for x in betting.interval(values[:n], rule.alpha))
        difference = Interval(float(differences[:n].mean()), low, high)
    else:
        difference = interval(mean_interval(differences, level=1 - rule.alpha))
    return Pair(
        *names,
        verdict=verdict,
        decided_after=None if verdict is None else seen,
        seeds=n,
        difference=difference,
        improvement=interval(probability_of_improvement(*both[:, :n])),
        clipped=int((np.abs(both[:, :n]) > CLIP).sum()),
        cells=both[:, :n].size,
        more=None if rule.until_decided else _more(values, margin, rule),
    )


def _more(values: np.ndarray, margin: float, rule: Rule) -> int | None:
    """How many more seeds would decide: the median of continuations drawn from the seeds so far."""
    n, shape = len(values), (CONTINUATIONS, max(0, rule.farthest - len(values)))
    drawn = values[np.random.default_rng(0).integers(n, size=shape)]
    whole = np.concatenate([np.tile(values, (CONTINUATIONS, 1)), drawn], axis=1)
    verdict, seen = betting.first_verdict(whole, margin, rule.alpha)
    until = np.sort(np.where(verdict == betting.UNDECIDED, np.inf, seen))[CONTINUATIONS // 2]
    return max(0, int(until) - n) if np.isfinite(until) else None


@dataclass(frozen=True, repr=False)
class Decision:
    """What a comparison found, for all pairs of its agents.

    Attributes
    ----------
    on : str
        The environment or the suite.
    denominators : dict of str to float
        By task, the difference in its measure that makes a difference of 1 in scores: the mean of
        baseline - best over the seeds `leaderboards.seed_ranges.BASELINES`.
    notes : tuple of str
        The tasks that do not count, and other remarks for readers.
    """

    on: str
    rule: Rule
    pairs: tuple[Pair, ...]
    denominators: dict[str, float]
    notes: tuple[str, ...]

    @property
    def decided(self) -> bool:
        """Whether every pair is decided."""
        return all(one.verdict is not None for one in self.pairs)

    def plain(self) -> dict[str, Any]:
        """All of it as data that JSON can hold."""
        return {**asdict(self), "notes": list(self.notes), "pairs": [asdict(p) for p in self.pairs]}

    def table(self) -> Group:
        """A table for a terminal, with remarks below it."""
        size = counted(len(self.denominators), "task")
        table = Table(
            title=Text(visible(f"{self.on}, {size}")),
            header_style="bold",
            box=None,
            padding=(0, 2, 0, 0),
        )
        for place, name in enumerate(self._header()):
            if place < 2:
                table.add_column(Text(name), min_width=20, overflow="fold")
            else:
                table.add_column(Text(name), justify="right", no_wrap=True)
        for one in self.pairs:
            table.add_row(*(Text(visible(cell)) for cell in self._cells(one)))
        return Group(table, *(Text(visible(remark), style="dim") for remark in self._remarks()))

    def __repr__(self) -> str:
        return as_text(self.table(), 120)

    def _header(self) -> list[str]:
        level = f"[{100 * (1 - self.rule.alpha):.3g} %]"
        more = [] if self.rule.until_decided else ["seeds", "more to decide"]
        return ["pair", "found", f"difference {level}", *more, "P(first wins) [95 %]", "clipped"]

    def _cells(self, one: Pair) -> list[str]:
        more = (
            str(one.more)
            if one.more is not None
            else f"over {max(0, self.rule.farthest - one.seeds)}"
        )
        return [
            f"{one.first} – {one.second}",
            one.found,
            interval_text(one.difference),
            *([] if self.rule.until_decided else [str(one.seeds), more]),
            interval_text(one.improvement, 2),
            f"{one.clipped} of {one.cells}",
        ]

    def _remarks(self) -> list[str]:
        rule, several = self.rule, len(self.pairs) > 1
        shared = f", shared by {len(self.pairs)} pairs" if several else ""
        if rule.until_decided:
            how = (
                f"confidence sequence by betting, alpha {betting.ALPHA}{shared}; valid at any time"
            )
        else:
            how = f"Student's t over the given seeds, alpha {betting.ALPHA}{shared}"
        return [
            "difference: clipped mean, the mean over tasks of scores clipped to [-1, 1], first "
            "minus second; not the leaderboard's interquartile mean",
            f"interval: {how}",
            f"found: by betting; equivalent is a difference within ±{rule.margin:g}",
            "P(first wins): on a seed of a task, a tie counts half; it decides nothing",
            denominators_text(self.denominators),
            *self.notes,
        ]


def decision(
    on: str,
    rule: Rule,
    scores: Mapping[str, np.ndarray],
    denominators: dict[str, float],
    notes: tuple[str, ...],
) -> Decision:
    """Compare all pairs of agents by their scores.

    Parameters
    ----------
    scores : mapping of str to ndarray of shape (S, M)
        By agent, on the first S seeds. S may differ: a pair is compared on the seeds of both.
    """
    pairs = []
    for names in itertools.combinations(scores, 2):
        first, second = (scores[name] for name in names)
        n = min(len(first), len(second))
        pairs.append(pair(names, first[:n], second[:n], rule))
    return Decision(on, rule, tuple(pairs), denominators, notes)


def denominators_text(denominators: Mapping[str, float]) -> str:
    """What a score of 1 is worth on each task."""
    return "a score of 1 is " + ", ".join(f"{v:.4g} on {n}" for n, v in denominators.items())
