"""Measures what playing in tiles of replicates gains, on one thread and on several.

Run as ``python -m tools.speed.tile_gains [CASE ..]``; a case is the beginning of a name, and
by default all are played, which takes some minutes. The figures support the rule of
``agents.tiles.n_tiles``. It is not a test: a machine may be busy. The ways are played in turns in
one run, so that other work slows all, and the least time of each counts. Times are those of the
wall clock, of a whole play with its resets: threads take no less CPU time.
"""

import sys
from collections.abc import Iterator, Sequence
from functools import partial
from time import perf_counter
from typing import Any, NamedTuple

import gymnasium
from threadpoolctl import threadpool_limits

import agents
import banditgym  # noqa: F401 (registers the environments)
from tools.speed.block_gains import ARMS, ROWS
from tools.speed.timed_turns import in_turns, named

_TURNS = 2
_THREADS = 2
_WIDE = {"dim": 100}


class Case(NamedTuple):
    """An agent on an environment, the replicate-rounds of a play, and its rounds at least."""

    name: str
    agent: str
    env: str
    settings: dict[str, Any]
    played: int
    least: int = 100


CASES = (
    Case("LinUCB, fresh arms, d=10", "LinUCB", "LinearBandit-v0", ARMS, 400_000),
    Case("LinUCB, fresh arms, d=100", "LinUCB", "LinearBandit-v0", ARMS | _WIDE, 60_000, 20),
    Case(
        "LinUCB, fixed arms, d=10",
        "LinUCB",
        "LinearBandit-v0",
        ARMS | {"fixed_arms": True},
        2_000_000,
    ),
    Case("OnlineRidge, d=10", "OnlineRidge", "OnlineRegression-v0", ROWS, 1_000_000),
    Case("OnlineRidge, d=100", "OnlineRidge", "OnlineRegression-v0", ROWS | _WIDE, 60_000, 20),
    Case("Banditron, SynSep-v0", "Banditron", "SynSep-v0", {}, 400_000),
    Case("OFUL, fresh arms, d=10", "OFUL", "LinearBandit-v0", ARMS, 400_000),
    Case("OFUL, fresh arms, d=100", "OFUL", "LinearBandit-v0", ARMS | _WIDE, 60_000, 20),
    Case("GPUCB, 100 arms", "GPUCB", "KernelBandit-v0", {}, 200_000),
)
SIZES = (100, 1000, 10_000)


class Gain(NamedTuple):
    """One line of the figures.

    Attributes
    ----------
    name : str
        The name of the case.
    n : int
        Number of replicates.
    batch, one, several : float
        Wall-clock microseconds per replicate and round: in one batch, in tiles on one thread, and
        on two threads.
    """

    name: str
    n: int
    batch: float
    one: float
    several: float

    def __str__(self) -> str:
        return (
            f"{self.name:26} n ={self.n:6}: {self.batch:7.3f} us in one batch, {self.one:7.3f} in "
            f"tiles, {self.several:7.3f} on {_THREADS} threads: "
            f"{self.batch / self.one:5.2f} {self.batch / self.several:5.2f}"
        )


def gains(names: Sequence[str] = ()) -> Iterator[Gain]:
    """Measure cases, by default all, at every number of replicates."""
    for case in named(CASES, names):
        for n in SIZES:
            horizon = max(case.least, case.played // n)
            env = gymnasium.make_vec(case.env, num_envs=n, horizon=horizon, **case.settings)
            with threadpool_limits(1):
                spent = _spent(env, agents.resolve(case.agent))
            yield Gain(case.name, n, *(1e6 * each / (n * horizon) for each in spent))


def _spent(env: Any, agent: Any) -> tuple[float, float, float]:
    """The least seconds of a play in one batch, in tiles, and in tiles on several threads."""
    plays = [partial(agents.play, env, agent, threads=way) for way in (None, 1, _THREADS)]
    for play in plays:
        play(horizon=2)  # compiles
    batch, one, several = map(min, in_turns(plays, _TURNS, perf_counter))
    return batch, one, several


def main() -> None:
    """Measure, and print a line for each case at each number of replicates."""
    for gain in gains(sys.argv[1:]):
        print(gain, flush=True)


if __name__ == "__main__":
    main()
