"""Claims of Russac et al. 2019, on which Appendix G builds: a parameter that changes."""

from collections.abc import Sequence

import numpy as np
from matplotlib.figure import Figure

from agents import (
    OFUL,
    DiscountedLinUCB,
    ForwardDiscountedLinUCB,
    LinUCB,
    SlidingWindowLinUCB,
)
from leaderboards.papers import estimates
from leaderboards.papers.claim import Claim, Experiment, Numbers, Origin, Sample, Size
from leaderboards.papers.panels import legend, lines, look, panels
from leaderboards.papers.rules import below, each, within
from leaderboards.papers.simulations import Run, curves, environments, recorded
from leaderboards.report.styles import style


def drift(seeds: Sequence[int], horizon: int) -> Sample:
    """Dynamic regret of agents with and without forgetting, under three abrupt changes."""
    theta = [[1.0, 0.0], [-1.0, 0.0], [0.0, 1.0], [0.0, -1.0]]
    variation = np.linalg.norm(np.diff(theta, axis=0), axis=1).sum()
    discount = 1 - (variation / (2 * horizon)) ** (2 / 3)
    agents = (
        DiscountedLinUCB(discount=discount),
        ForwardDiscountedLinUCB(discount=discount),
        SlidingWindowLinUCB(window=round((2 * horizon / variation) ** (2 / 3))),
        OFUL(),
        LinUCB(),
    )
    settings = {
        "n_arms": 50, "dim": 2, "noise_std": 1.0, "theta": theta, "changes": [1000, 2000, 3000],
        "horizon": horizon,
    }  # fmt: skip
    runs = {type(own).__name__: Run(own, "DriftingLinearBandit-v0", settings) for own in agents}
    return curves(seeds, runs, rounds=range(50, horizon + 1, 50))


def drift_numbers(sample: Sample) -> Numbers:
    return {
        f"{first} / {second}": estimates.ratio_at_end(sample, first, second)
        for first, second in (
            ("DiscountedLinUCB", "OFUL"),
            ("DiscountedLinUCB", "LinUCB"),
            ("SlidingWindowLinUCB", "OFUL"),
            ("SlidingWindowLinUCB", "DiscountedLinUCB"),
            ("ForwardDiscountedLinUCB", "DiscountedLinUCB"),
        )
    }


def draw_drift(sample: Sample) -> Figure:
    figure, (axes,) = panels(
        ["Three abrupt changes, after rounds 1000, 2000 and 3000"],
        ylabel="cumulative dynamic regret",
    )
    own = {name: look(style(name)) for name in sample.measures}
    own["DiscountedLinUCB"]["lw"] = 4.0  # the forward form coincides with it
    lines(axes, sample.rounds, sample.measures, own, quartiles=True)
    axes.set(xlim=(0, sample.rounds[-1]))
    axes.set_ylim(bottom=0)
    legend(axes, "upper left")
    return figure


DISCOUNT, WINDOW = 0.98, 50
FORGETFUL = {
    "DiscountedLinUCB": DiscountedLinUCB(discount=DISCOUNT, ridge=0.01),
    "SlidingWindowLinUCB": SlidingWindowLinUCB(window=WINDOW, ridge=0.01),
}


def widths(seeds: Sequence[int], horizon: int) -> Sample:
    """Squared error of the one arm's estimate over its squared width at the last round, (n,)."""

    def notes(agent, contexts, actions, outcome):
        return {"square": agent.model.mean[:, 0] ** 2 / agent.model.variance[:, 0]}

    settings = {"n_arms": 1, "dim": 3, "noise_std": 1.0, "theta": [0.0] * 3, "horizon": horizon}
    measures = {}
    for name, agent in FORGETFUL.items():
        envs = environments("LinearBandit-v0", seeds, **settings)
        _, kept = recorded(agent, notes, envs, seeds)
        measures[name] = kept["square"][:, -1]
    return Sample(np.array([horizon]), measures)


_DRIFT = Experiment(
    name="drift",
    simulate=drift,
    quick=Size(seeds=40, settings={"horizon": 6000}, block=20, of_paper=1.0),
    full=Size(seeds=200, settings={"horizon": 6000}, block=20, of_paper=1.0),
    draw=draw_drift,
    caption="Cumulative dynamic regret: mean, and the band between the quartiles.",
)
_WIDTHS = Experiment(
    name="widths",
    simulate=widths,
    quick=Size(seeds=4000, settings={"horizon": 400}, block=1000),
    full=Size(seeds=20_000, settings={"horizon": 400}, block=1000),
)

CLAIMS = (
    Claim(
        id="drift",
        statement="Where theta changes abruptly, discounting beats regression that never forgets",
        source="Russac et al. 2019, section 5, which Appendix G builds on",
        origin=Origin.OTHER_PAPER,
        paper="D-LinUCB's regret is below LinUCB's",
        setting="""Russac et al.'s abrupt changes: 50 fresh arms on the unit circle, theta = (1, 0),
            (-1, 0), (0, 1), (0, -1) with changes after rounds 1000, 2000, 3000, T = 6000, Gaussian
            noise of sd 1, λ = 1. The discount is theirs, 1 - (B/(d T))^(2/3) with B the total
            variation of theta; the window (d T/B)^(2/3). OFUL has their radius, LinUCB alpha = 1.
            The paper's text has no experiment, and its appendix was not at hand:
            ForwardDiscountedLinUCB is our reading of it and no part of the rule.""",
        measure="ratio of mean dynamic regrets at T, paired by seeds.",
        rule="each of the ratios of DiscountedLinUCB to OFUL and to LinUCB is below 1.",
        experiment=_DRIFT,
        numbers=drift_numbers,
        judge=each(below, 1, of=[f"DiscountedLinUCB / {name}" for name in ("OFUL", "LinUCB")]),
    ),
    Claim(
        id="forgetful-widths",
        statement="""Widths of regressions that forget are the standard deviations of their
            estimates, in units of the noise""",
        source="Russac et al. 2019, section 2; Cheung et al. 2019, section 4",
        origin=Origin.OTHER_PAPER,
        paper="1",
        setting=f"""One fresh arm a round on the unit sphere of 3 dimensions, so that nothing is
            chosen; theta = 0, Gaussian noise of sd 1, λ = 0.01, discount {DISCOUNT}, window
            {WINDOW}, T = 400. Sizes are ours.""",
        measure="mean over the replicates of the squared estimate at T over its squared width.",
        rule="""an agent holds if the mean is within 0.9 .. 1.1. It is 1 without a ridge; the ridge
            lowers it by less than 0.01.""",
        experiment=_WIDTHS,
        numbers=lambda sample: {
            name: estimates.mean(values) for name, values in sample.measures.items()
        },
        judge=each(within, 0.9, 1.1),
    ),
)
