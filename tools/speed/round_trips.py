"""Measures the cost of a question to a sandboxed agent, next to a bare pipe with the same bytes.

Run as ``python -m tools.speed.round_trips``. It is not a test: a machine may be busy. Both
are measured in turns in one run, so that other work slows both. The judge, the agent and the
other end of the bare pipe run on one core: waking another core takes many times as long as the
message, and the system decides at random when to use one.
"""

import os
import subprocess
import sys
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from statistics import median
from time import perf_counter

import numpy as np

from banditgym.tasks import LinearTask
from leaderboards.sandbox.isolation import isolation
from leaderboards.sandbox.messages import HEADER
from leaderboards.sandbox.sandboxed_agent import FULL, PROCESS, SandboxedAgent
from tools.speed.timed_turns import in_turns

AIM = 3.0  # times a bare pipe
_TURNS, _ROUNDS = 40, 250
_ARMS, _DIM = 10, 10
# Reads ``down`` bytes and writes ``up`` bytes, until its input ends.
_ECHO = (
    "import os, sys\n"
    "down, up = map(int, sys.argv[1:])\n"
    "reply = bytes(up)\n"
    "while True:\n"
    "    left = down\n"
    "    while left:\n"
    "        piece = os.read(0, left)\n"
    "        if not piece: sys.exit()\n"
    "        left -= len(piece)\n"
    "    os.write(1, reply)\n"
)


@dataclass(frozen=True)
class RoundTrip:
    """The cost of a round trip.

    Attributes
    ----------
    n : int
        Number of replicates.
    down, up : int
        Bytes to the agent, including the observation, and back.
    sandboxed, bare : float
        Seconds: medians over turns.
    isolation : str
        The agent's isolation.
    """

    n: int
    down: int
    up: int
    sandboxed: float
    bare: float
    isolation: str

    @property
    def ratio(self) -> float:
        """The cost as a multiple of a bare pipe's."""
        return self.sandboxed / self.bare


def round_trip(n: int, turns: int = _TURNS, rounds: int = _ROUNDS) -> RoundTrip:
    """Measure one size.

    Parameters
    ----------
    n : int
    turns : int
        Number of turns of each of the two.
    rounds : int
        Number of round trips in a turn.
    """
    level = FULL if isolation().level == FULL else PROCESS
    task = LinearTask(
        n_arms=_ARMS,
        dim=_DIM,
        horizon=None,
        noise_std=1.0,
        subgaussian=1.0,
        feature_norm=1.0,
        param_norm=1.0,
    )
    shown = [np.random.default_rng(i).random((n, _ARMS, _DIM)) for i in range(2)]
    reward = np.zeros(n)
    spec = f"{Path(__file__).with_name('silent.py')}:Silent"
    down, up = shown[0].nbytes + 8 + 16 * n, HEADER + 8 * n
    echo = subprocess.Popen(
        [sys.executable, "-c", _ECHO, str(down), str(up)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        bufsize=0,
    )
    with SandboxedAgent(spec=spec, isolation=level) as agent, echo:
        agent.reset(task, n=n)

        def asked() -> None:
            for t in range(rounds):
                observation = shown[t % 2]
                actions = agent.act(observation)
                agent.observe(observation, actions, reward)

        plays = [asked, partial(_through, echo, bytes(down), up, rounds)]
        ours, bare = (median(s) / rounds for s in in_turns(plays, turns, perf_counter))
        if any(agent.faults):
            raise RuntimeError(f"the measured agent failed: {agent.faults[0]}")
        assert echo.stdin is not None
        echo.stdin.close()
    return RoundTrip(n, down, up, ours, bare, level)


def _through(echo: subprocess.Popen, message: bytes, up: int, rounds: int) -> None:
    write, read = echo.stdin.write, echo.stdout.read  # type: ignore[union-attr]
    for _ in range(rounds):
        left = memoryview(message)
        while left:
            left = left[write(left) :]
        missing = up
        while missing:
            missing -= len(read(missing))


def main() -> None:
    """Measure n = 1 and n = 100, and print a line for each."""
    os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})  # child processes inherit it
    for n in (1, 100):
        found = round_trip(n)
        print(
            f"n = {n}: {1e6 * found.sandboxed:.1f} us ({found.isolation}) for {found.down} bytes "
            f"down and {found.up} up, a bare pipe {1e6 * found.bare:.1f} us: "
            f"{found.ratio:.2f} times, at most {AIM:g}"
        )


if __name__ == "__main__":
    main()
