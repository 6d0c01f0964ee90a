"""The claims of lee2024's baselines, from a figure in the code of Faury et al. 2022."""

import math
from collections.abc import Sequence

from leaderboards.papers import estimates
from leaderboards.papers.claim import Claim, Experiment, Figure, Numbers, Origin, Sample, Size
from leaderboards.papers.lee2024.norms_of_theta import FAURY, GLM, LEE, UNIFORM, draw_names, players
from leaderboards.papers.rules import above, below, each, together
from leaderboards.papers.simulations import Run, curves

NORM, HORIZON, MIDDLE = 5, 3000, 1000
ARMS = {"fixed": True, "new": False}
PLAYED = (FAURY, LEE, GLM, UNIFORM)


def flat(seeds: Sequence[int]) -> Sample:
    """Regret (n, c) where the slope of the means may be 1 / 405, ``AGENT, ARMS``."""
    runs = {}
    for arms, fixed in ARMS.items():
        place = {
            "n_arms": 20,
            "dim": 2,
            "contexts": "ball",
            "fixed_arms": fixed,
            "theta": [NORM / math.sqrt(2)] * 2,
            "param_norm": NORM + 1.0,
            "horizon": HORIZON,
        }
        for name in PLAYED:
            runs[f"{name}, {arms}"] = Run(players(NORM)[name], "LogisticBandit-v0", place)
    return curves(seeds, runs, rounds=range(50, HORIZON + 1, 50))


def over_glm_ucb(sample: Sample) -> Numbers:
    """Mean regret of ada-OFU-ECOLog at the end, over that of GLM-UCB."""
    return {
        f"{name}, {arms}": estimates.ratio_at_end(sample, f"{name}, {arms}", f"{GLM}, {arms}")
        for name in (FAURY, LEE)
        for arms in ARMS
    }


def exponents(sample: Sample) -> Numbers:
    """Growth exponents of mean regret over the last two thirds of the rounds."""
    return {
        name: estimates.exponent(sample.rounds, regret, MIDDLE, HORIZON)
        for name, regret in sample.measures.items()
    }


def draw(sample: Sample) -> Figure:
    return draw_names(sample, {arms: f"{arms} arms" for arms in ARMS}, PLAYED)


_SIZE = {"seeds_per_call": 10, "of_paper": "unknown"}
_EXPERIMENT = Experiment(
    name="flat-slopes",
    simulate=flat,
    quick=Size(seeds=30, **_SIZE),
    full=Size(seeds=100, **_SIZE),
    draw=draw,
    caption="""Mean regret where rewards are flat at the best arms, with 20 arms that stay, or are
        new in each round.""",
)
_SETTING = """The figure is in the code that Faury et al. published with the paper on ada-OFU-ECOLog
    (AISTATS 2022), which we have not read: d = 2, 20 arms, kappa = 400, 3000 rounds. Of its curves
    we read 205 at the end for ada-OFU-ECOLog and 1130 for GLM-UCB, and 110 and 400 after 1000
    rounds. The code draws arms that are uniform in the unit ball; kappa is 1 over the slope of the
    logistic function at S, 405 for S = |theta| + 1 = 6. The number of runs is not known. Agents are
    those of the claims on norms. """
_SWEPT = "arms that stay or are new in each round, which the figure does not say."

CLAIMS = (
    Claim(
        id="ecolog-or-glm-ucb",
        statement="""ada-OFU-ECOLog has much less regret than GLM-UCB where the logistic function is
            flat""",
        source="Faury et al. 2022, the figure of the code, left",
        origin=Origin.OTHER_PAPER,
        paper="ratio 0.18",
        setting=_SETTING,
        measure="mean regret after 3000 rounds, divided by that of GLM-UCB.",
        rule="""a part holds if the whole interval lies below 1/2. Only the radius of Faury et al.
            is judged; that of Lee et al. is shown beside. Uniform play in place of ada-OFU-ECOLog
            would fail, but an agent that hardly explores might pass.""",
        experiment=_EXPERIMENT,
        swept=_SWEPT,
        numbers=over_glm_ucb,
        judge=each(below, 0.5, of=f"{FAURY}, *"),
    ),
    Claim(
        id="almost-linear",
        statement="""In 3000 rounds the regret of GLM-UCB is almost linear, and that of
            ada-OFU-ECOLog is not""",
        source="Faury et al. 2022, the figure of the code, left",
        origin=Origin.OTHER_PAPER,
        paper="exponents of t: 0.95 and 0.57",
        setting=_SETTING,
        measure="slope of the log of mean regret against log t, over rounds 1000 to 3000.",
        rule="""a part holds if the whole interval lies above 0.8 for GLM-UCB, which uniform play
            would pass too, and below 0.8 for ada-OFU-ECOLog with the radius of Faury et al., which
            uniform play would not.""",
        experiment=_EXPERIMENT,
        swept=_SWEPT,
        numbers=exponents,
        judge=together(each(above, 0.8, of=f"{GLM}, *"), each(below, 0.8, of=f"{FAURY}, *")),
        headline=(f"{GLM}, new", f"{FAURY}, new"),
    ),
)
