"""The claims that figures in a notebook of an author of garivier2018 make."""

import math
from collections.abc import Sequence
from functools import partial

import numpy as np

from agents import KLUCB, MOSS, UCB1, Agent, KLUCBPlusPlus, KLUCBSwitch
from leaderboards.papers import estimates
from leaderboards.papers.claim import Claim, Experiment, Figure, Numbers, Origin, Sample, Size
from leaderboards.papers.panels import legend_below, lines, panels
from leaderboards.papers.rules import below, each, within
from leaderboards.papers.simulations import Run, curves
from leaderboards.report.styles import COLOURS

COINS, EXPONENTIAL = "Bernoulli", "exponential"
GAUSSIANS = {"Gaussian, 0.1": 0.1, "Gaussian, 0.316": math.sqrt(0.1)}
BOUNDED = (EXPONENTIAL, *GAUSSIANS)
PROBLEMS = (COINS, *BOUNDED)
AGENTS: dict[str, Agent] = {
    "Switch": KLUCBSwitch(),
    "KL-UCB": KLUCB(),
    "KL-UCB++": KLUCBPlusPlus(),
    # The notebook's bonus is sqrt(log+(t / (K N)) / (2 N)).
    "MOSS": MOSS(alpha=0.0, anytime=True),
    "UCB": UCB1(scale="theory"),
}


def names(problem: str) -> list[str]:
    """The agents that play a problem: KL-UCB++ for Bernoulli rewards alone."""
    return [name for name in AGENTS if problem == COINS or name != "KL-UCB++"]


def problems(seeds: Sequence[int], horizon: int) -> Sample:
    """Regret (n, c) by the means of clipped rewards, ``AGENT, PROBLEM``."""
    common = {"shuffled": True, "horizon": horizon}
    places = {
        COINS: common | {"means": [0.9, 0.8]},
        EXPONENTIAL: common | {"means": [0.15, 0.12, 0.1, 0.05], "noise": "exponential"},
    }
    for problem, std in GAUSSIANS.items():
        means = [0.7, 0.5, 0.3, 0.2]
        places[problem] = common | {"means": means, "noise": "clipped_gaussian", "noise_std": std}
    return curves(
        seeds,
        {
            f"{name}, {problem}": Run(AGENTS[name], "ArmedBandit-v0", places[problem])
            for problem in PROBLEMS
            for name in names(problem)
        },
    )


def ratios(sample: Sample, pairs: Sequence[tuple[str, str]], on: Sequence[str]) -> Numbers:
    """Mean regret at the end of an agent over that of another."""
    return {
        f"{problem}, {one} / {other}": estimates.ratio_at_end(
            sample, f"{one}, {problem}", f"{other}, {problem}"
        )
        for problem in on
        for one, other in pairs
    }


def over_ucb(sample: Sample) -> Numbers:
    """The ratios of all other agents to UCB."""
    found = {}
    for problem in PROBLEMS:
        pairs = [(name, "UCB") for name in names(problem) if name != "UCB"]
        found |= ratios(sample, pairs, [problem])
    return found


def draw(sample: Sample) -> Figure:
    figure, grid = panels(PROBLEMS, columns=2, shared=False, xscale="log")
    late = np.flatnonzero(sample.rounds >= 10)
    scale = 1 + np.log(sample.rounds[late])
    for axes, problem in zip(grid, PROBLEMS, strict=True):
        values = {
            name: sample.measures[f"{name}, {problem}"][:, late] / scale for name in names(problem)
        }
        lines(axes, sample.rounds[late], values, LOOKS)
    for axes in (grid[0], grid[2]):
        axes.set_ylabel("mean regret / (1 + log t)", fontsize=9)
    legend_below(figure, columns=5)
    return figure


LOOKS = {name: {"color": COLOURS[k]} for k, name in enumerate(AGENTS)}
_EXPERIMENT = Experiment(
    name="problems",
    simulate=problems,
    quick=Size(seeds=100, settings={"horizon": 10_000}, seeds_per_call=50, of_paper="unknown"),
    full=Size(seeds=500, settings={"horizon": 10_000}, seeds_per_call=100, of_paper="unknown"),
    draw=draw,
    caption="""Mean regret divided by 1 + log t, as in the notebook, on its four problems.""",
)
_SETTING = """`ArmedBandit-v0` for 10 000 rounds. The problems are those of `KLUCB.ipynb` in
    github.com/H2DI/bandits_lab, by the author Hadiji, whose figures we saw; that they are the
    paper's could not be confirmed. Two coins have means 0.9 and 0.8. Exponential rewards of means
    0.15, 0.12, 0.1 and 0.05, and Gaussian ones of means 0.7, 0.5, 0.3 and 0.2, are clipped to
    [0, 1]. The notebook gives 0.1 for the Gaussian deviations, and its program takes this for
    variances. It plays 10 or 5 runs. It counts regret by the means before clipping, except that of
    the best exponential arm, ours by those of clipped rewards. Its KL-UCB has K_inf, the
    divergence of empirical likelihood, and ours the divergence of Bernoulli distributions, which is
    the same for coins and smaller for other rewards. Its Switch has the number of rounds so far in
    place of T. """
_claim = partial(
    Claim, setting=_SETTING, experiment=_EXPERIMENT, source="the notebook", origin=Origin.FIGURE
)
_DEVIATIONS = "Gaussian deviations of 0.1 and of sqrt(0.1), the two readings."

CLAIMS = (
    _claim(
        id="better-than-ucb",
        statement="Switch, KL-UCB, KL-UCB++ and MOSS all have less regret than UCB",
        paper="0.07 to 0.25 of it",
        measure="""mean regret after all rounds, divided by that of UCB, whose bonus is sqrt(2 log t
            / N). KL-UCB++ is compared on coins alone, because ours has no K_inf either.""",
        rule="a part holds if the whole interval lies below 1.",
        swept=_DEVIATIONS,
        numbers=over_ucb,
        judge=each(below, 1.0),
        headline=[f"{problem}, Switch / UCB" for problem in (COINS, *BOUNDED[:2])],
    ),
    _claim(
        id="like-moss",
        statement="Switch has about the regret of MOSS",
        paper="1.0 to 1.15 of it",
        measure="mean regret after all rounds, divided by that of MOSS.",
        rule="a part holds if the whole interval lies in 0.8 .. 1.25.",
        swept=_DEVIATIONS,
        numbers=partial(ratios, pairs=[("Switch", "MOSS")], on=PROBLEMS),
        judge=each(within, 0.8, 1.25),
        headline=[f"{problem}, Switch / MOSS" for problem in (COINS, *BOUNDED[:2])],
    ),
    Claim(
        id="empirical-klucb",
        statement="""On clipped exponential and Gaussian rewards KL-UCB with K_inf has about half of
            the regret of Switch and MOSS""",
        source="the notebook",
        origin=Origin.FIGURE,
        paper="about half",
        obstacle="""KL-UCB with K_inf, the divergence of empirical likelihood, is not an agent of
            this package. It keeps all rewards of an arm, and searches for a root with them in every
            round.""",
    ),
    _claim(
        id="klucb-on-bounded",
        statement="""On clipped exponential and Gaussian rewards KL-UCB has less regret than Switch
            and MOSS also with the divergence of Bernoulli distributions""",
        origin=Origin.OURS,
        source="none; the notebook's KL-UCB has K_inf",
        paper="none",
        measure="mean regret of KL-UCB after all rounds, divided by that of the other agent.",
        rule="a part holds if the whole interval lies below 1.",
        swept=_DEVIATIONS,
        amended="""It was counted as a claim of the notebook at first, whose KL-UCB is another
            agent.""",
        varied="the deviation of Gaussian rewards.",
        numbers=partial(ratios, pairs=[("KL-UCB", "Switch"), ("KL-UCB", "MOSS")], on=BOUNDED),
        judge=each(below, 1.0),
        headline=[f"{problem}, KL-UCB / MOSS" for problem in BOUNDED],
    ),
    _claim(
        id="plus-plus-on-coins",
        statement="On coins KL-UCB++ has the least regret",
        origin=Origin.OURS,
        paper="none; the notebook's KL-UCB++, another agent, has about 0.6 of the others'",
        measure="mean regret of KL-UCB++ after all rounds, divided by that of the other agent.",
        rule="""a part holds if the whole interval lies below 1. The notebook's KL-UCB++ has log+(t
            / (K N)), ours the larger level of its paper, with T.""",
        amended="It was counted as a claim of the notebook at first.",
        numbers=partial(
            ratios,
            pairs=[("KL-UCB++", name) for name in ("Switch", "KL-UCB", "MOSS")],
            on=[COINS],
        ),
        judge=each(below, 1.0),
    ),
)
