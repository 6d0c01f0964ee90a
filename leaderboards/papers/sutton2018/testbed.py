"""The ten-armed testbed: its runs, means over steps of them, and the form of its figures."""

from collections.abc import Mapping, Sequence

import numpy as np

from agents import Agent, play
from leaderboards.papers import estimates
from leaderboards.papers.claim import Figure, Numbers, Sample, Size
from leaderboards.papers.panels import legend_below, lines, panels
from leaderboards.papers.simulations import environments

STEPS = 1000
LATE = (501, STEPS)  # first and last of the later steps
LEAST = 1e-6  # a difference that is not 0, as it is between agents that play the same
KEPT = (*range(1, 20), *range(20, STEPS + 1, 20))
SIZE = Size(seeds=2000, seeds_per_call=1000, of_paper=1)
SETTING = """The ten-armed testbed is `ArmedBandit-v0` with K = 10 arms, whose means are drawn for
    each run from a normal distribution of standard deviation 1, and Gaussian rewards of standard
    deviation 1 around them; 2000 runs of 1000 steps, as in the book. We read the text in
    transcriptions of the chapter, without its figures. Of equal estimates our agents play the one
    with the lowest index, the book's any of them; arms are in random order, so curves are the same
    on average. A tutorial of this package had drawn the curves of these agents, on the same seeds,
    before the rules were written. """


def on_testbed(
    seeds: Sequence[int],
    agents: Mapping[str, Agent],
    mean: float = 0.0,
    rounds: Sequence[int] = KEPT,
) -> Sample:
    """Sums of rewards, of regret and of best arms played (n, c): ``AGENT, reward`` and so on.

    The arms' means are drawn around ``mean``.
    """
    place = {
        "n_arms": 10,
        "means": {"kind": "normal", "mean": mean, "std": 1.0},
        "noise": "gaussian",
        "noise_std": 1.0,
        "horizon": rounds[-1],
    }
    measures = {}
    for name, agent in agents.items():
        envs = environments("ArmedBandit-v0", seeds, **place)
        trace = play(envs, agent, seed=seeds, rounds=rounds)
        for measure in ("reward", "regret", "optimal"):
            measures[f"{name}, {measure}"] = trace.measures[measure]
    return Sample(np.array(rounds), measures)


def per_step(sample: Sample, name: str, first: int, last: int) -> np.ndarray:
    """Mean of a measure over the steps ``first .. last``, for every run (n,)."""
    before = sample.at(name, first - 1) if first > 1 else 0.0
    return (sample.at(name, last) - before) / (last - first + 1)


def gains(
    sample: Sample, measure: str, pairs: Sequence[tuple[str, str]], first: int, last: int
) -> Numbers:
    """By how much more an agent has per step than another, ``ONE - OTHER`` for each pair."""
    return {
        f"{one} - {other}": estimates.mean(
            per_step(sample, f"{one}, {measure}", first, last)
            - per_step(sample, f"{other}, {measure}", first, last)
        )
        for one, other in pairs
    }


def draw_testbed(sample: Sample, measures: Mapping[str, str]) -> Figure:
    """A panel for each measure, of its mean per step between two kept rounds; titles by measure."""
    figure, grid = panels(
        measures.values(), xlabel="step", ylabel="mean per step", shared=False, height=3.8
    )
    for axes, measure in zip(grid, measures, strict=True):
        runs = sample.measures.items()
        totals = {
            name.removesuffix(f", {measure}"): values
            for name, values in runs
            if name.endswith(f", {measure}")
        }
        lengths = np.diff(sample.rounds, prepend=0)
        each = {name: np.diff(total, prepend=0.0) / lengths for name, total in totals.items()}
        lines(axes, sample.rounds, each)
    legend_below(figure, columns=2 * len(measures))
    return figure
