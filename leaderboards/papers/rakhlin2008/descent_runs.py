"""The runs of rakhlin2008 on descent: every adversary against every agent."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from agents import (
    AdaptiveDescent,
    CurvatureDescent,
    FollowTheRegularizedLeader,
    OnlineGradientDescent,
)
from leaderboards.papers.claim import Experiment, Figure, Sample, Size
from leaderboards.papers.panels import LOG_LOG, legend_below, lines, look, panels
from leaderboards.papers.rakhlin2008 import descent_ledger
from leaderboards.papers.rakhlin2008.descent_ledger import Ledger
from leaderboards.papers.rakhlin2008.hard_losses import HardLosses
from leaderboards.papers.simulations import environments, recorded
from leaderboards.report.styles import style

DIM = 5
LOGARITHMIC = ("curved", "alternating", "signs, a = 0")
SIGNS = {f"signs, a = {a:g}": {"decay": a} for a in (0.0, 0.25, 0.5, 0.75)}
LINEAR = "signs, linear"
LATE = {
    f"late {slopes}": {"curved_rounds": 10, "slopes": slopes}
    for slopes in ("signs", "coins", "fixed")
}
HARD: dict[str, dict[str, Any]] = {**SIGNS, LINEAR: {"curved_rounds": 0}, **LATE}
ADVERSARIES = ("curved", "alternating", *HARD)
AGENTS = (
    CurvatureDescent,
    AdaptiveDescent,
    OnlineGradientDescent,
    FollowTheRegularizedLeader,
)


def descent(seeds: Sequence[int], horizon: int) -> Sample:
    """Regret, bounds and whatever else the claims judge, of each agent against each adversary."""
    measures, rounds = {}, np.empty(0, int)
    for adversary in ADVERSARIES:
        for kind in AGENTS:
            agent, name = kind(), f"{kind.__name__}, {adversary}"
            trace, kept = recorded(agent, _notes, _environments(adversary, seeds, horizon), seeds)
            rounds = trace.rounds
            found = _measured(agent, Ledger(**kept))
            places = rounds - 1
            measures |= {
                f"{label}{name}": values[:, places] if values.ndim == 2 else values
                for label, values in found.items()
            }
    return Sample(rounds, measures)


def _environments(adversary: str, seeds: Sequence[int], horizon: int) -> Any:
    if adversary in HARD:
        return HardLosses(len(seeds), dim=DIM, horizon=horizon, **HARD[adversary])
    return environments("OnlineConvex-v0", seeds, dim=DIM, horizon=horizon, losses=adversary)


def _notes(agent, contexts, points, outcome):
    return {
        "points": points,
        "gradients": outcome["gradient"],
        "curvatures": outcome["curvature"],
    }


def _measured(agent: Any, played: Ledger) -> dict[str, np.ndarray]:
    """Measures (n, T) or (n,) by a label, which is empty for the regret."""
    regret = descent_ledger.regret(played)
    found = {
        "": regret,
        "farthest point, ": np.linalg.norm(played.points, axis=-1).max(axis=1),
        "possible, ": 2 * played.norms.sum(axis=1),
    }
    match agent:
        case CurvatureDescent():
            bound = descent_ledger.steps(played)
            found |= {"bound, ": bound, "met, ": regret / bound}
        case AdaptiveDescent():
            added = descent_ledger.balancing(played)
            pretended = played.curved_by(added)
            total = np.cumsum(pretended.curvatures, axis=1)
            found |= {
                "bound, ": descent_ledger.adaptive(played, added),
                "met, ": descent_ledger.regret(pretended) / descent_ledger.steps(pretended),
                "balance, ": 1.5 * agent.added / (played.norms**2 / total).sum(axis=1),
            }
        case FollowTheRegularizedLeader():
            ridge = agent.ridge
            found["met, "] = descent_ledger.regret(played, ridge) / descent_ledger.steps(
                played, ridge
            )
    return found


def draw(sample: Sample) -> Figure:
    figure, grid = panels(ADVERSARIES, columns=5, height=2.4, ylabel="mean regret", **LOG_LOG)
    figure.set_size_inches(13, 5.4)
    own = {kind.__name__: look(style(kind.__name__)) for kind in AGENTS}
    for axes, adversary in zip(grid, ADVERSARIES, strict=True):
        values = {name: sample.measures[f"{name}, {adversary}"] for name in own}
        lines(axes, sample.rounds, values, own)
    legend_below(figure, columns=4)
    return figure


DESCENT = Experiment(
    name="descent",
    simulate=descent,
    quick=Size(seeds=50, settings={"horizon": 10_000}, seeds_per_call=25),
    full=Size(seeds=100, settings={"horizon": 100_000}, seeds_per_call=25),
    draw=draw,
    caption="""Mean regret against the best fixed point of the rounds so far, by adversary; both
        axes are logarithmic. Slope 1/2 means sqrt(T), and slope 1 means linear regret.""",
)
