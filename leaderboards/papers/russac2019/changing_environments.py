"""The claims of russac2019's experiments: a parameter that jumps, and one that turns slowly."""

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

import numpy as np

from agents import OFUL, Agent, DiscountedLinUCB, SlidingWindowLinUCB
from leaderboards.papers import estimates
from leaderboards.papers.claim import Claim, Experiment, Figure, Numbers, Origin, Sample, Size
from leaderboards.papers.panels import legend, lines, panels
from leaderboards.papers.rules import below, each
from leaderboards.papers.simulations import Run, curves

DIM, ARMS, DELTA, RIDGE = 2, 50, 0.01, 0.1
CORNERS = np.array([[1.0, 0.0], [-1.0, 0.0], [0.0, 1.0], [0.0, -1.0]])


def rows(number: int = 10_000) -> np.ndarray:
    """Features as the paper's code draws them: uniform on [-1, 1]², longer ones cut to norm 1."""
    drawn = np.random.default_rng(2019).uniform(-1, 1, size=(number, DIM))
    length = np.sqrt((drawn * drawn).sum(axis=1, keepdims=True))
    return drawn / np.maximum(length, 1)


def turning(horizon: int) -> np.ndarray:
    """A quarter turn of theta during the first half of the rounds, (horizon / 2 + 1, 2)."""
    angle = np.linspace(0, np.pi / 2, horizon // 2 + 1)
    return np.stack([np.cos(angle), np.sin(angle)], axis=1)


def variation(theta: np.ndarray) -> float:
    """B_T: the sum of the lengths of all steps of theta."""
    return float(np.linalg.norm(np.diff(theta, axis=0), axis=1).sum())


def agents(theta: np.ndarray, horizon: int) -> dict[str, Agent]:
    """The agents, tuned as in the paper by B_T; LinUCB has the radius of OFUL in closed form."""
    rate = (variation(theta) / (DIM * horizon)) ** (2 / 3)
    own: dict[str, Any] = {"delta": DELTA, "ridge": RIDGE}
    return {
        "D-LinUCB": DiscountedLinUCB(discount=1 - rate, **own),
        "SW-LinUCB": SlidingWindowLinUCB(window=round(1 / rate), **own),
        "LinUCB": OFUL(radius="closed", **own),
    }


def settings(theta: np.ndarray, changes: Sequence[int], horizon: int) -> dict[str, Any]:
    return {
        "n_arms": ARMS,
        "contexts": rows(),
        "noise_std": 1.0,
        "theta": theta,
        "changes": changes,
        "horizon": horizon,
    }


def jumps(horizon: int) -> list[int]:
    """The rounds after which theta jumps from corner to corner."""
    return [horizon // 6, horizon // 3, horizon // 2]


def jumping(seeds: Sequence[int], horizon: int) -> Sample:
    """Dynamic regret where theta jumps at T/6, T/3 and T/2."""
    return played(seeds, agents(CORNERS, horizon), settings(CORNERS, jumps(horizon), horizon))


def slow(seeds: Sequence[int], horizon: int) -> Sample:
    """Dynamic regret where theta turns by 90 degrees until T/2."""
    theta = turning(horizon)
    changes = list(range(1, len(theta)))
    return played(seeds, agents(theta, horizon), settings(theta, changes, horizon))


def played(seeds: Sequence[int], own: Mapping[str, Agent], place: dict[str, Any]) -> Sample:
    """Dynamic regret of agents in a drifting environment with these settings."""
    horizon = place["horizon"]
    runs = {name: Run(agent, "DriftingLinearBandit-v0", place) for name, agent in own.items()}
    step = max(1, horizon // 120)
    return curves(seeds, runs, rounds=range(step, horizon + 1, step))


def numbers(sample: Sample) -> Numbers:
    return {
        f"{first} / {second}": estimates.ratio_at_end(sample, first, second)
        for first, second in (
            ("D-LinUCB", "LinUCB"),
            ("SW-LinUCB", "LinUCB"),
            ("D-LinUCB", "SW-LinUCB"),
        )
    }


def draw(sample: Sample, title: str, quartiles: bool = False) -> Figure:
    figure, (axes,) = panels([title], ylabel="cumulative dynamic regret")
    lines(axes, sample.rounds, sample.measures, quartiles=quartiles)
    axes.set(xlim=(0, sample.rounds[-1]))
    axes.set_ylim(bottom=0)
    legend(axes, "upper left")
    return figure


def _experiment(name: str, simulate: Any, title: str) -> Experiment:
    size = {"settings": {"horizon": 6000}, "of_paper": 1.0}
    return Experiment(
        name=name,
        simulate=simulate,
        quick=Size(seeds=40, seeds_per_call=20, **size),
        full=Size(seeds=200, seeds_per_call=20, **size),
        draw=partial(draw, title=title),
        caption="Mean cumulative dynamic regret.",
    )


_SETTING = """There are 2 features and 50 fresh arms per round, drawn from a fixed pool of 10 000
    that are uniform on [-1, 1]², with longer ones cut to norm 1. Gaussian noise has sd 1, λ = 0.1,
    δ = 0.01, S = 1, T = 6000. The discount is 1 - (B_T/(d T))^(2/3) and the window (d T/B_T)^(2/3),
    where B_T is the variation of theta. All settings are those of the authors' published code,
    github.com/YRussac/WeightedLinearBandits, with two exceptions: in that code theta jumps one
    round later, and D-LinUCB's second matrix is computed from the first one after its update; we
    run the algorithm as the paper states it. We have read only parts of the paper's own text. We
    run 40 seeds in the quick form and 200 in the full one. We do not run dLinUCB, which detects
    changes, or the LinUCB that is told of them. """
_claim = partial(
    Claim,
    origin=Origin.FIGURE,
    paper="regret of both below LinUCB's",
    measure="ratio of mean dynamic regrets at T, paired by seeds.",
    rule="""the whole interval lies below 1 for D-LinUCB over LinUCB and for SW-LinUCB over LinUCB.
        D-LinUCB over SW-LinUCB is shown beside them.""",
    numbers=numbers,
    judge=each(below, 1, of=["D-LinUCB / LinUCB", "SW-LinUCB / LinUCB"]),
)

CLAIMS = (
    _claim(
        id="abrupt-changes",
        statement="Where theta jumps, D-LinUCB and SW-LinUCB have less regret than LinUCB",
        source="section 5, the abruptly changing environment",
        setting=_SETTING
        + """theta is (1, 0) at first, (-1, 0) after round 1000, (0, 1) after round 2000 and (0, -1)
            after round 3000.""",
        experiment=_experiment(
            "abrupt-changes", jumping, "Theta jumps after rounds 1000, 2000 and 3000"
        ),
    ),
    _claim(
        id="slow-changes",
        statement="Where theta turns slowly, D-LinUCB and SW-LinUCB have less regret than LinUCB",
        source="section 5, the slowly varying environment",
        setting=_SETTING
        + """theta turns by 90 degrees during rounds 1 to 3000 and then stays
            fixed.""",
        experiment=_experiment("slow-changes", slow, "Theta turns until round 3000"),
    ),
)
