"""The claims of rakhlin2008 on online ridge regression: bound (11), and log T."""

from collections.abc import Sequence
from functools import partial

import numpy as np
from matplotlib.figure import Figure

from agents import OnlineRidge
from agents.parts.bounds import log_det_closed
from leaderboards.papers import estimates
from leaderboards.papers.claim import Claim, Experiment, Numbers, Sample, Size
from leaderboards.papers.panels import COLOURS, legend, lines, panels
from leaderboards.papers.rules import below, each, never
from leaderboards.papers.simulations import environments, of_predictions, recorded

OUTCOMES = ("random", "adaptive")
DIM = 5
DECADES = 10**0.25


def ridge(seeds: Sequence[int], horizon: int) -> Sample:
    """Regret of online ridge regression on bounded outcomes, and the lecture's bound on it."""
    measures, rounds = {}, np.empty(0)
    for outcomes in OUTCOMES:
        settings = {"dim": DIM, "outcomes": outcomes, "horizon": horizon}
        envs = environments("OnlineRegression-v0", seeds, **settings)
        trace, kept = recorded(OnlineRidge(ridge=1.0), of_predictions, envs, seeds)
        rounds = trace.rounds
        losses = (kept["prediction"] - kept["outcome"]) ** 2 / 2
        largest = np.maximum.accumulate(losses, axis=1)[:, rounds - 1]  # p* so far
        norms = np.array(
            [
                [np.linalg.norm(np.linalg.lstsq(x[:t], y[:t])[0]) for t in rounds]
                for x, y in zip(kept["row"], kept["outcome"], strict=True)
            ]
        )  # norm of the best fit so far
        growth = log_det_closed(rounds, dim=DIM, ridge=1.0, feature_norm=1.0)
        measures[outcomes] = trace.measures["regret_batch"] / 2
        measures[f"bound (11), {outcomes}"] = norms**2 / 2 + 2 * largest * growth
        measures[f"bound (11) with p*, {outcomes}"] = norms**2 / 2 + largest * growth
    return Sample(rounds, measures)


def bound_numbers(sample: Sample) -> Numbers:
    numbers = {}
    for form in ("bound (11)", "bound (11) with p*"):
        for outcomes in OUTCOMES:
            regret, bound = sample.measures[outcomes], sample.measures[f"{form}, {outcomes}"]
            above = (regret > bound * (1 + 1e-9)).any(axis=1)
            numbers[f"runs above {form}, {outcomes}"] = estimates.share(above)
            numbers[f"regret / {form} at T, {outcomes}"] = estimates.mean(
                regret[:, -1] / bound[:, -1]
            )
    return numbers


def logarithm_numbers(sample: Sample) -> Numbers:
    last = int(sample.rounds[-1])
    return {
        name: estimates.growth_by_decades(sample.rounds, sample.measures[name], last)
        for name in OUTCOMES
    }


def draw(sample: Sample) -> Figure:
    figure, grid = panels(
        [f"{name} outcomes" for name in OUTCOMES], height=3.2, ylabel="halved squared errors",
        xscale="log",
    )  # fmt: skip
    shown = sample.rounds > 2 * DIM  # earlier, the best fit is ill-determined and has a large norm
    own = {
        "regret": {"color": COLOURS[0]},
        "bound (11)": {"color": COLOURS[1], "ls": "dashed"},
        "bound (11) with p*": {"color": COLOURS[1], "ls": "dotted"},
    }
    for axes, outcomes in zip(grid, OUTCOMES, strict=True):
        names = (outcomes, *(f"{form}, {outcomes}" for form in list(own)[1:]))
        values = {
            label: sample.measures[name][:, shown] for label, name in zip(own, names, strict=True)
        }
        lines(axes, sample.rounds[shown], values, own, quartiles=True, middle=np.median)
        axes.set_ylim(bottom=0)
    legend(grid[0], "upper left")
    return figure


_RIDGE = Experiment(
    name="ridge",
    simulate=ridge,
    quick=Size(seeds=50, settings={"horizon": 10_000}),
    full=Size(seeds=100, settings={"horizon": 100_000}),
    seeds_per_call=25,
    draw=draw,
    caption="""Median regret of online ridge regression and bound (11) with the bands between the
        quartiles; x logarithmic.""",
)
_SETTING = """The lecture has no experiment; all sizes are ours. `OnlineRegression-v0`, rows uniform
    in the unit ball of 5 dimensions (B = 1), outcomes +-1: coins, and an adversary that sees the
    prediction and answers with the other sign. Ridge 1 (eta = 1). T = 10 000 in the quick form, 100
    000 in the full one. Losses are halved squared errors, as in the lecture."""
_claim = partial(Claim, experiment=_RIDGE)

CLAIMS = (
    _claim(
        id="bound-11",
        statement="Regret is at most ||u||^2/2 + 2 p* n log(1 + T B^2/n)",
        source="equation (11)",
        paper="0 runs above the bound",
        setting=_SETTING
        + """ p* is the largest loss of the run so far, u the best fit so far. The
            lecture's Lemma 2.1 lacks a factor 1/2 in (d) and (e); with it p* may stand in place of
            2 p*, which is shown beside and no part of the rule.""",
        measure="""share of runs whose regret lies above the bound at any round of a grid of twelve
            a decade, and regret over bound at T.""",
        rule="an outcome holds if no run lies above: one is enough. Both, one, none.",
        numbers=bound_numbers,
        judge=each(never, of=[f"runs above bound (11), {name}" for name in OUTCOMES]),
    ),
    _claim(
        id="ridge-logarithm",
        statement="Regret of online ridge regression is O(log T)",
        source="section 2.2",
        paper="log T",
        setting=_SETTING,
        measure="""growth of mean regret over the last decade of rounds as a multiple of that over
            the decade before: 1 for log T, 3.16 for sqrt(T), 10 for T.""",
        rule="""an outcome holds if the whole interval lies below 10^(1/4) = 1.78, midway between
            log T and sqrt(T). Both, one, none.""",
        numbers=logarithm_numbers,
        judge=each(below, DECADES),
    ),
)
