"""Compares the speed of this package and other libraries, measured in turns in one run."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from importlib.metadata import version
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from typing import Any

import gymnasium
import numpy as np
from rich.console import Group
from rich.table import Table
from rich.text import Text
from threadpoolctl import threadpool_limits

import agents
import banditgym  # noqa: F401 (registers the environments)
from banditgym.rounds.blocks import RowsBlock, rounds_per_block
from banditgym.tasks import RegressionTask
from leaderboards.peers.peer import library
from leaderboards.speed.machine_facts import circumstances, line
from tools.speed.plain_environment import PlainLinear
from tools.speed.turns import in_turns

DIM = N_ARMS = 10
WIDE = 100  # features of the regressions
REPLICATES = 100  # of our agents, played in lockstep
_SETTINGS: dict[str, Any] = {"n_arms": N_ARMS, "dim": DIM}
_TURNS = 7
_ENVIRONMENT = "LinearBandit-v0"
_CAPTION = f"""
LinearBandit-v0, d = {DIM}, K = {N_ARMS}: rounds of all n replicates per second of CPU time;
median, slowest and fastest turn. Ours play {REPLICATES} replicates in lockstep, theirs one.
Rounds of agents include the environment. times: ours over theirs; models per
arm against DisjointLinUCB, shared ones against LinUCB or LinTS. Nothing is tuned.
Regressions have d = {WIDE}. On given rows an agent is played without any environment, on the
rows that Vowpal Wabbit's driver reads from its cache; both predict each row, then make a step."""

# Name of each column of the table, and whether it has numbers.
COLUMNS = (
    ("agent or environment", False),
    *((name, True) for name in ("n", "rounds/s", "slowest", "fastest", "times")),
)


@dataclass(frozen=True)
class PeerRow:
    """An agent or an environment to measure.

    Parameters
    ----------
    name : str
        The agent's spec for ``agents.resolve``, or a description of the environment.
    of : str or None
        The row of this package that it is compared with; None if it is one of this package.
    n : int
        Number of replicates.
    rounds : int
        Rounds of each replicate in a turn.
    """

    name: str
    of: str | None
    n: int
    rounds: int


_PEERS = "leaderboards.peers."
AGENTS = (
    PeerRow("DisjointLinUCB", None, REPLICATES, 300),
    PeerRow("LinUCB", None, REPLICATES, 1000),
    PeerRow("LinTS", None, REPLICATES, 300),
    PeerRow(f"{_PEERS}mabwiser:MABWiserLinUCB", "DisjointLinUCB", 1, 100),
    PeerRow(f"{_PEERS}contextualbandits:ContextualBanditsLinUCB", "DisjointLinUCB", 1, 200),
    PeerRow(f"{_PEERS}coba:CobaLinUCB", "LinUCB", 1, 200),
    PeerRow(f"{_PEERS}vowpalwabbit:VWEpsilonGreedy", "LinUCB", 1, 200),
    PeerRow(f"{_PEERS}vowpalwabbit:VWSquareCB", "LinUCB", 1, 200),
    PeerRow(f"{_PEERS}bayesianbandits:BayesianBanditsThompson", "LinTS", 1, 100),
)
ENVIRONMENTS = (
    PeerRow(_ENVIRONMENT, None, REPLICATES, 1000),
    PeerRow("SyncVectorEnv of HandWritten", _ENVIRONMENT, REPLICATES, 30),
    PeerRow("HandWritten", _ENVIRONMENT, 1, 2000),
)
GIVEN = "GradientDescentRegression on given rows"
REGRESSIONS = (
    PeerRow("GradientDescentRegression", None, REPLICATES, 200),
    PeerRow(GIVEN, None, 1, 20_000),
    PeerRow("Vowpal Wabbit from its cache", GIVEN, 1, 20_000),
    PeerRow("Vowpal Wabbit from its cache --sgd", GIVEN, 1, 20_000),
)


def compared() -> dict[str, Any]:
    """Measure all rows in turns, so that other work on the machine slows all of them.

    Returns
    -------
    dict
        ``date``, ``machine``, ``versions`` by library, and ``rows``: mappings of ``name``, ``n``,
        ``of``, ``rounds_per_second`` (the median), ``slowest``, ``fastest``, ``times`` (ours over
        theirs; null in rows of ours) and ``error``: null, or why a row has no numbers.
    """
    versions: dict[str, str] = {}
    ready: dict[PeerRow, Callable[[], object]] = {}
    errors: dict[PeerRow, str] = {}
    with threadpool_limits(1), TemporaryDirectory() as folder:
        kinds: dict[PeerRow, Callable[..., Callable[[], object]]] = {
            **dict.fromkeys(AGENTS, _agent),
            **dict.fromkeys(ENVIRONMENTS, _environment),
            **dict.fromkeys(REGRESSIONS, partial(_regression, folder=Path(folder))),
        }
        for row, made in kinds.items():
            try:
                ready[row] = made(row, row.rounds, versions)
                ready[row]()  # imports and compiles
            except (ValueError, ImportError) as error:
                ready.pop(row, None)
                errors[row] = str(error)
        seconds = zip(ready, in_turns(list(ready.values()), _TURNS), strict=True)
    speeds = {row: [row.n * row.rounds / each for each in own] for row, own in seconds}
    medians = {row.name: median(own) for row, own in speeds.items()}
    rows = [_told(row, speeds.get(row), medians, errors.get(row)) for row in kinds]
    return circumstances(**versions) | {"rows": rows}


def _agent(row: PeerRow, rounds: int, versions: dict[str, str]) -> Callable[[], object]:
    agent = agents.resolve(row.name)
    if row.of is not None:
        peer: Any = agent
        versions[peer.library] = peer.library_version()
    envs = gymnasium.make_vec(_ENVIRONMENT, num_envs=row.n, horizon=rounds, **_SETTINGS)
    return lambda: agents.play(envs, agent, seed=0)


def _environment(row: PeerRow, rounds: int, versions: dict[str, str]) -> Callable[[], object]:
    actions = np.arange(row.n) % N_ARMS
    env: Any = gymnasium.make_vec(_ENVIRONMENT, num_envs=row.n, horizon=rounds, **_SETTINGS)
    if row.of is not None:
        by_hand = partial(PlainLinear, env.unwrapped.task)
        env = gymnasium.vector.SyncVectorEnv([by_hand] * row.n) if row.n > 1 else by_hand()
        actions = actions if row.n > 1 else 0

    def stepped() -> None:
        env.reset(seed=0)
        for _ in range(rounds):
            env.step(actions)

    return stepped


def _regression(
    row: PeerRow, rounds: int, versions: dict[str, str], folder: Path
) -> Callable[[], object]:
    if row.name == GIVEN:
        return partial(learned_from_blocks, *blocks_of(rounds))
    if row.of is None:
        agent = agents.resolve(row.name)
        envs = gymnasium.make_vec(
            "OnlineRegression-v0", num_envs=row.n, horizon=rounds, dim=WIDE, noise_std=0.1
        )
        return lambda: agents.play(envs, agent, seed=0)
    versions["vowpalwabbit"] = version("vowpalwabbit")
    options = " --sgd" * row.name.endswith("--sgd")
    return partial(learned_from_cache, cache_of(folder / f"{rounds}", rounds), options)


def given_rows(rounds: int) -> tuple[np.ndarray, np.ndarray]:
    """Rows (m, ``WIDE``) and their outcomes (m,)."""
    rng = np.random.default_rng(0)
    theta = rng.standard_normal(WIDE) / WIDE**0.5
    rows = rng.standard_normal((rounds, WIDE))
    return rows, rows @ theta + 0.1 * rng.standard_normal(rounds)


def blocks_of(rounds: int) -> tuple[RegressionTask, list[RowsBlock]]:
    """The given rows in blocks as long as an environment's, and their task."""
    known = {"noise_std": 0.1, "subgaussian": 0.1, "feature_norm": None, "param_norm": 1.0}
    rows, outcomes = given_rows(rounds)
    length = rounds_per_block(rounds, 8 * (WIDE + 1))
    blocks = [
        RowsBlock(
            start=start,
            features=rows[start : start + length, None, :, None],
            outcomes=outcomes[start : start + length, None],
        )
        for start in range(0, rounds, length)
    ]
    return RegressionTask(dim=WIDE, horizon=rounds, **known), blocks


def learned_from_blocks(task: RegressionTask, blocks: list[RowsBlock]) -> agents.Agent:
    """Let an agent predict and learn all rows; the agent."""
    agent = agents.GradientDescentRegression().reset(task, n=1)
    for block in blocks:
        agent.play_block(block)
    return agent


def cache_of(path: Path, rounds: int) -> Path:
    """Write the given rows as Vowpal Wabbit's driver reads them, and its cache of them.

    Returns
    -------
    Path
        The rows; the cache lies beside them.
    """
    vowpalwabbit = library("vowpalwabbit")
    with path.open("w", encoding="utf-8") as file:
        for row, outcome in zip(*given_rows(rounds), strict=True):
            values = " ".join(f"{j}:{value:.6g}" for j, value in enumerate(row))
            file.write(f"{outcome:.6g} | {values}\n")
    vowpalwabbit.Workspace(f"-d {path} --cache_file {path}.cache -k --quiet").finish()
    return path


def learned_from_cache(path: Path, options: str) -> Any:
    """Let the library's driver learn all rows of a cache in one call; its finished workspace."""
    vowpalwabbit = library("vowpalwabbit")
    workspace = vowpalwabbit.Workspace(f"-d {path} --cache_file {path}.cache --quiet{options}")
    workspace.finish()
    return workspace


def _told(
    row: PeerRow, speeds: list[float] | None, medians: dict[str, float], error: str | None
) -> dict[str, Any]:
    return {
        "name": row.name,
        "n": row.n,
        "of": row.of,
        "rounds_per_second": medians.get(row.name),
        "slowest": min(speeds) if speeds else None,
        "fastest": max(speeds) if speeds else None,
        "times": medians[row.of] / medians[row.name] if row.of and speeds else None,
        "error": error,
    }


def table(found: dict[str, Any]) -> Group:
    """The measurements for a terminal."""
    shown = Table(box=None, padding=(0, 1))
    for name, right in COLUMNS:
        shown.add_column(name, justify="right" if right else "left", no_wrap=True)
    for row in found["rows"]:
        shown.add_row(*cells(row, "–"))
    errors = [f"{row['name']}: {row['error']}" for row in found["rows"] if row["error"]]
    below = "\n".join([line(found), *errors])
    return Group(shown, Text(_CAPTION, style="italic dim"), Text(below, style="dim"))


def cells(row: dict[str, Any], no_times: str = "") -> list[str]:
    """The cells of a row's table; ``no_times`` stands where ours is compared with nothing."""
    speeds = [row[key] for key in ("rounds_per_second", "slowest", "fastest")]
    numbers = ["–" if speed is None else f"{speed:,.0f}" for speed in speeds]
    times = no_times if row["times"] is None else f"{row['times']:.3g}"
    return [name_of(row), str(row["n"]), *numbers, times]


def name_of(row: dict[str, Any]) -> str:
    """An agent without its module."""
    return row["name"].rpartition(":")[2]
