"""The claims of kakade2008 on halving: Lemma 6, and Theorems 7 and 8."""

from collections.abc import Iterable

import numpy as np

from leaderboards.papers import estimates
from leaderboards.papers.claim import Claim, Experiment, Numbers, Origin, Sample, Size
from leaderboards.papers.kakade2008.halving_runs import (
    CLASSES,
    GRIDS,
    KINDS,
    POOL,
    Grid,
    grid_halving,
    grid_name,
    halving,
)
from leaderboards.papers.rules import below, each, holds, never, together
from leaderboards.papers.verdicts import Parts
from leaderboards.rank.interval_estimates import Estimate

LIMIT = 1.1  # of an exponent of 1


def over_classes(sample: Sample, names: Iterable[str]) -> Numbers:
    """How often mistakes exceed the bound, what a mistake removes, and the largest ratios."""
    names = list(names)
    found = np.stack([sample.measures[name] for name in names])  # (classes, n, kinds)
    of = {kind: found[..., j] for j, kind in enumerate(KINDS)}
    above = of["mistakes"] > of["bound"]
    return {
        "seeds above the bound": estimates.share(above.any(axis=0)),
        "k times the least share removed": estimates.plain(np.nanmin(of["least removed"])),
        "seeds without a right hypothesis": estimates.share(
            of["right hypothesis left"].any(axis=0)
        ),
        **{
            f"largest M / bound, {name}": estimates.plain((own / bound).max())
            for name, own, bound in zip(names, of["mistakes"], of["bound"], strict=True)
        },
    }


def growth(sample: Sample, grids: list[Grid]) -> Estimate:
    """Slope of the log of mean mistakes against log k^2 d ln(Dd), by least squares."""
    rates = np.array([grid.rate for grid in grids])
    mistakes = np.stack([sample.measures[grid_name(grid)][:, 0] for grid in grids], axis=1)
    return estimates.exponent(rates, mistakes, rates.min(), rates.max())


def grid_numbers(sample: Sample) -> Numbers:
    exponents = {f"exponent, by {name}": growth(sample, grids) for name, grids in GRIDS.items()}
    return {**exponents, **over_classes(sample, sample.measures)}


def judge_halving(numbers: Numbers) -> Parts:
    removed = "k times the least share removed"
    return {
        "seeds above the bound": never(numbers["seeds above the bound"]),
        removed: holds(bool(numbers[removed].value >= 1 - 1e-9)),
        "seeds without a right hypothesis": never(numbers["seeds without a right hypothesis"]),
    }


_PROOF = """Halving makes at most k ln|H| mistakes on every seed; every mistake removes at least 1/k
    of the active hypotheses, which is the step of Lemma 6's proof; and a hypothesis that is always
    right is never removed, so the active set never becomes empty."""

CLAIMS = (
    Claim(
        id="halving",
        origin=Origin.THEOREM,
        statement="Halving makes at most k ln|H| mistakes if a hypothesis makes none",
        source="Lemma 6",
        paper="0 seeds above the bound",
        setting="""The paper has no experiment on it. Each seed draws a random class H, and a random
            member of it gives the labels. The classes are Gaussian linear predictors on Gaussian
            rows of 5 dimensions (500 rounds in the quick form, 2000 in the full one), and tables of
            uniform random labels for 100 rounds; k = 3 and 9, |H| = 16 and 256.
            `MulticlassBandit-v0`.""",
        measure="""share of seeds with more than k ln|H| mistakes in any class; k times the least
            share of the active hypotheses that a mistake removes; share of seeds on which the
            active set becomes empty; for each class, the largest number of mistakes divided by k
            ln|H|.""",
        rule=_PROOF,
        any_size="""the bound is for every sequence, so one sequence that breaks it is a
            counterexample.""",
        headline=["seeds above the bound", "k times the least share removed"],
        experiment=Experiment(
            name="halving",
            simulate=halving,
            quick=Size(seeds=30, settings={"rounds": 500}, seeds_per_call=10),
            full=Size(seeds=200, settings={"rounds": 2000}, seeds_per_call=25),
        ),
        numbers=lambda sample: over_classes(sample, CLASSES),
        judge=judge_halving,
    ),
    Claim(
        id="grid-halving",
        origin=Origin.THEOREM,
        statement="""A deterministic algorithm makes at most O(k^2 d ln(Dd)) mistakes on separable
            data""",
        source="Theorem 7",
        paper="exponent at most 1 in k^2 d ln(Dd)",
        setting="""Halving runs over the grid of the proof, which fits into memory only for k d up
            to about 6: k = d = 2 with D = 2, 8, 32, 128; k = 2, D = 8 with d = 1, 2, 3; d = 2, D =
            8 with k = 2, 3; at most 331 776 hypotheses. W* is Gaussian with rows that add up to 0,
            scaled to D, and drawn such that every label has at least a tenth of the data. An
            adversary that sees the active set has 200 points of the unit ball on which W* has
            margin 1. Among the points on which the plurality vote is wrong, it shows one where this
            vote has the fewest hypotheses; at the end it shows all 200. The paper leaves its
            constants open; our grid has floor(sqrt(2Dd)) + 2 values for each coordinate.""",
        measure="""slope of the log of mean mistakes against the log of k^2 d ln(Dd), by least
            squares, when only D, d or k is varied; and the measures of claim halving, over all
            grids.""",
        rule="""each exponent's whole interval lies below 1.1; there is no lower limit, because
            O(..) is an upper bound. """
        + _PROOF,
        any_size="the adversary ends when no point is left on which the plurality vote is wrong.",
        varied="""D, d and k, each alone. The exponent by k rests on k = 2 and 3, because no larger
            k fits into memory at d = 2.""",
        headline=[f"exponent, by {name}" for name in GRIDS],
        experiment=Experiment(
            name="grid-halving",
            simulate=grid_halving,
            quick=Size(seeds=10, settings={"pool": POOL}, seeds_per_call=1),
            full=Size(seeds=50, settings={"pool": POOL}, seeds_per_call=5),
        ),
        numbers=grid_numbers,
        judge=together(each(below, LIMIT, of="exponent, by *"), judge_halving),
    ),
    Claim(
        id="projected-halving",
        origin=Origin.THEOREM,
        statement="""With probability 1 - delta, a randomized algorithm makes at most O(k^2 D ln((T
            + k)/delta) (ln D + ln ln((T + k)/delta))) mistakes on separable data, for any d""",
        source="Theorem 8",
        paper="a bound without d, of order D ln T",
        obstacle="""the rows are projected to O(D ln((T + k)/delta)) dimensions, and halving then
            runs over the grid of Theorem 7. With the constants of the lemma on projections, k = 2,
            D = 2, delta = 0.1 and T = 1000 need 1064 dimensions and a grid of 555^2128 hypotheses,
            about 10^5840; SynSep with D = 200 and T = 1 000 000 needs 145 276 dimensions, more than
            the 400 of the data. A grid fits into memory for k d up to about 6 (10^6 hypotheses).
            `ProjectedHalving(dim=..)` runs at a dimension of 1 or 2, where nothing is guaranteed
            and play is near chance, which is no evidence about the theorem.""",
    ),
)
