"""The claim of russac2019's main theorem: the growth of D-LinUCB's regret with T."""

from collections.abc import Sequence
from functools import partial

import numpy as np

from leaderboards.papers import estimates
from leaderboards.papers.claim import Claim, Experiment, Numbers, Origin, Sample, Size
from leaderboards.papers.panels import growth
from leaderboards.papers.rules import above, given, within
from leaderboards.papers.russac2019.changing_environments import jumping
from leaderboards.papers.verdicts import Parts

FACTOR = 4  # from one horizon to the next


def horizons(longest: int) -> np.ndarray:
    return np.array([longest // FACTOR**2, longest // FACTOR, longest])


def rates(seeds: Sequence[int], longest: int) -> Sample:
    """Dynamic regret at the ends of runs of three lengths, the same jumps at T/6, T/3 and T/2."""
    ends = [jumping(seeds, int(horizon)) for horizon in horizons(longest)]
    names = ("D-LinUCB", "LinUCB")
    measures = {name: np.stack([end.at_end(name) for end in ends], axis=1) for name in names}
    return Sample(horizons(longest), measures)


def numbers(sample: Sample) -> Numbers:
    first, last = int(sample.rounds[0]), int(sample.rounds[-1])
    return {
        f"exponent, {name}": estimates.exponent(sample.rounds, regret, first, last)
        for name, regret in sample.measures.items()
    }


def judge(numbers: Numbers) -> Parts:
    control = above(numbers["exponent, LinUCB"], 0.9)
    return {"exponent, D-LinUCB": given(control, within(numbers["exponent, D-LinUCB"], 0.5, 0.75))}


CLAIMS = (
    Claim(
        id="theorem-rate",
        statement="With the discount tuned by B_T, regret is of order d^(2/3) B_T^(1/3) T^(2/3)",
        source="the main theorem and its corollary; abstract",
        origin=Origin.THEOREM,
        paper="exponent of T: 2/3",
        setting="""The abruptly changing environment at three horizons, each 4 times the one before.
            theta jumps after T/6, T/3 and T/2, so B_T = 4 + sqrt(2) at all horizons. The longest is
            24 000 in the quick form and 96 000 in the full one; the paper's own T is 6000.""",
        measure="slope of the log of mean regret at T against log T over the three horizons.",
        rule="""the slope of D-LinUCB lies within 0.5 .. 0.75; factors of log T in the radius add
            0.03 to 2/3 at these T. As a control, the slope of LinUCB must lie above 0.9, because
            regret is linear without forgetting; otherwise the part is inconclusive.""",
        experiment=Experiment(
            name="theorem-rate",
            simulate=rates,
            quick=Size(seeds=20, settings={"longest": 24_000}, seeds_per_call=20),
            full=Size(seeds=50, settings={"longest": 96_000}, seeds_per_call=10),
            draw=partial(growth, title="Theta jumps three times"),
            caption="Mean regret at T for runs of three lengths; both axes are logarithmic.",
        ),
        numbers=numbers,
        judge=judge,
        headline=["exponent, D-LinUCB", "exponent, LinUCB"],
    ),
)
