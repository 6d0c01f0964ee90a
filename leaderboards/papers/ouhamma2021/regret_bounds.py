"""The claim of ouhamma2021's Theorem 4.1: regret bounds without bounded rewards."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from agents import OFUL, ForwardOFUL
from leaderboards.papers import estimates
from leaderboards.papers.claim import Claim, Experiment, Numbers, Origin, Sample, Size
from leaderboards.papers.rules import below, each
from leaderboards.papers.simulations import Run, curves
from leaderboards.rank.interval_estimates import Estimate

# Arms, theta, and the largest regret of a round. On the first two an agent that does not explore
# plays the first arm forever.
TRAP = np.array([[1.0, 0.0], [0.0, 1.0]])
BANDITS: dict[str, tuple[dict[str, Any], float]] = {
    "two arms": ({"arms": TRAP, "theta": [0.1, 0.9]}, 0.8),
    "two long arms": ({"arms": 10 * TRAP, "theta": [0.1, 0.9]}, 8.0),
    "circle": (
        {
            "arms": np.stack([f(np.arange(10) * np.pi / 5) for f in (np.cos, np.sin)], axis=1),
            "theta": [-1.0, 0.0],
        },
        2.0,
    ),
}
DELTA, DIM = 0.1, 2
AGENTS = {"OFUL": OFUL, "ForwardOFUL": ForwardOFUL}
NOISE = 0.1


def limit(agent: str, settings: Mapping[str, Any], rounds: np.ndarray) -> np.ndarray:
    """Theorem 4.1's bound for λ = 1 at these rounds."""
    longest, size = (
        float(np.linalg.norm(settings[name], axis=-1).max()) for name in ("arms", "theta")
    )
    square = longest**2
    noise = np.sqrt(2 * np.log(1 / DELTA) + DIM * np.log1p(rounds * square / DIM))
    growth = 4 * np.sqrt(rounds * DIM * np.log(1 + rounds * square / DIM))
    if agent == "OFUL":
        return growth * np.sqrt(square / np.log1p(square)) * (size + NOISE * noise)
    return growth * ((1 + longest) * size + NOISE * noise)


def regrets(seeds: Sequence[int], horizon: int) -> Sample:
    """Regret of both agents on every bandit."""
    runs = {
        f"{name}, {bandit}": Run(
            kind(ridge=1.0, delta=DELTA),
            "LinearBandit-v0",
            {**settings, "noise_std": NOISE, "horizon": horizon},
        )
        for bandit, (settings, _) in BANDITS.items()
        for name, kind in AGENTS.items()
    }
    return curves(seeds, runs)


def numbers(sample: Sample) -> Numbers:
    found: dict[str, Estimate] = {}
    for bandit, (settings, gap) in BANDITS.items():
        for agent in AGENTS:
            run = f"{agent}, {bandit}"
            regret, bound = sample.measures[run], limit(agent, settings, sample.rounds)
            found[f"{run}: runs above"] = estimates.share((regret > bound).any(axis=1))
            found[f"{run}: regret / bound"] = estimates.mean(regret[:, -1] / bound[-1])
            worst = gap * sample.rounds[-1]
            found[f"{run}: bound / worst"] = estimates.exact(bound[-1] / worst)
    return found


_REGRET = Experiment(
    name="bandit-regret",
    simulate=regrets,
    quick=Size(seeds=100, settings={"horizon": 10_000}, seeds_per_call=50),
    full=Size(seeds=400, settings={"horizon": 100_000}, seeds_per_call=50),
)

CLAIMS = (
    Claim(
        id="theorem-4-1",
        statement="""Without bounded rewards, the regret of OFUL^r and of OFUL^f is below the
            theorem's bounds for all T, each with probability 1 - δ""",
        source="Theorem 4.1",
        origin=Origin.THEOREM,
        paper="above the bound in at most δ = 0.1 of the runs",
        setting="""The paper has no experiment on it. The arms are fixed, in 2 dimensions; λ = 1, δ
            = 0.1, Gaussian noise of sd 0.1, and S = ‖theta‖ is known. There are three bandits: the
            arms (1, 0) and (0, 1) with theta = (0.1, 0.9), where play without exploration stays
            with the first arm; the same arms 10 times as long, whose rewards violate Assumption 1;
            and 10 arms on the unit circle. T = 10 000 in the quick form, 100 000 in the full
            one.""",
        measure="""share of runs with a regret above the bound at any of the kept rounds. Shown
            beside it: mean regret at T divided by the bound, and the bound divided by the worst
            regret, which is that of always playing the worst arm.""",
        rule="""a part is an agent on a bandit. It holds if the whole interval of the share lies
            below δ, and is vacuous if the bound at T is above the worst regret.""",
        experiment=_REGRET,
        numbers=numbers,
        judge=each(below, DELTA, of="*: runs above", bound="*: bound / worst"),
        any_size="""The bounds are for all T at once: a run that was ever above them counts,
            whatever follows.""",
        headline=[f"{agent}, two long arms: runs above" for agent in AGENTS],
    ),
)
