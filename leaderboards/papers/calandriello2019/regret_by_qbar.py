"""The claims of calandriello2019 on BKB and GP-UCB in practice, by qbar."""

from collections.abc import Sequence
from functools import partial

import numpy as np

from agents import BKB, GPUCB
from leaderboards.papers import estimates
from leaderboards.papers.calandriello2019.beside_exact import ALPHA, beside_exact
from leaderboards.papers.calandriello2019.dictionary_size import QBARS
from leaderboards.papers.calandriello2019.variance_theorem import DELTA, NOISE_STD, RIDGE
from leaderboards.papers.claim import Claim, Experiment, Figure, Numbers, Origin, Sample, Size
from leaderboards.papers.panels import legend_below, lines, panels
from leaderboards.papers.rules import below, each, within
from leaderboards.papers.simulations import Run, curves, environments
from leaderboards.papers.verdicts import Parts

DEFAULT = 5
LINEAR = 0.9  # regret with a larger growth exponent is linear
ENVIRONMENTS = {
    "smooth": {"dim": 2, "function": "rkhs", "covariance": {"kind": "rbf", "length_scale": 0.2}},
    "rough": {"dim": 2, "function": "gp", "covariance": {"kind": "matern", "nu": 1.5}},
}


def by_qbar(seeds: Sequence[int], horizon: int, n_arms: int) -> Sample:
    """GP-UCB, and BKB at every qbar with the exact posterior of its own pulls."""
    rounds, measures = np.empty(0), {}
    for env, own in ENVIRONMENTS.items():
        settings = {"n_arms": n_arms, "noise_std": NOISE_STD, "horizon": horizon, **own}
        exact = Run(GPUCB(ridge=RIDGE, radius="released"), "KernelBandit-v0", settings)
        rounds, found = curves(seeds, {f"{env}, GP-UCB, regret": exact})
        measures |= found
        for qbar in QBARS:
            envs = environments("KernelBandit-v0", seeds, **settings)
            _, found = beside_exact(BKB(qbar=qbar, ridge=RIDGE, radius="released"), envs, seeds)
            measures |= {f"{env}, qbar = {qbar}, {name}": own for name, own in found.items()}
    return Sample(rounds, measures)


def accuracy(sample: Sample) -> Numbers:
    numbers = {}
    for env in ENVIRONMENTS:
        for qbar in QBARS:
            own = sample.of(f"{env}, qbar = {qbar}")
            name = f"qbar = {qbar}, {env}"
            numbers[f"outside, {name}"] = estimates.share(own["factor"][:, -1] > ALPHA)
            numbers[f"worst factor, {name}"] = estimates.median(own["factor"][:, -1])
            numbers[f"share of rounds outside, {name}"] = estimates.mean(own["outside"][:, -1])
    return numbers


def same_regret(sample: Sample) -> Numbers:
    numbers = {}
    for env in ENVIRONMENTS:
        exact = sample.at_end(f"{env}, GP-UCB, regret")
        for qbar in QBARS:
            own = sample.at_end(f"{env}, qbar = {qbar}, regret")
            numbers[f"BKB / GP-UCB, qbar = {qbar}, {env}"] = estimates.ratio_of_means(own, exact)
        name = f"{env}, qbar = {DEFAULT}, regret"
        numbers[f"exponent, qbar = {DEFAULT}, {env}"] = estimates.late_exponent(sample, name)
    return numbers


def judge_regret(numbers: Numbers) -> Parts:
    """At the default qbar, GP-UCB's regret from both sides, and regret that is not linear."""
    parts = {}
    for env in ENVIRONMENTS:
        at = f"qbar = {DEFAULT}, {env}"
        parts[f"BKB / GP-UCB, {at}"] = within(numbers[f"BKB / GP-UCB, {at}"], 0.9, 1.1)
        parts[f"exponent, {at}"] = below(numbers[f"exponent, {at}"], LINEAR)
    return parts


def draw(sample: Sample) -> Figure:
    figure, grid = panels(
        [f"{env} f" for env in ENVIRONMENTS], ylabel="cumulative regret / GP-UCB's at T"
    )
    for axes, env in zip(grid, ENVIRONMENTS, strict=True):
        exact = sample.measures[f"{env}, GP-UCB, regret"]
        unit = exact[:, -1].mean()
        values = {
            f"BKB, qbar = {q}": sample.measures[f"{env}, qbar = {q}, regret"] / unit for q in QBARS
        }
        lines(axes, sample.rounds, values)
        own = {"GP-UCB": {"color": "#000000", "ls": "dashed"}}
        lines(axes, sample.rounds, {"GP-UCB": exact / unit}, own, quartiles=True)
        axes.set(xlim=(0, sample.rounds[-1]))
    grid[0].set_ylim(bottom=0)
    legend_below(figure, columns=5)
    return figure


_BY_QBAR = Experiment(
    name="qbar",
    simulate=by_qbar,
    quick=Size(seeds=40, settings={"horizon": 500, "n_arms": 100}, seeds_per_call=5),
    full=Size(seeds=40, settings={"horizon": 2000, "n_arms": 300}, seeds_per_call=4),
    draw=draw,
    caption="""Mean regret of BKB at each qbar and of GP-UCB, divided by GP-UCB's at T. The band
        lies between the quartiles of GP-UCB.""",
)
_SETTING = """The paper has no experiment on regret; all sizes are ours. `KernelBandit-v0`, arms
    uniform on [0, 1]^2, Gaussian noise of sd 0.1, lambda = 0.01: f is smooth (of norm 1 in the
    space of the Gaussian kernel) or rough (a draw of the Matern process with nu = 3/2), both of
    length scale 0.2 and played with F = 1. 100 arms and T = 500 in the quick form, 300 and 2000 in
    the full one. BKB and GP-UCB have the radius of the authors' released code (delta = 0.1). The
    theorem asks for qbar = 713 at T = 500."""
_claim = partial(Claim, experiment=_BY_QBAR, setting=_SETTING, origin=Origin.REMARK)

CLAIMS = (
    _claim(
        id="accuracy-in-practice",
        statement="""BKB's variance estimates are always close to the exact ones up to a small
            constant factor (by a theorem that asks for a qbar of hundreds)""",
        source="section 3.2, avoiding variance starvation",
        paper="within a factor alpha = 3",
        measure="""share of runs in which the variance of any arm in any round is outside [1/3, 3]
            times the exact one of the same pulls; the largest factor over arms and rounds, as the
            median over the seeds; the share of rounds in which any arm is outside.""",
        rule="""a part for every qbar and environment: the whole interval of the share lies below
            delta = 0.1.""",
        swept="qbar = 1, 2, 5 and 10, all below what the theorem asks for.",
        numbers=accuracy,
        judge=each(below, DELTA, of=[f"outside, qbar = {qbar}, *" for qbar in QBARS]),
        headline=[f"worst factor, qbar = {qbar}, smooth" for qbar in (1, 5)],
        varied="qbar, from 1 to 10, and the smoothness of f.",
        any_size="The largest factor so far cannot fall in further rounds.",
    ),
    _claim(
        id="regret-of-gpucb",
        statement="""BKB achieves the regret of exact GP-UCB, up to a small constant and a factor of
            log(kappa^2 T)""",
        source="section 4",
        paper="the same regret",
        measure="""mean regret of BKB divided by that of GP-UCB at T, paired by seeds; growth
            exponent of BKB's mean regret over T/10 .. T.""",
        rule="""for each environment at the default qbar = 5: the whole interval of the ratio lies
            in 0.9 .. 1.1, and that of the exponent below 0.9, the limit from which this page calls
            regret linear; otherwise two agents that do not learn would pass. The other values of
            qbar are shown beside it.""",
        amended="""The limit of the exponent was 0.75 before a first run on four seeds; GP-UCB
            itself does not meet that limit in 500 rounds.""",
        numbers=same_regret,
        judge=judge_regret,
        headline=[f"BKB / GP-UCB, qbar = {DEFAULT}, {env}" for env in ENVIRONMENTS],
    ),
)
