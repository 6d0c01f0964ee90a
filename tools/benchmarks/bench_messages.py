"""Questions to a sandboxed agent and their answers, next to a bare pipe with the same bytes.

On an idle machine the median of a question is at most three times that of the bare pipe. The
judge, the agent and the other end of the pipe run on one core: waking another core takes many times
as long as the message, and the system decides at random when to use one. Seconds are those of the
wall clock.
"""

import itertools
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from time import perf_counter
from typing import Any

import numpy as np
import pytest

from banditgym.tasks import LinearTask
from leaderboards.sandbox.isolation import isolation
from leaderboards.sandbox.messages import HEADER
from leaderboards.sandbox.sandboxed_agent import FULL, PROCESS, SandboxedAgent

pytestmark = [
    pytest.mark.benchmark(timer=perf_counter),
    pytest.mark.parametrize("n", [1, 100]),
    pytest.mark.usefixtures("one_core"),
]
TASK = LinearTask(
    n_arms=10,
    dim=10,
    horizon=None,
    noise_std=1.0,
    subgaussian=1.0,
    feature_norm=1.0,
    param_norm=1.0,
)
_TIMES: dict[str, int] = {"rounds": 40, "iterations": 250, "warmup_rounds": 1}
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


@pytest.fixture
def one_core() -> Iterator[None]:
    """Runs this process and its children on one core."""
    cores = os.sched_getaffinity(0)
    os.sched_setaffinity(0, {min(cores)})
    yield
    os.sched_setaffinity(0, cores)


def _observations(n: int) -> list[np.ndarray]:
    shape = (n, TASK.n_arms, TASK.dim)
    return [np.random.default_rng(i).random(shape) for i in range(2)]


def bench_sandboxed_agent(benchmark: Any, n: int):
    """An act and an observation, with the highest isolation that there is here."""
    level = FULL if isolation().level == FULL else PROCESS
    benchmark.group = f"n={n}, isolation {level}"
    observations, reward = itertools.cycle(_observations(n)), np.zeros(n)
    spec = f"{Path(__file__).with_name('silent_agent.py')}:Silent"
    with SandboxedAgent(spec=spec, isolation=level) as agent:
        agent.reset(TASK, n=n)

        def asked() -> None:
            observation = next(observations)
            agent.observe(observation, agent.act(observation), reward)

        benchmark.pedantic(asked, **_TIMES)
        assert not any(agent.faults)


def bench_bare_pipe(benchmark: Any, n: int):
    """As many bytes to another process and back."""
    level = FULL if isolation().level == FULL else PROCESS
    benchmark.group = f"n={n}, isolation {level}"
    message, up = bytes(_observations(n)[0].nbytes + 8 + 16 * n), HEADER + 8 * n
    with subprocess.Popen(
        [sys.executable, "-c", _ECHO, str(len(message)), str(up)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        bufsize=0,
    ) as echo:
        write, read = echo.stdin.write, echo.stdout.read  # type: ignore[union-attr]

        def echoed() -> None:
            left, missing = memoryview(message), up
            while left:
                left = left[write(left) :]
            while missing:
                missing -= len(read(missing))

        benchmark.pedantic(echoed, **_TIMES)
        echo.stdin.close()  # type: ignore[union-attr]
