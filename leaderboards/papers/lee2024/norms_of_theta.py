"""The claims of lee2024 on regret at several norms of the parameter."""

import math
from collections.abc import Mapping, Sequence
from functools import partial

from agents import GLMUCB, AdaOFUECOLog, Agent, OFUGLBe, UniformRandom
from leaderboards.papers import estimates
from leaderboards.papers.claim import Claim, Experiment, Figure, Numbers, Origin, Sample, Size
from leaderboards.papers.panels import legend_below, lines, panels
from leaderboards.papers.rules import below, both, each, given
from leaderboards.papers.simulations import Run, curves
from leaderboards.papers.verdicts import Parts
from leaderboards.report.styles import COLOURS

NORMS = (3, 5, 7, 9)
OFUGLB, GLM, UNIFORM = "OFUGLB-e", "GLM-UCB", "uniform"
FAURY, LEE = "ada-OFU-ECOLog (Faury)", "ada-OFU-ECOLog (Lee)"
NAMES = (OFUGLB, FAURY, LEE, GLM, UNIFORM)


def players(norm: float) -> dict[str, Agent]:
    """The agents for a parameter of this norm, with the hyperparameters of the authors' codes."""
    return {
        OFUGLB: OFUGLBe(delta=0.05),
        FAURY: AdaOFUECOLog(delta=0.05, radius="faury", ridge=1.0),
        LEE: AdaOFUECOLog(delta=0.05, radius="lee", ridge=norm + 1.0),
        GLM: GLMUCB(delta=0.05, ridge=2.0, refit_every=5),
        UNIFORM: UniformRandom(),
    }


def by_norm(seeds: Sequence[int], horizon: int) -> Sample:
    """Regret (n, c), ``AGENT, NORM``."""
    runs = {}
    for norm in NORMS:
        place = {
            "n_arms": 10,
            "dim": 2,
            "contexts": "ball",
            "theta": [norm / math.sqrt(2)] * 2,
            "param_norm": norm + 1.0,
            "horizon": horizon,
        }
        for name, agent in players(norm).items():
            runs[f"{name}, {norm}"] = Run(agent, "LogisticBandit-v0", place)
    return curves(seeds, runs)


def ratios(sample: Sample, others: Sequence[str]) -> Numbers:
    """Mean regret of OFUGLB-e at the end, over that of each other agent: ``OTHER, NORM``."""
    return {
        f"{other}, {norm}": estimates.ratio_at_end(sample, f"{OFUGLB}, {norm}", f"{other}, {norm}")
        for other in others
        for norm in NORMS
    }


def growth(sample: Sample) -> Numbers:
    """Growth of mean regret from the least norm to the largest, and shares of uniform play's."""
    low, high = NORMS[0], NORMS[-1]
    grown = {
        name: estimates.ratio_at_end(sample, f"{name}, {high}", f"{name}, {low}") for name in NAMES
    }
    shares = {
        f"of uniform, {norm}": ratio
        for norm, ratio in zip(NORMS, ratios(sample, [UNIFORM]).values(), strict=True)
    }
    return grown | shares


def grows_little(numbers: Numbers) -> Parts:
    """Whether OFUGLB-e's regret grows by less than S does, and is far below that of any play."""
    far = [below(numbers[f"of uniform, {norm}"], 1 / 3) for norm in NORMS]
    limit = (NORMS[-1] + 1) / (NORMS[0] + 1)
    return {OFUGLB: given(both(*far), below(numbers[OFUGLB], limit))}


def draw_names(sample: Sample, titles: Mapping[str, str], names: Sequence[str]) -> Figure:
    """A panel of mean regret for each ending of the measures' names, with a title each."""
    figure, grid = panels(titles.values(), ylabel="mean regret")
    colours = {name: {"color": COLOURS[k]} for k, name in enumerate(NAMES)}
    for axes, ending in zip(grid, titles, strict=True):
        lines(
            axes,
            sample.rounds,
            {name: sample.measures[f"{name}, {ending}"] for name in names},
            colours,
        )
    legend_below(figure, columns=len(names))
    return figure


def draw(sample: Sample) -> Figure:
    return draw_names(sample, {str(norm): f"norm of theta: {norm}" for norm in NORMS}, NAMES)


_EXPERIMENT = Experiment(
    name="norms",
    simulate=by_norm,
    quick=Size(seeds=10, settings={"horizon": 2000}, seeds_per_call=5, of_paper=0.2),
    full=Size(seeds=10, settings={"horizon": 10_000}, seeds_per_call=2, of_paper=1),
    draw=draw,
    caption="""Mean regret at four norms of theta. A uniform arm is the control: agents beside it
        have learned little.""",
)
SOURCES = """Of the paper we read the abstract. The settings are those of the authors' code: d = 2,
    K = 10 arms that are uniform in the unit ball and new in each round, theta in the direction
    (1, 1), S = |theta| + 1, delta = 0.05, 10 000 rounds; 10 runs, which share their arms there
    and have their own here. OFUGLB-e is the closed form of OFUGLB, which we do not have.
    ada-OFU-ECOLog has the radius of the code of its authors, Faury et al., with ridge 1, or that of
    the code of Lee et al., with ridge S. GLM-UCB has ridge d and is fitted after every fifth
    reward, as in both codes, which fit it in each of the first 200 rounds too; the later code
    computes its gradient with the slope of the logistic function in place of the function, so that
    curves of GLM-UCB that it drew would not be comparable. """
_FEWER = """The full form had 16 runs at first. It has the 10 of the authors' code, because runs
    took longer than expected; no run of 10 000 rounds had been looked at."""
_claim = partial(Claim, origin=Origin.OURS, setting=SOURCES, experiment=_EXPERIMENT, amended=_FEWER)
_LEAST = """a part holds if the whole interval lies below 1. Uniform play in place of OFUGLB-e would
    fail, but an agent that hardly explores might pass."""

CLAIMS = (
    _claim(
        id="less-than-ecolog",
        statement="OFUGLB-e has less regret than ada-OFU-ECOLog at each norm",
        source="""none: the abstract says that OFUGLB, of which it is the closed form, outperforms
            or is at par with prior algorithms""",
        paper="less, or the same",
        measure="mean regret after all rounds, divided by that of ada-OFU-ECOLog.",
        rule=_LEAST,
        swept="the radius of ada-OFU-ECOLog, which differs in the two codes.",
        numbers=partial(ratios, others=(FAURY, LEE)),
        judge=each(below, 1.0),
        headline=[f"{FAURY}, 3", f"{FAURY}, 9", f"{LEE}, 9"],
    ),
    _claim(
        id="less-than-glm-ucb",
        statement="OFUGLB-e has less regret than GLM-UCB at each norm",
        source="""none: the abstract says that OFUGLB, of which it is the closed form, outperforms
            or is at par with prior algorithms""",
        paper="less, or the same",
        measure="mean regret after all rounds, divided by that of GLM-UCB.",
        rule=_LEAST,
        numbers=partial(ratios, others=(GLM,)),
        judge=each(below, 1.0),
        headline=[f"{GLM}, 3", f"{GLM}, 9"],
    ),
    _claim(
        id="growth-with-the-norm",
        statement="The regret of OFUGLB-e grows by less than S does",
        source="""none: the abstract says that the regret of OFUGLB is free of polynomials of S in
            logistic bandits""",
        paper="free of S, for OFUGLB",
        measure="""mean regret after all rounds at norm 9, divided by that at norm 3. Growth of
            other agents is shown beside.""",
        rule="""holds if the whole interval lies below 10/4, the growth of S. The regret of any play
            is bounded, and uniform play itself grows by less; so the claim is judged only if mean
            regret is below a third of that of uniform play at each norm, and is inconclusive
            otherwise.""",
        numbers=growth,
        judge=grows_little,
        headline=[OFUGLB, "of uniform, 3", "of uniform, 9"],
    ),
)
