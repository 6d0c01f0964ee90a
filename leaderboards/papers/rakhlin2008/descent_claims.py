"""The claims of rakhlin2008 on gradient descent that adapts to curvature."""

from collections.abc import Iterable, Sequence
from functools import partial

import numpy as np
from matplotlib.figure import Figure

from agents import AdaptiveDescent, CurvatureDescent, OnlineGradientDescent
from agents.parts import bounds
from leaderboards.papers import estimates
from leaderboards.papers.claim import Claim, Experiment, Numbers, Sample, Size
from leaderboards.papers.panels import LOG_LOG, legend_below, lines, look, panels
from leaderboards.papers.rules import below, each, never, verdict, within
from leaderboards.papers.simulations import environments, recorded
from leaderboards.rank.interval_estimates import Estimate
from leaderboards.report.styles import style

# Each adversary with the largest growth that the lecture's adaptive bound permits: log T, T^a for
# curvature that decays as t^-a with a <= 1/2, and sqrt(T) otherwise.
ADVERSARIES = {
    "curved": ({"losses": "curved"}, 0.0),
    "alternating": ({"losses": "alternating"}, 0.0),
    "decaying, a = 0.25": ({"losses": "decaying", "decay": 0.25}, 0.25),
    "decaying, a = 0.5": ({"losses": "decaying", "decay": 0.5}, 0.5),
    "decaying, a = 0.75": ({"losses": "decaying", "decay": 0.75}, 0.5),
    "sign": ({"losses": "sign"}, 0.5),
    "random": ({"losses": "random"}, 0.5),
    "switch": ({"losses": "switch", "curved_rounds": 10}, 0.5),
}
CURVED = ("curved", "alternating")
AGENTS = (CurvatureDescent, AdaptiveDescent, OnlineGradientDescent)
# log T itself grows with a slope of 1 / log t, 0.14 on average over the two decades before 1e4.
LOGARITHM = 0.25
MARGIN = 0.1
# Growth over the last decade relative to the decade before: midway between log T and sqrt(T).
DECADES = 10**0.25


def descent(seeds: Sequence[int], horizon: int) -> Sample:
    """Regret of three descents against every adversary, and the lecture's bounds on two of them."""

    def notes(agent, contexts, points, outcome):
        norms = np.linalg.norm(outcome["gradient"], axis=1)
        return {"gradient": norms, "curvature": outcome["curvature"]}

    limits = {
        CurvatureDescent: bounds.curvature_descent,
        AdaptiveDescent: partial(bounds.adaptive_descent, radius=1.0),
    }
    measures, rounds = {}, np.empty(0)
    for adversary, (settings, _) in ADVERSARIES.items():
        for kind in AGENTS:
            envs = environments("OnlineConvex-v0", seeds, dim=5, horizon=horizon, **settings)
            trace, kept = recorded(kind(), notes, envs, seeds)
            rounds, name = trace.rounds, f"{kind.__name__}, {adversary}"
            measures[name] = trace.measures["regret"]
            if kind in limits:
                limit = limits[kind](kept["gradient"], kept["curvature"])
                measures[f"bound, {name}"] = limit[:, rounds - 1]
    return Sample(rounds, measures)


def exponents(
    sample: Sample, adversaries: Iterable[str], agent: str = "CurvatureDescent"
) -> dict[str, Estimate]:
    """Growth exponents over the last two decades."""
    return {
        name: estimates.late_exponent(sample, f"{agent}, {name}", decades=2) for name in adversaries
    }


def bound_numbers(sample: Sample) -> Numbers:
    numbers = {}
    for agent in ("CurvatureDescent", "AdaptiveDescent"):
        above = []
        for name in (f"{agent}, {adversary}" for adversary in ADVERSARIES):
            regret, bound = sample.measures[name], sample.measures[f"bound, {name}"]
            # Rounding: without projections regret may equal the bound exactly.
            above.append((regret > bound * (1 + 1e-9) + 1e-9).any(axis=1))
        numbers[f"{agent}: seeds above"] = estimates.share(np.any(above, axis=0))
    return numbers


def logarithm_numbers(sample: Sample) -> Numbers:
    last = int(sample.rounds[-1])
    growth = {
        f"growth, {name}": estimates.growth_by_decades(
            sample.rounds, sample.measures[f"CurvatureDescent, {name}"], last
        )
        for name in CURVED
    }
    slopes = exponents(sample, CURVED)
    return growth | {f"exponent, {name}": found for name, found in slopes.items()}


judge_linear = each(within, 0.9, 1.1, of=["exponent"])


def draw(sample: Sample) -> Figure:
    figure, grid = panels(ADVERSARIES, columns=4, height=2.4, ylabel="mean regret", **LOG_LOG)
    figure.set_size_inches(11, 5.4)
    own = {kind.__name__: look(style(kind.__name__)) for kind in AGENTS}
    for axes, adversary in zip(grid, ADVERSARIES, strict=True):
        values = {name: sample.measures[f"{name}, {adversary}"] for name in own}
        lines(axes, sample.rounds, values, own)
    legend_below(figure, columns=3)
    return figure


_DESCENT = Experiment(
    name="descent",
    simulate=descent,
    quick=Size(seeds=50, settings={"horizon": 10_000}),
    full=Size(seeds=100, settings={"horizon": 100_000}),
    seeds_per_call=25,
    draw=draw,
    caption="""Mean regret against the best fixed point of the rounds so far, by adversary; both
        axes logarithmic. A straight line of slope 1/2 is sqrt(T), of slope 1 linear.""",
)
_SETTING = """The lecture has no experiment; all sizes are ours. Losses on the unit ball of 5
    dimensions (D = 1), H = 1: `OnlineConvex-v0`. T = 10 000 in the quick form, 100 000 in the full
    one. Points are projected onto the ball, and 1/H_{1:t} stays put until it has seen curvature.
    lambda_t is taken with lambda_{1:t-1} on its right side, as in Bartlett, Hazan, Rakhlin 2007,
    where the lecture prints lambda_{1:t}."""
_EXPONENT = """growth exponent: least-squares slope of log mean regret against log t over T/100 ..
    T, with a bootstrap over the seeds. Against adversaries that draw nothing but a direction all
    seeds are alike and the interval is a point."""
_claim = partial(Claim, experiment=_DESCENT)

CLAIMS = (
    _claim(
        id="descent-bounds",
        statement="Regret is at most the sums that Lemma 2.3 and section 2.4 state",
        source="Lemma 2.3, section 2.4",
        paper="0 seeds above the bound",
        setting=_SETTING + " Eight adversaries, from curved to adaptive linear ones.",
        measure="""share of seeds on which regret lies above the bound against any adversary; the
            bound is that of the gradients and curvatures met, at any round of a grid of twelve a
            decade.""",
        rule="a bound holds if no seed lies above it: one is enough. Both, one, none.",
        numbers=bound_numbers,
        judge=each(never),
    ),
    _claim(
        id="logarithm",
        statement="With step 1/H_{1:t} regret is O(log T) where all losses are curved",
        source="section 2.3",
        paper="log T",
        setting=_SETTING + " Losses `curved` and `alternating`.",
        measure="""growth of mean regret over the last decade of rounds as a multiple of that over
            the decade before: 1 for log T, 3.16 for sqrt(T), 10 for T. Beside it the
            """
        + _EXPONENT,
        rule="""an adversary holds if the whole interval of the growth lies below 10^(1/4) = 1.78,
            midway between log T and sqrt(T). Both, one, none.""",
        numbers=logarithm_numbers,
        judge=each(below, DECADES, of=[f"growth, {name}" for name in CURVED]),
    ),
    _claim(
        id="late-linear",
        statement="If the adversary begins to play linear functions, 1/H_{1:t} fails: O(T)",
        source="section 2.3",
        paper="exponent 1",
        setting=_SETTING
        + """ Losses `switch`: 10 curved rounds, then the linear losses of an
            adversary that answers to the point played, g = sign(x)/sqrt(d). The lecture does not
            say which linear functions.""",
        measure=_EXPONENT,
        rule="reproduced if the whole interval lies in 0.9 .. 1.1, else not reproduced.",
        numbers=lambda sample: {"exponent": exponents(sample, ["switch"])["switch"]},
        judge=judge_linear,
    ),
    _claim(
        id="random-linear",
        statement="The same failure, read as: on random linear losses",
        source="section 2.3",
        paper="exponent 1",
        setting=_SETTING
        + """ Losses `random`: linear, every coordinate a fair coin. Curvature is
            never seen, so 1/H_{1:t} stays at 0; but against coins that nobody can foresee the
            expected loss of every agent is 0, and regret what the best point gains.""",
        measure=_EXPONENT,
        rule="reproduced if the whole interval lies in 0.9 .. 1.1, else not reproduced.",
        numbers=lambda sample: {"exponent": exponents(sample, ["random"])["random"]},
        judge=judge_linear,
    ),
    _claim(
        id="interpolation",
        statement="The adaptive algorithm is between O(log T) and O(sqrt T), by the curvature",
        source="section 2.4",
        paper="exponents at most 0 (log), a, 1/2",
        setting=_SETTING + " Eight adversaries, from curved to adaptive linear ones.",
        measure=_EXPONENT,
        rule="""an adversary holds if the whole interval lies below 0.25 on curved losses (log T
            itself has a slope of about 0.14 there), and below the exponent of the bound plus 0.1 on
            others: a where curvature decays as t^-a with a <= 1/2, else 1/2. Reproduced if all
            hold, not reproduced if none does, else partly.""",
        numbers=partial(exponents, adversaries=ADVERSARIES, agent="AdaptiveDescent"),
        judge=lambda numbers: verdict(
            *(
                below(numbers[name], LOGARITHM if limit == 0 else limit + MARGIN)
                for name, (_, limit) in ADVERSARIES.items()
            )
        ),
    ),
)
