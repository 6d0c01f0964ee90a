"""Claims of papers, the experiments that test them, and their verdicts."""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

import numpy as np

from leaderboards.papers.verdicts import Parts, Verdict, at_smaller_size, whole
from leaderboards.rank.interval_estimates import Estimate

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure
else:  # those of annotations alone: matplotlib takes half a second to import
    Axes = Figure = Any

Numbers = Mapping[str, Estimate]


class Origin(StrEnum):
    """Whose claim it is; only the first three count for or against the paper."""

    FIGURE = "figure or table"
    THEOREM = "theorem"
    REMARK = "remark"
    OTHER_PAPER = "another paper's"
    OURS = "ours"


PAPERS_OWN = (Origin.FIGURE, Origin.THEOREM, Origin.REMARK)


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

    def at(self, name: str, t: int) -> np.ndarray:
        """A curve's values at round t, (n,)."""
        return self.measures[name][:, self.place(t)]

    def place(self, t: int) -> int:
        """The index of round t in ``rounds``."""
        return int(np.flatnonzero(self.rounds == t)[0])

    def of(self, run: str) -> dict[str, np.ndarray]:
        """The measures with names of the form ``RUN, MEASURE``, by the second part."""
        start = f"{run}, "
        names = [name for name in self.measures if name.startswith(start)]
        return {name.removeprefix(start): self.measures[name] for name in names}


def fold(record: Any, *names: str) -> None:
    """Make each stretch of white space in these texts of a frozen record a single space."""
    for name in names:
        object.__setattr__(record, name, re.sub(r"\s+", " ", getattr(record, name)))


@dataclass(frozen=True, kw_only=True)
class Size:
    """A size of an experiment.

    Parameters
    ----------
    seeds : int
        The seeds are 0, 1, ...
    settings : mapping of str to object
        The other arguments of the experiment's function.
    seeds_per_call : int
        Few enough for less than ten minutes, and enough for a second.
    of_paper : float or "unknown", optional
        The number of rounds divided by that of the paper's own experiment; ``"unknown"`` if we do
        not know it, and None if the paper gives no size.
    """

    seeds: int
    settings: Mapping[str, Any] = field(default_factory=dict)
    seeds_per_call: int
    of_paper: float | Literal["unknown"] | None = None

    @property
    def words(self) -> str:
        """The size for a page: the settings, and how it compares to the paper's."""
        if self.of_paper is None:
            return "no size in the paper"
        if self.of_paper == "unknown":
            return "the paper's size is unknown to us"
        if self.of_paper >= 1:
            return "the paper's size"
        return f"{self.of_paper:.3g} of the paper's size"

    def calls(self) -> list[list[int]]:
        """The seeds of each call."""
        seeds, some = range(self.seeds), self.seeds_per_call
        return [list(seeds[start : start + some]) for start in seeds[::some]]


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
        The sizes of the quick form and of the full one, which is the paper's or, if that takes too
        long, the largest that does not.
    draw : callable, optional
        The figure of a sample.
    draw_as_printed : callable, optional
        The figure with the paper's own axes and scales, where ``draw`` has others.
    caption : str
        What the figure shows.
    measures_times : bool
        Whether its measures are CPU times, which no second run repeats.
    """

    name: str
    simulate: Callable[..., Sample]
    quick: Size
    full: Size
    draw: "Callable[[Sample], Figure] | None" = None
    draw_as_printed: "Callable[[Sample], Figure] | None" = None
    caption: str = ""
    measures_times: bool = False

    def __post_init__(self):
        fold(self, "caption")

    def size(self, full: bool) -> Size:
        return self.full if full else self.quick

    def reaches_paper(self, full: bool) -> bool:
        """Whether a form has the paper's size; if that is none or unknown, the full size."""
        size = self.size(full)
        if isinstance(size.of_paper, float | int):
            return size.of_paper >= 1
        return full or self.quick.settings == self.full.settings


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
    origin : Origin
        Whose claim it is.
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
        Takes the numbers and nothing else; returns the verdict on each part. A part that has the
        name of a number judges that number.
    headline : sequence of str
        Names of the few numbers to be shown beside the verdict; by default those that are parts.
    swept : str
        Settings that the paper leaves open, and the values of them that were all run: the verdict
        is on all of them.
    varied : str
        What was varied to reproduce the claim, if it was not reproduced.
    any_size : str
        Why more rounds could not lead to a reproduction. Without it, a failure at a size below the
        paper's leaves the claim open.
    amended : str
        What was changed in the rule or the size after a first look at the numbers.
    obstacle : str
        Why the claim cannot be run here.
    """

    id: str
    statement: str
    source: str
    origin: Origin
    paper: str
    setting: str = ""
    measure: str = ""
    rule: str = ""
    experiment: Experiment | None = None
    numbers: Callable[[Sample], Numbers] | None = None
    judge: Callable[[Numbers], Parts] | None = None
    headline: Sequence[str] = ()
    swept: str = ""
    varied: str = ""
    any_size: str = ""
    amended: str = ""
    obstacle: str = ""

    def __post_init__(self):
        fold(self, *_TEXTS)
        parts = (self.experiment, self.numbers, self.judge)
        runs = all(part is not None for part in parts)
        if runs == bool(self.obstacle) or (not runs and any(part is not None for part in parts)):
            raise ValueError(
                f"claim {self.id} needs an experiment, numbers and judge, or the obstacle to them"
            )
        if runs and not (self.setting and self.measure and self.rule):
            raise ValueError(f"claim {self.id} must state its setting, measure and rule")

    def prevented(self, obstacle: str) -> "Claim":
        """The claim on a machine that cannot run it."""
        told = {name: getattr(self, name) for name in ("id", "statement", "source", "origin")}
        return Claim(**told, paper=self.paper, obstacle=obstacle)

    def parts(self, numbers: Numbers, reaches_paper: bool) -> Parts:
        """The verdict on each part; failures below the paper's size may be open."""
        assert self.judge is not None
        parts = self.judge(numbers)
        return parts if reaches_paper or self.any_size else at_smaller_size(parts)


_TEXTS = (
    *("statement", "source", "paper", "setting", "measure", "rule"),
    *("swept", "varied", "any_size", "amended", "obstacle"),
)


@dataclass(frozen=True, kw_only=True)
class Paper:
    """A paper.

    Parameters
    ----------
    name : str
        First author and year.
    title, authors : str
    published : str
        Where and when.
    link : str
        The address of its DOI or arXiv page.
    claims : sequence of Claim
    """

    name: str
    title: str
    authors: str
    published: str
    link: str
    claims: Sequence[Claim]

    def __post_init__(self):
        ids = [claim.id for claim in self.claims]
        if len(set(ids)) < len(ids):
            raise ValueError(f"the claims of {self.name} must have different ids, got {ids}")

    @property
    def reference(self) -> str:
        """``Authors. Title. Where and when.``"""
        return f"{self.authors}. {self.title}. {self.published}."

    def experiments(self, claims: Sequence[Claim] | None = None) -> list[Experiment]:
        """The experiments of some claims, by default of all, without repetition."""
        chosen = self.claims if claims is None else claims
        found = {c.experiment.name: c.experiment for c in chosen if c.experiment is not None}
        return list(found.values())


@dataclass(frozen=True, kw_only=True)
class Finding:
    """The result for a claim: our numbers, the number of seeds, and the verdict on each part."""

    claim: Claim
    parts: Parts
    numbers: Numbers
    seeds: int

    @property
    def verdict(self) -> Verdict:
        return whole(self.parts) if self.parts else Verdict.CANNOT_RUN

    @classmethod
    def of(cls, claim: Claim, sample: Sample | None, reaches_paper: bool) -> "Finding":
        """Judge a claim by the sample of its experiment; None if it has no experiment."""
        if claim.numbers is None or sample is None:
            return cls(claim=claim, parts={}, numbers={}, seeds=0)
        numbers = claim.numbers(sample)
        return cls(
            claim=claim,
            parts=claim.parts(numbers, reaches_paper),
            numbers=numbers,
            seeds=len(next(iter(sample.measures.values()))),
        )
