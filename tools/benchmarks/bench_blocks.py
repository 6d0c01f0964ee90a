"""Plays in blocks of rounds, and round by round.

The figures support the rule of ``banditgym.rounds.blocks.rounds_per_block``.
"""

from typing import Any, NamedTuple

import gymnasium
import pytest
from threadpoolctl import threadpool_limits

import agents
import banditgym  # noqa: F401 (registers the environments)
from banditgym.rounds import blocks

REPLICATE_ROUNDS, LEAST_HORIZON = 12_000, 100  # of a play
_ROWS: dict[str, Any] = {"dim": 10, "contexts": "gaussian"}
_ARMS = {**_ROWS, "n_arms": 10}


class Case(NamedTuple):
    """An agent on an environment, at several numbers of replicates."""

    name: str
    agent: str
    env: str
    settings: dict[str, Any]
    sizes: tuple[int, ...]


CASES = (
    Case("arms", "UCB1", "ArmedBandit-v0", {}, (1, 2, 10, 100)),
    Case("fresh arms", "LinUCB", "LinearBandit-v0", _ARMS, (1, 2, 10, 30, 60, 100)),
    Case("fresh arms, d=100", "LinUCB", "LinearBandit-v0", {**_ARMS, "dim": 100}, (1, 3, 5, 10)),
    Case("fixed arms", "LinUCB", "LinearBandit-v0", {**_ARMS, "fixed_arms": True}, (1, 2, 10, 100)),
    Case("labels", "Banditron", "SynSep-v0", {}, (1, 2, 10, 100, 300)),
    Case("regression", "OnlineRidge", "OnlineRegression-v0", _ROWS, (1, 2, 10, 100, 1000)),
    Case("points", "PEGE", "SphereBandit-v0", {"dim": 10}, (1, 2, 10, 100, 1000)),
    Case("news", "LinUCB", "NewsReplay-v0", {"features": "article"}, (1, 2, 10, 60, 100)),
)
# The fewest rounds that are played as a block.
WAYS = {"round by round": 1 << 62, "in blocks": 1}


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize(
    ("case", "n"),
    [pytest.param(case, n, id=f"{case.name}, n={n}") for case in CASES for n in case.sizes],
)
def bench_play(benchmark: Any, monkeypatch: pytest.MonkeyPatch, case: Case, n: int, way: str):
    """A play of all replicates."""
    benchmark.group = f"{case.name}, n={n}"
    horizon = max(LEAST_HORIZON, REPLICATE_ROUNDS // n)
    env = gymnasium.make_vec(case.env, num_envs=n, horizon=horizon, **case.settings)
    monkeypatch.setattr(blocks, "LEAST_ROUNDS", WAYS[way])
    with threadpool_limits(1):
        play = (env, agents.resolve(case.agent))
        benchmark.pedantic(agents.play, play, rounds=7, warmup_rounds=1)
