"""The claims of garivier2018's abstract: regret of order sqrt(KT), and the optimal constant."""

import math
from collections.abc import Sequence

import numpy as np

from agents import KLUCBSwitch
from leaderboards.papers import estimates
from leaderboards.papers.claim import Claim, Experiment, Figure, Numbers, Origin, Sample, Size
from leaderboards.papers.panels import LOG_LOG, legend_below, lines, panels
from leaderboards.papers.rules import below, each
from leaderboards.papers.simulations import Run, curves

BEST = 0.8  # the mean of the best arm
HARDNESS = (1, 2, 4)  # gaps in units of sqrt(K / T)
ARMS = (8, 32, 128)


def worst_cases(seeds: Sequence[int], longest: int) -> Sample:
    """Regret at the end for lengths, ``x = 1, T`` (n, 3), and numbers of arms, ``x = 1, K``."""
    lengths = [longest // 100, longest // 10, longest]
    sizes = {"T": [(2, t) for t in lengths], "K": [(k, longest) for k in ARMS]}
    measures = {}
    for x in HARDNESS:
        for along, pairs in sizes.items():
            ends = []
            for n_arms, horizon in pairs:
                worse = BEST - x * math.sqrt(n_arms / horizon)
                place = {
                    "means": [BEST, *[worse] * (n_arms - 1)],
                    "shuffled": True,
                    "horizon": horizon,
                }
                runs = {"switch": Run(KLUCBSwitch(), "ArmedBandit-v0", place)}
                ends.append(curves(seeds, runs, rounds=[horizon]).at_end("switch"))
            measures[f"x = {x}, {along}"] = np.stack(ends, axis=1)
    return Sample(np.array(lengths), measures)


def exponents(sample: Sample) -> Numbers:
    """Exponents of T and of K in mean regret, for each hardness."""
    steps = {"T": sample.rounds, "K": np.array(ARMS)}
    return {
        name: estimates.exponent(steps[name[-1]], regret, 0, np.inf)
        for name, regret in sample.measures.items()
    }


def draw(sample: Sample) -> Figure:
    figure, grid = panels(["two arms", f"T = {sample.rounds[-1]}"], **LOG_LOG)
    for axes, (along, steps) in zip(grid, {"T": sample.rounds, "K": ARMS}.items(), strict=True):
        values = {f"x = {x}": sample.measures[f"x = {x}, {along}"] for x in HARDNESS}
        lines(axes, np.array(steps), values, marker="o")
        axes.set_xlabel(along, fontsize=9)
        axes.set_xticks(steps, [str(step) for step in steps])
        axes.minorticks_off()
    grid[0].set_ylabel("mean regret at T", fontsize=9)
    legend_below(figure, columns=3)
    return figure


CLAIMS = (
    Claim(
        id="distribution-free",
        statement="""The regret of KL-UCB-switch is at most of the optimal order sqrt(KT) on all
            distributions on [0, 1]""",
        source="abstract",
        origin=Origin.THEOREM,
        paper="exponents of T and of K: at most 1/2",
        setting="""`ArmedBandit-v0` with Bernoulli rewards. The best mean is 0.8 and all others are
            lower by x sqrt(K/T), the gaps at which problems are hardest, as in a notebook of the
            author Hadiji (`KLUCB.ipynb` of github.com/H2DI/bandits_lab). K = 2 and three lengths T,
            each ten times the one before; and the longest with 8, 32 and 128 arms. The agent knows
            T. We read the abstract; the constants of the theorem could not be confirmed.""",
        measure="slope of the log of mean regret at T against log T, and against log K.",
        rule="a part holds if the whole interval lies below 0.6, 1/2 with room for lower orders.",
        amended="""The numbers of arms were 2, 8 and 32 at first, with exponents of K of 0.75 to
            0.79: the share of worse arms, (K - 1)/K, nearly doubles from two arms to eight,
            whatever the agent.""",
        experiment=Experiment(
            name="worst-cases",
            simulate=worst_cases,
            quick=Size(seeds=200, settings={"longest": 10_000}, seeds_per_call=100),
            full=Size(seeds=500, settings={"longest": 100_000}, seeds_per_call=100),
            draw=draw,
            caption="""Mean regret of KL-UCB-switch where the gap is x sqrt(K/T), against T and
                against K; both axes are logarithmic.""",
        ),
        numbers=exponents,
        judge=each(below, 0.6),
        headline=["x = 2, T", "x = 2, K"],
    ),
    Claim(
        id="optimal-constant",
        statement="""The regret of KL-UCB-switch matches the lower bound kappa log T of Lai and
            Robbins, and of Burnetas and Katehakis""",
        source="abstract",
        origin=Origin.THEOREM,
        paper="kappa log T to leading order",
        obstacle="""The bound of empirical likelihood, which makes the constant optimal, counts for
            the first (T/K)^(1/5) plays of an arm alone. These are log(T) / K_inf, the plays that an
            arm gets, only from T = 5 * 10^14 on, even for two coins of means 0.9 and 0.8. At any
            length that can be run, the arms are played by the bound of MOSS.""",
    ),
)
