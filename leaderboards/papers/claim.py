"""Claims of papers, the experiments that test them, and their verdicts."""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any, NamedTuple

import numpy as np
from matplotlib.figure import Figure

from leaderboards.rank.interval_estimates import Estimate

Numbers = Mapping[str, Estimate]


class Verdict(StrEnum):
    """The verdict on a claim."""

    REPRODUCED = "reproduced"
    PARTLY = "partly"
    NOT_REPRODUCED = "not reproduced"
    CANNOT_RUN = "cannot be run here"


class Sample(NamedTuple):
    """The measurements of an experiment.

    Attributes
    ----------
    rounds : ndarray of shape (c,)
        The rounds, counted from 1, of measures that are curves.
    measures : mapping of str to ndarray of shape (n, ...)
        By name; the first axis is over seeds.
    """

    rounds: np.ndarray
    measures: dict[str, np.ndarray]

    def at_end(self, name: str) -> np.ndarray:
        """A curve's values at the last round, (n,)."""
        return self.measures[name][:, -1]


def fold(record: Any, *names: str) -> None:
    """Make each stretch of white space in these texts of a frozen record a single space."""
    for name in names:
        object.__setattr__(record, name, re.sub(r"\s+", " ", getattr(record, name)))


@dataclass(frozen=True, kw_only=True)
class Size:
    """The number of seeds 0, 1, .. of an experiment, and the other arguments of its function."""

    seeds: int
    settings: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, kw_only=True)
class Experiment:
    """A simulation that tests one or several claims.

    Parameters
    ----------
    name : str
        Also names the file of the figure.
    simulate : callable
        ``simulate(seeds, **settings) -> Sample`` for a list of seeds; a function of a module, so
        that another process can call it. A seed's results must not depend on the other seeds.
    quick, full : Size
        The sizes of the quick form and of the paper.
    seeds_per_call : int
        So many that a call is a second of work or more.
    draw : callable, optional
        The figure of a sample.
    caption : str
        What the figure shows.
    """

    name: str
    simulate: Callable[..., Sample]
    quick: Size
    full: Size
    seeds_per_call: int
    draw: Callable[[Sample], Figure] | None = None
    caption: str = ""

    def __post_init__(self):
        fold(self, "caption")

    def size(self, full: bool) -> Size:
        return self.full if full else self.quick

    def calls(self, full: bool) -> list[list[int]]:
        """The seeds of each call."""
        seeds, some = range(self.size(full).seeds), self.seeds_per_call
        return [list(seeds[start : start + some]) for start in seeds[::some]]


@dataclass(frozen=True, kw_only=True)
class Claim:
    """A quantitative claim of a paper; its texts may be wrapped.

    Parameters
    ----------
    id : str
    statement : str
        The claim, close to the paper's words.
    source : str
        The paper's figure or theorem.
    paper : str
        The paper's number, or its statement if it gives none.
    setting : str
        What is run, and how everything that the paper leaves open was chosen.
    measure : str
        What the numbers are.
    rule : str
        ``judge`` in words.
    experiment : Experiment, optional
        None if the claim cannot be run here.
    numbers : callable
        Takes the sample; returns named numbers with their 95 % intervals.
    judge : callable
        Takes the numbers and nothing else; returns the verdict.
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
        fold(self, "statement", "source", "paper", "setting", "measure", "rule", "obstacle")
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
        """The experiments of some claims, by default of all, without repetition."""
        chosen = self.claims if claims is None else claims
        found = {c.experiment.name: c.experiment for c in chosen if c.experiment is not None}
        return list(found.values())


@dataclass(frozen=True, kw_only=True)
class Finding:
    """The result for a claim: our numbers, the number of seeds, and the verdict."""

    claim: Claim
    verdict: Verdict
    numbers: Numbers
    seeds: int

    @classmethod
    def of(cls, claim: Claim, sample: Sample | None) -> "Finding":
        """Judge a claim by the sample of its experiment; None if it has no experiment."""
        if claim.numbers is None or claim.judge is None or sample is None:
            return cls(claim=claim, verdict=Verdict.CANNOT_RUN, numbers={}, seeds=0)
        numbers = claim.numbers(sample)
        seeds = len(next(iter(sample.measures.values())))
        return cls(claim=claim, verdict=claim.judge(numbers), numbers=numbers, seeds=seeds)
