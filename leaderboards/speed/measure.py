"""Measures speed rows: process CPU time, BLAS on one thread, everything in one run."""

import platform
from collections.abc import Callable, Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from time import process_time
from typing import Any, NamedTuple

import gymnasium
import numpy as np
from rich.console import Group
from rich.table import Table
from rich.text import Text
from threadpoolctl import threadpool_limits

import agents
import banditgym  # noqa: F401 (registers the environments)
from banditgym.blocks import RowsBlock, fitting
from banditgym.tasks import RegressionTask
from banditgym.validation import nearest
from leaderboards.speed.benchmarks import ROWS, SpeedRow
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

_BESIDE: dict[str, tuple[Callable, Callable]] = {
    "LinUCB": (plain_linucb, fused_linucb),
    "LinTS": (plain_lints, fused_lints),
    "OnlineRidge": (plain_ridge, fused_ridge),
    "Forward": (plain_forward, fused_forward),
    "Banditron": (plain_banditron, fused_banditron),
}
# What a plain loop is told of the environment, in this order.
_PROBLEM = ("dim", "n_arms", "fixed_arms")
_REPEATS = 3
_CAPTION = """
numpy, fused: the same agent, one replicate; gain: over the numpy loop
GPUCB, BKB, BBKB: whole runs of T rounds among 10,000 arms; numpy is GP-UCB
  refitted in each of 200 rounds
box: whole runs of T rounds on the unit square, ten replicates
GradientDescent: T steps of the agent alone, no environment, on 1,000 features
news from a file: lines of 20 articles are read, replayed and learned from
FastLinUCB, ForwardOFUL, DiscountedLinUCB: floor and aim are shares of LinUCB's
  speed, of OFUL's, in the same run"""
# Number of rounds of GP-UCB refitted in each round: the thousandth round costs 25 times as much.
_REFITTED = 200


def measured(names: list[str] | None = None, quick: bool = False) -> Iterator[dict[str, Any]]:
    """Measure rows and yield plain data, a mapping per row.

    Parameters
    ----------
    names : list of str, optional
        Parts of row names; all rows if not given.
    quick : bool
        Whether to play a tenth of the rounds, once instead of the best of three: a rough estimate.

    Yields
    ------
    dict
        ``row``, ``rounds_per_second`` with its ``floor`` and ``aim``, ``plain`` and ``fused`` (the
        same agent in a numpy loop and in one compiled loop, one replicate, same run; null if there
        are none; for Gaussian processes ``plain`` is GP-UCB refitted from all pulls in each of its
        first 200 rounds), ``of`` (the agent whose speed floor and aim are shares of, or null),
        ``env_microseconds`` and ``agent_microseconds`` (per round of all replicates; for an agent
        measured alone the former is null), and the machine.
    """
    for row in chosen(names):
        horizon, repeats = row.horizon, _REPEATS
        if quick:
            horizon, repeats = max(20, horizon // 10), 1
        with threadpool_limits(1), TemporaryDirectory() as folder:
            if row.env is None:
                timed = _time_alone(row, repeats, horizon)
            else:
                timed = _time(row, repeats, horizon, Path(folder))
        yield _told(row, horizon, timed)


def chosen(names: list[str] | None) -> list[SpeedRow]:
    """The rows whose names contain one of ``names``.

    Raises
    ------
    ValueError
        If no row's name contains a given name.
    """
    for name in names or []:
        if not any(name.lower() in row.name.lower() for row in ROWS):
            rows = {row.name: None for row in ROWS}
            hint = nearest(name, rows) or f"; there are {', '.join(rows)}"
            raise ValueError(f"no speed row is called {name!r}{hint}")
    wanted = [name.lower() for name in names or [""]]
    return [row for row in ROWS if any(name in row.name.lower() for name in wanted)]


class _Timed(NamedTuple):
    """The seconds of the fastest play of a row, and the speeds that it is compared with.

    Attributes
    ----------
    best, agent, env : float
        Seconds of all, and of its parts where these are known.
    unit : float
        Rounds per second of the agent that floor and aim are shares of; else 1.
    plain, fused : float or None
        Rounds per second of the loops beside it.
    """

    best: float
    agent: float | None
    env: float | None = None
    unit: float = 1.0
    plain: float | None = None
    fused: float | None = None


def _time(row: SpeedRow, repeats: int, horizon: int, folder: Path) -> _Timed:
    assert row.env is not None
    given = row.settings(horizon, folder) if callable(row.settings) else row.settings
    settings = {"horizon": horizon, **given}
    env: Any
    if row.n:
        env = gymnasium.make_vec(row.env, num_envs=row.n, **settings)
    else:
        env = gymnasium.make(row.env, **settings)
    rounds = max(row.n, 1) * horizon
    players = [agents.resolve(name) for name in (row.agent, row.of) if name is not None]
    best, seconds = [np.inf] * len(players), (np.nan, np.nan)
    for agent in players:
        agents.play(env, agent, horizon=min(20, horizon))  # compiles
    for _ in range(repeats):
        for i, agent in enumerate(players):
            start = process_time()
            trace = agents.play(env, agent)
            spent = process_time() - start
            if spent < best[i]:
                best[i] = spent
                seconds = seconds if i else trace.seconds
    problem = tuple(given[name] for name in _PROBLEM if name in given)
    plain, fused = None, None
    if row.agent in _BESIDE and not callable(row.settings):
        plain, fused = (
            _loop_speed(loop, max(20, int(cost * rounds)), problem)
            for loop, cost in zip(_BESIDE[row.agent], (0.01, 0.1), strict=True)
        )
    elif row.env == "KernelBandit-v0" and "n_arms" in given:  # not on a box
        plain = _loop_speed(plain_gpucb, min(horizon, _REFITTED), problem)
    unit = 1.0 if row.of is None else rounds / best[1]
    return _Timed(best[0], seconds[1], seconds[0], unit, plain, fused)


def _time_alone(row: SpeedRow, repeats: int, horizon: int) -> _Timed:
    assert not callable(row.settings)
    dim = row.settings["dim"]
    task = RegressionTask(
        dim=dim, horizon=horizon, noise_std=0.1, subgaussian=0.1, feature_norm=None,
        param_norm=1.0,
    )  # fmt: skip
    agent, best = agents.resolve(row.agent), np.inf
    blocks = ready_rows(dim, horizon)
    agent.reset(task, n=1).play_block(blocks[0])  # compiles
    for _ in range(repeats):
        start = process_time()
        agent.reset(task, n=1)
        for block in blocks:
            agent.play_block(block)
        best = min(best, process_time() - start)
    return _Timed(best, agent=best)


def _told(row: SpeedRow, horizon: int, timed: _Timed) -> dict[str, Any]:
    """What ``measured`` yields of a row."""
    n = max(row.n, 1)
    return {
        "row": row.name,
        "n": n,
        "rounds_per_second": n * horizon / timed.best,
        "floor": timed.unit * row.floor,
        "aim": timed.unit * row.aim,
        "of": row.of,
        "plain": timed.plain,
        "fused": timed.fused,
        "env_microseconds": None if timed.env is None else 1e6 * timed.env / horizon,
        "agent_microseconds": None if timed.agent is None else 1e6 * timed.agent / horizon,
        "machine": f"{platform.machine()}, Python {platform.python_version()}",
    }


def ready_rows(dim: int, rounds: int) -> list[RowsBlock]:
    """1000 regression rows of one replicate, repeated, in blocks as long as an environment's."""
    rng = np.random.default_rng(0)
    rows = rng.standard_normal((1000, 1, dim, 1)) / np.sqrt(dim)
    theta = rng.standard_normal(dim) / np.sqrt(dim)
    outcomes = rows[:, :, :, 0] @ theta + 0.1 * rng.standard_normal((1000, 1))
    blocks, made = [], 0
    while made < rounds:
        first = made % 1000
        last = first + fitting(min(1000 - first, rounds - made), 8 * (dim + 1))
        blocks.append(
            RowsBlock(start=made, features=rows[first:last], outcomes=outcomes[first:last])
        )
        made += last - first
    return blocks


def _loop_speed(loop: Callable, rounds: int, problem: tuple[Any, ...]) -> float:
    loop(10, *problem)  # compiles
    start = process_time()
    loop(rounds, *problem)
    return rounds / (process_time() - start)


def table(results: list[dict[str, Any]]) -> Group:
    """The measurements for a terminal; every number is in rounds per second."""
    shown = Table(title="rounds a second, one core, CPU time", box=None, padding=(0, 1))
    shown.add_column("environment and agent", no_wrap=True)
    for name in ("n", "rounds/s", "floor", "aim", "numpy", "fused", "gain"):
        shown.add_column(name, justify="right", no_wrap=True)
    for row in results:
        speed = row["rounds_per_second"]
        style = "red" if speed < row["floor"] else "green" if speed >= row["aim"] else "default"
        cells = [_short(row[key]) for key in ("floor", "aim", "plain", "fused")]
        gain = "–" if row["plain"] is None else f"{speed / row['plain']:.0f} x"
        shown.add_row(row["row"], str(row["n"]), f"[{style}]{_short(speed)}[/]", *cells, gain)
    # Not the table's caption, which would be wrapped to its width.
    return Group(shown, Text(_CAPTION, style="italic dim"))


def _short(number: float | None) -> str:
    if number is None:
        return "–"
    if number < 1e4:
        return f"{number:.0f}"
    return f"{number / 1e6:.3g} M" if number >= 1e6 else f"{number / 1e3:.0f} k"
