"""Measures single environments of each family beside those of another checkout of this project.

Run as ``python -m tools.speed.single_gains FOLDER [CASE ..]``. FOLDER is the other checkout,
such as ``git worktree add FOLDER COMMIT`` makes; a case is the beginning of a name, and by default
all are measured, which takes a minute once the code is compiled. It is not a test: a machine may be
busy. Each checkout plays in a process of its own. They take turns, so that other work slows both,
and the least CPU time of each counts. An environment gets actions from a list, without Gymnasium's
default wrappers and within them; then a light agent acts on it and observes.
"""

import json
import os
import subprocess
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import IO, Any, NamedTuple

from tools.speed import single_plays
from tools.speed.single_plays import ROUNDS, WAYS
from tools.speed.timed_turns import named

_TURNS = 5


class Case(NamedTuple):
    """An agent on an environment with its default settings."""

    name: str
    agent: str
    env: str


CASES = (
    Case("arms", "UCB1", "ArmedBandit-v0"),
    Case("features", "LinUCB", "LinearBandit-v0"),
    Case("labels", "Banditron", "SynSep-v0"),
    Case("points, sphere", "PEGE", "SphereBandit-v0"),
    Case("points, ellipsoid", "PEGE", "EllipsoidBandit-v0"),
    Case("points, l_p ball", "PEGE", "LpBallBandit-v0"),
    Case("kernels", "UniformRandom", "KernelBandit-v0"),
    Case("kernels, 1000 arms", "UniformRandom", "StarvationBandit-v0"),
    Case("losses", "OnlineGradientDescent", "OnlineConvex-v0"),
    Case("regression", "OnlineRidge", "OnlineRegression-v0"),
    Case("news", "UniformRandom", "NewsReplay-v0"),
)


class Gain(NamedTuple):
    """One line of the figures.

    Attributes
    ----------
    name : str
        The name of the case.
    way : str
        One of ``WAYS``.
    there, here : float
        Microseconds of CPU time per round, in the other checkout and in this one.
    """

    name: str
    way: str
    there: float
    here: float

    def __str__(self) -> str:
        return (
            f"{self.name:18} {self.way:18} {self.there:7.2f} us there, {self.here:7.2f} us here: "
            f"{self.there / self.here:5.2f}"
        )


def gains(folder: Path, names: Sequence[str] = ()) -> Iterator[Gain]:
    """Measure cases, by default all, in each way, beside the checkout in ``folder``."""
    cases = named(CASES, names)
    players = [Player(tree) for tree in (folder, Path(__file__).parents[2])]
    try:
        for case in cases:
            for way in WAYS:
                turns = [[player.spent(case, way) for player in players] for _ in range(_TURNS)]
                there, here = (1e6 * min(each) / ROUNDS for each in zip(*turns, strict=True))
                yield Gain(case.name, way, there, here)
    finally:
        for player in players:
            player.end()


class Player:
    """A process that plays with the packages of a checkout.

    Raises
    ------
    ValueError
        If there are no packages of ours in the folder.
    """

    def __init__(self, tree: Path):
        self._process = subprocess.Popen(
            [sys.executable, "-P", single_plays.__file__],
            env=os.environ | {"PYTHONPATH": str(tree.resolve())},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        found = Path(self._answer())
        if tree.resolve() not in found.parents:
            self.end()
            raise ValueError(f"{tree} is no checkout of this project: agents is {found}")

    def spent(self, case: Case, way: str) -> float:
        """CPU seconds of one episode."""
        to: IO[str] = self._process.stdin  # type: ignore[assignment]  # a pipe
        to.write(json.dumps([case.agent, case.env, way]) + "\n")
        to.flush()
        return self._answer()

    def end(self) -> None:
        """End the process."""
        self._process.communicate()

    def _answer(self) -> Any:
        answer = self._process.stdout.readline()  # type: ignore[union-attr]  # a pipe
        if not answer:
            raise RuntimeError("a play failed; its error is above")
        return json.loads(answer)


def main() -> None:
    """Measure, and print a line for each way of each case."""
    if len(sys.argv) < 2:
        raise SystemExit("name the folder of another checkout: single_gains FOLDER [CASE ..]")
    for gain in gains(Path(sys.argv[1]), sys.argv[2:]):
        print(gain, flush=True)


if __name__ == "__main__":
    main()
