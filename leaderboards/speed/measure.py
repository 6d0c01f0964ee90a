"""Measures speed rows: process CPU time, BLAS on one thread, everything in one run."""

from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from time import process_time
from typing import Any

import gymnasium
import numpy as np
from threadpoolctl import threadpool_limits

import agents
import banditgym  # noqa: F401 (registers the environments)
from banditgym.rounds.blocks import RowsBlock, fitting
from banditgym.tasks import RegressionTask
from banditgym.validation import nearest
from leaderboards.papers.calandriello2019.plain_gp import plain_gpucb
from leaderboards.speed.benchmarks import BY_DEFAULT, FUSED, NUMPY, ROWS, SpeedRow
from tools.speed.by_hand import plain_beside, play_by_hand
from tools.speed.fused import fused, fused_same
from tools.speed.plain import (
    plain_banditron,
    plain_forward,
    plain_lints,
    plain_linucb,
    plain_ridge,
)
from tools.speed.timed_turns import in_turns

_PLAIN: dict[str, Callable] = {
    "LinUCB": plain_linucb,
    "LinTS": plain_lints,
    "OnlineRidge": plain_ridge,
    "Forward": plain_forward,
    "Banditron": plain_banditron,
}
# What a plain loop is told of the environment, in this order.
_PROBLEM = ("dim", "n_arms", "fixed_arms")
_REPEATS = 3
_LEAST = 1.0  # seconds of all turns: the fastest of a few short plays depends on chance
_FEW = 20  # rounds before the clock starts: imports, and code that is compiled
# Number of rounds of GP-UCB refitted in each round: the thousandth round costs 25 times as much.
_REFITTED = 200


def measured(names: list[str] | None = None, every: bool = False) -> Iterator[dict[str, Any]]:
    """Measure the rows that `chosen` returns, and yield plain data, a mapping per row.

    An agent and what it is compared with play in turns, and the fastest play of each counts.

    Yields
    ------
    dict
        ``row``, its name; ``n``; ``rounds_per_second`` of all replicates; what that is compared
        with, ``of`` (a loop or an agent, of the same run), its rounds per second ``beside``, the
        ``ratio`` to it, and the ratio's ``floor`` and ``aim`` (all null in a row without a target);
        ``same_arithmetic``, the ratio to a fused loop that computes as agent and environment do, to
        the last bit (null if there is none);
        ``plain``, rounds per second of the same agent in a numpy loop over one replicate (for
        Gaussian processes of GP-UCB refitted from all pulls in each of its first 200 rounds; null
        if there is none); ``env_microseconds`` and ``agent_microseconds`` per round of all
        replicates (for an agent measured alone the former is null, in a loop by hand both).
    """
    for row in chosen(names, every):
        with threadpool_limits(1), TemporaryDirectory() as folder:
            if row.by_hand:
                yield _by_hand(row)
            else:
                yield _alone(row) if row.env is None else _together(row, Path(folder))


def chosen(names: list[str] | None = None, every: bool = False) -> list[SpeedRow]:
    """The rows whose names contain one of ``names``; without names those of ``BY_DEFAULT``, or all.

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
    if not names:
        return [row for row in ROWS if every or row.name in BY_DEFAULT]
    wanted = [name.lower() for name in names]
    return [row for row in ROWS if any(name in row.name.lower() for name in wanted)]


def _together(row: SpeedRow, folder: Path) -> dict[str, Any]:
    """Measure a row with an environment."""
    assert row.env is not None
    settings = row.settings(row.horizon, folder) if callable(row.settings) else row.settings
    env = _made(row, settings)
    agent, traces = agents.resolve(row.agent), []

    def play() -> object:
        return traces.append(agents.play(env, agent))

    agents.play(env, agent, horizon=min(_FEW, row.horizon))
    other = _other(row, settings)
    same = _same(row, settings)
    best, fastest = _in_turns([player for player in (play, other, same) if player is not None])
    plain, rounds = _plain_speed(row, settings), max(row.n, 1) * row.horizon
    beside = rounds / best[1] if other is not None else plain
    told = _told(row, best[0], traces[fastest].seconds, beside, plain)
    return told | {"same_arithmetic": None if same is None else best[-1] / best[0]}


def _by_hand(row: SpeedRow) -> dict[str, Any]:
    """Measure a loop around one environment."""
    assert not callable(row.settings)
    env = _made(row, row.settings)
    agent = agents.resolve(row.agent) if row.agent else None
    players = [partial(play_by_hand, each, agent) for each in (env, plain_beside(env))]
    for player in players:
        player(_FEW)
    best, _ = _in_turns([partial(player, row.horizon) for player in players])
    return _told(row, best[0], (None, None), row.horizon / best[1])


def _in_turns(players: list[Callable[[], object]]) -> tuple[list[float], int]:
    """Time players in turns.

    Returns
    -------
    best : list of float
        CPU seconds of each player's fastest turn.
    fastest : int
        The number of the first player's fastest turn.
    """
    seconds = in_turns(players, _REPEATS, process_time, _LEAST)
    best = [min(own) for own in seconds]
    return best, seconds[0].index(best[0])


def _made(row: SpeedRow, settings: dict[str, Any]) -> Any:
    assert row.env is not None
    given = {"horizon": row.horizon, **settings}
    if row.n:
        return gymnasium.make_vec(row.env, num_envs=row.n, **given)
    return gymnasium.make(row.env, **given)


def _other(row: SpeedRow, settings: dict[str, Any]) -> Callable[[], object] | None:
    """Plays the rounds of a row by the fused loop or the agent that its target names, if any."""
    if row.target is None or row.target.of == NUMPY:
        return None
    if row.target.of == FUSED:
        loop = fused(row.agent, settings, max(row.n, 1))
        loop(_FEW)
        return lambda: loop(row.horizon)
    env, agent = _made(row, settings), agents.resolve(row.target.of)
    agents.play(env, agent, horizon=min(_FEW, row.horizon))
    return lambda: agents.play(env, agent)


def _same(row: SpeedRow, settings: dict[str, Any]) -> Callable[[], object] | None:
    """Plays the rounds of a row by the fused loop with our own arithmetic, if it has one."""
    if row.target is None or row.target.of != FUSED or not row.n:
        return None
    loop = fused_same(row.agent, _made(row, settings).unwrapped)
    if loop is None:
        return None
    loop(min(_FEW, row.horizon))
    return lambda: loop(row.horizon)


def _plain_speed(row: SpeedRow, settings: dict[str, Any]) -> float | None:
    """Rounds per second of a row's numpy loop."""
    problem = tuple(settings[name] for name in _PROBLEM if name in settings)
    if row.agent in _PLAIN and not callable(row.settings):
        loop, rounds = _PLAIN[row.agent], max(row.n, 1) * row.horizon // 100
    elif row.env == "KernelBandit-v0" and "n_arms" in settings:  # not on a box
        loop, rounds = plain_gpucb, min(row.horizon, _REFITTED)
    else:
        return None
    loop(10, *problem)
    start = process_time()
    loop(max(_FEW, rounds), *problem)
    return max(_FEW, rounds) / (process_time() - start)


def _alone(row: SpeedRow) -> dict[str, Any]:
    """Measure an agent without an environment."""
    assert not callable(row.settings)
    dim = row.settings["dim"]
    task = RegressionTask(
        dim=dim,
        horizon=row.horizon,
        noise_std=0.1,
        subgaussian=0.1,
        feature_norm=None,
        param_norm=1.0,
    )
    agent, best = agents.resolve(row.agent), np.inf
    blocks = ready_rows(dim, row.horizon)
    agent.reset(task, n=1).play_block(blocks[0])
    for _ in range(_REPEATS):
        start = process_time()
        agent.reset(task, n=1)
        for block in blocks:
            agent.play_block(block)
        best = min(best, process_time() - start)
    return _told(row, best, (None, best))


def _told(
    row: SpeedRow,
    best: float,
    seconds: tuple[float | None, float | None],
    beside: float | None = None,
    plain: float | None = None,
) -> dict[str, Any]:
    """What `measured` yields of a row, whose fastest play took ``best`` seconds."""
    n = max(row.n, 1)
    judged: dict[str, Any] = dict.fromkeys(("of", "beside", "ratio", "floor", "aim"))
    speed = n * row.horizon / best
    if row.target is not None and beside is not None:
        judged = {"of": row.target.of, "beside": beside, "ratio": speed / beside}
        judged |= {"floor": row.target.floor, "aim": row.target.aim}
    env, agent = (None if part is None else 1e6 * part / row.horizon for part in seconds)
    return {
        "row": row.name,
        "n": n,
        "rounds_per_second": speed,
        **judged,
        "same_arithmetic": None,
        "plain": plain,
        "env_microseconds": env,
        "agent_microseconds": agent,
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
