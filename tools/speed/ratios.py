"""Measures speed rows beside what a specialist would write by hand, in turns in one run.

Rounds per second hold only on one machine, so a row is judged by a ratio of two of them.
"""

from collections.abc import Callable
from functools import partial
from pathlib import Path
from time import process_time
from typing import Any, NamedTuple

from threadpoolctl import threadpool_limits

import agents
from leaderboards.papers.calandriello2019.plain_gp import plain_gpucb
from leaderboards.speed.benchmarks import SpeedRow
from leaderboards.speed.measure import FEW, LEAST, REPEATS, chosen, made, play_by_hand, player
from tools.speed.fused import fused, fused_same
from tools.speed.numpy_loops import (
    plain_banditron,
    plain_forward,
    plain_lints,
    plain_linucb,
    plain_ridge,
)
from tools.speed.plain_environment import plain_beside
from tools.speed.turns import in_turns

FUSED, NUMPY, PLAIN = "fused loop", "numpy loop", "plain environment"


class Target(NamedTuple):
    """The speed that divides a row's rounds per second, and the required ratios.

    Attributes
    ----------
    of : str
        ``FUSED`` or ``NUMPY``, the loops of ``tools.speed.fused`` and ``.numpy_loops``; ``PLAIN``,
        the environment of ``tools.speed.plain_environment``, played in the same loop; or an agent,
        which plays the same environment.
    floor, aim : float
        The least acceptable ratio, and the one to reach.
    """

    of: str
    floor: float
    aim: float


_LIGHT = (
    *(f"LinUCB d={d} K={k} {kind}" for kind in ("fresh", "fixed") for d, k in
      ((10, 10), (20, 100), (100, 10))),
    *("LinTS d=10 K=10 fresh", "LinUCB d=10 K=10 solo", "OnlineRidge d=10", "Forward d=10"),
    *("PEGE d=100", "FastPEGE d=100", "Banditron SynSep"),
)  # fmt: skip
TARGETS: dict[str, Target] = {
    **dict.fromkeys(_LIGHT, Target(FUSED, 0.7, 0.9)),
    "step by hand": Target(PLAIN, 2.5, 4.0),
    "LinUCB by hand": Target(PLAIN, 1.4, 1.9),
    "FastLinUCB d=1000 K=20": Target("LinUCB", 10, 20),
    "GPUCB(radius=0.4) T=200": Target(NUMPY, 15, 36),
    "GPUCB(radius=0.4) T=1000": Target(NUMPY, 12, 28),
    "BKB(radius=0.4) T=1000": Target(NUMPY, 0.9, 1.5),
    "BBKB(radius=0.4) T=1000": Target(NUMPY, 7, 13),
    "GPUCB T=1000": Target(NUMPY, 3.6, 3.6),
    "BKB T=1000": Target(NUMPY, 0.36, 0.36),
    "BBKB T=1000": Target(NUMPY, 1.8, 1.8),
    "RFFUCB box T=300": Target("GPUCB", 1.0, 4 / 3),
    "QFFTS box T=300": Target("GPUCB", 0.7, 1.0),
    "ForwardOFUL d=10 K=10": Target("OFUL", 0.7, 1.0),
    # One factorisation per round: there is no rank-one form.
    "DiscountedLinUCB d=10 K=10": Target("OFUL", 1 / 3, 1.0),
    "DiscountedLinUCB d=20 K=10": Target("OFUL", 1 / 3, 1.0),
    "DiscountedLinUCB d=100 K=10": Target("OFUL", 1 / 6, 1.0),
}

_NUMPY: dict[str, Callable] = {
    "LinUCB": plain_linucb,
    "LinTS": plain_lints,
    "OnlineRidge": plain_ridge,
    "Forward": plain_forward,
    "Banditron": plain_banditron,
}
# The settings of an environment that a numpy loop is called with, in this order.
_PROBLEM = ("dim", "n_arms", "fixed_arms")
# Number of rounds of GP-UCB refitted in each round: the thousandth round costs 25 times as much.
_REFITTED = 200


def judged(names: list[str] | None = None, every: bool = False) -> list[SpeedRow]:
    """The rows that have a target, of those that ``leaderboards.speed.measure.chosen`` returns.

    Raises
    ------
    ValueError
        If there are none.
    """
    rows = [row for row in chosen(names, every) if row.name in TARGETS]
    if not rows:
        raise ValueError(f"no row of {', '.join(names or [])} is compared with anything")
    return rows


def compared(row: SpeedRow) -> dict[str, Any]:
    """Measure a row and what it is compared with in turns; the fastest play of each counts.

    Returns
    -------
    dict
        ``row``, its name; ``n``; ``rounds_per_second`` of all replicates; what that is compared
        with, ``of`` (a loop or an agent), its rounds per second ``beside``, the ``ratio`` to it,
        and the ratio's ``floor`` and ``aim``;
        ``same_arithmetic``, the ratio to a fused loop that computes as agent and environment do, to
        the last bit (null if there is none);
        ``plain``, rounds per second of the same agent in a numpy loop over one replicate (for
        Gaussian processes of GP-UCB refitted from all pulls in each of its first 200 rounds; null
        if there is none).
    """
    target, rounds = TARGETS[row.name], max(row.n, 1) * row.horizon
    with threadpool_limits(1):
        plays = {"ours": player(row, Path()), "beside": _beside(row, target.of)}
        plays["same"] = _same(row) if target.of == FUSED and row.n else None
        ready = {name: play for name, play in plays.items() if play is not None}
        seconds = in_turns(list(ready.values()), REPEATS, LEAST)
        plain = _numpy_speed(row)
    speeds = {name: rounds / min(own) for name, own in zip(ready, seconds, strict=True)}
    ours, beside, same = speeds["ours"], speeds.get("beside", plain), speeds.get("same")
    assert beside is not None
    return {
        "row": row.name,
        "n": max(row.n, 1),
        "rounds_per_second": ours,
        "of": target.of,
        "beside": beside,
        "ratio": ours / beside,
        "floor": target.floor,
        "aim": target.aim,
        "same_arithmetic": None if same is None else ours / same,
        "plain": plain,
    }


def _settings(row: SpeedRow) -> dict[str, Any]:
    assert not callable(row.settings)  # of no row with a target
    return row.settings


def _beside(row: SpeedRow, of: str) -> Callable[[], object] | None:
    """Plays the rounds of a row by what its target names, unless that is a numpy loop."""
    if of == NUMPY:
        return None
    if of == FUSED:
        loop = fused(row.agent, _settings(row), max(row.n, 1))
        loop(FEW)
        return partial(loop, row.horizon)
    env = made(row, _settings(row))
    if of == PLAIN:
        agent = agents.resolve(row.agent) if row.agent else None
        plain = plain_beside(env)
        play_by_hand(plain, agent, FEW)
        return partial(play_by_hand, plain, agent, row.horizon)
    other = agents.resolve(of)
    agents.play(env, other, horizon=min(FEW, row.horizon))
    return partial(agents.play, env, other)


def _same(row: SpeedRow) -> Callable[[], object] | None:
    """Plays the rounds of a row by the fused loop with our own arithmetic, if it has one."""
    loop = fused_same(row.agent, made(row, _settings(row)).unwrapped)
    if loop is None:
        return None
    loop(min(FEW, row.horizon))
    return partial(loop, row.horizon)


def _numpy_speed(row: SpeedRow) -> float | None:
    """Rounds per second of a row's numpy loop."""
    settings = _settings(row)
    problem = tuple(settings[name] for name in _PROBLEM if name in settings)
    if row.agent in _NUMPY and not row.by_hand:
        loop, rounds = _NUMPY[row.agent], max(row.n, 1) * row.horizon // 100
    elif row.env == "KernelBandit-v0" and "n_arms" in settings:  # not on a box
        loop, rounds = plain_gpucb, min(row.horizon, _REFITTED)
    else:
        return None
    loop(10, *problem)
    start = process_time()
    loop(max(FEW, rounds), *problem)
    return max(FEW, rounds) / (process_time() - start)
