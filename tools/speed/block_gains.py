"""Measures where playing in blocks of rounds is faster than playing round by round.

Run as ``python -m tools.speed.block_gains``. The figures support the rule of
``banditgym.rounds.blocks.rounds_per_block``. It is not a test: a machine may be busy. Both ways
are played in turns in one run, so that other work slows both, and the least CPU time of each
counts.
"""

from collections.abc import Iterator
from functools import partial
from typing import Any, NamedTuple
from unittest.mock import patch

import gymnasium
from threadpoolctl import threadpool_limits

import agents
import banditgym  # noqa: F401 (registers the environments)
from banditgym.rounds import blocks
from tools.speed.timed_turns import in_turns

_TURNS = 7
_REPLICATE_ROUNDS, _LEAST_HORIZON = 12_000, 100  # of a play
ROWS: dict[str, Any] = {"dim": 10, "contexts": "gaussian"}
ARMS = {**ROWS, "n_arms": 10}


class Case(NamedTuple):
    """An agent on an environment, at several numbers of replicates."""

    name: str
    agent: str
    env: str
    settings: dict[str, Any]
    sizes: tuple[int, ...]


CASES = (
    Case("fresh arms", "LinUCB", "LinearBandit-v0", ARMS, (1, 2, 10, 30, 60, 100)),
    Case("fresh arms, d=100", "LinUCB", "LinearBandit-v0", {**ARMS, "dim": 100}, (1, 3, 5, 10)),
    Case("fixed arms", "LinUCB", "LinearBandit-v0", {**ARMS, "fixed_arms": True}, (1, 2, 10, 100)),
    Case("labels", "Banditron", "SynSep-v0", {}, (1, 2, 10, 100, 300)),
    Case("regression", "OnlineRidge", "OnlineRegression-v0", ROWS, (1, 2, 10, 100, 1000)),
    Case("points", "PEGE", "SphereBandit-v0", {"dim": 10}, (1, 2, 10, 100, 1000)),
    Case("news", "LinUCB", "NewsReplay-v0", {"features": "article"}, (1, 2, 10, 60, 100)),
)


class Gain(NamedTuple):
    """One line of the figures.

    Attributes
    ----------
    name : str
        The name of the case.
    n : int
        Number of replicates.
    held : int
        How many rounds a block holds, at most those of a play.
    singly, together : float
        Microseconds per round of all replicates, environment and agent, round by round and in
        blocks.
    """

    name: str
    n: int
    held: int
    singly: float
    together: float

    def __str__(self) -> str:
        return (
            f"{self.name:18} n ={self.n:5} {self.held:6} rounds in a block: {self.singly:7.1f} us "
            f"round by round, {self.together:7.1f} us in blocks, {self.singly / self.together:5.2f}"
        )


def gains() -> Iterator[Gain]:
    """Measure every case at each of its sizes."""
    for case in CASES:
        for n in case.sizes:
            horizon = max(_LEAST_HORIZON, _REPLICATE_ROUNDS // n)
            env = gymnasium.make_vec(case.env, num_envs=n, horizon=horizon, **case.settings)
            agent: Any = agents.resolve(case.agent)
            with threadpool_limits(1):
                held, spent = _rounds_held(env, agent), _spent(env, agent)
            yield Gain(case.name, n, held, *(1e6 * seconds / horizon for seconds in spent))


def _rounds_held(env: Any, agent: Any) -> int:
    env.reset(seed=0)
    agent.reset(env.task, n=env.num_envs)
    with patch.object(blocks, "LEAST_ROUNDS", 1):
        return len(agent.play_block(env.block(env.task.horizon)))


def _spent(env: Any, agent: Any) -> tuple[float, float]:
    """The least CPU seconds of a play round by round, and of one in blocks of any length."""

    def played(least: int) -> None:
        with patch.object(blocks, "LEAST_ROUNDS", least):
            agents.play(env, agent)

    plays = [partial(played, 1 << 62), partial(played, 1)]
    singly, together = map(min, in_turns(plays, _TURNS + 1))  # the first turn compiles
    return singly, together


def main() -> None:
    """Measure, and print a line for each size of each case."""
    for gain in gains():
        print(gain, flush=True)


if __name__ == "__main__":
    main()
