"""The claim of ouhamma2021's Appendix G: the forward variant of discounted regression."""

from collections.abc import Sequence
from functools import partial

from agents import DiscountedLinUCB, ForwardDiscountedLinUCB
from leaderboards.papers import estimates
from leaderboards.papers.claim import Claim, Experiment, Numbers, Origin, Sample, Size
from leaderboards.papers.rules import each, within
from leaderboards.papers.russac2019.changing_environments import (
    CORNERS,
    draw,
    jumps,
    played,
    variation,
)

AGENTS = {"D-LinUCB": DiscountedLinUCB, "forward D-LinUCB": ForwardDiscountedLinUCB}


def drift(seeds: Sequence[int], horizon: int) -> Sample:
    """Dynamic regret of both agents under three abrupt changes."""
    discount = 1 - (variation(CORNERS) / (2 * horizon)) ** (2 / 3)
    settings = {
        "n_arms": 50,
        "dim": 2,
        "noise_std": 1.0,
        "theta": CORNERS,
        "changes": jumps(horizon),
        "horizon": horizon,
    }
    agents = {name: kind(discount=discount) for name, kind in AGENTS.items()}
    return played(seeds, agents, settings)


def numbers(sample: Sample) -> Numbers:
    return {"forward / D-LinUCB": estimates.ratio_at_end(sample, "forward D-LinUCB", "D-LinUCB")}


CLAIMS = (
    Claim(
        id="drift",
        statement="Where theta changes, the forward variant of D-LinUCB has D-LinUCB's regret",
        source="Appendix G, whose text we do not have; the algorithm is our own reading",
        origin=Origin.OURS,
        paper="no number",
        setting="""50 fresh arms per round on the unit circle; theta = (1, 0), (-1, 0), (0, 1), (0,
            -1), with changes after rounds 1000, 2000, 3000; T = 6000, Gaussian noise of sd 1, λ =
            1, δ = 0.1. The discount is that of Russac et al. 2019, 1 - (B_T/(d T))^(2/3), where B_T
            is the variation of theta. D-LinUCB itself is tested in russac2019.""",
        measure="""mean dynamic regret at T of the forward variant, divided by that of D-LinUCB,
            paired by seeds.""",
        rule="the whole interval of the ratio lies within 0.9 .. 1.1.",
        experiment=Experiment(
            name="drift",
            simulate=drift,
            quick=Size(seeds=40, settings={"horizon": 6000}, seeds_per_call=20, of_paper="unknown"),
            full=Size(seeds=200, settings={"horizon": 6000}, seeds_per_call=20, of_paper="unknown"),
            draw=partial(draw, title="Theta jumps three times", quartiles=True),
            caption="Cumulative dynamic regret: mean, with a band between the quartiles.",
        ),
        numbers=numbers,
        judge=each(within, 0.9, 1.1),
        amended="""In the first version the claim was that D-LinUCB has less regret than agents that
            never forget. That claim is by Russac et al. and is tested in russac2019; this ratio was
            shown beside it.""",
    ),
)
