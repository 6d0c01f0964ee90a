"""The claims of audibert2010 on the probability that successive rejects errs."""

import math
from collections.abc import Sequence
from functools import partial

import numpy as np
import scipy  # whose parts are imported where they are first used

from agents import SequentialHalving, SuccessiveRejects
from leaderboards.papers import estimates
from leaderboards.papers.claim import Claim, Experiment, Figure, Numbers, Origin, Sample, Size
from leaderboards.papers.panels import legend, lines, panels
from leaderboards.papers.rules import below, each
from leaderboards.papers.simulations import Run, curves
from leaderboards.report.styles import COLOURS

PROBLEMS = {  # means, the best one first, and the number of rounds
    "experiment 1": ((0.5, *[0.4] * 19), 2000),
    "experiment 2": ((0.5, *[0.42] * 5, *[0.38] * 14), 2000),
    "experiment 3": ((0.5, *(0.5 - 0.37**i for i in (2, 3, 4))), 2000),
    "experiment 4": ((0.5, 0.42, 0.4, 0.4, 0.35, 0.35), 600),
    "experiment 5": ((0.5, *(0.5 - 0.025 * i for i in range(2, 16))), 4000),
    "experiment 6": ((0.5, 0.48, *[0.37] * 18), 6000),
    "experiment 7": ((0.5, *[0.45] * 5, *[0.43] * 14, *[0.38] * 10), 6000),
}
AGENTS = {"successive rejects": SuccessiveRejects(), "sequential halving": SequentialHalving()}
PERCENT = (50, 100, 200)  # of the number of rounds
BOUND = 0.1  # the theorem's bound in the runs that test it


def problems(seeds: Sequence[int]) -> Sample:
    """Whether each agent errs (n, c) after half, all and twice the rounds, ``AGENT, PROBLEM``."""
    ends: dict[str, list[np.ndarray]] = {}
    for problem, (_, rounds) in PROBLEMS.items():
        for percent in PERCENT:
            for agent, errs in _errors(seeds, problem, rounds * percent // 100, AGENTS).items():
                ends.setdefault(f"{agent}, {problem}", []).append(errs)
    return Sample(np.array(PERCENT), {name: np.stack(of, axis=1) for name, of in ends.items()})


def long_runs(seeds: Sequence[int]) -> Sample:
    """Whether successive rejects errs (n,) in as many rounds as make the theorem's bound 0.1."""
    agents = {"successive rejects": SuccessiveRejects()}
    measures = {}
    for problem, (means, _) in PROBLEMS.items():
        n_arms = len(means)
        log_factor = math.log(n_arms * (n_arms - 1) / 2 / BOUND)
        rounds = n_arms + math.ceil(log_factor * unit(means))
        measures |= {problem: _errors(seeds, problem, rounds, agents)["successive rejects"]}
    return Sample(np.array([1]), measures)


def _errors(seeds, problem, rounds, agents):
    """Whether each agent errs on a problem, (n,)."""
    place = {"means": PROBLEMS[problem][0], "objective": "best_arm", "shuffled": True}
    runs = {
        name: Run(agent, "ArmedBandit-v0", {**place, "horizon": rounds})
        for name, agent in agents.items()
    }
    sample = curves(seeds, runs, measure="error", rounds=[rounds])
    return {name: sample.at_end(name) for name in agents}


def unit(means: Sequence[float]) -> float:
    """log-bar(K) H2: in so many rounds the theorem's bound falls by a factor of e."""
    gaps = np.sort(means[0] - np.array(means[1:]))
    long = 0.5 + (1 / np.arange(2, len(means) + 1)).sum()
    return float(long * (np.arange(2, len(means) + 1) / gaps**2).max())


def uniform_error(means: Sequence[float], rounds: int) -> float:
    """The probability that the largest of means of equally many rewards is not the first arm's.

    Ties are broken at random. An arm that ties with j others is chosen with probability 1 / (1 +
    j), the integral of u^j; the product over arms is a polynomial in u, whose integral is exact.
    """
    pulls = rounds // len(means)
    wins, others = np.arange(pulls + 1), np.array(means[1:])[:, None, None]
    nodes, weights = np.polynomial.legendre.leggauss(len(means))
    u = (nodes + 1) / 2
    fewer = scipy.stats.binom.cdf(wins[:, None] - 1, pulls, others)
    equal = scipy.stats.binom.pmf(wins[:, None], pulls, others)
    right = (fewer + u * equal).prod(axis=0) @ weights / 2
    return 1.0 - float(scipy.stats.binom.pmf(wins, pulls, means[0]) @ right)


def against_uniform(sample: Sample) -> Numbers:
    """Share of errors after all rounds over the probability of uniform allocation's."""
    numbers = {}
    for problem, (means, rounds) in PROBLEMS.items():
        expected = uniform_error(means, rounds)
        for agent in AGENTS:
            share = estimates.share(sample.at(f"{agent}, {problem}", 100))
            ratio = type(share)(*(limit / expected for limit in share))
            numbers[f"{agent}, {problem}"] = ratio
    return numbers


def smoothed(errs: np.ndarray, axis: int) -> np.ndarray:
    """Share of errors with half an error and half a success more, so that it is never 0."""
    return (errs.sum(axis=axis) + 0.5) / (errs.shape[axis] + 1)


def decay(sample: Sample) -> Numbers:
    """Slope of the log of the share of errors against rounds / (log-bar(K) H2)."""
    numbers = {}
    for problem, (means, rounds) in PROBLEMS.items():
        growth = np.exp(sample.rounds / 100 * rounds / unit(means))
        errs = sample.measures[f"successive rejects, {problem}"]
        numbers[problem] = estimates.exponent(growth, errs, growth[0], growth[-1], of=smoothed)
    return numbers


def shares(sample: Sample) -> Numbers:
    return {problem: estimates.share(errs) for problem, errs in sample.measures.items()}


def draw(sample: Sample) -> Figure:
    figure, (left, right) = panels(
        ("The paper's rounds", "Half, all and twice the rounds"),
        xlabel="experiment",
        ylabel="probability of error",
        yscale="log",
    )
    places = np.arange(1, len(PROBLEMS) + 1)
    uniform = [uniform_error(*problem) for problem in PROBLEMS.values()]
    left.plot(places, uniform, "_", color=COLOURS[2], ms=14, label="uniform, exact")
    for agent, colour in zip(AGENTS, COLOURS, strict=False):
        found = [estimates.share(sample.at(f"{agent}, {problem}", 100)) for problem in PROBLEMS]
        value, low, high = np.array(found, float).T
        left.errorbar(places, value, [value - low, high - value], fmt="o", ms=4, color=colour)
        left.plot([], [], "o", ms=4, color=colour, label=agent)
    legend(left, "lower left")
    right.set_xlabel("rounds / (log-bar(K) H2)", fontsize=9)
    for place, (problem, (means, rounds)) in enumerate(PROBLEMS.items()):
        scaled, name = sample.rounds / 100 * rounds / unit(means), f"{problem[-1]}"
        errs = {name: sample.measures[f"successive rejects, {problem}"]}
        lines(right, scaled, errs, {name: {"color": COLOURS[place % len(COLOURS)], "marker": "o"}})
    ends = np.array(right.get_xlim())
    right.plot(ends, np.exp(-ends), "k:", lw=1, label="e^-x")
    legend(right, "lower left", columns=2)
    return figure


_EXPERIMENT = Experiment(
    name="problems",
    simulate=problems,
    quick=Size(seeds=1000, seeds_per_call=500, of_paper="unknown"),
    full=Size(seeds=5000, seeds_per_call=500, of_paper="unknown"),
    draw=draw,
    caption="""Left: share of errors with 95 % intervals on the seven problems, and uniform
        allocation's probability of error. Right: that of successive rejects against the number of
        rounds in the unit in which the bound of Theorem 2 falls by a factor of e. The paper's
        other algorithm, a highly exploring UCB, is not in this package.""",
)
_SETTING = """`ArmedBandit-v0` with `objective="best_arm"` and Bernoulli rewards; the order of the
    arms is drawn for each run. The paper was not at hand beyond its abstract. Means and numbers of
    rounds of its seven experiments are those of a later comparison's code that names them
    `Audibertea2010`; a second, independent code agrees on experiments 1, 2, 3 and 6. The number of
    runs is unknown to us. """
_claim = partial(Claim, experiment=_EXPERIMENT)

CLAIMS = (
    _claim(
        id="better-than-uniform",
        statement="Successive rejects errs less than uniform allocation",
        source="the comparison of its experiments, which we have not seen",
        origin=Origin.OURS,
        paper="less",
        setting=_SETTING
        + """Uniform allocation pulls each arm floor(n / K) times and recommends the arm of the
            largest mean reward, of equal ones a random one. Its probability of error is computed,
            not simulated. Sequential halving, a later algorithm, is shown beside.""",
        measure="share of errors after all rounds, divided by uniform allocation's probability.",
        rule="an experiment holds if the whole interval lies below 1.",
        numbers=against_uniform,
        judge=each(below, 1.0, of=[f"successive rejects, {problem}" for problem in PROBLEMS]),
        headline=("successive rejects, experiment 1", "successive rejects, experiment 6"),
    ),
    _claim(
        id="exponential-decay",
        statement="""The error of successive rejects decreases at least as fast as exp(-n /
            (log-bar(K) H2))""",
        source="abstract, Theorem 2",
        origin=Origin.THEOREM,
        paper="K (K-1)/2 exp(-(n-K) / (log-bar(K) H2))",
        setting=_SETTING
        + """H2 is the maximum of i / Delta_i^2 over the gaps in increasing order, i = 2, .., K, and
            log-bar(K) = 1/2 + sum 1/i. We read the theorem in notes that cite it.""",
        measure="""slope of the log of the share of errors against n / (log-bar(K) H2), by least
            squares over half, all and twice the experiment's rounds. Half an error and half a
            success are added, so that no share is 0.""",
        rule="""an experiment holds if the whole interval lies below -1: the error falls at the
            theorem's rate or faster. The factor before the exponential is not tested, nor the
            abstract's words that the rate is nearly the best possible. Uniform allocation, whose
            slopes are -0.60 and -0.77 in experiments 5 and 6, would pass in the other five.""",
        numbers=decay,
        judge=each(below, -1.0),
        headline=("experiment 3", "experiment 5", "experiment 6"),
    ),
    _claim(
        id="theorem-bound",
        statement="The probability of error is at most K (K-1)/2 exp(-(n-K) / (log-bar(K) H2))",
        source="Theorem 2",
        origin=Origin.THEOREM,
        paper="at most 0.1 in the runs below",
        setting=_SETTING
        + """At the experiments' own numbers of rounds the bound exceeds 1. The runs have as many
            rounds as make it 0.1, 3915 in experiment 4 and 119 544 in experiment 7.""",
        measure="share of errors.",
        rule="an experiment holds if the whole interval lies below 0.1.",
        experiment=Experiment(
            name="long-runs",
            simulate=long_runs,
            quick=Size(seeds=200, seeds_per_call=100),
            full=Size(seeds=1000, seeds_per_call=100),
        ),
        numbers=shares,
        judge=each(below, BOUND),
        headline=("experiment 1", "experiment 3"),
    ),
)
