"""The claims of kakade2008 on Figure 1: how fast error rates fall, and the effect of gamma."""

from functools import partial

import numpy as np

from leaderboards.papers import estimates
from leaderboards.papers.claim import Claim, Numbers, Sample
from leaderboards.papers.kakade2008.figure_1 import (
    ENVIRONMENTS,
    FIGURE_1,
    GAMMAS,
    LABELS,
    best,
    final,
    slope,
)
from leaderboards.papers.rules import above, below, each, verdict, within
from leaderboards.rank.statistics import stratified_bootstrap_interval

LOWEST, HIGHEST = "2^-14", "2^-1"
WORSE = 1.1  # times the error at the best gamma
PLATEAU = 10_000  # "does not decay appreciably till 10^4 examples"


def perceptron_slope(sample: Sample) -> Numbers:
    last = int(sample.rounds[-1])
    return {
        "slope": slope(sample, "SynSep, Perceptron", last // 1000, last, np.mean),
        "mistakes at T": estimates.mean(sample.at_end("SynSep, Perceptron")),
    }


def banditron_slope(sample: Sample) -> Numbers:
    last, at = int(sample.rounds[-1]), best(sample, "SynSep")
    numbers = {"best γ": estimates.plain(GAMMAS[at])}
    for label, name in {"best γ": at, "γ = 2^-6": "2^-6"}.items():
        for of, centre in {"": np.median, " of means": np.mean}.items():
            for start in (1000, 10):
                found = slope(sample, f"SynSep, {name}", last // start, last, centre)
                numbers[f"slope{of}, {label}, T/{start} .. T"] = found
    return numbers


def gamma_numbers(sample: Sample, env: str) -> Numbers:
    errors = final(sample, env)

    def over_best(column):
        def ratio(scores):
            medians = np.median(scores, axis=-2)
            return medians[..., column] / medians.min(axis=-1)

        return stratified_bootstrap_interval(errors, ratio)

    names = list(GAMMAS)
    return {
        "best γ": estimates.plain(GAMMAS[best(sample, env)]),
        "error, best γ": estimates.median(errors[:, names.index(best(sample, env))]),
        "γ = 2^-8 / best": over_best(names.index("2^-8")),
        "lowest / best": over_best(names.index(LOWEST)),
        "highest / best": over_best(names.index(HIGHEST)),
    }


judge_gamma = each(above, WORSE, of=[f"{end} / best" for end in ("lowest", "highest")])


def floor_numbers(sample: Sample) -> Numbers:
    numbers = {}
    for env in ENVIRONMENTS:
        for name, gamma in GAMMAS.items():
            floor = gamma * (LABELS - 1) / LABELS
            rates = final(sample, env, [name])[:, 0] / floor
            numbers[f"{env}, γ = {name}"] = estimates.mean(rates)
    # The three lowest of each environment are enough.
    lowest = []
    for env in ENVIRONMENTS:
        own = [name for name in numbers if name.startswith(f"{env},")]
        lowest += sorted(own, key=lambda name: float(numbers[name].value))[:3]
    return {name: numbers[name] for name in lowest}


def perceptron_plateau(sample: Sample) -> Numbers:
    last = int(sample.rounds[-1])
    return {
        "error at T": estimates.mean(final(sample, "SynNonSep", ["Perceptron"])[:, 0]),
        "slope, T/10 .. T": slope(sample, "SynNonSep, Perceptron", last // 10, last, np.mean),
    }


def banditron_error(sample: Sample) -> Numbers:
    at = best(sample, "SynNonSep")
    names = {"best γ": at, "γ = 2^-5": "2^-5", "γ = 2^-6": "2^-6"}
    return {
        "best γ": estimates.plain(GAMMAS[at]),
        **{
            f"error at T, {label}": estimates.mean(final(sample, "SynNonSep", [name])[:, 0])
            for label, name in names.items()
        },
    }


def banditron_shape(sample: Sample) -> Numbers:
    at, last = best(sample, "SynNonSep"), int(sample.rounds[-1])
    name, middle = f"SynNonSep, {at}", min(PLATEAU, last // 10)
    mistakes = sample.measures[name]
    early, late = (int(np.flatnonzero(sample.rounds == t)[0]) for t in (middle // 100, middle))
    ratio = stratified_bootstrap_interval(
        mistakes[:, [early, late]] / sample.rounds[[early, late]],
        lambda rates: np.divide(*np.moveaxis(np.median(rates, axis=-2), -1, 0)[::-1]),
    )
    return {
        "best γ": estimates.plain(GAMMAS[at]),
        "error, 10^4 / 10^2": ratio,
        "slope, 10^4 .. T": slope(sample, name, middle, last),
    }


_SETTING = """`{}`, the recipe of Figure 1's caption; k = 9, 400 words. T = 100 000 and 30 seeds in
    the quick form, the paper's T = 1 000 000 and 10 runs in the full one; each seed has topics of
    its own and is the same stream for all agents. Open in the paper: the values of gamma, here 2^-1
    to 2^-14; how much the topics overlap, here sets of uniform size and place that differ in at
    least 11 words."""
_NOISE = " A false label is uniform over the other eight."
_SEPARABLE, _NOISY = _SETTING.format("SynSep-v0"), _SETTING.format("SynNonSep-v0") + _NOISE
_SLOPE = "least-squares slope of the log error rate against log t, twelve rounds a decade"
_BEST = """The best gamma is that with the smallest median error rate at T of the same seeds: below
    2^-8 errors are heavy-tailed, and a mean is ruled by the worst runs."""
_GAMMA_RULE = """too low: the median error rate at 2^-14 is more than 1.1 times that at the best
    gamma, with the whole interval; too high: likewise at 2^-1. Both, one, none."""
_GAMMA_MEASURE = "median error rate at T over that at the best gamma of the grid. " + _BEST
_claim = partial(Claim, experiment=FIGURE_1, setting=_SEPARABLE)

CLAIMS = (
    _claim(
        id="synsep-perceptron",
        statement="The Perceptron's error rate falls as 1/T, a slope of -1 on a log-log plot",
        source="Figure 1 left, section 5",
        paper="slope -1",
        measure=_SLOPE + ", of means over T/1000 .. T. Beside it the mistakes at T.",
        rule="reproduced if the whole interval lies in -1.1 .. -0.9, else not reproduced.",
        numbers=perceptron_slope,
        judge=lambda numbers: verdict(within(numbers["slope"], -1.1, -0.9)),
    ),
    _claim(
        id="synsep-banditron",
        statement="The Banditron at its best gamma falls with a slope of about -0.55",
        source="Figure 1 left, section 5",
        paper="slope about -0.55",
        setting=_SEPARABLE + " Open as well: over which rounds the slope was taken.",
        measure=_SLOPE
        + """, of medians, over T/1000 .. T and over the last decade T/10 .. T.
            Beside it the slopes at gamma = 2^-6, and those of means. """
        + _BEST,
        rule="""a range of rounds holds if the whole interval of the slope of medians at the best
            gamma lies in -0.65 .. -0.45. Both, one, none.""",
        numbers=banditron_slope,
        judge=each(
            within,
            -0.65,
            -0.45,
            of=[f"slope, best γ, {fitted}" for fitted in ("T/1000 .. T", "T/10 .. T")],
        ),
    ),
    _claim(
        id="synsep-gamma",
        statement="Setting gamma too low or too high leads to higher error rates, on SynSep",
        source="Figure 1 left below, section 5",
        paper="higher at both ends",
        measure=_GAMMA_MEASURE,
        rule=_GAMMA_RULE,
        numbers=partial(gamma_numbers, env="SynSep"),
        judge=judge_gamma,
    ),
    _claim(
        id="synnonsep-perceptron",
        statement="The Perceptron's error rate drops to 10 % and then becomes constant",
        source="Figure 1 middle, section 5",
        paper="10 %",
        setting=_NOISY,
        measure="mean error rate at T; " + _SLOPE + ", of means over T/10 .. T.",
        rule="""the error rate's interval lies in 9 .. 11 %, that of the slope in -0.05 .. 0.05.
            Both, one, none.""",
        numbers=perceptron_plateau,
        judge=lambda numbers: verdict(
            within(numbers["error at T"], 0.09, 0.11),
            within(numbers["slope, T/10 .. T"], -0.05, 0.05),
        ),
    ),
    _claim(
        id="synnonsep-banditron",
        statement="The Banditron at its best gamma ends at 10^-0.89 = 13 %",
        source="Figure 1 middle, section 5",
        paper="13 %",
        setting=_NOISY + " The paper's number is that after 1 000 000 rounds.",
        measure="mean error rate at T, at the best gamma, at 2^-5 and at 2^-6. " + _BEST,
        rule="""a gamma holds if the whole interval lies in 12 .. 14 %: the best one of our grid,
            and 2^-5, for the paper does not name its own. Both, one, none.""",
        numbers=banditron_error,
        judge=each(
            within, 0.12, 0.14, of=[f"error at T, {label}" for label in ("best γ", "γ = 2^-5")]
        ),
    ),
    _claim(
        id="synnonsep-shape",
        statement="""The Banditron does not decay appreciably till 10^4 examples, then falls
            rapidly""",
        source="Figure 1 middle, section 5",
        paper="flat to 10^4, then steep",
        setting=_NOISY + " At the best gamma.",
        measure=(
            "median error rate after 10^4 rounds over that after 10^2; "
            + _SLOPE
            + ", of medians over 10^4 .. T. "
            + _BEST
        ),
        rule="""flat: the whole interval of the ratio lies above 1/2; steep: that of the slope below
            -0.25. Both, one, none.""",
        numbers=banditron_shape,
        judge=lambda numbers: verdict(
            above(numbers["error, 10^4 / 10^2"], 0.5), below(numbers["slope, 10^4 .. T"], -0.25)
        ),
    ),
    _claim(
        id="synnonsep-gamma",
        statement="Setting gamma too low or too high leads to higher error rates, on SynNonSep",
        source="Figure 1 middle below, section 5",
        paper="higher at both ends",
        setting=_NOISY,
        measure=_GAMMA_MEASURE,
        rule=_GAMMA_RULE,
        numbers=partial(gamma_numbers, env="SynNonSep"),
        judge=judge_gamma,
    ),
    _claim(
        id="floor",
        statement="""P gives every label gamma/k, so the error rate cannot fall below gamma (k -
            1)/k""",
        source="Algorithm 1",
        paper="at least gamma (k - 1)/k",
        setting=_SETTING.format("SynSep-v0` and `SynNonSep-v0"),
        measure="""mean error rate at T over gamma (k - 1)/k, for all values of gamma on both
            environments; the three least of each are shown.""",
        rule="reproduced if no interval lies wholly below 1, else not reproduced.",
        numbers=floor_numbers,
        judge=lambda numbers: verdict(not any(below(number, 1) for number in numbers.values())),
    ),
)
REUTERS4 = Claim(
    id="reuters4",
    statement="""On REUTERS4 the Perceptron ends at 5.3 %, the Banditron with gamma = 0.05 at 16.3
        %, falling at a comparable rate""",
    source="Figure 1 right, section 5",
    paper="5.3 % and 16.3 %",
    obstacle="""the data, Reuters RCV1, is not ours to give. Once scikit-learn's `fetch_rcv1` has
        fetched it, or the token files lyrl2004 lie in a folder, `Reuters4-v0` plays it. Comparable
        would then be the 673 768 stories with one of four labels, and how the two curves lie to
        each other; not the error rates, for the common release has 47 236 tf-idf weights where the
        paper has counts of 346 810 words, and the paper does not say in which order the stories
        came.""",
)
