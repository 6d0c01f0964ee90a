"""The claims of sutton2018's Figures 2.3 and 2.4, on optimistic agents."""

import math
from collections.abc import Sequence
from functools import partial

from agents import UCB1, EpsilonGreedy
from leaderboards.papers import estimates
from leaderboards.papers.claim import Claim, Experiment, Numbers, Origin, Sample
from leaderboards.papers.rules import above, below, each, together
from leaderboards.papers.sutton2018.testbed import (
    LATE,
    LEAST,
    SETTING,
    SIZE,
    STEPS,
    draw_testbed,
    gains,
    on_testbed,
    per_step,
)

ARMS = 10
OPTIMIST, REALIST = "optimistic, greedy", "realistic, 0.1"
INITIAL = 100  # steps that are "initially" for the optimistic agent
UCB, LESS, EXPLORER = "UCB, c = 2", "UCB, c = 1", "epsilon = 0.1"


def figure_2_3(seeds: Sequence[int]) -> Sample:
    """A greedy agent with high first estimates, and an epsilon-greedy one; both have step 0.1."""
    agents = {
        OPTIMIST: EpsilonGreedy(epsilon=0.0, step=0.1, start=5.0),
        REALIST: EpsilonGreedy(epsilon=0.1, step=0.1, start=0.0),
    }
    return on_testbed(seeds, agents)


def with_bonus(c: float) -> UCB1:
    """The book's agent, whose bonus is c sqrt(log t / N), where UCB1's is R sqrt(2 log t / N)."""
    return UCB1(noise_std=c / math.sqrt(2.0))


def figure_2_4(seeds: Sequence[int]) -> Sample:
    """Upper confidence bounds with two constants, and an epsilon-greedy agent."""
    agents = {
        UCB: with_bonus(2.0),
        LESS: with_bonus(1.0),
        EXPLORER: EpsilonGreedy(epsilon=0.1, start=0.0),
    }
    return on_testbed(seeds, agents)


def optimism(sample: Sample) -> Numbers:
    pairs = [(OPTIMIST, REALIST)]
    early, late = (
        gains(sample, "optimal", pairs, *steps)[f"{OPTIMIST} - {REALIST}"]
        for steps in ((1, INITIAL), LATE)
    )
    return {"initially": early, "eventually": late}


def early_spike(sample: Sample) -> Numbers:
    at = {t: per_step(sample, f"{OPTIMIST}, optimal", t, t) for t in (10, 11, 12)}
    return {f"step 11 - step {t}": estimates.mean(at[11] - at[t]) for t in (10, 12)}


def bound_gains(sample: Sample) -> Numbers:
    stretches = {"first 10 steps": (1, ARMS), "steps 11 .. 1000": (ARMS + 1, STEPS)}
    beside = {"steps 11 .. 100": (ARMS + 1, 100), "steps 501 .. 1000": LATE}
    return {
        when: gains(sample, "reward", [(UCB, EXPLORER)], *steps)[f"{UCB} - {EXPLORER}"]
        for when, steps in (stretches | beside).items()
    }


def spike(sample: Sample) -> Numbers:
    """How far rewards rise in step 11, and fall after it."""
    at = {
        (name, t): per_step(sample, f"{name}, reward", t, t)
        for name in (UCB, LESS)
        for t in (10, 11, 12)
    }
    fall = {name: at[name, 11] - at[name, 12] for name in (UCB, LESS)}
    return {
        "rise": estimates.mean(at[UCB, 11] - at[UCB, 10]),
        "fall": estimates.mean(fall[UCB]),
        "fall minus that of c = 1": estimates.mean(fall[UCB] - fall[LESS]),
    }


_FIGURE_2_3 = Experiment(
    name="figure-2-3",
    simulate=figure_2_3,
    quick=SIZE,
    full=SIZE,
    draw=partial(draw_testbed, measures={"optimal": "share of the best arm"}),
    caption="""Figure 2.3: share of runs that play the best arm. Beyond step 20 a point is a mean
        over 20 steps.""",
)
_FIGURE_2_4 = Experiment(
    name="figure-2-4",
    simulate=figure_2_4,
    quick=SIZE,
    full=SIZE,
    draw=partial(draw_testbed, measures={"reward": "reward"}),
    caption="""Figure 2.4: mean reward, with UCB for c = 1 beside. Beyond step 20 a point is a mean
        over 20 steps.""",
)
_BOUNDS = (
    SETTING
    + """The book's bonus is c sqrt(log t / N). That of `UCB1` is R sqrt(2 log(t - 1) / N), so
    `noise_std` = c / sqrt 2 makes them equal, except that ours has the number of rewards so far in
    place of t. """
)

CLAIMS = (
    Claim(
        id="optimism",
        statement="""With optimistic first estimates the greedy agent performs worse than a
            realistic epsilon-greedy one initially, because it explores more, and better
            eventually""",
        source="Figure 2.3, section 2.6",
        origin=Origin.FIGURE,
        paper="worse, then better",
        setting=SETTING
        + """Estimates have the constant step 0.1. First estimates of 5 are
            optimistic, those of 0 realistic. We read "initially" as the first 100 steps.""",
        measure="""the optimistic agent's share of the best arm minus that of the other one with
            epsilon = 0.1, in steps 1 to 100 and in steps 501 to 1000.""",
        rule="the whole interval of the first lies below 0, and that of the second above 0.",
        experiment=_FIGURE_2_3,
        numbers=optimism,
        judge=together(each(below, -LEAST, of="initially"), each(above, LEAST, of="eventually")),
    ),
    Claim(
        id="optimistic-spike",
        statement="The curve of the optimistic agent has spikes in its early part",
        source="Figure 2.3, exercise 2.6",
        origin=Origin.FIGURE,
        paper="a spike",
        setting=SETTING
        + """The exercise names no step. We expect a spike in step 11, when every
            arm has been played once: the one with the best reward comes next, and disappoints.""",
        measure="the optimistic agent's share of the best arm in step 11, minus those beside it.",
        rule="a part holds if the whole interval lies above 0.",
        experiment=_FIGURE_2_3,
        numbers=early_spike,
        judge=each(above, LEAST),
    ),
    Claim(
        id="ucb",
        statement="""UCB generally performs better than epsilon-greedy, except in the first k
            steps""",
        source="Figure 2.4, section 2.7",
        origin=Origin.FIGURE,
        paper="worse in 10 steps, then better",
        setting=_BOUNDS + """We read "generally" as on average over the steps 11 to 1000.""",
        measure="""mean reward per step of UCB with c = 2, minus that of epsilon = 0.1. Two
            stretches are shown beside and not judged.""",
        rule="""the whole interval lies below 0 in the first 10 steps, and above 0 in the steps 11
            to 1000.""",
        experiment=_FIGURE_2_4,
        numbers=bound_gains,
        judge=together(
            each(below, -LEAST, of="first 10 steps"), each(above, LEAST, of="steps 11 .. 1000")
        ),
        headline=["first 10 steps", "steps 11 .. 1000"],
    ),
    Claim(
        id="ucb-spike",
        statement="""UCB has a distinct spike in the 11th step, after which rewards fall; with c = 1
            it is less prominent""",
        source="Figure 2.4, exercise 2.8",
        origin=Origin.FIGURE,
        paper="a spike",
        setting=_BOUNDS,
        measure="""mean reward in step 11 minus that in step 10 (rise) and in step 12 (fall), with c
            = 2; and the fall minus that with c = 1.""",
        rule="a part holds if the whole interval lies above 0.",
        experiment=_FIGURE_2_4,
        numbers=spike,
        judge=each(above, LEAST),
    ),
)
