"""The claims of lattimore2017 on the arms (1, 0), (0, 1) and (1 - eps, gamma eps)."""

import math
from collections.abc import Sequence
from functools import partial

import numpy as np

from agents import IDS, OFUL, Agent, LinMED, LinTS, play
from agents.numerics.ridge.factor_contents import multiply
from leaderboards.papers import estimates
from leaderboards.papers.claim import Claim, Experiment, Figure, Numbers, Origin, Sample, Size
from leaderboards.papers.panels import LOG_LOG, legend_below, lines, panels
from leaderboards.papers.rules import above, below, each, together
from leaderboards.papers.simulations import environments

GAMMA, NOISE_STD, DELTA = 4.0, math.sqrt(0.1), 0.1
OPTIMIST, THOMPSON = "OFUL", "Thompson sampling"
FULL, DIRECTED, DIVERGENT = "IDS, full", "IDS, directed", "LinMED"
AGENTS: dict[str, Agent] = {
    OPTIMIST: OFUL(delta=DELTA),
    THOMPSON: LinTS(scale=NOISE_STD),
    FULL: IDS(),
    DIRECTED: IDS(information="directed"),
    DIVERGENT: LinMED(),
}
OTHERS = (FULL, DIRECTED, DIVERGENT)
OPTIMAL = 2 * (GAMMA * NOISE_STD) ** 2  # of log n: the best policy's regret, for small eps


def arms(epsilon: float) -> list[list[float]]:
    """The best arm is the last one: of equal estimates our agents play the first arm."""
    return [[0.0, 1.0], [1 - epsilon, GAMMA * epsilon], [1.0, 0.0]]


def plays_and_limit(agent: Agent, epsilon: float) -> tuple[np.ndarray, np.ndarray]:
    """How often (0, 1) was learned from, and 1 + 4 rho^2, (n,), by V = I + the sum of x x^T."""
    gram = multiply(agent.model.upper, agent.model.pivots)  # type: ignore[attr-defined]
    of_third = gram[:, 0, 1] / ((1 - epsilon) * GAMMA * epsilon)
    plays = gram[:, 1, 1] - 1 - (GAMMA * epsilon) ** 2 * of_third
    log_det = np.linalg.slogdet(gram)[1]
    radius = 1 + NOISE_STD * np.sqrt(2 * math.log(1 / DELTA) + log_det)
    return plays, 1 + 4 * radius**2


def growth(seeds: Sequence[int], horizon: int, epsilons: Sequence[float]) -> Sample:
    """At the end, a column (n, c) for every eps: regret, ``AGENT``; for OFUL also plays of (0, 1).

    The rounds of the sample are the values of 1 / eps.
    """
    columns: dict[str, list[np.ndarray]] = {}
    for epsilon in epsilons:
        for name, agent in AGENTS.items():
            place = {"arms": arms(epsilon), "theta": [1.0, 0.0], "noise_std": NOISE_STD}
            envs = environments("LinearBandit-v0", seeds, **place, horizon=horizon)
            trace = play(envs, agent, seed=seeds, rounds=[horizon])
            columns.setdefault(name, []).append(trace.measures["regret"][:, -1])
            if isinstance(agent, OFUL):
                plays, limit = plays_and_limit(agent, epsilon)
                columns.setdefault(f"plays, {name}", []).append(plays)
                columns.setdefault(f"limit, {name}", []).append(limit)
    inverse = np.rint(1 / np.array(epsilons)).astype(int)
    measures = {name: np.stack(of, axis=1) for name, of in columns.items()}
    measures["horizon"] = np.full(len(seeds), float(horizon))
    return Sample(inverse, measures)


def share_of_limit(sample: Sample) -> Numbers:
    """Plays of (0, 1) over 1 + 4 rho^2, and that limit over the number of rounds."""
    numbers = {}
    plays, limit = (sample.measures[f"{of}, {OPTIMIST}"] for of in ("plays", "limit"))
    for k, inverse in enumerate(sample.rounds):
        numbers[f"eps = 1/{inverse}"] = estimates.mean(plays[:, k] / limit[:, k])
        share = limit[:, k] / sample.measures["horizon"]
        numbers[f"limit / rounds, eps = 1/{inverse}"] = estimates.mean(share)
    return numbers


def exponents(sample: Sample, names: Sequence[str]) -> Numbers:
    """Growth exponents of mean regret with 1 / eps."""
    ends = float(sample.rounds[0]), float(sample.rounds[-1])
    return {name: estimates.exponent(sample.rounds, sample.measures[name], *ends) for name in names}


def over_optimal(sample: Sample, names: Sequence[str]) -> Numbers:
    """Mean regret at the smallest eps over the asymptotic optimum, 2 (gamma sigma)^2 log n."""
    best = OPTIMAL * np.log(sample.measures["horizon"])
    return {
        f"{name}, regret / optimal": estimates.mean(sample.at_end(name) / best) for name in names
    }


def of_paper(sample: Sample) -> Numbers:
    names = (OPTIMIST, THOMPSON)
    return {**exponents(sample, names), **over_optimal(sample, names)}


def of_others(sample: Sample) -> Numbers:
    ratios = {
        f"{name} / {OPTIMIST}": estimates.ratio_at_end(sample, name, OPTIMIST) for name in OTHERS
    }
    return {**exponents(sample, OTHERS), **ratios, **over_optimal(sample, OTHERS)}


def draw(sample: Sample) -> Figure:
    figure, (axes,) = panels(
        ["regret at the end"], xlabel="1 / eps", ylabel="mean regret", **LOG_LOG
    )
    lines(axes, sample.rounds, {name: sample.measures[name] for name in AGENTS}, marker="o")
    best = np.full((1, len(sample.rounds)), OPTIMAL * math.log(sample.measures["horizon"][0]))
    lines(axes, sample.rounds, {"asymptotic optimum": best}, {"asymptotic optimum": {"color": "k"}})
    legend_below(figure, columns=3)
    return figure


_EXPERIMENT = Experiment(
    name="counterexample",
    simulate=growth,
    quick=Size(
        seeds=20, settings={"horizon": 50_000, "epsilons": [0.16, 0.08, 0.04]}, seeds_per_call=20
    ),
    full=Size(
        seeds=20,
        settings={"horizon": 300_000, "epsilons": [0.08, 0.04, 0.02, 0.01]},
        seeds_per_call=20,
    ),
    draw=draw,
    caption="""Mean regret after all rounds against 1 / eps, with logarithmic axes, on which the
        paper's rate for optimism has slope 1 and the optimum is flat.""",
)
_SETTING = """`LinearBandit-v0` with the arms (1, 0), (0, 1) and (1 - eps, 4 eps), theta = (1, 0)
    and Gaussian noise of variance 0.1: at eps = 0.01 it is the counterexample of Kirschner et al.
    2021 by its authors' code, of which the notebook of that paper's figure names the settings, and
    10^6 rounds, where we play 300 000; the larger eps are ours. Of lattimore2017 we read the
    abstract, and the argument as a draft of the same authors' book repeats it (section 25.2), with
    gamma for our 4. `OFUL` has its theorem's radius with delta = 0.1, and lambda = 1. Thompson
    sampling draws from the posterior of lambda = 1 and the noise's variance; with the wider
    posterior that its theorem needs, it would explore in nearly all rounds at small eps. The best
    arm is the last one, because agents play the first one of equal estimates. """
_claim = partial(Claim, setting=_SETTING, experiment=_EXPERIMENT)

CLAIMS = (
    _claim(
        id="few-plays",
        statement="""An optimistic algorithm with the radius rho will not play (0, 1) more than 1 +
            4 rho^2 times, although it is the most informative arm""",
        source="the book's section 25.2, which repeats the paper's argument",
        origin=Origin.THEOREM,
        paper="at most 1",
        measure="""number of plays of (0, 1), divided by 1 + 4 rho^2, where rho is the radius of
            OFUL's theorem after all rounds, computed apart from the agent.""",
        rule="""a part holds if the whole interval lies below 1; it is vacuous if the limit exceeds
            the number of rounds. An agent that does not explore would pass too: the next claim says
            what these few plays cost.""",
        numbers=share_of_limit,
        judge=each(below, 1.0, of="eps = *", bound="limit / rounds, eps = *"),
    ),
    _claim(
        id="growth",
        statement="""No algorithm based on optimism or Thompson sampling attains the optimal rate;
            they can be arbitrarily far from optimal: their regret grows as 1/eps, and that of an
            optimal policy not at all""",
        source="abstract; the book's section 25.2",
        origin=Origin.THEOREM,
        paper="exponent of 1/eps: 1",
        measure="""slope of the log of mean regret after all rounds against log(1/eps), with 1/eps
            rounded to whole numbers. Beside it, regret at the smallest eps divided by 2 gamma^2
            sigma^2 log n, the regret of an asymptotically optimal policy for small eps.""",
        rule="""a part holds if the whole interval of the slope lies above 0.7. Uniform play has the
            slope 0.""",
        varied="""nothing. The rate is that of ever longer runs, and was not reached: at eps = 0.01
            the regret of OFUL is that of 25 000 plays of (1 - eps, 4 eps), where the argument asks
            for about rho^2 (1 - 1/gamma^2) / eps^2 = 56 000 in the long run.""",
        amended="""10^6 rounds were planned, and 300 000 played to save time, before any number was
            seen; a run of 10^6 was begun afterwards and not finished.""",
        numbers=of_paper,
        judge=each(above, 0.7, of=(OPTIMIST, THOMPSON)),
    ),
    _claim(
        id="no-optimists",
        statement="""The regret of IDS and LinMED, which do not play by optimism, does not grow as
            1/eps, and is below OFUL's at the smallest eps""",
        source="none; of another form of IDS, Kirschner et al. 2021 say so in their abstract",
        origin=Origin.OURS,
        paper="none",
        measure="""slope of the log of mean regret after all rounds against log(1/eps), and regret
            at the smallest eps divided by OFUL's.""",
        rule="""the whole interval of the slope lies below 0.5, and that of the ratio below 1.
            Uniform play would pass the first and fail the second.""",
        numbers=of_others,
        judge=together(each(below, 0.5, of=OTHERS), each(below, 1.0, of=f"* / {OPTIMIST}")),
        headline=[f"{name} / {OPTIMIST}" for name in OTHERS],
    ),
)
