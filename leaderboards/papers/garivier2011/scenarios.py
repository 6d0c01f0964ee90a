"""The claims of garivier2011 on the scenarios of its Figures 1 and 2."""

from collections.abc import Sequence
from functools import partial

import numpy as np
import scipy  # whose parts are imported where they are first used

from agents import KLUCB, UCB1, UCB1Tuned
from leaderboards.papers import estimates
from leaderboards.papers.claim import Claim, Experiment, Figure, Numbers, Origin, Sample, Size
from leaderboards.papers.panels import legend_below, lines, panels
from leaderboards.papers.rules import below, below_if_above, each, within
from leaderboards.papers.simulations import Run, curves

SCENARIOS = {
    "two arms": (0.9, 0.8),
    "ten arms": (0.1, *[0.05] * 3, *[0.02] * 3, *[0.01] * 3),
}
KL = {"KL-UCB": 0.0, "KL-UCB, c = 3": 3.0}
SHORT = 1000  # rounds of a "short time horizon"


def scenarios(seeds: Sequence[int], horizon: int) -> Sample:
    """Regret (n, c) of every agent in both scenarios, ``AGENT, SCENARIO``."""
    # The paper's UCB has the bonus sqrt(log t / (2 N)), as UCB1 has by default for coins.
    agents = {name: KLUCB(c=c) for name, c in KL.items()}
    agents |= {"UCB": UCB1(), "UCB-Tuned": UCB1Tuned()}
    return curves(
        seeds,
        {
            f"{name}, {scenario}": Run(
                agent, "ArmedBandit-v0", {"means": means, "shuffled": True, "horizon": horizon}
            )
            for scenario, means in SCENARIOS.items()
            for name, agent in agents.items()
        },
    )


def divergence(p: np.ndarray, q: float | np.ndarray) -> np.ndarray:
    """Of the Bernoulli laws with these means."""
    return p * np.log(p / q) + (1 - p) * np.log((1 - p) / (1 - q))


def parabola(p: np.ndarray, q: float | np.ndarray) -> np.ndarray:
    """Pinsker's lower bound on the divergence, by which UCB's bonus follows."""
    return 2 * (p - q) ** 2


def level(plays: int, c: float) -> float:
    """What N d(mean, bound) may be after some plays."""
    return float(np.log(plays) + (c * np.log(np.log(plays)) if c > 0 else 0.0))


def leading(scenario: str, plays: int, c: float = 0.0, distance=divergence) -> float:
    """The leading terms of the bound on regret, (log n + c log log n) sum Delta / d(mu, mu*)."""
    means = np.array(SCENARIOS[scenario])
    worse = means[means < means.max()]
    return level(plays, c) * float(((means.max() - worse) / distance(worse, means.max())).sum())


def balanced(scenario: str, plays: int, c: float = 0.0, distance=divergence) -> float:
    """Regret at which all indices would be equal, if every average were its expectation."""
    means = np.array(SCENARIOS[scenario])
    best, budget = means.max(), level(plays, c)

    def surplus(index):
        return (budget / distance(means, index)).sum() - plays

    index = scipy.optimize.brentq(surplus, best + 1e-5, 1 - 1e-9)
    return float(((best - means) * budget / distance(means, index)).sum())


def ratios_to(sample: Sample, prediction) -> Numbers:
    """Mean regret at the end over a prediction, for each agent that has one."""
    last, numbers = int(sample.rounds[-1]), {}
    for scenario in SCENARIOS:
        expected = {name: prediction(scenario, last, c) for name, c in KL.items()}
        expected["UCB"] = prediction(scenario, last, 0.0, parabola)
        for name, regret in expected.items():
            run = f"{name}, {scenario}"
            numbers[run] = estimates.mean(sample.at_end(run) / regret)
    return numbers


def leading_ratios(sample: Sample, agent: str) -> Numbers:
    """``ratios_to`` the leading terms, of the agents whose names begin so."""
    found = ratios_to(sample, leading)
    return {name: number for name, number in found.items() if name.startswith(agent)}


def better_numbers(sample: Sample) -> Numbers:
    numbers, beside = {}, {}
    for scenario in SCENARIOS:
        for when, t in ((f"n = {SHORT}", SHORT), ("all rounds", int(sample.rounds[-1]))):
            numbers[f"{scenario}, {when}"] = estimates.ratio_of_means(
                *(sample.at(f"{name}, {scenario}", t) for name in ("KL-UCB", "UCB"))
            )
        beside[f"UCB-Tuned / UCB, {scenario}"] = estimates.ratio_at_end(
            sample, f"UCB-Tuned, {scenario}", f"UCB, {scenario}"
        )
    return numbers | beside


def draw(sample: Sample) -> Figure:
    figure, grid = panels(SCENARIOS, ylabel="mean regret", shared=False, xscale="log")
    for axes, scenario in zip(grid, SCENARIOS, strict=True):
        names = (*KL, "UCB", "UCB-Tuned")
        values = {name: sample.measures[f"{name}, {scenario}"] for name in names}
        bound = [leading(scenario, int(t)) for t in sample.rounds]
        values["Lai and Robbins"] = np.array([bound])
        lines(axes, sample.rounds, values)
        axes.set_ylim(0, 1.1 * max(curve.mean(axis=0).max() for curve in values.values()))
    legend_below(figure, columns=5)
    return figure


_EXPERIMENT = Experiment(
    name="scenarios",
    simulate=scenarios,
    quick=Size(seeds=200, settings={"horizon": 10_000}, seeds_per_call=100, of_paper="unknown"),
    full=Size(seeds=500, settings={"horizon": 100_000}, seeds_per_call=100, of_paper="unknown"),
    draw=draw,
    caption="""Mean regret in the scenarios of Figures 1 and 2, and log n sum Delta/d(mu, mu*), the
        lower bound of Lai and Robbins on its growth. The paper's other policies MOSS, UCB-V and
        DMED are not run: this package does not have them.""",
)
_SETTING = """`ArmedBandit-v0` with Bernoulli rewards. Two arms have means 0.9 and 0.8 (Figure 1);
    ten arms have mean 0.1 once and means 0.05, 0.02 and 0.01 three times each (Figure 2), in an
    order drawn for each run. We could not confirm the paper's numbers of rounds and of runs, and
    take 10 000 rounds and 200 runs in the quick form, 100 000 and 500 in the full one. KL-UCB has c
    = 0, which the paper recommends; UCB has the bonus sqrt(log t/(2 N)), as in the authors'
    code. """
_claim = partial(Claim, experiment=_EXPERIMENT)

CLAIMS = (
    _claim(
        id="optimal",
        statement="For Bernoulli rewards KL-UCB reaches the lower bound of Lai and Robbins",
        source="abstract, Theorem 2",
        origin=Origin.THEOREM,
        paper="regret at most (log n + c log log n) sum Delta/d(mu, mu*) to leading order",
        setting=_SETTING,
        measure="mean regret after all rounds, divided by log n sum Delta/d(mu, mu*).",
        rule="""a part holds if the whole interval lies below 1.1, and is inconclusive unless it
            lies above 0.7. The ratio tends to 1, by the lower bound; before that, the index of the
            best arm lies above its mean, and regret below its leading terms.""",
        swept="c = 0, which the paper recommends, and 3, which its theorem takes.",
        numbers=partial(leading_ratios, agent="KL-UCB"),
        judge=each(below_if_above, 0.7, 1.1),
        headline=("KL-UCB, two arms", "KL-UCB, ten arms"),
    ),
    _claim(
        id="ucb-constant",
        statement="""As a by-product, the paper proves an improved regret bound for the standard UCB
            algorithm""",
        source="abstract",
        origin=Origin.REMARK,
        paper="log n sum 1/(2 Delta) to leading order, where Auer et al. have 8 log n sum 1/Delta",
        setting=_SETTING,
        measure="mean regret of UCB after all rounds, divided by log n sum 1/(2 Delta).",
        rule="""a scenario holds if the whole interval lies below 1.1, and is inconclusive unless it
            lies above 0.7.""",
        numbers=partial(leading_ratios, agent="UCB"),
        judge=each(below_if_above, 0.7, 1.1),
    ),
    _claim(
        id="better-than-ucb",
        statement="""KL-UCB always performs better than the basic UCB policy, including for short
            time horizons""",
        source="abstract, Figures 1 and 2",
        origin=Origin.FIGURE,
        paper="better",
        setting=_SETTING + """We read "short" as 1000 rounds.""",
        measure="""mean regret of KL-UCB divided by that of UCB, after 1000 rounds and after all.
            UCB-Tuned over UCB is shown beside it; the paper's claim that only KL-UCB is always
            better would need more scenarios and is not judged.""",
        rule="a part holds if the whole interval lies below 1.",
        numbers=better_numbers,
        judge=each(below, 1.0, of=[f"{name}, *" for name in SCENARIOS]),
        headline=("two arms, all rounds", "ten arms, all rounds"),
    ),
    _claim(
        id="balance",
        statement="Index policies play each arm so often that all indices become equal",
        source="Algorithm 1",
        origin=Origin.OURS,
        paper="none",
        setting=_SETTING,
        measure="""mean regret after all rounds, divided by a predicted regret: that of the numbers
            of plays at which all indices would be equal if every average were its expectation.""",
        rule="a part holds if the whole interval lies in 0.8 .. 1.2.",
        numbers=partial(ratios_to, prediction=balanced),
        judge=each(within, 0.8, 1.2),
        headline=("KL-UCB, two arms", "KL-UCB, ten arms", "UCB, two arms"),
    ),
)
