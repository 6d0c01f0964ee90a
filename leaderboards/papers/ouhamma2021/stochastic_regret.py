"""The claims of ouhamma2021 on regret with stochastic outcomes, and forward without a ridge."""

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from agents import Forward, OnlineRidge, UnregularizedForward
from leaderboards.papers import estimates
from leaderboards.papers.claim import Claim, Experiment, Figure, Numbers, Origin, Sample, Size
from leaderboards.papers.panels import legend, lines, panels
from leaderboards.papers.rules import below, each, within
from leaderboards.papers.simulations import Run, curves
from leaderboards.rank import scores_and_ranks
from leaderboards.rank.interval_estimates import Estimate

DIM, NOISE = 5, 0.1
AGENTS = ("ridge", "forward", "unregularised forward")
COINS = {"long rows": 1.0, "short rows": 0.01}


def agents(horizon: int) -> dict[str, Any]:
    """The three agents; λ = 1/T."""
    ridge = 1 / horizon
    kinds = OnlineRidge(ridge=ridge), Forward(ridge=ridge), UnregularizedForward()
    return dict(zip(AGENTS, kinds, strict=True))


def gaussian_outcomes(seeds: Sequence[int], horizon: int) -> Sample:
    """Regret (6) of the agents, and how much less loss the best fit has than the true parameter."""
    settings = {"dim": DIM, "contexts": "ball", "noise_std": NOISE, "horizon": horizon}
    runs = {
        name: Run(agent, "OnlineRegression-v0", settings) for name, agent in agents(horizon).items()
    }
    sample = curves(seeds, runs)
    batch = curves(seeds, {"ridge": runs["ridge"]}, measure="regret_batch").measures["ridge"]
    measures = {**sample.measures, "excess": batch - sample.measures["ridge"]}
    return Sample(sample.rounds, measures)


def coins(seeds: Sequence[int], horizon: int) -> Sample:
    """Regret (1) of the agents where outcomes are fair coins, on rows of two lengths."""
    runs = {}
    for rows, norm in COINS.items():
        settings = {
            "dim": DIM,
            "contexts": "sphere",
            "feature_norm": norm,
            "outcomes": "random",
            "horizon": horizon,
        }
        for name, agent in agents(horizon).items():
            if name == "unregularised forward" or rows == "long rows":
                runs[f"{name}, {rows}"] = Run(agent, "OnlineRegression-v0", settings)
    return curves(seeds, runs, measure="regret_batch")


def last_decade(sample: Sample, name: str, unit: float) -> Estimate:
    """Growth of a measure's mean from T/10 to T, in multiples of ``unit`` times log 10."""
    last = int(sample.rounds[-1])
    growth = sample.at_end(name) - sample.at(name, last // 10)
    return estimates.mean(growth / (unit * math.log(10)))


def equivalence(sample: Sample) -> Numbers:
    last = int(sample.rounds[-1])
    both = sample.measures["excess"][:, [sample.place(last // 100), -1]]
    square = (math.log(last) / math.log(last // 100)) ** 2

    def growth(statistic):
        def relative(scores):
            early, late = np.moveaxis(statistic(scores), -1, 0)
            return late / early / square

        return scores_and_ranks.stratified_bootstrap_interval(both, relative)

    return {
        "mean: growth / that of log²": growth(lambda x: x.mean(axis=-2)),
        "0.95 quantile: growth / that of log²": growth(lambda x: np.quantile(x, 0.95, axis=-2)),
        "mean at T / (d σ²)": estimates.mean(both[:, 1] / (DIM * NOISE**2)),
    }


def stochastic_growth(sample: Sample) -> Numbers:
    return {name: last_decade(sample, name, DIM * NOISE**2) for name in AGENTS}


def unregularised(sample: Sample) -> Numbers:
    last = int(sample.rounds[-1])
    logs = np.log([last // 100, last // 10, last]) ** 2
    name = "unregularised forward"
    return {
        "growth by decades": estimates.growth_by_decades(sample, name),
        "that of log²": estimates.plain((logs[2] - logs[1]) / (logs[1] - logs[0])),
        "regret (6) at T / (d σ² log T)": estimates.mean(
            sample.at_end(name) / (DIM * NOISE**2 * math.log(last))
        ),
    }


def first_order(sample: Sample) -> Numbers:
    return {name: last_decade(sample, name, DIM) for name in sample.measures}


def draw(sample: Sample) -> Figure:
    figure, (axes,) = panels(["Gaussian outcomes"], ylabel="growth of mean regret (6) / (d σ²)")
    start = sample.place(int(sample.rounds[-1]) // 100)
    rounds = sample.rounds[start:]
    grown = {name: sample.measures[name][:, start:] for name in AGENTS}
    unit = DIM * NOISE**2
    lines(axes, rounds, {name: (own - own[:, :1]) / unit for name, own in grown.items()})
    log = np.log(rounds / rounds[0])
    axes.plot(rounds, log, color="#888888", lw=1, ls="dotted", label="log t")
    axes.set_xscale("log")
    legend(axes, "upper left")
    return figure


_GAUSSIAN = Experiment(
    name="gaussian-outcomes",
    simulate=gaussian_outcomes,
    quick=Size(seeds=2000, settings={"horizon": 10_000}, seeds_per_call=500),
    full=Size(seeds=4000, settings={"horizon": 100_000}, seeds_per_call=250),
    draw=draw,
    caption="Growth of mean regret (6) from T/100 on, in units of d σ²; the x axis is logarithmic.",
)
_COINS = Experiment(
    name="coins",
    simulate=coins,
    quick=Size(seeds=100, settings={"horizon": 10_000}, seeds_per_call=50),
    full=Size(seeds=200, settings={"horizon": 100_000}, seeds_per_call=50),
)
_SETTING = """The setting of Figure 2, the experiment of the paper's section 3: 5 features uniform
    in the unit ball, theta uniform on the sphere of norm 1, Gaussian noise of sd σ = 0.1; λ = 1/T.
    T = 10 000 in the quick form, 100 000 in the full one."""

CLAIMS = (
    Claim(
        id="theorem-3-1",
        statement="L_T(θ*) - min L_T(θ) = o(log² T), so that regrets (1) and (6) are equivalent",
        source="Theorem 3.1",
        origin=Origin.THEOREM,
        paper="o(log² T)",
        setting=_SETTING + " No agent is involved.",
        measure="""growth from T/100 to T of the mean and of the 0.95 quantile over the replicates
            of L(θ*) - min L, divided by the growth of log² t. The mean in units of d σ² is shown
            beside it: once the rows span the space, L(θ*) - min L is σ² times a χ² variable with d
            degrees of freedom, at any T.""",
        rule="the mean and the quantile are parts; each holds if the whole interval lies below 1.",
        experiment=_GAUSSIAN,
        numbers=equivalence,
        judge=each(below, 1, of="*: growth / that of log²"),
    ),
    Claim(
        id="stochastic-growth",
        statement="Regret (6) grows by d σ² for each unit of log t, whatever the agent",
        source="not in the paper, whose Theorems 3.2 and 3.3 are bounds; worked out here",
        origin=Origin.OURS,
        paper="O(log² T)",
        setting=_SETTING,
        measure="growth of mean regret (6) from T/10 to T, divided by d σ² log 10.",
        rule="""an agent holds if the whole interval lies within 0.9 .. 1.1. Unbiased least squares
            on t rows has an expected excess loss of d σ²/t; biases add less than 0.05 from T/10
            on.""",
        experiment=_GAUSSIAN,
        numbers=stochastic_growth,
        judge=each(within, 0.9, 1.1),
    ),
    Claim(
        id="unregularised",
        statement="The forward algorithm without a ridge has a high-probability regret bound too",
        source="end of section 3.2, Theorem F.1 of the appendix",
        origin=Origin.THEOREM,
        paper="O(log² T)",
        setting=_SETTING
        + """ The appendix is not in the text that we have: O(log² T), the order of Theorem 3.3, is
            our reading.""",
        measure="""growth of mean regret (6) from T/10 to T divided by its growth from T/100 to
            T/10, compared with the same ratio of log² t.""",
        rule="the whole interval of the ratio lies below that of log² t.",
        experiment=_GAUSSIAN,
        numbers=unregularised,
        judge=lambda numbers: {
            "growth by decades": below(
                numbers["growth by decades"], float(numbers["that of log²"].value)
            )
        },
    ),
    Claim(
        id="optimal-order",
        statement="""The forward algorithm without a ridge has the optimal first order d Y² log T,
            here with long and with short rows""",
        source="section 2.2, which cites Gaillard et al. 2019",
        origin=Origin.OTHER_PAPER,
        paper="d Y² log T",
        setting="""Outcomes are fair coins ±1, on rows uniform on a sphere in 5 dimensions, of norm
            1 (long) or 0.01 (short). Forward and ridge at λ = 1/T play the long rows too. T = 10
            000 in the quick form, 100 000 in the full one. Coins are not the outcomes with which
            Gaillard et al. prove that no agent has less regret: an agent that predicts 0 has less
            on them. But wherever |y| = Y, forward's regret is Y² times the sum of x'G⁻¹x minus a
            term of its squared predictions, and this sum grows by d for each unit of log t.""",
        measure="growth of mean regret (1) from T/10 to T, divided by d Y² log 10.",
        rule="""each length of rows and each agent is a part, which holds if the whole interval lies
            within 0.9 .. 1.1.""",
        experiment=_COINS,
        numbers=first_order,
        judge=each(within, 0.9, 1.1),
        headline=[f"unregularised forward, {rows}" for rows in COINS],
    ),
)
