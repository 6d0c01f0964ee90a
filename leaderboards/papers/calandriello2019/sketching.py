"""The claims of calandriello2019 on sketches of a fixed size in linear bandits: CBRAP, SOFUL."""

from collections.abc import Sequence
from functools import partial

import numpy as np

from agents import CBRAP, OFUL, SOFUL, LinUCB
from leaderboards.papers import estimates
from leaderboards.papers.calandriello2019.fixed_sizes import LINEAR, SUBLINEAR
from leaderboards.papers.claim import Claim, Experiment, Figure, Numbers, Origin, Sample, Size
from leaderboards.papers.panels import LOG_LOG, legend_below, lines, looks, panels
from leaderboards.papers.rules import above, below, both, each, given, within
from leaderboards.papers.simulations import Run, curves
from leaderboards.papers.verdicts import Parts

DIM = 20
SIZES = (5, 15)
ARMS = {"fixed": True, "fresh": False}
ALPHAS = (0.1, 1.0)
EXACT = DIM + 1  # rows from which on SOFUL is OFUL
AGENTS = {
    "LinUCB": LinUCB(),
    **{
        f"CBRAP, m = {size}, alpha = {alpha:g}": CBRAP(size=size, alpha=alpha)
        for size in SIZES
        for alpha in ALPHAS
    },
    "OFUL": OFUL(),
    **{f"SOFUL, m = {size}": SOFUL(size=size) for size in (SIZES[0], EXACT)},
}
SKETCHES = [
    f"m = {m}, alpha = {alpha:g}, {kind}" for m in SIZES for alpha in ALPHAS for kind in ARMS
]


def sketching(seeds: Sequence[int], horizon: int) -> Sample:
    """Regret of linear agents and of their sketches, with fixed and with changing arms."""
    settings = {"dim": DIM, "n_arms": 50, "horizon": horizon}
    runs = {
        f"{name}, {kind}": Run(agent, "LinearBandit-v0", {**settings, "fixed_arms": fixed})
        for kind, fixed in ARMS.items()
        for name, agent in AGENTS.items()
    }
    return curves(seeds, runs)


def is_linear(sample: Sample, name: str) -> np.ndarray:
    """Whether each seed's regret grows at least as t^0.9 over the last decade of rounds, (n,)."""
    last = int(sample.rounds[-1])
    late = sample.rounds >= last // 10
    steps = np.log(sample.rounds[late])
    steps = steps - steps.mean()
    regret = np.maximum(sample.measures[name][:, late], np.finfo(float).tiny)
    return np.log(regret) @ steps / (steps @ steps) >= LINEAR


def cbrap_numbers(sample: Sample) -> Numbers:
    numbers = {}
    for sketch in SKETCHES:
        name = f"CBRAP, {sketch}"
        numbers[f"seeds of linear regret, {sketch}"] = estimates.share(is_linear(sample, name))
        numbers[f"exponent of the mean, {sketch}"] = estimates.late_exponent(sample, name)
    for kind in ARMS:
        numbers[f"exponent of the mean, LinUCB, {kind}"] = estimates.late_exponent(
            sample, f"LinUCB, {kind}"
        )
    return numbers


def soful_numbers(sample: Sample) -> Numbers:
    numbers = {}
    for kind in ARMS:
        for name in (f"SOFUL, m = {SIZES[0]}", "OFUL"):
            numbers[f"exponent, {name}, {kind}"] = estimates.late_exponent(
                sample, f"{name}, {kind}"
            )
        for size in (SIZES[0], EXACT):
            numbers[f"SOFUL / OFUL, m = {size}, {kind}"] = estimates.ratio_at_end(
                sample, f"SOFUL, m = {size}, {kind}", f"OFUL, {kind}"
            )
    return numbers


def judge_soful(numbers: Numbers) -> Parts:
    """Linear regret of the small sketch where OFUL has none, given that a large one is OFUL."""
    parts = {}
    for kind in ARMS:
        control = both(
            within(numbers[f"SOFUL / OFUL, m = {EXACT}, {kind}"], 0.99, 1.01),
            below(numbers[f"exponent, OFUL, {kind}"], SUBLINEAR),
        )
        name = f"exponent, SOFUL, m = {SIZES[0]}, {kind}"
        parts[name] = given(control, above(numbers[name], LINEAR))
    return parts


def draw(sample: Sample) -> Figure:
    figure, grid = panels([f"{kind} arms" for kind in ARMS], ylabel="cumulative regret", **LOG_LOG)
    own = looks(AGENTS)
    for axes, kind in zip(grid, ARMS, strict=True):
        values = {name: sample.measures[f"{name}, {kind}"] for name in own}
        lines(axes, sample.rounds, values, own, quartiles=True)
        axes.set(xlim=(10, sample.rounds[-1]))
    grid[0].set_ylim(bottom=1)
    legend_below(figure, columns=5)
    return figure


_SKETCHING = Experiment(
    name="sketching",
    simulate=sketching,
    quick=Size(seeds=40, settings={"horizon": 5000}, seeds_per_call=10),
    full=Size(seeds=40, settings={"horizon": 50_000}, seeds_per_call=10),
    draw=draw,
    caption="""Mean regret, with bands between the quartiles; both axes are logarithmic, so linear
        regret has slope 1.""",
)
_SETTING = """The paper has no experiment on it; all sizes are ours. `LinearBandit-v0`: 50 arms on
    the unit sphere in 20 dimensions, theta uniform on the sphere, Gaussian noise of sd 0.1. The
    arms are fixed, as in the paper, or drawn fresh every round. T = 5000 in the quick form, 50 000
    in the full one."""
_claim = partial(Claim, experiment=_SKETCHING, origin=Origin.REMARK)

CLAIMS = (
    _claim(
        id="cbrap",
        statement="""CBRAP must use an embedded space at least Omega(T) large, or it incurs linear
            regret with high probability""",
        source="section 5",
        paper="linear regret on nearly every seed",
        setting=_SETTING + " LinUCB has alpha = 1.",
        measure="""share of seeds on which the growth exponent of the seed's own regret, by least
            squares over T/10 .. T, is at least 0.9; growth exponents of the mean regret.""",
        rule="""a part for every m, alpha and kind of arms (fixed or fresh): the whole interval of
            the share lies above 0.9.""",
        swept="CBRAP's m is 5 and 15, and its alpha is 0.1 and 1.",
        numbers=cbrap_numbers,
        judge=each(above, 0.9, of="seeds of linear regret, *"),
        headline=[f"seeds of linear regret, {sketch}" for sketch in SKETCHES[2:6:2]],
        varied="m, alpha, and whether the arms are fixed or fresh.",
    ),
    _claim(
        id="soful",
        statement="""If the tail of the spectrum does not decrease quickly, SOFUL may suffer linear
            regret; there is no adaptive way to tune m""",
        source="section 5",
        paper="exponent 1, where OFUL's is 1/2",
        setting=_SETTING
        + f""" SOFUL with m = {SIZES[0]}, and with m = {EXACT}, one more than the dimension, where
            it equals OFUL; all agents have the radius of their theorem.""",
        measure="growth exponents of the mean regret over T/10 .. T; ratios of regrets at T.",
        rule="""a part for each kind of arms: the whole interval of the exponent lies above 0.9. A
            part is inconclusive unless the interval of OFUL's exponent lies below 0.75, and that of
            the regret with the large sketch divided by OFUL's within 0.99 .. 1.01.""",
        numbers=soful_numbers,
        judge=judge_soful,
        varied="""whether the arms are fixed or fresh. The paper says only that SOFUL may have
            linear regret.""",
    ),
)
