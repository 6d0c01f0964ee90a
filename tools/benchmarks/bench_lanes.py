"""Replicates with fixed arms that play side by side, and one after the other.

The figures support the rules of ``agents.numerics.ridge.factor_across.lanes_together`` for K > d,
and of ``agents.numerics.ridge.fixed_arms_across.width`` for K <= d.
"""

from typing import Any

import gymnasium
import pytest

import agents
import banditgym  # noqa: F401 (registers the environments)
from agents.numerics.ridge.factor_across import LOOP_LANES
from agents.parts import optimistic_rules

ROUNDS = 200  # of a block
CASES = (  # n, d, K
    *((96, *size) for size in ((5, 10), (10, 30), (20, 30), (20, 100), (20, 200), (20, 400))),
    *((96, *size) for size in ((50, 60), (50, 100), (100, 200))),
    *((n, 10, 10) for n in (4, 8, 32, 100, 300)),
    *((n, 30, 30) for n in (8, 48, 100)),
    *((n, 100, 100) for n in (8, 30)),
)
WAYS = ("one after the other", "side by side")


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("case", CASES, ids=lambda case: "n={} d={} K={}".format(*case))
def bench_block(benchmark: Any, monkeypatch: pytest.MonkeyPatch, case: tuple[int, ...], way: str):
    """A block of rounds of all replicates."""
    n, dim, n_arms = case
    few = n_arms <= dim
    rule, size = ("width", (n, n_arms)) if few else ("lanes_together", case)
    together = getattr(optimistic_rules, rule)(*size)
    chosen = WAYS[bool(together)]
    benchmark.group = f"n={n} d={dim} K={n_arms}; by the rule {chosen}"
    forced = 0 if way == WAYS[0] else together or (n if few else LOOP_LANES)
    monkeypatch.setattr(optimistic_rules, rule, lambda *_: forced)
    settings = {"dim": dim, "n_arms": n_arms, "fixed_arms": True, "horizon": ROUNDS}
    env: Any = gymnasium.make_vec("LinearBandit-v0", num_envs=n, **settings)
    env.reset(seed=0)
    agent = agents.LinUCB().reset(env.task, n=n)
    benchmark.pedantic(agent.play_block, (env.block(ROUNDS),), rounds=5, warmup_rounds=1)
