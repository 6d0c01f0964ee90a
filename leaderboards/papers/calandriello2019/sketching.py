"""The claims of calandriello2019 on sketches of a fixed size in linear bandits: CBRAP, SOFUL."""

from collections.abc import Sequence
from functools import partial

import numpy as np
from matplotlib.figure import Figure

from agents import CBRAP, OFUL, SOFUL, LinUCB
from leaderboards.papers import estimates
from leaderboards.papers.calandriello2019.fixed_sizes import LINEAR, SUBLINEAR
from leaderboards.papers.claim import Claim, Experiment, Numbers, Sample, Size
from leaderboards.papers.panels import LOG_LOG, legend_below, lines, looks, panels
from leaderboards.papers.rules import above, below, each, verdict
from leaderboards.papers.simulations import Run, curves

DIM = 20
SIZES = (5, 15)
ARMS = {"fixed": True, "fresh": False}
AGENTS = {
    "LinUCB": LinUCB(),
    **{f"CBRAP, m = {size}": CBRAP(size=size) for size in SIZES},
    "OFUL": OFUL(),
    f"SOFUL, m = {SIZES[0]}": SOFUL(size=SIZES[0]),
}


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
    for kind in ARMS:
        for size in SIZES:
            name = f"CBRAP, m = {size}, {kind}"
            numbers[f"seeds of linear regret, m = {size}, {kind}"] = estimates.share(
                is_linear(sample, name)
            )
            numbers[f"exponent of the mean, m = {size}, {kind}"] = estimates.late_exponent(
                sample, name
            )
        numbers[f"exponent of the mean, LinUCB, {kind}"] = estimates.late_exponent(
            sample, f"LinUCB, {kind}"
        )
    return numbers


def soful_numbers(sample: Sample) -> Numbers:
    numbers = {}
    for kind in ARMS:
        for name in ("SOFUL, m = 5", "OFUL"):
            numbers[f"exponent, {name}, {kind}"] = estimates.late_exponent(
                sample, f"{name}, {kind}"
            )
        numbers[f"SOFUL / OFUL, {kind}"] = estimates.ratio_at_end(
            sample, f"SOFUL, m = 5, {kind}", f"OFUL, {kind}"
        )
    return numbers


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
    quick=Size(seeds=40, settings={"horizon": 5000}),
    full=Size(seeds=200, settings={"horizon": 50_000}),
    seeds_per_call=5,
    draw=draw,
    caption="""Mean regret with the bands between the quartiles, both axes logarithmic: a straight
        line of slope 1 is linear.""",
)
_SETTING = """The paper has no experiment on it; all sizes are ours. `LinearBandit-v0`: 50 arms on
    the unit sphere in 20 dimensions, theta uniform on the sphere, Gaussian noise of sd 0.1; arms
    that stay, as in the paper, and arms drawn fresh every round. T = 5000 in the quick form, 50 000
    in the full one."""
_claim = partial(Claim, experiment=_SKETCHING)

CLAIMS = (
    _claim(
        id="cbrap",
        statement="""CBRAP must use an embedded space at least Omega(T) large, or it incurs linear
            regret with high probability""",
        source="section 5",
        paper="linear regret on nearly every seed",
        setting=_SETTING + " CBRAP with m = 5 and 15, alpha = 1, and LinUCB with alpha = 1.",
        measure="""share of seeds on which the growth exponent of the seed's own regret, by least
            squares over T/10 .. T, is at least 0.9; growth exponents of the mean regret.""",
        rule="""four parts, each m with each kind of arms: the whole interval of the share lies
            above 0.9. Reproduced if all hold, not reproduced if none does, else partly.""",
        numbers=cbrap_numbers,
        judge=each(
            above,
            0.9,
            of=[f"seeds of linear regret, m = {size}, {kind}" for size in SIZES for kind in ARMS],
        ),
    ),
    _claim(
        id="soful",
        statement="""If the tail of the spectrum does not decrease quickly, SOFUL may suffer linear
            regret; there is no adaptive way to tune m""",
        source="section 5",
        paper="exponent 1, where OFUL's is 1/2",
        setting=_SETTING + " SOFUL with m = 5 and OFUL, both with their theorems' radius.",
        measure="growth exponents of the mean regret over T/10 .. T; ratio of regrets at T.",
        rule="""a kind of arms holds if the whole interval of the exponent lies above 0.9 for SOFUL
            and below 0.75 for OFUL. Both, one, none.""",
        numbers=soful_numbers,
        judge=lambda numbers: verdict(
            *(
                above(numbers[f"exponent, SOFUL, m = 5, {kind}"], LINEAR)
                and below(numbers[f"exponent, OFUL, {kind}"], SUBLINEAR)
                for kind in ARMS
            )
        ),
    ),
)
