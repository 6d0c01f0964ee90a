"""A claim of another paper on the instances of lattimore2017, with two and three features."""

import math
from collections.abc import Sequence

import numpy as np

from agents import IDS, Agent, PhasedElimination, RarelySwitchingOFUL
from leaderboards.papers import estimates
from leaderboards.papers.claim import Claim, Experiment, Figure, Numbers, Origin, Sample, Size
from leaderboards.papers.panels import legend_below, lines, panels
from leaderboards.papers.rules import below, each
from leaderboards.papers.simulations import Run, curves

IDS_NAME, THEOREM, AUTHORS, PHASED = "IDS", "rs-OFUL, theorem", "rs-OFUL, authors", "phases"
HORIZONS = {2: 10_000, 3: 50_000}
EPSILONS = (0.01, 0.2)


def instance(dim: int, epsilon: float) -> np.ndarray:
    """The arms: unit vectors, and e_1 turned towards each other one; the best one is the last."""
    unit = np.eye(dim)
    turned = (1 - epsilon) * unit[0] + 2 * epsilon * unit[1:]
    return np.vstack([unit[1:], turned, unit[0]])


def agents_of(dim: int) -> dict[str, Agent]:
    radius = math.sqrt(128 * dim * math.log(HORIZONS[dim]))
    return {
        IDS_NAME: IDS(gaps="value", information="directed", deterministic=True),
        THEOREM: RarelySwitchingOFUL(growth=0.5),
        AUTHORS: RarelySwitchingOFUL(growth=0.5, radius=radius),
        PHASED: PhasedElimination(delta=1 / HORIZONS[dim]),
    }


def label(dim: int, epsilon: float) -> str:
    return f"d = {dim}, eps = {epsilon}"


def instances(seeds: Sequence[int], dims: Sequence[int], part: float) -> Sample:
    """Regret (n, c), ``AGENT, INSTANCE``, at a hundred times of a part of each horizon."""
    measures = {}
    for dim in dims:
        horizon = int(part * HORIZONS[dim])
        for epsilon in EPSILONS:
            place = {
                "arms": instance(dim, epsilon), "theta": np.eye(dim)[0], "noise_std": 1.0,
                "horizon": horizon,
            }  # fmt: skip
            runs = {
                f"{name}, {label(dim, epsilon)}": Run(agent, "LinearBandit-v0", place)
                for name, agent in agents_of(dim).items()
            }
            kept = [k * horizon // 100 for k in range(1, 101)]
            measures |= curves(seeds, runs, rounds=kept).measures
    return Sample(np.arange(1, 101), measures)


def ratios(sample: Sample) -> Numbers:
    """Mean regret of IDS over that of each other agent, and mean regret itself."""
    numbers = {}
    for run in sample.measures:
        name, _, place = run.partition(", d = ")
        if name != IDS_NAME:
            own = f"{IDS_NAME}, d = {place}"
            numbers[f"IDS / {name}, d = {place}"] = estimates.ratio_at_end(sample, own, run)
        numbers[f"regret of {run}"] = estimates.mean(sample.at_end(run))
    return numbers


def draw(sample: Sample) -> Figure:
    places = [label(dim, epsilon) for dim in HORIZONS for epsilon in EPSILONS]
    places = [place for place in places if f"{IDS_NAME}, {place}" in sample.measures]
    figure, grid = panels(
        places, columns=2, xlabel="percent of all rounds", ylabel="mean regret", shared="row"
    )
    for axes, place in zip(grid, places, strict=True):
        own = {name: sample.measures[f"{name}, {place}"] for name in agents_of(2)}
        lines(axes, sample.rounds, own)
    legend_below(figure, columns=4)
    return figure


_EXPERIMENT = Experiment(
    name="batched-instances",
    simulate=instances,
    quick=Size(seeds=20, settings={"dims": [2], "part": 1.0}, seeds_per_call=20, of_paper=1.0),
    full=Size(seeds=100, settings={"dims": [2, 3], "part": 1.0}, seeds_per_call=50, of_paper=1.0),
    draw=draw,
    caption="""Mean regret on the four instances. The horizon is 10 000 rounds with two features and
        50 000 with three.""",
)

CLAIMS = (
    Claim(
        id="ids-and-batches",
        statement="""IDS has much less regret than rarely switching OFUL on the instances of the
            paper""",
        source="figures in the repository of Ren, Jin and Xu, Optimal Batched Linear Bandits, ICML "
        "2024",
        origin=Origin.OTHER_PAPER,
        paper="""158 and 1094 (d = 2, eps = 0.01), 282 and 1089 (d = 2, 0.2), 274 and 5895 (d = 3,
            0.01), 685 and 5938 (d = 3, 0.2)""",
        setting="""Arms are the unit vectors and (1 - eps) e_1 + 2 eps e_j for every j > 1, theta is
            e_1, the noise is Gaussian with standard deviation 1; 10 000 rounds with d = 2 and
            50 000 with d = 3, eps = 0.01 and 0.2, as in that repository, which has 10 runs. Its
            IDS is the asymptotically optimal form, made deterministic; ours is the older one, with
            the same gaps, information on the arm with the largest upper bound, and the same
            deterministic choice. The numbers are those of the figures' last points. The best arm is
            the last one. `PhasedElimination`, which is not their elimination, is shown beside.""",
        measure="""mean regret of IDS after all rounds, divided by that of `RarelySwitchingOFUL`
            with C = 0.5.""",
        rule="""a part holds if the whole interval lies below 0.5. Uniform play in the place of IDS
            would have about three times the regret of their rs-OFUL.""",
        swept="""the radius of rs-OFUL: the theorem's, and sqrt(128 d log t) of that repository, at
            the last round.""",
        experiment=_EXPERIMENT,
        numbers=ratios,
        judge=each(below, 0.5, of=(f"IDS / {THEOREM}*", f"IDS / {AUTHORS}*")),
        headline=(f"IDS / {THEOREM}, d = 2, eps = 0.01", f"IDS / {AUTHORS}, d = 2, eps = 0.01"),
    ),
)
