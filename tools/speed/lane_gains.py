"""Measures where replicates with fixed arms play faster side by side than one after the other.

Run as ``python -m tools.speed.lane_gains``. The figures support the rules of
``agents.numerics.ridge.factor_across.lanes_together`` for K > d, and of
``agents.numerics.ridge.fixed_arms_across.width`` for K <= d. It is not a test: a machine may be
busy. Both ways are played in turns in one run, so that other work slows both, and the least CPU
time of each counts.
"""

from collections.abc import Iterator
from functools import partial
from typing import Any, NamedTuple
from unittest.mock import patch

import gymnasium

import agents
import banditgym  # noqa: F401 (registers the environments)
from agents.numerics.ridge.factor_across import LOOP_LANES
from agents.parts import linear_blocks
from tools.speed.timed_turns import in_turns

_TURNS = 5
_ROUNDS = 200  # of a block
CASES = (  # n, d, K
    *((96, *size) for size in ((5, 10), (10, 30), (20, 30), (20, 100), (20, 200), (20, 400))),
    *((96, *size) for size in ((50, 60), (50, 100), (100, 200))),
    *((n, 10, 10) for n in (4, 8, 32, 100, 300)),
    *((n, 30, 30) for n in (8, 48, 100)),
    *((n, 100, 100) for n in (8, 30)),
)


class Gain(NamedTuple):
    """One line of the figures.

    Attributes
    ----------
    n, dim, n_arms : int
        Numbers of replicates, features and arms.
    together : int
        How many replicates the rule plays side by side; 0 for one after the other.
    apart, across : float
        Nanoseconds per replicate and round, one after the other and side by side.
    """

    n: int
    dim: int
    n_arms: int
    together: int
    apart: float
    across: float

    def __str__(self) -> str:
        return (
            f"n ={self.n:4} d ={self.dim:4} K ={self.n_arms:4}: {self.apart:7.0f} ns one after the "
            f"other, {self.across:7.0f} side by side, {self.apart / self.across:5.2f}; "
            f"the rule: {self.together or 'one after the other'}"
        )


def gains() -> Iterator[Gain]:
    """Measure every case."""
    for n, dim, n_arms in CASES:
        few = n_arms <= dim
        name, size = ("width", (n, n_arms)) if few else ("lanes_together", (n, dim, n_arms))
        rule = getattr(linear_blocks, name)(*size)
        forced = rule or (n if few else LOOP_LANES)
        apart, across = _spent(n, dim, n_arms, name, forced)
        yield Gain(n, dim, n_arms, rule, *(1e9 * s / (n * _ROUNDS) for s in (apart, across)))


def _spent(n: int, dim: int, n_arms: int, rule: str, together: int) -> tuple[float, float]:
    """The least CPU seconds of a block one after the other, and ``together`` side by side."""
    settings = {"dim": dim, "n_arms": n_arms, "fixed_arms": True, "horizon": _ROUNDS}
    env: Any = gymnasium.make_vec("LinearBandit-v0", num_envs=n, **settings)
    env.reset(seed=0)
    agent = agents.LinUCB().reset(env.task, n=n)
    block = env.block(_ROUNDS)

    def played(lanes: int) -> None:
        with patch.object(linear_blocks, rule, lambda *_: lanes):
            agent.play_block(block)

    plays = [partial(played, 0), partial(played, together)]
    apart, across = map(min, in_turns(plays, _TURNS + 1))  # the first turn compiles
    return apart, across


def main() -> None:
    """Measure, and print a line for each case."""
    for gain in gains():
        print(gain, flush=True)


if __name__ == "__main__":
    main()
