"""The claim of russac2019 on the widths of regressions that forget."""

from collections.abc import Sequence

import numpy as np

from agents import DiscountedLinUCB, SlidingWindowLinUCB
from leaderboards.papers import estimates
from leaderboards.papers.claim import Claim, Experiment, Numbers, Origin, Sample, Size
from leaderboards.papers.rules import each, within
from leaderboards.papers.simulations import environments, recorded

DISCOUNT, WINDOW = 0.98, 50
FORGETFUL = {
    "DiscountedLinUCB": DiscountedLinUCB(discount=DISCOUNT, ridge=0.01),
    "SlidingWindowLinUCB": SlidingWindowLinUCB(window=WINDOW, ridge=0.01),
}


def squares(seeds: Sequence[int], horizon: int) -> Sample:
    """Squared error of the one arm's estimate over its squared width at the last round, (n,)."""

    def notes(agent, contexts, actions, outcome):
        return {"square": agent.model.mean[:, 0] ** 2 / agent.model.variance[:, 0]}

    settings = {"n_arms": 1, "dim": 3, "noise_std": 1.0, "theta": [0.0] * 3, "horizon": horizon}
    measures = {}
    for name, agent in FORGETFUL.items():
        envs = environments("LinearBandit-v0", seeds, **settings)
        _, kept = recorded(agent, notes, envs, seeds)
        measures[name] = kept["square"][:, -1]
    return Sample(np.array([horizon]), measures)


def numbers(sample: Sample) -> Numbers:
    return {name: estimates.mean(values) for name, values in sample.measures.items()}


_WIDTHS = Experiment(
    name="widths",
    simulate=squares,
    quick=Size(seeds=4000, settings={"horizon": 400}, seeds_per_call=1000),
    full=Size(seeds=20_000, settings={"horizon": 400}, seeds_per_call=1000),
)

CLAIMS = (
    Claim(
        id="forgetful-widths",
        statement="""The confidence width of a regression that forgets is the standard deviation of
            its estimate, in units of the noise""",
        source="section 2; for the window: Cheung et al. 2019, section 4",
        origin=Origin.REMARK,
        paper="1",
        setting=f"""Each round has one fresh arm on the unit sphere of 3 dimensions, so the agent
            has no choice; theta = 0, Gaussian noise of sd 1, λ = 0.01, discount {DISCOUNT}, window
            {WINDOW}, T = 400. Sizes are ours.""",
        measure="""mean over the replicates of the squared estimate at T divided by its squared
            width.""",
        rule="""an agent holds if the mean is within 0.9 .. 1.1. It would be 1 without a ridge; the
            ridge lowers it by less than 0.01.""",
        experiment=_WIDTHS,
        numbers=numbers,
        judge=each(within, 0.9, 1.1),
    ),
)
