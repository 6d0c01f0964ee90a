"""The claim of vernade2020's Theorem 2: the growth of OTFLinUCB's regret with the delay."""

from collections.abc import Sequence

import numpy as np

from agents import DelayedLinUCB
from leaderboards.papers import estimates, panels
from leaderboards.papers.claim import Claim, Experiment, Figure, Numbers, Origin, Sample, Size
from leaderboards.papers.rules import above, below, given
from leaderboards.papers.simulations import Run, curves
from leaderboards.papers.verdicts import Parts

DELAYS = (50, 100, 200, 400)


def prices(seeds: Sequence[int], horizon: int) -> Sample:
    """Regret at the end for each delay, minus that without a delay on the same rewards, (n, c)."""
    runs = {
        str(delay): Run(
            DelayedLinUCB(window=delay),
            "LinearBandit-v0",
            {"n_arms": 10, "dim": 5, "noise_std": 0.5, "delay": delay, "horizon": horizon},
        )
        for delay in (0, *DELAYS)
    }
    sample = curves(seeds, runs, rounds=[horizon])
    least = sample.at_end("0")
    price = np.stack([sample.at_end(str(delay)) - least for delay in DELAYS], axis=1)
    return Sample(np.array(DELAYS), {"price": price})


def numbers(sample: Sample) -> Numbers:
    price = sample.measures["price"]
    return {
        "exponent": estimates.exponent(sample.rounds, price, DELAYS[0], DELAYS[-1]),
        "price of the longest delay": estimates.mean(price[:, -1]),
    }


def judge(numbers: Numbers) -> Parts:
    control = above(numbers["price of the longest delay"], 0.0)
    return {"exponent": given(control, below(numbers["exponent"], 1.1))}


def draw(sample: Sample) -> Figure:
    named = {"regret with the delay, minus without": sample.measures["price"]}
    return panels.growth(Sample(sample.rounds, named), "OTFLinUCB", "delay", "mean price at T")


CLAIMS = (
    Claim(
        id="growth",
        statement="The regret of OTFLinUCB grows at most linearly with the window m",
        source="Theorem 2, whose lower-order term is linear in m",
        origin=Origin.THEOREM,
        paper="exponent of m: at most 1",
        setting="""`LinearBandit-v0` with ten fresh arms in five dimensions and Gaussian noise of
            standard deviation 0.5. Every reward comes after the same number of rounds, 50 to 400,
            and the agent's window is this number, so that the share of rewards within the window is
            1 and only the lower-order term depends on the delay. The constants are the theorem's.
            The paper's rewards are Bernoulli. The paper was not at hand: we read the theorem in a
            summary of it.""",
        measure="""slope of the log of the price against the log of the delay. The price is the mean
            regret after all rounds, minus that without a delay on the same rewards.""",
        rule="""the slope lies below 1.1; as a control, the price of the longest delay must be
            above 0; otherwise the part is inconclusive.""",
        experiment=Experiment(
            name="growth",
            simulate=prices,
            quick=Size(seeds=20, settings={"horizon": 5000}, seeds_per_call=10),
            full=Size(seeds=100, settings={"horizon": 10_000}, seeds_per_call=10),
            draw=draw,
            caption="The price of delays from 50 to 400 rounds; both axes are logarithmic.",
        ),
        numbers=numbers,
        judge=judge,
        headline=["exponent", "price of the longest delay"],
    ),
)
