"""What a paper claims, what is run to see, and what is found."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any, NamedTuple

import numpy as np
from matplotlib.figure import Figure

from leaderboards.rank.statistics import Estimate

Numbers = Mapping[str, Estimate]


class Verdict(StrEnum):
    """What became of a claim."""

    REPRODUCED = "reproduced"
    PARTLY = "partly"
    NOT_REPRODUCED = "not reproduced"
    CANNOT_RUN = "cannot be run here"


class Sample(NamedTuple):
    """What an experiment measured.

    Attributes
    ----------
    rounds : ndarray of shape (c,)
        The rounds, from 1, of measures that are curves.
    measures : mapping of str to ndarray of shape (n, ...)
        By name, a row for each seed.
    """

    rounds: np.ndarray
    measures: dict[str, np.ndarray]


@dataclass(frozen=True, kw_only=True)
class Size:
    """Seeds 0, 1, .. of an experiment, and what its function is called with beside them."""

    seeds: int
    settings: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, kw_only=True)
class Experiment:
    """A simulation that one or several claims are read from.

    Parameters
    ----------
    name : str
        Also names the file of the figure.
    simulate : callable
        ``simulate(seeds, **settings) -> Sample``, of a list of seeds; a function of a module, so
        that another process can call it. A seed's row must not depend on the other seeds.
    quick, full : Size
        Of the quick form, and of the paper's own.
    block : int
        Seeds per call: a second of work or more.
    draw : callable, optional
        The figure of a sample.
    caption : str
        What the figure shows.
    """

    name: str
    simulate: Callable[..., Sample]
    quick: Size
    full: Size
    block: int
    draw: Callable[[Sample], Figure] | None = None
    caption: str = ""

    def size(self, full: bool) -> Size:
        return self.full if full else self.quick

    def blocks(self, full: bool) -> list[list[int]]:
        """All seeds, in blocks."""
        seeds = range(self.size(full).seeds)
        return [list(seeds[start : start + self.block]) for start in seeds[:: self.block]]


@dataclass(frozen=True, kw_only=True)
class Claim:
    """A quantitative claim of a paper.

    Parameters
    ----------
    id : str
    statement : str
        In the paper's words, in brief.
    source : str
        Its figure or theorem.
    paper : str
        The paper's number, or what it says instead of one.
    setting : str
        What is run, and how each thing that the paper leaves open was read.
    measure : str
        What the numbers are.
    rule : str
        ``judge`` in words.
    experiment : Experiment, optional
        None where the claim cannot be run here.
    numbers : callable
        From the sample to named numbers with their 95 % intervals.
    judge : callable
        From the numbers to the verdict; it sees nothing else.
    obstacle : str
        Why the claim cannot be run here.
    """

    id: str
    statement: str
    source: str
    paper: str
    setting: str = ""
    measure: str = ""
    rule: str = ""
    experiment: Experiment | None = None
    numbers: Callable[[Sample], Numbers] | None = None
    judge: Callable[[Numbers], Verdict] | None = None
    obstacle: str = ""

    def __post_init__(self):
        parts = (self.experiment, self.numbers, self.judge)
        runs = all(part is not None for part in parts)
        if runs == bool(self.obstacle) or (not runs and any(part is not None for part in parts)):
            raise ValueError(
                f"claim {self.id} needs an experiment, numbers and judge, or the obstacle to them"
            )
        if runs and not (self.setting and self.measure and self.rule):
            raise ValueError(f"claim {self.id} must state its setting, measure and rule")


@dataclass(frozen=True, kw_only=True)
class Paper:
    """A paper: its short name, how to cite it, and its claims."""

    name: str
    title: str
    reference: str
    claims: Sequence[Claim]

    def __post_init__(self):
        ids = [claim.id for claim in self.claims]
        if len(set(ids)) < len(ids):
            raise ValueError(f"the claims of {self.name} must have different ids, got {ids}")

    def experiments(self, claims: Sequence[Claim] | None = None) -> list[Experiment]:
        """The experiments of some claims, by default of all, each once."""
        chosen = self.claims if claims is None else claims
        found = {c.experiment.name: c.experiment for c in chosen if c.experiment is not None}
        return list(found.values())


@dataclass(frozen=True, kw_only=True)
class Finding:
    """What became of a claim: our numbers, on how many seeds, and the verdict."""

    claim: Claim
    verdict: Verdict
    numbers: Numbers
    seeds: int

    @classmethod
    def of(cls, claim: Claim, sample: Sample | None) -> "Finding":
        """Read a claim from the sample of its experiment; None where it has none."""
        if claim.numbers is None or claim.judge is None or sample is None:
            return cls(claim=claim, verdict=Verdict.CANNOT_RUN, numbers={}, seeds=0)
        numbers = claim.numbers(sample)
        seeds = len(next(iter(sample.measures.values())))
        return cls(claim=claim, verdict=claim.judge(numbers), numbers=numbers, seeds=seeds)


def verdict(*parts: bool) -> Verdict:
    """Of a claim in parts: reproduced if all hold, not reproduced if none does, else partly."""
    if all(parts):
        return Verdict.REPRODUCED
    return Verdict.PARTLY if any(parts) else Verdict.NOT_REPRODUCED


def above(number: Estimate, limit: float) -> bool:
    """Whether the whole interval lies above a limit; never for an interval that is NaN."""
    return bool(number.low >= limit)


def below(number: Estimate, limit: float) -> bool:
    """Whether the whole interval lies below a limit; never for an interval that is NaN."""
    return bool(number.high <= limit)


def within(number: Estimate, low: float, high: float) -> bool:
    """Whether the whole interval lies between two limits."""
    return above(number, low) and below(number, high)
