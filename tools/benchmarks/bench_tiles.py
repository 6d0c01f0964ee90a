"""Plays in one batch, and in tiles of replicates on one thread and on two.

The figures support the rule of ``agents.tiles.n_tiles``. Seconds are those of the wall clock:
threads take no less CPU time.
"""

from time import perf_counter
from typing import Any, NamedTuple

import gymnasium
import pytest
from threadpoolctl import threadpool_limits

import agents
import banditgym  # noqa: F401 (registers the environments)

_ROWS: dict[str, Any] = {"dim": 10, "contexts": "gaussian"}
_ARMS, _WIDE = {**_ROWS, "n_arms": 10}, {"dim": 100}
_FIXED = {**_ARMS, "fixed_arms": True}


class Case(NamedTuple):
    """An agent on an environment, the replicate-rounds of a play, and its rounds at least."""

    name: str
    agent: str
    env: str
    settings: dict[str, Any]
    played: int
    least: int = 100


CASES = (
    Case("LinUCB, fresh arms, d=10", "LinUCB", "LinearBandit-v0", _ARMS, 400_000),
    Case("LinUCB, fresh arms, d=100", "LinUCB", "LinearBandit-v0", _ARMS | _WIDE, 60_000, 20),
    Case("LinUCB, fixed arms, d=10", "LinUCB", "LinearBandit-v0", _FIXED, 2_000_000),
    Case("OnlineRidge, d=10", "OnlineRidge", "OnlineRegression-v0", _ROWS, 1_000_000),
    Case("OnlineRidge, d=100", "OnlineRidge", "OnlineRegression-v0", _ROWS | _WIDE, 60_000, 20),
    Case("Banditron, SynSep-v0", "Banditron", "SynSep-v0", {}, 400_000),
    Case("OFUL, fresh arms, d=10", "OFUL", "LinearBandit-v0", _ARMS, 400_000),
    Case("OFUL, fresh arms, d=100", "OFUL", "LinearBandit-v0", _ARMS | _WIDE, 60_000, 20),
    Case("GPUCB, 100 arms", "GPUCB", "KernelBandit-v0", {}, 200_000),
)
# The threads that ``agents.play`` is given.
WAYS = {"in one batch": None, "in tiles": 1, "on 2 threads": 2}


@pytest.mark.benchmark(timer=perf_counter)
@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("n", [100, 1000, 10_000])
@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def bench_play(benchmark: Any, case: Case, n: int, way: str):
    """A whole play of all replicates, with its resets."""
    benchmark.group = f"{case.name}, n={n}"
    horizon = max(case.least, case.played // n)
    env = gymnasium.make_vec(case.env, num_envs=n, horizon=horizon, **case.settings)
    agent, threads = agents.resolve(case.agent), WAYS[way]
    with threadpool_limits(1):
        agents.play(env, agent, threads=threads, horizon=2)  # compiles
        benchmark.pedantic(agents.play, (env, agent), {"threads": threads}, rounds=2)
