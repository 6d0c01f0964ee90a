"""The claims of sutton2018's Figure 2.5, on gradient bandits."""

from collections.abc import Sequence

from agents import GradientBandit
from leaderboards.papers.claim import Claim, Experiment, Figure, Numbers, Origin, Sample
from leaderboards.papers.rules import above, each, within
from leaderboards.papers.sutton2018.testbed import (
    LATE,
    SETTING,
    SIZE,
    STEPS,
    draw_testbed,
    gains,
    on_testbed,
)

ALPHAS = (0.1, 0.4)


def gradient(alpha: float, baseline: bool) -> str:
    """The name of a gradient bandit."""
    return f"alpha = {alpha}, {'with' if baseline else 'without'}"


def figure_2_5(seeds: Sequence[int]) -> Sample:
    """Gradient bandits with and without a baseline around 4; with one also around 0."""
    around_4 = {
        gradient(alpha, baseline): GradientBandit(step=alpha, baseline=baseline)
        for baseline in (True, False)
        for alpha in ALPHAS
    }
    around_0 = {
        f"around 0, {gradient(alpha, True)}": GradientBandit(step=alpha) for alpha in ALPHAS
    }
    shifted, plain = on_testbed(seeds, around_4, mean=4.0), on_testbed(seeds, around_0)
    return Sample(shifted.rounds, {**shifted.measures, **plain.measures})


def baseline_gains(sample: Sample) -> Numbers:
    pairs = [(gradient(alpha, True), gradient(alpha, False)) for alpha in ALPHAS]
    found = gains(sample, "optimal", pairs, *LATE)
    return {
        f"alpha = {alpha}": found[" - ".join(pair)]
        for alpha, pair in zip(ALPHAS, pairs, strict=True)
    }


def effect_of_shift(sample: Sample) -> Numbers:
    names = [gradient(alpha, True) for alpha in ALPHAS]
    found = gains(sample, "optimal", [(name, f"around 0, {name}") for name in names], 1, STEPS)
    return {
        f"alpha = {alpha}": number for alpha, number in zip(ALPHAS, found.values(), strict=True)
    }


def draw(sample: Sample) -> Figure:
    shifted = {name: own for name, own in sample.measures.items() if not name.startswith("around")}
    return draw_testbed(Sample(sample.rounds, shifted), {"optimal": "share of the best arm"})


_FIGURE_2_5 = Experiment(
    name="figure-2-5",
    simulate=figure_2_5,
    quick=SIZE,
    full=SIZE,
    draw=draw,
    caption="""Figure 2.5: share of runs that play the best arm, with a baseline and without. Beyond
        step 20 a point is a mean over 20 steps.""",
)
_GRADIENTS = (
    SETTING
    + """The arms' means are drawn around 4, and the step alpha is 0.1 or 0.4, as in the figure. The
    baseline is the mean of all earlier rewards, where the book's figures include the present one:
    the difference is a factor 1 - 1/t of the step. """
)

CLAIMS = (
    Claim(
        id="baseline",
        statement="""If the baseline of the gradient bandit is omitted, performance is significantly
            degraded where means are near 4""",
        source="Figure 2.5, section 2.8",
        origin=Origin.FIGURE,
        paper="worse without",
        setting=_GRADIENTS + """We read "significantly" as a tenth of the steps.""",
        measure="""share of the best arm in steps 501 to 1000 with the baseline, minus that
            without.""",
        rule="a part holds if the whole interval lies above 0.1.",
        experiment=_FIGURE_2_5,
        numbers=baseline_gains,
        judge=each(above, 0.1),
    ),
    Claim(
        id="shift",
        statement="A shift of all rewards has no effect on the gradient bandit with its baseline",
        source="section 2.8",
        origin=Origin.REMARK,
        paper="no effect",
        setting=_GRADIENTS + """The same rewards are played around 0.""",
        measure="share of the best arm in all steps, minus that with means around 0.",
        rule="""a part holds if the whole interval lies in -0.001 .. 0.001; rounding may change a
            few plays.""",
        experiment=_FIGURE_2_5,
        numbers=effect_of_shift,
        judge=each(within, -0.001, 0.001),
    ),
)
