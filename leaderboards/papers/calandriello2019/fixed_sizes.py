"""The claims of calandriello2019 on approximations whose size is fixed in advance."""

from collections.abc import Sequence
from functools import partial

from matplotlib.figure import Figure

from agents import BKB, DTCUCB, GPUCB, RFFUCB, SoRUCB
from leaderboards.papers import estimates
from leaderboards.papers.claim import Claim, Experiment, Numbers, Sample, Size
from leaderboards.papers.panels import LOG_LOG, legend_below, lines, looks, panels
from leaderboards.papers.rules import above, below, each, verdict
from leaderboards.papers.simulations import Run, curves

FIXED_SIZE = 10
FEATURES = (20, 200)
AGENTS = {
    "GPUCB": GPUCB(),
    "BKB": BKB(),
    "SoRUCB": SoRUCB(size=FIXED_SIZE),
    "DTCUCB": DTCUCB(size=FIXED_SIZE),
    **{f"RFFUCB, {features} features": RFFUCB(size=features) for features in FEATURES},
}
LINEAR = 0.9  # regret with a larger growth exponent is linear
SUBLINEAR = 0.75  # regret with a smaller one is not: midway between sqrt(T) and T


def fixed(seeds: Sequence[int], horizon: int, n_arms: int) -> Sample:
    """Regret with the exact posterior, the adaptive one and those of fixed sizes."""
    covariance = {"kind": "rbf", "length_scale": 0.1}
    settings = {"n_arms": n_arms, "dim": 2, "horizon": horizon, "covariance": covariance}
    runs = {name: Run(agent, "KernelBandit-v0", settings) for name, agent in AGENTS.items()}
    return curves(seeds, runs)


def fixed_numbers(sample: Sample) -> Numbers:
    fixed, others = ("SoRUCB", "DTCUCB"), ("BKB", "GPUCB")
    return {
        f"exponent, {name}": estimates.late_exponent(sample, name) for name in (*fixed, *others)
    } | {f"{name} / BKB": estimates.ratio_at_end(sample, name, "BKB") for name in fixed}


def rff_numbers(sample: Sample) -> Numbers:
    numbers = {}
    for features in FEATURES:
        name = f"RFFUCB, {features} features"
        numbers[f"exponent, {features} features"] = estimates.late_exponent(sample, name)
        ratio = estimates.ratio_at_end(sample, name, "BKB")
        numbers[f"RFFUCB / BKB, {features} features"] = ratio
    return numbers


def draw(sample: Sample) -> Figure:
    figure, (axes,) = panels(
        ["Posteriors of a fixed size, and adaptive ones"], ylabel="cumulative regret", **LOG_LOG
    )
    own = looks(sample.measures)
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
    quick=Size(seeds=40, settings={"horizon": 2000, "n_arms": 100}),
    full=Size(seeds=50, settings={"horizon": 10_000, "n_arms": 200}),
    seeds_per_call=5,
    draw=draw,
    caption="""Mean regret with the bands between the quartiles, both axes logarithmic: a straight
        line of slope 1 is linear.""",
)
_SETTING = """The paper has no experiment on it; all sizes are ours. `KernelBandit-v0`, f drawn from
    the Gaussian process, length scale 0.1, arms uniform on [0, 1]^2, Gaussian noise of sd 0.1: 100
    arms and T = 2000 in the quick form, 200 and 10 000 in the full one. Every agent has the radius
    of the released code, made of its own posterior, BKB qbar = 5."""
_claim = partial(Claim, experiment=_FIXED)

CLAIMS = (
    _claim(
        id="fixed-dictionary",
        statement="""Adapting the size of the dictionary is crucial for low regret, since fixed
            approximation schemes may suffer linear regret""",
        source="section 1.1",
        paper="exponent 1, where BKB's is 1/2",
        setting=_SETTING + " SoR and DTC have 10 inducing points drawn uniformly from the arms.",
        measure="""growth exponent: least-squares slope of log mean regret against log t over T/10
            .. T, with a bootstrap over the seeds; regret over BKB's at T.""",
        rule="""three parts: the whole interval of the exponent lies above 0.9 for SoR, and for DTC,
            and below 0.75 for BKB. Reproduced if all hold, not reproduced if none does, else
            partly.""",
        numbers=fixed_numbers,
        judge=lambda numbers: verdict(
            above(numbers["exponent, SoRUCB"], LINEAR),
            above(numbers["exponent, DTCUCB"], LINEAR),
            below(numbers["exponent, BKB"], SUBLINEAR),
        ),
    ),
    _claim(
        id="random-features",
        statement="""GP-UCB with traditional random Fourier features is not low-regret: they suffer
            from variance starvation unless there are unfeasibly many""",
        source="section 5",
        paper="exponent 1",
        setting=_SETTING + " 20 and 200 features.",
        measure="growth exponents, likewise; regret over BKB's at T.",
        rule="""a number of features holds if the whole interval of the exponent lies above 0.9.
            Both, one, none.""",
        numbers=rff_numbers,
        judge=each(above, LINEAR, of=[f"exponent, {count} features" for count in FEATURES]),
    ),
)
