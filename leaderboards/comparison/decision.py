"""Two agents' regrets over seeds: the verdict by betting, and both as a table.

The regret of an agent on a seed is its measure minus the best; the best is 0 where regret is the
measure, and otherwise the reference's measure on the same seed. For a measure that is maximised,
such as clicks, it is the best minus the agent's measure. On every seed s the *scaled regret* of an
agent is the mean over the M tasks of its regrets :math:`r_{sm}` divided by those of uniform play,

.. math:: A_s = \\frac{1}{M} \\sum_{m=1}^{M} r_{sm} / d_m .

The denominators d_m are uniform play's mean regrets on other seeds. They are fixed before the first
seed, so different seeds are independent. `leaderboards.rank.betting` tests claims on the means of
two agents' scaled regrets.
"""

import itertools
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
from rich.console import Group
from rich.text import Text

from banditgym.validation import visible
from leaderboards.comparison.comparison import as_text
from leaderboards.console.narrow import bare_table
from leaderboards.rank import betting
from leaderboards.rank.standing import Interval
from leaderboards.report.cell_texts import amount_text
from leaderboards.report.remarks import counted

MARGIN = 0.1
SCALED = "scaled regret"  # the measure on several tasks
CONTINUATIONS = 200  # drawn to say how many more seeds would decide
FARTHEST = 10_000  # seeds: continuations end there

# By the codes of `betting`: undecided, lower, higher, equivalent.
_WORDS = (None, "better", "worse", "equivalent")


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
        Agents are equivalent if neither one's mean regret exceeds the other's by more than this
        share.
    alpha : float
        Probability that a pair is ever decided wrongly: 0.05 divided by the number of pairs.
    bound : float
        The largest scaled regret that the bets allow for.
    measure : str
        In whose unit regrets are shown.
    unit : float
        A scaled regret of 1 in this unit.
    """

    until_decided: bool
    budget: int
    margin: float
    alpha: float
    bound: float
    measure: str = SCALED
    unit: float = 1.0

    @property
    def farthest(self) -> int:
        """The total number of seeds of a continuation."""
        return min(self.budget, FARTHEST)


@dataclass(frozen=True)
class Pair:
    """Two agents on the same seeds.

    Attributes
    ----------
    verdict : "better", "worse", "equivalent" or None
        The first agent's verdict by betting; None if it is undecided.
    decided_after : int or None
        Number of seeds after which the verdict was first reached.
    seeds : int
        Number of seeds behind the numbers below: those until the decision, or all given seeds.
    regrets : (float, float)
        Mean regret of each, in the unit of `Rule.measure`.
    difference : Interval
        The first mean regret minus the second, with the limits of the confidence sequence: they
        exclude 0 if one agent is found to be better, and only then.
    above : int
        Number of scaled regrets above the bound, of both agents.
    more : int or None
        On given seeds: how many more seeds would decide the pair, 0 if it is decided; None if more
        than the budget or 10,000.
    found : str
        The verdict in words, and the regrets that it rests on.
    """

    first: str
    second: str
    verdict: str | None
    decided_after: int | None
    seeds: int
    regrets: tuple[float, float]
    difference: Interval
    above: int
    more: int | None
    found: str


def pair(names: tuple[str, str], first: np.ndarray, second: np.ndarray, rule: Rule) -> Pair:
    """Compare two agents by their regrets.

    Parameters
    ----------
    first, second : ndarray of shape (S, M)
        Regrets on S seeds, in the order of play, of M tasks, each divided by the denominator.
    """
    both = np.stack([first, second]).mean(axis=-1)  # (2, S)
    times = betting.crossings(both[0], both[1], rule.margin, rule.bound, rule.alpha).tolist()
    n = both.shape[1]
    # After given seeds a difference that was found counts more than an equivalence found earlier.
    of = times[:2] if not rule.until_decided and min(times[:2]) <= n else times
    code = of.index(min(of))
    decided_after = times[code] if times[code] <= n else None
    verdict = None if decided_after is None else _WORDS[1 + code]
    seeds = n if decided_after is None or not rule.until_decided else decided_after
    seen = rule.unit * both[:, :seeds]
    difference = seen[0] - seen[1]
    limits = betting.interval(difference, rule.unit * rule.bound, rule.alpha)
    regrets = float(seen[0].mean()), float(seen[1].mean())
    return Pair(
        *names,
        verdict=verdict,
        decided_after=decided_after,
        seeds=seeds,
        regrets=regrets,
        difference=Interval(float(difference.mean()), *limits),
        above=int((both[:, :seeds] > rule.bound).sum()),
        more=None if rule.until_decided else _more(both, rule),
        found=_found(names, verdict, decided_after or seeds, regrets, rule),
    )


def _found(
    names: tuple[str, str],
    verdict: str | None,
    after: int,
    regrets: tuple[float, float],
    rule: Rule,
) -> str:
    one, other = (amount_text(Interval(each, None, None)) for each in regrets)
    seeds = f"after {counted(after, 'seed')}"
    both = f"{rule.measure} {one} and {other}"
    if verdict is None:
        return f"undecided {seeds}: {both}"
    if verdict == "equivalent":
        return (
            f"equivalent {seeds}: {both}, neither more than {100 * rule.margin:g} % above the other"
        )
    better = names[verdict == "worse"]
    numbers = (one, other) if verdict == "better" else (other, one)
    return f"{better} is better {seeds}: {rule.measure} {numbers[0]} against {numbers[1]}"


def _more(regrets: np.ndarray, rule: Rule) -> int | None:
    """How many more seeds would decide: the median of continuations drawn from the seeds so far."""
    n, shape = regrets.shape[1], (CONTINUATIONS, max(0, rule.farthest - regrets.shape[1]))
    drawn = regrets[:, np.random.default_rng(0).integers(n, size=shape)]
    own = np.broadcast_to(regrets[:, None], (2, CONTINUATIONS, n))
    whole = np.concatenate([own, drawn], axis=2)
    verdict, seen = betting.first_verdict(whole[0], whole[1], rule.margin, rule.bound, rule.alpha)
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
        By task, the regret that is 1 when scaled: the mean regret of uniform play over the seeds
        `leaderboards.suites.seed_ranges.BASELINES`.
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
        words, numbers = self._header()[:2], self._header()[2:]
        table = bare_table(visible(f"{self.on}, {size}"), words, numbers, width=20)
        for one in self.pairs:
            table.add_row(*(Text(visible(cell)) for cell in self._cells(one)))
        return Group(table, *(Text(visible(remark), style="dim") for remark in self._remarks()))

    def __repr__(self) -> str:
        return as_text(self.table(), 120)

    def _header(self) -> list[str]:
        level = f"[{100 * (1 - self.rule.alpha):.3g} %]"
        more = [] if self.rule.until_decided else ["seeds", "more to decide"]
        return ["pair", "found", f"difference {level}", *more, "above the bound"]

    def _cells(self, one: Pair) -> list[str]:
        over = f"over {max(0, self.rule.farthest - one.seeds)}"
        more = over if one.more is None else str(one.more)
        return [
            f"{one.first} – {one.second}",
            one.found,
            amount_text(one.difference),
            *([] if self.rule.until_decided else [str(one.seeds), more]),
            f"{one.above} of {2 * one.seeds}",
        ]

    def _remarks(self) -> list[str]:
        rule, several = self.rule, len(self.pairs) > 1
        shared = f", shared by {len(self.pairs)} pairs" if several else ""
        scaled = "scaled regret: divided by uniform play's, and the mean over tasks"
        return [
            f"difference: mean {rule.measure}, first minus second; below 0 the first is better",
            *[scaled] * (rule.measure == SCALED),
            f"found and interval: by betting, alpha {betting.ALPHA}{shared}; valid at any time",
            "better: the interval excludes 0; equivalent: neither agent's mean regret exceeds the "
            f"other's by more than {100 * rule.margin:g} %",
            f"bound: {rule.bound:.3g} times uniform play's mean regret; with regrets above it, "
            "verdicts may be wrong more often",
            denominators_text(self.denominators),
            *self.notes,
        ]


def decision(
    on: str,
    rule: Rule,
    regrets: Mapping[str, np.ndarray],
    denominators: dict[str, float],
    notes: tuple[str, ...],
) -> Decision:
    """Compare all pairs of agents by their regrets.

    Parameters
    ----------
    regrets : mapping of str to ndarray of shape (S, M)
        By agent, on the first S seeds, as for `pair`. S may differ: a pair is compared on the seeds
        of both.
    """
    pairs = []
    for names in itertools.combinations(regrets, 2):
        first, second = (regrets[name] for name in names)
        n = min(len(first), len(second))
        pairs.append(pair(names, first[:n], second[:n], rule))
    return Decision(on, rule, tuple(pairs), denominators, notes)


def denominators_text(denominators: Mapping[str, float]) -> str:
    """The mean regret of uniform play on each task."""
    every = ", ".join(f"{regret:.4g} on {name}" for name, regret in denominators.items())
    return f"uniform play has a mean regret of {every}"
