"""The claim of besson2019 on its first two problems."""

import math
from collections.abc import Mapping, Sequence

from agents import KLUCB, Agent, DiscountedUCB, GLRklUCB, SlidingWindowUCB
from leaderboards.papers import estimates
from leaderboards.papers.claim import Claim, Experiment, Figure, Numbers, Origin, Sample, Size
from leaderboards.papers.panels import legend_below, lines, panels
from leaderboards.papers.rules import below, each
from leaderboards.papers.simulations import Run, curves

PROBLEMS = ("PB1", "PB2")
BREAKS = 4  # of both


def agents(horizon: int) -> Mapping[str, Agent]:
    """The agents; those that forget are tuned by the number of breaks, as in the authors' code."""
    window = int(2 * math.sqrt(horizon * math.log(horizon) / BREAKS))
    return {
        "local": GLRklUCB(restart="local"),
        "global": GLRklUCB(restart="global"),
        "KL-UCB": KLUCB(),
        "SW-UCB": SlidingWindowUCB(window=window),
        "D-UCB": DiscountedUCB(discount=1 - 0.25 * math.sqrt(BREAKS / horizon)),
    }


def both(seeds: Sequence[int], horizon: int) -> Sample:
    """Dynamic regret (n, c) of every agent on both problems, ``AGENT, PROBLEM``."""
    return curves(
        seeds,
        {
            f"{name}, {problem}": Run(
                agent, "DriftingArmedBandit-v0", {"problem": problem, "horizon": horizon}
            )
            for problem in PROBLEMS
            for name, agent in agents(horizon).items()
        },
    )


def ratios(sample: Sample) -> Numbers:
    """Mean regret with local restarts over that of each other agent."""
    return {
        f"{problem}, local / {other}": estimates.ratio_at_end(
            sample, f"local, {problem}", f"{other}, {problem}"
        )
        for problem in PROBLEMS
        for other in ("KL-UCB", "global", "SW-UCB", "D-UCB")
    }


def draw(sample: Sample) -> Figure:
    figure, grid = panels(PROBLEMS, ylabel="mean dynamic regret", shared=False)
    for axes, problem in zip(grid, PROBLEMS, strict=True):
        values = {
            f"GLR-klUCB, {name}" if name in ("local", "global") else name: sample.measures[
                f"{name}, {problem}"
            ]
            for name in agents(int(sample.rounds[-1]))
        }
        lines(axes, sample.rounds, values)
    legend_below(figure, columns=5)
    return figure


CLAIMS = (
    Claim(
        id="efficient",
        statement="""GLR-klUCB is very efficient in practice: it outperforms algorithms that do not
            test for changes""",
        source="abstract",
        origin=Origin.REMARK,
        paper="better",
        setting="""`DriftingArmedBandit-v0` with the authors' problems PB1 and PB2: K = 3 Bernoulli
            arms, T = 20 000, four breaks at equal distances. One arm changes at a time in PB1, all
            change in PB2. `GLRklUCB` restarts only the arm that has changed (local), or all
            (global); its constants are those of the authors' code. The paper compares with windows
            and discounts of KL-UCB, which this package does not have: SW-UCB and D-UCB of Garivier
            and Moulines, with the window and the discount of the authors' code, are shown beside
            and not judged. PB1 had been played on 20 seeds before this rule was written.""",
        measure="mean dynamic regret of GLR-klUCB with local restarts divided by that of KL-UCB.",
        rule="a problem holds if the whole interval lies below 1.",
        numbers=ratios,
        judge=each(below, 1.0, of=[f"{problem}, local / KL-UCB" for problem in PROBLEMS]),
        headline=[f"{problem}, local / KL-UCB" for problem in PROBLEMS],
        experiment=Experiment(
            name="problems",
            simulate=both,
            quick=Size(seeds=50, settings={"horizon": 20_000}, seeds_per_call=25, of_paper=0.5),
            full=Size(seeds=100, settings={"horizon": 20_000}, seeds_per_call=25, of_paper=1),
            draw=draw,
            caption="""Mean dynamic regret on PB1 and PB2. The authors' code plays 100 runs of
                20 000 rounds.""",
        ),
    ),
)
