"""Measures speed rows: process CPU time, BLAS on one thread."""

from collections.abc import Callable, Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from time import process_time
from typing import Any, NamedTuple

import gymnasium
import numpy as np
from threadpoolctl import threadpool_limits

import agents
import banditgym  # noqa: F401 (registers the environments)
from banditgym.logs import open_log
from banditgym.rounds.blocks import RowsBlock, rounds_per_block
from banditgym.tasks import RegressionTask
from banditgym.validation import nearest
from leaderboards.ope.log_evaluation import evaluate_log
from leaderboards.ope.policies import policy_of
from leaderboards.speed.benchmarks import BY_DEFAULT, ROWS, SpeedRow

REPEATS = 3
LEAST = 1.0  # seconds of all repeats: the fastest of a few short plays depends on chance
FEW = 20  # rounds before the clock starts: imports, and code that is compiled


class Shares(NamedTuple):
    """CPU seconds of a play that the environment and the agent took; None if they are unknown."""

    env: float | None = None
    agent: float | None = None


def measured(names: list[str] | None = None, every: bool = False) -> Iterator[dict[str, Any]]:
    """Measure the rows that `chosen` returns, and yield plain data, a mapping per row.

    Every row is played several times, and the fastest play counts.

    Yields
    ------
    dict
        ``row``, its name; ``n``; ``rounds_per_second`` of all replicates; ``env_microseconds`` and
        ``agent_microseconds`` per round of all replicates (for an agent measured alone the former
        is null, in a loop by hand both).
    """
    for row in chosen(names, every):
        with threadpool_limits(1), TemporaryDirectory() as folder:
            seconds, shares = _fastest(player(row, Path(folder)))
        if row.env is None:
            shares = Shares(agent=seconds)
        env, agent = (None if part is None else 1e6 * part / row.horizon for part in shares)
        yield {
            "row": row.name,
            "n": max(row.n, 1),
            "rounds_per_second": max(row.n, 1) * row.horizon / seconds,
            "env_microseconds": env,
            "agent_microseconds": agent,
        }


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


def player(row: SpeedRow, folder: Path) -> Callable[[], Shares]:
    """A function that plays a row; what it plays is made, and its code is compiled.

    Parameters
    ----------
    folder : Path
        An empty folder for the row's files, which must exist as long as it is played.
    """
    if row.env is None:
        return _alone(row)
    env = made(row, row.settings(row.horizon, folder) if callable(row.settings) else row.settings)
    if row.by_hand:
        return _by_hand(env, agents.resolve(row.agent) if row.agent else None, row.horizon)
    agent = agents.resolve(row.agent)
    agents.play(env, agent, horizon=min(FEW, row.horizon))
    if row.log:
        return _logged(row, env, folder / "log.parquet")
    return lambda: Shares(*agents.play(env, agent).seconds)


def made(row: SpeedRow, settings: dict[str, Any]) -> Any:
    """The environment of a row, with these settings."""
    assert row.env is not None
    given = {"horizon": row.horizon, **settings}
    if row.n:
        return gymnasium.make_vec(row.env, num_envs=row.n, **given)
    return gymnasium.make(row.env, **given)


def play_by_hand(env: Any, agent: agents.Agent | None, rounds: int) -> float:
    """The loop that users write around one environment; the regret.

    Without an agent the arms are played in turn.
    """
    observation, _ = env.reset(seed=0)
    regret = 0.0
    if agent is None:
        n_arms = env.unwrapped.task.n_arms
        for t in range(rounds):
            info = env.step(t % n_arms)[4]
            regret += info["regret"]
        return regret
    agent.reset(env.unwrapped.task)
    for _ in range(rounds):
        action = agent.act(observation)
        following, reward, _, _, info = env.step(action)
        agent.observe(observation, action, reward)
        observation = following
        regret += info["regret"]
    return regret


def _fastest(play: Callable[[], Shares]) -> tuple[float, Shares]:
    """CPU seconds of the fastest of several plays, and their shares."""
    found: list[tuple[float, Shares]] = []
    while len(found) < REPEATS or sum(seconds for seconds, _ in found) < LEAST:
        started = process_time()
        shares = play()
        found.append((process_time() - started, shares))
    return min(found, key=lambda each: each[0])


def _by_hand(env: Any, agent: agents.Agent | None, rounds: int) -> Callable[[], Shares]:
    play_by_hand(env, agent, FEW)

    def play() -> Shares:
        play_by_hand(env, agent, rounds)
        return Shares()

    return play


def _logged(row: SpeedRow, env: Any, path: Path) -> Callable[[], Shares]:
    """Writes a log, or evaluates the agent on one."""

    def write() -> Shares:
        path.unlink(missing_ok=True)
        agents.play(env, agents.UniformRandom(), log=path)
        return Shares()

    def evaluate() -> Shares:
        log = open_log(path)
        evaluate_log(log, [policy_of(row.agent, log)])
        return Shares()

    write()
    return write if row.log == "written" else evaluate


def _alone(row: SpeedRow) -> Callable[[], Shares]:
    """Plays an agent without an environment."""
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
    agent, blocks = agents.resolve(row.agent), ready_rows(dim, row.horizon)
    agent.reset(task, n=1).play_block(blocks[0])

    def play() -> Shares:
        agent.reset(task, n=1)
        for block in blocks:
            agent.play_block(block)
        return Shares()

    return play


def ready_rows(dim: int, rounds: int) -> list[RowsBlock]:
    """1000 regression rows of one replicate, repeated, in blocks as long as an environment's."""
    rng = np.random.default_rng(0)
    rows = rng.standard_normal((1000, 1, dim, 1)) / np.sqrt(dim)
    theta = rng.standard_normal(dim) / np.sqrt(dim)
    outcomes = rows[:, :, :, 0] @ theta + 0.1 * rng.standard_normal((1000, 1))
    blocks, start = [], 0
    while start < rounds:
        first = start % 1000
        last = first + rounds_per_block(min(1000 - first, rounds - start), 8 * (dim + 1))
        blocks.append(
            RowsBlock(start=start, features=rows[first:last], outcomes=outcomes[first:last])
        )
        start += last - first
    return blocks
