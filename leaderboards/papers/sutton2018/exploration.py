"""The claims of sutton2018's Figure 2.2, on greedy agents and on exploration at random."""

from collections.abc import Sequence
from functools import partial

import numpy as np

from agents import EpsilonGreedy
from leaderboards.papers import estimates
from leaderboards.papers.claim import Claim, Experiment, Figure, Numbers, Origin, Sample, Size
from leaderboards.papers.panels import legend_below, lines, panels
from leaderboards.papers.rules import above, below, each, together, within
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

GREEDY, LITTLE, MUCH = "greedy", "0.01", "0.1"  # by the probability of exploration
FIRST = 20  # steps of "the very beginning"


def figure_2_2(seeds: Sequence[int]) -> Sample:
    """Greedy and epsilon-greedy agents, whose estimates are means of rewards and 0 at first."""
    agents = {
        name: EpsilonGreedy(epsilon=epsilon, start=0.0)
        for name, epsilon in ((GREEDY, 0.0), (LITTLE, 0.01), (MUCH, 0.1))
    }
    return on_testbed(seeds, agents)


def longer(seeds: Sequence[int], steps: int) -> Sample:
    """The two epsilon-greedy agents for longer."""
    rounds = sorted({STEPS, *np.geomspace(100, steps, 28).astype(int).tolist(), steps // 2, steps})
    agents = {name: EpsilonGreedy(epsilon=float(name), start=0.0) for name in (LITTLE, MUCH)}
    return on_testbed(seeds, agents, rounds=rounds)


def levels(sample: Sample) -> Numbers:
    """Rewards per step of the greedy agent, and of one that knows the best arm."""
    reward, regret = (per_step(sample, f"{GREEDY}, {of}", *LATE) for of in ("reward", "regret"))
    return {"greedy": estimates.mean(reward), "best possible": estimates.mean(reward + regret)}


def found(sample: Sample) -> Numbers:
    """The share of runs in which the best arm is played in most of the later steps."""
    often = per_step(sample, f"{GREEDY}, optimal", *LATE) > 0.5
    return {"share of tasks": estimates.share(often)}


def explorers_gain(sample: Sample) -> Numbers:
    pairs = [(LITTLE, GREEDY), (MUCH, GREEDY)]
    return {
        f"{measure}, {pair}": gain
        for measure in ("reward", "optimal")
        for pair, gain in gains(sample, measure, pairs, *LATE).items()
    }


def earlier(sample: Sample) -> Numbers:
    early = gains(sample, "optimal", [(MUCH, LITTLE)], 1, STEPS // 2)
    most = estimates.mean(per_step(sample, f"{MUCH}, optimal", *LATE))
    return {**early, f"{MUCH}, late": most}


def overtaking(sample: Sample) -> Numbers:
    """By how much more 0.01 has per step than 0.1, in the figure's steps and in the later half."""
    pairs, last = [(LITTLE, MUCH)], int(sample.rounds[-1])
    slow = gains(sample, "reward", pairs, 1, STEPS)
    late = {of: gains(sample, of, pairs, last // 2 + 1, last) for of in ("reward", "optimal")}
    return {
        f"{when}, {pair}": gain
        for when, found in (
            ("reward, figure's steps", slow),
            *((f"{of}, later half", each) for of, each in late.items()),
        )
        for pair, gain in found.items()
    }


def draw_longer(sample: Sample) -> Figure:
    figure, grid = panels(
        ["reward", "share of the best arm"], xlabel="step", shared=False, xscale="log"
    )
    for axes, measure in zip(grid, ("reward", "optimal"), strict=True):
        averages = {
            f"epsilon = {name}": sample.measures[f"{name}, {measure}"] / sample.rounds
            for name in (LITTLE, MUCH)
        }
        lines(axes, sample.rounds, averages)
    grid[0].set_ylabel("mean per step so far", fontsize=9)
    legend_below(figure, columns=2)
    return figure


BOTH = {"reward": "reward", "optimal": "share of the best arm"}
_FIGURE_2_2 = Experiment(
    name="figure-2-2",
    simulate=figure_2_2,
    quick=SIZE,
    full=SIZE,
    draw=partial(draw_testbed, measures=BOTH),
    caption="""Figure 2.2: mean reward, and share of runs that play the best arm, by the
        probability of exploration. Beyond step 20 a point is a mean over 20 steps.""",
)
_LONGER = Experiment(
    name="longer",
    simulate=longer,
    quick=Size(seeds=500, settings={"steps": 50_000}, seeds_per_call=250),
    full=Size(seeds=2000, settings={"steps": 50_000}, seeds_per_call=500),
    draw=draw_longer,
    caption="Two agents of Figure 2.2 for 50 000 steps: means of all steps so far.",
)
_ESTIMATES = SETTING + "Estimates are means of rewards, and 0 at first. "
_of_2_2 = partial(
    Claim, source="Figure 2.2, section 2.3", origin=Origin.FIGURE, experiment=_FIGURE_2_2
)

CLAIMS = (
    _of_2_2(
        id="greedy-first",
        statement="""At the very beginning the greedy agent improves slightly faster than those that
            explore""",
        paper="faster",
        setting=_ESTIMATES + "We read the very beginning as the first 20 steps.",
        measure="""mean reward per step in the first 20 steps, minus that of an agent that
            explores, on the same rewards.""",
        rule="a part holds if the whole interval lies above 0.",
        numbers=partial(
            gains, measure="reward", pairs=[(GREEDY, LITTLE), (GREEDY, MUCH)], first=1, last=FIRST
        ),
        judge=each(above, LEAST),
    ),
    _of_2_2(
        id="greedy-level",
        statement="""The greedy agent's reward levels off at only about 1 per step, where about 1.55
            is possible""",
        paper="1; 1.55",
        setting=_ESTIMATES,
        measure="mean reward per step in the steps 501 to 1000, and mean of the best arm.",
        rule="""the agent's whole interval lies in 0.9 .. 1.1, and that of the best arm in 1.5 ..
            1.6.""",
        numbers=levels,
        judge=together(
            each(within, 0.9, 1.1, of="greedy"), each(within, 1.5, 1.6, of="best possible")
        ),
    ),
    _of_2_2(
        id="greedy-found",
        statement="The greedy agent finds the best arm in only about one third of the tasks",
        paper="1/3",
        setting=_ESTIMATES
        + """We count a best arm as found if it is played in more than half of
            the steps 501 to 1000.""",
        measure="the share of runs that find the best arm.",
        rule="the whole interval lies in 0.283 .. 0.383, which is 1/3 with 0.05 to either side.",
        numbers=found,
        judge=each(within, 1 / 3 - 0.05, 1 / 3 + 0.05),
    ),
    _of_2_2(
        id="explorers-win",
        statement="The agents that explore perform better than the greedy one eventually",
        paper="better",
        setting=_ESTIMATES,
        measure="""mean reward per step in the steps 501 to 1000, and share of the best arm, minus
            those of the greedy agent.""",
        rule="a part holds if the whole interval lies above 0.",
        numbers=explorers_gain,
        judge=each(above, LEAST),
        headline=[f"reward, {name} - {GREEDY}" for name in (LITTLE, MUCH)],
    ),
    _of_2_2(
        id="much-is-early",
        statement="""With epsilon = 0.1 the best arm is usually found earlier, but never played more
            than 91 % of the time""",
        paper="earlier; at most 0.91",
        setting=_ESTIMATES
        + """We read "earlier" as more plays of the best arm in the first 500
            steps than with epsilon = 0.01. The limit is 1 - 0.1 + 0.1/10 for any agent of this
            form.""",
        measure="""the share of the best arm in steps 1 to 500, minus that with epsilon = 0.01; and
            its share in steps 501 to 1000.""",
        rule="the whole interval of the first lies above 0, and that of the second below 0.91.",
        numbers=earlier,
        judge=together(
            each(above, LEAST, of=f"{MUCH} - {LITTLE}"), each(below, 0.91, of=f"{MUCH}, late")
        ),
    ),
    Claim(
        id="little-is-late",
        statement="""With epsilon = 0.01 improvement is slower, but eventually rewards and the share
            of the best arm are larger than with 0.1""",
        source="section 2.3",
        origin=Origin.REMARK,
        paper="smaller, then larger",
        setting=_ESTIMATES + """The book does not say how late; we play 50 000 steps.""",
        measure="""what epsilon = 0.01 has per step, minus what 0.1 has: mean reward in the 1000
            steps of the figure, and mean reward and share of the best arm in the later half of all
            steps.""",
        rule="""the whole interval of the first lies below 0, and those of the others above 0.""",
        experiment=_LONGER,
        numbers=overtaking,
        judge=together(
            each(below, -LEAST, of="reward, figure's steps, *"),
            each(above, LEAST, of=("reward, later half, *", "optimal, later half, *")),
        ),
    ),
)
