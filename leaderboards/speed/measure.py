"""Measure the rows: process CPU time, BLAS on one thread, everything in one run."""

import platform
from collections.abc import Callable, Iterator
from time import process_time
from typing import Any

import gymnasium
import numpy as np
from rich.table import Table
from threadpoolctl import threadpool_limits

import agents
import banditgym  # noqa: F401 (registers the environments)
from agents.naming import nearest
from leaderboards.speed.plain import (
    fused_banditron,
    fused_forward,
    fused_lints,
    fused_linucb,
    fused_ridge,
    plain_banditron,
    plain_forward,
    plain_lints,
    plain_linucb,
    plain_ridge,
)
from leaderboards.speed.plain_gp import plain_gpucb
from leaderboards.speed.rows import ROWS, SpeedRow

_BESIDE: dict[str, tuple[Callable, Callable]] = {
    "LinUCB": (plain_linucb, fused_linucb),
    "LinTS": (plain_lints, fused_lints),
    "OnlineRidge": (plain_ridge, fused_ridge),
    "Forward": (plain_forward, fused_forward),
    "Banditron": (plain_banditron, fused_banditron),
}
# What a plain loop is told of the world, in this order.
_PROBLEM = ("dim", "n_arms", "fixed_arms")
_REPEATS = 3
# Rounds of GP-UCB refitted in each of them: later ones cost more, the thousandth 25 times as much.
_REFITTED = 200


def measured(names: list[str] | None = None, quick: bool = False) -> Iterator[dict[str, Any]]:
    """Measure rows and yield plain data, a mapping per row.

    Parameters
    ----------
    names : list of str, optional
        Parts of row names; all rows if not given.
    quick : bool
        A tenth of the rounds, once instead of the best of three: a look, not a measurement.

    Yields
    ------
    dict
        ``row``, ``rounds_per_second`` with its ``floor`` and ``aim``, ``plain`` and ``fused`` (the
        same learner in a numpy loop and in one compiled loop, one replicate, same run; null where
        there are none; of Gaussian processes ``plain`` is GP-UCB refitted from all pulls in each of
        its first 200 rounds), ``of`` (the learner that floor and aim are shares of, or null),
        ``world`` and ``learner`` (microseconds per round of all replicates; ``world`` is both
        where a block of rounds was one loop, and ``learner`` null), and the machine.
    """
    for row in chosen(names):
        with threadpool_limits(1):
            yield _measure(row, 1 if quick else _REPEATS, 10 if quick else 1)


def chosen(names: list[str] | None) -> list[SpeedRow]:
    """The rows whose names contain one of ``names``.

    Raises
    ------
    ValueError
        For a name that no row contains.
    """
    for name in names or []:
        if not any(name.lower() in row.name.lower() for row in ROWS):
            close = nearest(name, [row.name for row in ROWS])
            raise ValueError(f"no speed row is called {name!r}{close}")
    wanted = [name.lower() for name in names or [""]]
    return [row for row in ROWS if any(name in row.name.lower() for name in wanted)]


def _measure(row: SpeedRow, repeats: int, shorter: int) -> dict[str, Any]:
    horizon = max(20, row.horizon // shorter)
    given = row.settings() if callable(row.settings) else row.settings
    settings = {"horizon": horizon, **given}
    env: Any
    if row.n:
        env = gymnasium.make_vec(row.env, num_envs=row.n, **settings)
    else:
        env = gymnasium.make(row.env, **settings)
    replicates = max(row.n, 1)
    names = [row.agent] if row.of is None else [row.agent, row.of]
    learners = [agents.resolve(name) for name in names]
    best, seconds = [np.inf] * len(learners), (np.nan, np.nan)
    for agent in learners:
        agents.play(env, agent, horizon=min(20, horizon))  # compiles
    for _ in range(repeats):
        for i, agent in enumerate(learners):
            start = process_time()
            trace = agents.play(env, agent)
            spent = process_time() - start
            if spent < best[i]:
                best[i] = spent
                seconds = seconds if i else trace.seconds
    unit = 1.0 if row.of is None else replicates * horizon / best[1]
    problem = tuple(given[name] for name in _PROBLEM if name in given)
    plain, fused = None, None
    if row.agent in _BESIDE and not callable(row.settings):
        plain, fused = (
            _loop_speed(loop, max(20, int(cost * horizon * replicates)), problem)
            for loop, cost in zip(_BESIDE[row.agent], (0.01, 0.1), strict=True)
        )
    elif row.env == "KernelBandit-v0":
        plain = _loop_speed(plain_gpucb, min(horizon, _REFITTED), problem)
    return {
        "row": row.name,
        "n": replicates,
        "rounds_per_second": replicates * horizon / best[0],
        "floor": unit * row.floor,
        "aim": unit * row.aim,
        "of": row.of,
        "plain": plain,
        "fused": fused,
        "world": 1e6 * seconds[0] / horizon,
        "learner": None if seconds[1] is None else 1e6 * seconds[1] / horizon,
        "machine": f"{platform.machine()}, Python {platform.python_version()}",
    }


def _loop_speed(loop: Callable, rounds: int, problem: tuple[Any, ...]) -> float:
    loop(10, *problem)  # compiles
    start = process_time()
    loop(rounds, *problem)
    return rounds / (process_time() - start)


def table(results: list[dict[str, Any]]) -> Table:
    """The measurements for a terminal; every number is rounds a second."""
    shown = Table(title="rounds a second, one core, CPU time", box=None, padding=(0, 1))
    shown.add_column("world and learner", no_wrap=True)
    for name in ("n", "rounds/s", "floor", "aim", "numpy", "fused", "gain"):
        shown.add_column(name, justify="right", no_wrap=True)
    for row in results:
        speed = row["rounds_per_second"]
        style = "red" if speed < row["floor"] else "green" if speed >= row["aim"] else "default"
        cells = [_short(row[key]) for key in ("floor", "aim", "plain", "fused")]
        gain = "–" if row["plain"] is None else f"{speed / row['plain']:.0f} x"
        shown.add_row(row["row"], str(row["n"]), f"[{style}]{_short(speed)}[/]", *cells, gain)
    shown.caption = (
        "numpy, fused: the same learner, one replicate; gain: over the numpy loop;\n"
        "T = ..: whole runs among 10,000 arms, numpy is GP-UCB refitted in each of 200 rounds;\n"
        "ForwardOFUL, DiscountedLinUCB: the aim is OFUL's speed in the same run"
    )
    return shown


def _short(number: float | None) -> str:
    if number is None:
        return "–"
    if number < 1e4:
        return f"{number:.0f}"
    return f"{number / 1e6:.3g} M" if number >= 1e6 else f"{number / 1e3:.0f} k"
