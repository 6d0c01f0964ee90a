"""The claims of kakade2008 on the middle column of Figure 1: documents with false labels."""

from functools import partial

import numpy as np

from leaderboards.papers import estimates
from leaderboards.papers.claim import Claim, Numbers, Origin, Sample
from leaderboards.papers.kakade2008.error_rates import (
    ANY_OF_NINE,
    FIGURE_1,
    GAMMAS,
    NOISY,
    best,
    final,
    slope,
)
from leaderboards.papers.kakade2008.figure_1_words import (
    BEST,
    GAMMA_MEASURE,
    GAMMA_RULE,
    SLOPE,
    SYNNONSEP,
)
from leaderboards.papers.kakade2008.synsep_claims import gamma_numbers, judge_gamma
from leaderboards.papers.rules import above, below, each, within
from leaderboards.papers.verdicts import Parts
from leaderboards.rank.scores_and_ranks import stratified_bootstrap_interval

PLATEAU = 10_000  # "does not decay appreciably till 10^4 examples"
READINGS = {"any of 8": NOISY[0], "any of 9": ANY_OF_NINE}  # of a false label
SHAPES = ("best γ", "γ = 2^-5", "γ = 2^-6")


def perceptron_plateau(sample: Sample) -> Numbers:
    last, numbers = int(sample.rounds[-1]), {}
    for reading, env in READINGS.items():
        errors = final(sample, env, ["Perceptron"])[:, 0]
        numbers[f"error at T, {reading}"] = estimates.mean(errors)
        found = slope(sample, f"{env}, Perceptron", last // 10, last, np.mean)
        numbers[f"slope, T/10 .. T, {reading}"] = found
    return numbers


def judge_plateau(numbers: Numbers) -> Parts:
    limits = {"error at T": (0.09, 0.11), "slope, T/10 .. T": (-0.05, 0.05)}
    return {
        f"{name}, {reading}": within(numbers[f"{name}, {reading}"], *ends)
        for reading in READINGS
        for name, ends in limits.items()
    }


def banditron_error(sample: Sample) -> Numbers:
    numbers = {}
    for reading, env in READINGS.items():
        at = best(sample, env)
        numbers[f"best γ, {reading}"] = estimates.plain(GAMMAS[at])
        for label, name in zip(SHAPES, (at, "2^-5", "2^-6"), strict=True):
            errors = final(sample, env, [name])[:, 0]
            numbers[f"error at T, {label}, {reading}"] = estimates.mean(errors)
    return numbers


def banditron_shape(sample: Sample) -> Numbers:
    at, last = best(sample, "SynNonSep"), int(sample.rounds[-1])
    middle = min(PLATEAU, last // 10)
    ends = [sample.place(t) for t in (middle // 100, middle)]
    numbers = {"best γ": estimates.plain(GAMMAS[at])}
    for label, gamma in zip(SHAPES, (at, "2^-5", "2^-6"), strict=True):
        name = f"SynNonSep, {gamma}"
        numbers[f"error, 10^4 / 10^2, {label}"] = stratified_bootstrap_interval(
            sample.measures[name][:, ends] / sample.rounds[ends],
            lambda rates: np.divide(*np.moveaxis(np.median(rates, axis=-2), -1, 0)[::-1]),
        )
        numbers[f"slope, 10^4 .. T, {label}"] = slope(sample, name, middle, last)
    return numbers


def judge_shape(numbers: Numbers) -> Parts:
    parts = {}
    for label in SHAPES:
        flat, steep = f"error, 10^4 / 10^2, {label}", f"slope, 10^4 .. T, {label}"
        parts |= {flat: above(numbers[flat], 0.5), steep: below(numbers[steep], -0.25)}
    return parts


_SWEPT = """a false label, which the paper does not specify: it is uniform over the other eight
    labels, or over all nine, so that it may be the true one."""
_claim = partial(Claim, experiment=FIGURE_1, setting=SYNNONSEP, origin=Origin.FIGURE)
_ONE_READING = SYNNONSEP + " A false label is uniform over the other eight."

CLAIMS = (
    _claim(
        id="synnonsep-perceptron",
        statement="The Perceptron's error rate drops to 10 % and then becomes constant",
        source="Figure 1 middle, section 5",
        paper="10 %",
        measure="mean error rate at T; "
        + SLOPE
        + ", for the mean over the seeds, fitted over T/10 .. T.",
        rule="""the whole interval of the error rate lies in 9 .. 11 %, and that of the slope in
            -0.05 .. 0.05.""",
        swept=_SWEPT,
        headline=[f"error at T, {reading}" for reading in READINGS],
        numbers=perceptron_plateau,
        judge=judge_plateau,
    ),
    _claim(
        id="synnonsep-banditron",
        statement="The Banditron's error rate at its best gamma ends at 10^-0.89 = 13 %",
        source="Figure 1 middle, section 5",
        paper="13 %",
        measure="mean error rate at T, at the best gamma, at 2^-5 and at 2^-6. " + BEST,
        rule="""two values of gamma are judged, because the paper does not name its own: the best
            one of our grid, and 2^-5. A gamma holds if its whole interval lies in 12 .. 14 %.""",
        swept=_SWEPT,
        varied="what is swept, and gamma: the best one of the grid, 2^-5 and 2^-6.",
        headline=[f"error at T, {label}, any of 8" for label in SHAPES[:2]],
        numbers=banditron_error,
        judge=each(
            within,
            0.12,
            0.14,
            of=[f"error at T, {label}, {own}" for own in READINGS for label in SHAPES[:2]],
        ),
    ),
    _claim(
        id="synnonsep-shape",
        statement="""The Banditron's error rate does not decay appreciably till 10^4 examples, after
            which it falls rapidly""",
        source="Figure 1 middle, section 5",
        paper="flat to 10^4, then steep",
        setting=_ONE_READING,
        measure="median error rate after 10^4 rounds, divided by that after 10^2; "
        + SLOPE
        + ", for the median over the seeds, fitted over 10^4 .. T. "
        + BEST,
        rule="""flat: the whole interval of the ratio lies above 1/2; steep: that of the slope lies
            below -0.25.""",
        swept="gamma, which the paper does not name: the best of our grid, 2^-5 and 2^-6.",
        headline=["error, 10^4 / 10^2, best γ", "slope, 10^4 .. T, best γ"],
        numbers=banditron_shape,
        judge=judge_shape,
    ),
    _claim(
        id="synnonsep-gamma",
        statement="Setting gamma too low or too high leads to higher error rates, on SynNonSep",
        source="Figure 1 middle below, section 5",
        paper="higher at both ends",
        setting=_ONE_READING,
        measure=GAMMA_MEASURE,
        rule=GAMMA_RULE,
        numbers=partial(gamma_numbers, env="SynNonSep"),
        judge=judge_gamma,
    ),
)
