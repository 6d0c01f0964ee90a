"""The claims of calandriello2019 on approximations whose size is fixed in advance."""

from collections.abc import Sequence
from functools import partial
from typing import Any

import numpy as np

from agents import BKB, DTCUCB, GPUCB, QFFTS, RFFUCB, GPBandit, SoRUCB
from agents.parts.decision_rules import UCB
from agents.parts.posteriors import QuadratureFourier, RandomFourier
from banditgym.linalg.product import product
from leaderboards.papers import estimates
from leaderboards.papers.calandriello2019.beside_exact import begun
from leaderboards.papers.calandriello2019.definitions import matrix
from leaderboards.papers.claim import Claim, Experiment, Figure, Numbers, Origin, Sample, Size
from leaderboards.papers.panels import LOG_LOG, legend_below, lines, looks, panels
from leaderboards.papers.rules import above, below, each, holds, together, within
from leaderboards.papers.simulations import Run, curves, environments
from leaderboards.papers.verdicts import Parts

FIXED_SIZE = 10
FEATURES = (4, 20, 200)
RADII = {"released": "released", "three deviations": 0.3}
NODES = 68  # a dimension, e / (4 l^2) of them, so 4624 features
FEATURED = [f"{features} features, {name}" for features in FEATURES for name in RADII]
LENGTH_SCALE, DIM = 0.1, 2
AGENTS = {
    "GPUCB": GPUCB(radius="released"),
    "BKB": BKB(radius="released"),
    "SoRUCB": SoRUCB(size=FIXED_SIZE, radius="released"),
    "DTCUCB": DTCUCB(size=FIXED_SIZE, radius="released"),
    **{
        f"RFFUCB, {features} features, {name}": RFFUCB(size=features, radius=radius)
        for features in FEATURES
        for name, radius in RADII.items()
    },
    "QFF-UCB": GPBandit(posterior=QuadratureFourier(nodes=NODES), rule=UCB(radius="released")),
    "QFF-TS": QFFTS(nodes=NODES),
}
KERNEL_ERROR = 1e-3  # of a kernel whose variance is 1
LINEAR = 0.9  # regret with a larger growth exponent is linear
SUBLINEAR = 0.75  # regret with a smaller one is not: midway between sqrt(T) and T


def fixed(seeds: Sequence[int], horizon: int, n_arms: int) -> Sample:
    """Regret with the exact posterior, the adaptive one and those of fixed sizes."""
    covariance = {"kind": "rbf", "length_scale": LENGTH_SCALE}
    settings = {"n_arms": n_arms, "dim": DIM, "horizon": horizon, "covariance": covariance}
    runs = {name: Run(agent, "KernelBandit-v0", settings) for name, agent in AGENTS.items()}
    found = curves(seeds, runs)
    task = environments("KernelBandit-v0", seeds, **settings).unwrapped.task
    return found._replace(measures=found.measures | kernel_errors(seeds, task))


def kernel_errors(seeds: Sequence[int], task: Any) -> dict[str, np.ndarray]:
    """The largest error (n,) of the kernel between any two arms, by the features."""
    exact, errors = task.covariance(task.arms, task.arms), {}
    parts = {f"RFF, {features} features": RandomFourier(size=features) for features in FEATURES}
    parts |= {
        f"QFF, {nodes} nodes": QuadratureFourier(nodes=nodes) for nodes in (NODES // 2, NODES)
    }
    for name, part in parts.items():
        features = begun(part, task, seeds, 0.01).features
        error = [np.abs(product(matrix(own.T), matrix(own)) - exact).max() for own in features]
        errors[f"kernel error, {name}"] = np.array(error * (len(seeds) // len(error)))
    return errors


def fixed_numbers(sample: Sample) -> Numbers:
    fixed, others = ("SoRUCB", "DTCUCB"), ("BKB", "GPUCB")
    return {
        f"exponent, {name}": estimates.late_exponent(sample, name) for name in (*fixed, *others)
    } | {f"{name} / BKB": estimates.ratio_at_end(sample, name, "BKB") for name in fixed}


def rff_numbers(sample: Sample) -> Numbers:
    numbers = {}
    for form in FEATURED:
        name = f"RFFUCB, {form}"
        numbers[f"exponent, {form}"] = estimates.late_exponent(sample, name)
        numbers[f"RFFUCB / BKB, {form}"] = estimates.ratio_at_end(sample, name, "BKB")
    for features in FEATURES:
        error = sample.measures[f"kernel error, RFF, {features} features"]
        numbers[f"kernel error, {features} features"] = estimates.mean(error)
    return numbers


def qff_numbers(sample: Sample) -> Numbers:
    numbers = {
        f"{name} / GP-UCB": estimates.ratio_at_end(sample, name, "GPUCB")
        for name in ("QFF-UCB", "QFF-TS")
    }
    for name in ("QFF-UCB", "QFF-TS", "GPUCB"):
        numbers[f"exponent, {name}"] = estimates.late_exponent(sample, name)
    for nodes in (NODES // 2, NODES):
        error = sample.measures[f"kernel error, QFF, {nodes} nodes"]
        numbers[f"kernel error, {nodes} nodes"] = estimates.plain(error.max())
    return numbers


def judge_qff(numbers: Numbers) -> Parts:
    """GP-UCB's regret by UCB on these features, its rate by Thompson sampling, and its kernel."""
    return {
        "QFF-UCB / GP-UCB": within(numbers["QFF-UCB / GP-UCB"], 0.9, 1.1),
        "exponent, QFF-UCB": below(numbers["exponent, QFF-UCB"], SUBLINEAR),
        "exponent, QFF-TS": below(numbers["exponent, QFF-TS"], SUBLINEAR),
        f"kernel error, {NODES} nodes": holds(
            bool(numbers[f"kernel error, {NODES} nodes"].value < KERNEL_ERROR)
        ),
    }


def draw(sample: Sample) -> Figure:
    figure, (axes,) = panels(
        ["Posteriors of a fixed size, and adaptive ones"], ylabel="cumulative regret", **LOG_LOG
    )
    own = looks(name for name in AGENTS if "three deviations" not in name)
    own["GPUCB"]["lw"] = 4.0  # BKB's curve coincides with it
    values = {name: sample.measures[name] for name in own}
    lines(axes, sample.rounds, values, own, quartiles=True)
    axes.set(xlim=(10, sample.rounds[-1]))
    axes.set_ylim(bottom=10)
    legend_below(figure, columns=3)
    return figure


_FIXED = Experiment(
    name="fixed",
    simulate=fixed,
    quick=Size(seeds=40, settings={"horizon": 2000, "n_arms": 100}, seeds_per_call=5),
    full=Size(seeds=40, settings={"horizon": 10_000, "n_arms": 200}, seeds_per_call=5),
    draw=draw,
    caption="""Mean regret, with bands between the quartiles; both axes are logarithmic, so linear
        regret has slope 1. All agents have the radius of the released code.""",
)
_SETTING = """The paper has no experiment on it; all sizes are ours. `KernelBandit-v0`, f drawn from
    the Gaussian process, length scale 0.1, arms uniform on [0, 1]^2, Gaussian noise of sd 0.1: 100
    arms and T = 2000 in the quick form, 200 and 10 000 in the full one. Every agent has the radius
    of the released code, computed from its own posterior; BKB has qbar = 5."""
_claim = partial(Claim, experiment=_FIXED, origin=Origin.REMARK)

CLAIMS = (
    _claim(
        id="fixed-dictionary",
        statement="""Adapting the size of the dictionary is crucial for low regret, since fixed
            approximation schemes may suffer linear regret""",
        source="section 1.1",
        paper="exponent 1, where BKB's is 1/2",
        setting=_SETTING + " SoR and DTC have 10 inducing points drawn uniformly from the arms.",
        measure="""growth exponent: least-squares slope of log mean regret against log t over T/10
            .. T, with a bootstrap over the seeds; regret divided by BKB's at T.""",
        rule="""three parts: the whole interval of the exponent lies above 0.9 for SoR, above 0.9
            for DTC, and below 0.75 for BKB.""",
        numbers=fixed_numbers,
        judge=together(
            each(above, LINEAR, of=["exponent, SoRUCB", "exponent, DTCUCB"]),
            each(below, SUBLINEAR, of="exponent, BKB"),
        ),
    ),
    _claim(
        id="random-features",
        statement="""GP-UCB with traditional random Fourier features is not low-regret: the features
            suffer from variance starvation unless there are unfeasibly many of them""",
        source="section 5",
        paper="exponent 1",
        setting=_SETTING,
        measure="""growth exponents as for fixed-dictionary; regret divided by BKB's at T; the
            largest error of the kernel between two arms, where k(x, x) = 1, as the mean over the
            seeds.""",
        rule="""a part for each number of features and each radius: the whole interval of the
            exponent lies above 0.9.""",
        swept="""the number of features and the radius, which the paper does not give: 4, 20 and 200
            features; the radius of the released code, computed from this posterior, and the
            constant 0.3, three times sqrt(lambda), which gives the bands of Figure 2.""",
        numbers=rff_numbers,
        judge=each(above, LINEAR, of="exponent, *"),
        headline=[f"exponent, {count} features, released" for count in FEATURES],
        varied="""the number of features and the radius; and in small runs (12 seeds, T = 3000) also
            length scales of 0.05 and 0.2, and 10, 50 and 100 features. Regret was close to linear
            with up to 20 features under the constant radius, and with 4 features under any radius;
            it never was with 50 features or more.""",
        amended="""The first form had only 20 and 200 features and the released radius, under which
            neither regret is linear; the sweep was added after the small runs named below.""",
    ),
    _claim(
        id="quadrature-features",
        statement="""With quadrature Fourier features the regret rate is that of GP-UCB (Mutny and
            Krause 2018), for stationary kernels in few dimensions""",
        source="section 5, of Mutny and Krause 2018",
        origin=Origin.OTHER_PAPER,
        paper="GP-UCB's rate",
        setting=_SETTING
        + f""" The features have {NODES} Gauss-Hermite nodes in each of the two dimensions, e/(4
            l^2) for the length scale l, so there are {NODES**2} features; half as many nodes are
            shown beside them. UCB runs on these features, and Thompson sampling as in that
            paper.""",
        measure="""regret divided by GP-UCB's at T, ratio of means; growth exponents over T/10 .. T;
            the largest error of the kernel between two arms, where k(x, x) = 1.""",
        rule="""four parts: the whole interval of UCB's ratio lies within 0.9 .. 1.1, and those of
            the exponents of UCB and of Thompson sampling below 0.75; the error of the kernel is
            below 1e-3.""",
        numbers=qff_numbers,
        judge=judge_qff,
        headline=["QFF-UCB / GP-UCB", "exponent, QFF-TS"],
    ),
)
