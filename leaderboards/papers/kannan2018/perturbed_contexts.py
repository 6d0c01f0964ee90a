"""The claims of kannan2018: greedy play with perturbed contexts, and with arms that stay."""

import math
from collections.abc import Sequence
from functools import partial
from typing import Any

from agents import OFUL, Greedy, LinUCB
from leaderboards.papers import estimates
from leaderboards.papers.claim import Claim, Experiment, Figure, Numbers, Origin, Sample, Size
from leaderboards.papers.panels import LOG_LOG, legend, lines, panels
from leaderboards.papers.rules import above, below, each, given
from leaderboards.papers.simulations import Run, curves
from leaderboards.papers.verdicts import Parts

DIM, N_ARMS = 5, 5
SIGMAS = (0.1, 0.3, 1.0)
FIXED = "fixed arms"
AGENTS = {"Greedy": Greedy(), "LinUCB": LinUCB()}
CONTROL = f"OFUL, {FIXED}"


def label(sigma: float) -> str:
    return f"sigma = {sigma}"


PERTURBED = tuple(label(sigma) for sigma in SIGMAS)


def perturbed(seeds: Sequence[int], horizon: int) -> Sample:
    """Regret (n, c), ``AGENT, PLACE``."""
    common: dict[str, Any] = {"n_arms": N_ARMS, "dim": DIM, "noise_std": 1.0, "horizon": horizon}
    places: dict[str, dict[str, Any]] = {
        label(sigma): {"contexts": "gaussian", "feature_norm": sigma * math.sqrt(DIM)}
        for sigma in SIGMAS
    }
    places[FIXED] = {"contexts": "gaussian", "feature_norm": math.sqrt(DIM), "fixed_arms": True}
    runs = {
        f"{name}, {place}": Run(agent, "LinearBandit-v0", {**common, **settings})
        for place, settings in places.items()
        for name, agent in AGENTS.items()
    }
    runs[CONTROL] = Run(OFUL(), "LinearBandit-v0", {**common, **places[FIXED]})
    return curves(seeds, runs)


def exponents(sample: Sample, places: Sequence[str]) -> Numbers:
    """Growth exponents of mean regret over the last decade of rounds."""
    return {
        f"{name}, {place}": estimates.late_exponent(sample, f"{name}, {place}")
        for name in AGENTS
        for place in places
    }


def with_control(sample: Sample) -> Numbers:
    return {
        **exponents(sample, [FIXED]),
        CONTROL: estimates.late_exponent(sample, CONTROL),
    }


def learnable(numbers: Numbers) -> Parts:
    """Greedy play is linear where OFUL is not."""
    control, greedy = below(numbers[CONTROL], 0.7), f"Greedy, {FIXED}"
    return {greedy: given(control, above(numbers[greedy], 0.9))}


def ratios(sample: Sample) -> Numbers:
    """Mean regret of greedy play after all rounds over that of LinUCB."""
    return {
        place: estimates.ratio_at_end(sample, f"Greedy, {place}", f"LinUCB, {place}")
        for place in (*PERTURBED, FIXED)
    }


def draw(sample: Sample) -> Figure:
    figure, grid = panels((*PERTURBED, FIXED), columns=2, ylabel="mean regret", **LOG_LOG)
    late = sample.rounds >= 10
    for axes, place in zip(grid, (*PERTURBED, FIXED), strict=True):
        names = [name for name in (*AGENTS, "OFUL") if f"{name}, {place}" in sample.measures]
        own = {name: sample.measures[f"{name}, {place}"][:, late] for name in names}
        lines(axes, sample.rounds[late], own)
        legend(axes, "upper left")
    return figure


_EXPERIMENT = Experiment(
    name="perturbed-contexts",
    simulate=perturbed,
    quick=Size(seeds=100, settings={"horizon": 10_000}, seeds_per_call=50),
    full=Size(seeds=200, settings={"horizon": 100_000}, seeds_per_call=50),
    draw=draw,
    caption="""Mean regret with perturbed contexts, by the size sigma of the perturbation, and with
        fixed arms; logarithmic axes, on which linear regret has slope 1.""",
)
_SETTING = """One parameter for all arms (the paper's single-parameter setting), of norm 1; K = 5
    arms, d = 5, noise of standard deviation 1. The adversary always chooses the context 0, so that
    contexts are perturbations alone, N(0, sigma^2 I), new for every arm and round. Without
    perturbation the arms are drawn once for each run, and stay. `Greedy` plays the largest ridge
    estimate, lambda = 1; `LinUCB` has alpha = 1, and `OFUL` the radius of its theorem. Of the paper
    we read the abstract and a part of section 3 in its source, without the bound of the theorem.
    All sizes are ours. """
_claim = partial(Claim, setting=_SETTING, experiment=_EXPERIMENT)

CLAIMS = (
    _claim(
        id="perturbed",
        statement="""Greedy has diminishing regret per round against a sigma-perturbed adversary:
            small perturbations suffice""",
        source="abstract; theorem on the perturbed adversary, section 3",
        origin=Origin.THEOREM,
        paper="exponent of t below 1",
        measure="slope of the log of mean regret against log t over the last decade of rounds.",
        rule="""a part holds if the whole interval lies below 0.7; that of uniform play, and of an
            agent that learns nothing, is 1. LinUCB is shown beside.""",
        swept="sigma.",
        numbers=partial(exponents, places=PERTURBED),
        judge=each(below, 0.7, of="Greedy, *"),
    ),
    _claim(
        id="no-conflict",
        statement="""In slightly perturbed environments exploration and exploitation need not be in
            conflict""",
        source="abstract",
        origin=Origin.REMARK,
        paper="no conflict",
        measure="""mean regret of greedy play after all rounds, divided by that of LinUCB; that with
            fixed arms is shown beside.""",
        rule="""a part holds if the whole interval lies below 1.1: greedy play loses at most a tenth
            more. Uniform play would lose many times as much as LinUCB.""",
        swept="sigma.",
        numbers=ratios,
        judge=each(below, 1.1, of=PERTURBED),
        headline=PERTURBED,
    ),
    _claim(
        id="failure-to-learn",
        statement="A greedy algorithm can result in a catastrophic failure to learn",
        source="abstract",
        origin=Origin.REMARK,
        paper="exponent of t: 1",
        measure="""slope of the log of mean regret against log t over the last decade of rounds,
            with fixed arms.""",
        rule="""it holds if the whole interval lies above 0.9, and is inconclusive unless that of
            OFUL lies below 0.7: others can learn here. An agent that learns nothing would pass too;
            the claims on perturbed contexts exclude that.""",
        amended="""OFUL was added after the first run, in which greedy play had 0.999 and LinUCB
            0.992: with a constant alpha, some runs of LinUCB give up the best arm.""",
        numbers=with_control,
        judge=learnable,
    ),
)
