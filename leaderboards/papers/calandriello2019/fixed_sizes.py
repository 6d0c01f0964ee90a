"""The claims of calandriello2019 on approximations whose size is fixed in advance."""

from collections.abc import Sequence
from typing import Any

import gymnasium
import numpy as np
from matplotlib.figure import Figure

import banditgym  # noqa: F401 (registers the environments)
from agents import BKB, DTCUCB, GPUCB, RFFUCB, SoRUCB, play
from leaderboards.papers import estimates
from leaderboards.papers.claim import (
    Claim,
    Experiment,
    Numbers,
    Sample,
    Size,
    Verdict,
    above,
    below,
    verdict,
)
from leaderboards.papers.panels import curve, legend_below, panels, styles

FIXED_SIZE = 10
FEATURES = (20, 200)
AGENTS = {
    "GPUCB": GPUCB(),
    "BKB": BKB(),
    "SoRUCB": SoRUCB(size=FIXED_SIZE),
    "DTCUCB": DTCUCB(size=FIXED_SIZE),
    **{f"RFFUCB, {features} features": RFFUCB(n_features=features) for features in FEATURES},
}
LINEAR = 0.9  # regret with a larger growth exponent is linear
SUBLINEAR = 0.75  # regret with a smaller one is not: midway between sqrt(T) and T


def fixed(seeds: Sequence[int], horizon: int, n_arms: int) -> Sample:
    """Regret with the exact posterior, the adaptive one and those of fixed sizes."""
    rounds, measures = np.empty(0), {}
    for name, agent in AGENTS.items():
        envs: Any = gymnasium.make_vec(
            "KernelBandit-v0", num_envs=len(seeds), n_arms=n_arms, dim=2, horizon=horizon,
            covariance={"kind": "rbf", "length_scale": 0.1},
        )  # fmt: skip
        trace = play(envs, agent, seed=list(seeds))
        rounds, measures[name] = trace.rounds, trace.measures["regret"]
    return Sample(rounds, measures)


def late_exponent(sample: Sample, name: str):
    """Growth exponent of mean regret over the last decade of rounds."""
    last = int(sample.rounds[-1])
    return estimates.exponent(sample.rounds, sample.measures[name], last // 10, last)


def fixed_numbers(sample: Sample) -> Numbers:
    names = ("SoRUCB", "DTCUCB", "BKB", "GPUCB")
    exponents = {f"exponent, {name}": late_exponent(sample, name) for name in names}
    final = {name: sample.measures[name][:, -1] for name in names}
    return exponents | {
        f"{name} / BKB": estimates.ratio_of_means(final[name], final["BKB"]) for name in names[:2]
    }


def judge_fixed(numbers: Numbers) -> Verdict:
    return verdict(
        above(numbers["exponent, SoRUCB"], LINEAR),
        above(numbers["exponent, DTCUCB"], LINEAR),
        below(numbers["exponent, BKB"], SUBLINEAR),
    )


def rff_numbers(sample: Sample) -> Numbers:
    numbers = {}
    for features in FEATURES:
        name = f"RFFUCB, {features} features"
        numbers[f"exponent, {features} features"] = late_exponent(sample, name)
        numbers[f"RFFUCB / BKB, {features} features"] = estimates.ratio_of_means(
            sample.measures[name][:, -1], sample.measures["BKB"][:, -1]
        )
    return numbers


def judge_rff(numbers: Numbers) -> Verdict:
    return verdict(*(above(numbers[f"exponent, {count} features"], LINEAR) for count in FEATURES))


def draw(sample: Sample) -> Figure:
    figure, (axes,) = panels(["Posteriors of a fixed size, and adaptive ones"])
    for name, look in styles(sample.measures).items():
        width = 4.0 if name == "GPUCB" else 1.5  # BKB's curve coincides with it
        curve(
            axes, sample.rounds, sample.measures[name], name, look.colour, dashes=look.line,
            quartiles=True, width=width,
        )  # fmt: skip
    axes.set_xscale("log")
    axes.set_yscale("log")
    axes.set_xlim(10, sample.rounds[-1])
    axes.set_ylabel("cumulative regret", fontsize=9)
    axes.set_ylim(bottom=10)
    legend_below(figure, axes, columns=3)
    return figure


_FIXED = Experiment(
    name="fixed",
    simulate=fixed,
    quick=Size(seeds=40, settings={"horizon": 2000, "n_arms": 100}),
    full=Size(seeds=50, settings={"horizon": 10_000, "n_arms": 200}),
    block=5,
    draw=draw,
    caption=(
        "Mean regret with the bands between the quartiles, both axes logarithmic: a straight line "
        "of slope 1 is linear."
    ),
)
_SETTING = (
    "The paper has no experiment on it; all sizes are ours. `KernelBandit-v0`, f drawn from the "
    "Gaussian process, length scale 0.1, arms uniform on [0, 1]^2, Gaussian noise of sd 0.1: 100 "
    "arms and T = 2000 in the quick form, 200 and 10 000 in the full one. Every agent has the "
    "radius of the released code, made of its own posterior, BKB qbar = 5."
)

CLAIMS = (
    Claim(
        id="fixed-dictionary",
        statement=(
            "Adapting the size of the dictionary is crucial for low regret, since fixed "
            "approximation schemes may suffer linear regret"
        ),
        source="section 1.1",
        paper="exponent 1, where BKB's is 1/2",
        setting=_SETTING + " SoR and DTC have 10 inducing points drawn uniformly from the arms.",
        measure=(
            "growth exponent: least-squares slope of log mean regret against log t over T/10 .. T, "
            "with a bootstrap over the seeds; regret over BKB's at T."
        ),
        rule=(
            "three parts: the whole interval of the exponent lies above 0.9 for SoR, and for DTC, "
            "and below 0.75 for BKB. Reproduced if all hold, not reproduced if none does, else "
            "partly."
        ),
        experiment=_FIXED,
        numbers=fixed_numbers,
        judge=judge_fixed,
    ),
    Claim(
        id="random-features",
        statement=(
            "GP-UCB with traditional random Fourier features is not low-regret: they suffer from "
            "variance starvation unless there are unfeasibly many"
        ),
        source="section 5",
        paper="exponent 1",
        setting=_SETTING + " 20 and 200 features.",
        measure="growth exponents, likewise; regret over BKB's at T.",
        rule=(
            "a number of features holds if the whole interval of the exponent lies above 0.9. "
            "Both, one, none."
        ),
        experiment=_FIXED,
        numbers=rff_numbers,
        judge=judge_rff,
    ),
)
