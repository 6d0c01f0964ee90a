"""Figure 1 of kakade2008: its experiment, its curves, and the figure redrawn."""

from collections.abc import Callable, Sequence

import gymnasium
import numpy as np
from matplotlib.figure import Figure

import banditgym  # noqa: F401 (registers the environments)
from agents import Banditron, Perceptron, play
from leaderboards.papers.claim import Experiment, Sample, Size
from leaderboards.papers.panels import COLOURS, style
from leaderboards.rank.interval_estimates import Estimate
from leaderboards.rank.statistics import stratified_bootstrap_interval

LABELS = 9
ENVIRONMENTS = {"SynSep": "SynSep-v0", "SynNonSep": "SynNonSep-v0"}
GAMMAS = {f"2^-{e}": 2.0**-e for e in range(14, 0, -1)}


def figure_1(seeds: Sequence[int], horizon: int) -> Sample:
    """Mistakes of the Perceptron and of the Banditron at every gamma, on both environments."""
    agents = {name: Banditron(gamma=gamma) for name, gamma in GAMMAS.items()}
    measures, rounds = {}, np.empty(0)
    for env, id in ENVIRONMENTS.items():
        for name, agent in {"Perceptron": Perceptron(), **agents}.items():
            envs = gymnasium.make_vec(id, num_envs=len(seeds), horizon=horizon)
            trace = play(envs, agent, seed=list(seeds))
            rounds = trace.rounds
            measures[f"{env}, {name}"] = trace.measures["regret"]
    return Sample(rounds, measures)


def slope(
    sample: Sample, name: str, first: int, last: int, of: Callable[..., np.ndarray] = np.median
) -> Estimate:
    """Slope of the log of an error rate's median against log t over ``first .. last``.

    By least squares, with a bootstrap over the seeds; ``of`` replaces the median.
    """
    chosen = (sample.rounds >= first) & (sample.rounds <= last)
    steps = np.log(sample.rounds[chosen])
    steps = steps - steps.mean()
    steps = steps / (steps @ steps)
    rates = sample.measures[name][:, chosen] / sample.rounds[chosen]

    def of_rates(scores):
        with np.errstate(divide="ignore"):
            return np.log(of(scores, axis=-2)) @ steps

    return stratified_bootstrap_interval(rates, of_rates)


def final(sample: Sample, env: str, names: Sequence[str] = tuple(GAMMAS)) -> np.ndarray:
    """Error rates at T, (n, gammas)."""
    ends = [sample.measures[f"{env}, {name}"][:, -1] for name in names]
    return np.stack(ends, axis=1) / sample.rounds[-1]


def best(sample: Sample, env: str) -> str:
    """The gamma with the smallest median error rate at T."""
    return list(GAMMAS)[int(np.argmin(np.median(final(sample, env), axis=0)))]


def draw(sample: Sample) -> Figure:
    """Error rates in the upper panels, final ones against gamma in the lower, as in the paper."""
    figure = Figure(figsize=(8.8, 7), layout="constrained")
    grid = figure.subplots(2, 2, sharex="row", sharey="row")
    last = int(sample.rounds[-1])
    for (top, bottom), env in zip(grid.T, ENVIRONMENTS, strict=True):
        at = best(sample, env)
        for name, label, colour, dashes in (
            ("Perceptron", "Perceptron", style("Perceptron").colour, (0, (5, 2))),
            (at, f"Banditron, best γ = {at}", style("Banditron").colour, "solid"),
            ("2^-6", "Banditron, γ = 2^-6", COLOURS[2], "solid"),
        ):
            rates = sample.measures[f"{env}, {name}"] / sample.rounds
            top.plot(
                sample.rounds, np.median(rates, axis=0), color=colour, ls=dashes, lw=1.5,
                label=label,
            )  # fmt: skip
            top.fill_between(
                sample.rounds, *np.quantile(rates, [0.25, 0.75], axis=0), color=colour, alpha=0.15,
                lw=0,
            )  # fmt: skip
        top.set_xlim(100, last)
        top.set_xlabel("round", fontsize=9)
        top.set_title(env, fontsize=10, loc="left")
        gammas, errors = np.array(list(GAMMAS.values())), final(sample, env)
        bottom.plot(gammas, np.median(errors, axis=0), color=COLOURS[0], lw=1.5, label="median")
        bottom.fill_between(
            gammas, *np.quantile(errors, [0.25, 0.75], axis=0), color=COLOURS[0], alpha=0.15, lw=0
        )
        bottom.plot(
            gammas, errors.mean(axis=0), color=COLOURS[0], lw=1.2, ls="dotted", label="mean"
        )
        bottom.plot(
            gammas, gammas * (LABELS - 1) / LABELS, color="#767676", lw=1, ls="dashed",
            label="γ (k - 1) / k",
        )  # fmt: skip
        bottom.set_xlabel("γ", fontsize=9)
        shown = f"{last:,}".replace(",", " ")
        bottom.set_title(f"{env}, after {shown} rounds", fontsize=10, loc="left")
        for axes in (top, bottom):
            axes.set_xscale("log")
            axes.set_yscale("log")
            axes.grid(True, which="major", color="#e4e4e4", lw=0.6)
            axes.set_axisbelow(True)
            axes.tick_params(labelsize=8, color="#bbbbbb", labelleft=True)
            axes.spines[["top", "right"]].set_visible(False)
            axes.spines[["left", "bottom"]].set_color("#bbbbbb")
            axes.legend(frameon=False, fontsize=8)
    grid[0, 0].set_ylabel("error rate", fontsize=9)
    grid[1, 0].set_ylabel("final error rate", fontsize=9)
    grid[1, 0].set_ylim(0.001, 1.2)
    return figure


FIGURE_1 = Experiment(
    name="figure-1",
    simulate=figure_1,
    quick=Size(seeds=30, settings={"horizon": 100_000}),
    full=Size(seeds=10, settings={"horizon": 1_000_000}),
    block=15,
    draw=draw,
    caption=(
        "Above: medians of the error rate with the bands between the quartiles. Below: the final "
        "error rate by gamma, median with that band, and mean. All axes logarithmic."
    ),
)
