"""Agents that misbehave, each in its own way, for the tests of the runner."""

import ctypes
import os
import time
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

import numba
import numpy as np

from agents import Agent, derived_seeds
from banditgym.tasks import ArmedTask


@numba.njit
def _spin(x):
    """A loop without end in compiled code: it holds the interpreter's lock."""
    while x[0] < 1.0:
        x[0] *= 0.5
    return x[0]


@dataclass(kw_only=True, eq=False)
class Good(Agent):
    """Always the first arm; ``trouble`` comes in round 5, after the warm-up."""

    accepts: ClassVar = (ArmedTask,)

    def _start(self):
        self.t = 0

    def _choose(self, contexts):
        self.t += 1
        if self.t == 5:
            self.trouble()
        return np.zeros(self.n, np.int64)

    def _learn(self, contexts, actions, reward, observed):
        pass

    def trouble(self):
        pass


@dataclass(kw_only=True, eq=False)
class Slow(Good):
    """Takes its time, and waits for a file if it is given one, so that a run can be interrupted.

    It prints, which must not matter.
    """

    seconds: float = 0.3
    until: str = ""

    def trouble(self):
        print("noise on stdout")
        time.sleep(self.seconds)
        while self.until and not Path(self.until).exists():
            time.sleep(0.05)


@dataclass(kw_only=True, eq=False)
class Raises(Good):
    def trouble(self):
        raise RuntimeError("no\nidea")


@dataclass(kw_only=True, eq=False)
class RaisesOnThree(Good):
    """Fails where one of its replicates has the seed that ``play`` derives from 3."""

    def trouble(self):
        if set(derived_seeds(3)) & set(self.seeds):
            raise RuntimeError("three")


@dataclass(kw_only=True, eq=False)
class NotANumber(Good):
    def _choose(self, contexts):
        return np.full(self.n, np.nan)


@dataclass(kw_only=True, eq=False)
class OutOfRange(Good):
    def _choose(self, contexts):
        return np.full(self.n, -1)


@dataclass(kw_only=True, eq=False)
class Leaves(Good):
    def trouble(self):
        raise SystemExit(3)


class Own(BaseException):
    """An error of an unknown kind."""


@dataclass(kw_only=True, eq=False)
class Interrupts(Good):
    """Raises what only the interpreter and its user do, by name."""

    kind: str = "KeyboardInterrupt"

    def trouble(self):
        raise {"GeneratorExit": GeneratorExit, "Own": Own}.get(self.kind, KeyboardInterrupt)("me")


@dataclass(kw_only=True, eq=False)
class Patches(Good):
    """Changes a rival, and numpy, for whoever plays after it in its process."""

    def trouble(self):
        import agents

        agents.UCB1._choose = lambda self, contexts: np.zeros(self.n, np.int64)
        np.random.SeedSequence = np.full = None  # type: ignore[assignment]


@dataclass(kw_only=True, eq=False)
class Cheats(Good):
    """Changes what it is paid and loses, by the frame of the loop that counts it."""

    def trouble(self):
        import sys

        frame = sys._getframe()
        while "sums" not in frame.f_locals:
            frame = frame.f_back
        frame.f_locals["sums"]._totals["regret"] = np.full(self.n, -50.0)


@dataclass(kw_only=True, eq=False)
class Forges(Good):
    """Has no plain answer to what it is."""

    numbers: object = None

    def facts(self):
        raise KeyError("who asks")


@dataclass(kw_only=True, eq=False)
class Sleeps(Good):
    def trouble(self):
        time.sleep(1e6)


@dataclass(kw_only=True, eq=False)
class Burns(Good):
    """Computes for ever, on the seed that ``play`` derives from ``on``; on all if that is -1."""

    on: int = -1

    def trouble(self):
        while self.on < 0 or set(derived_seeds(self.on)) & set(self.seeds):
            pass


@dataclass(kw_only=True, eq=False)
class Spends(Good):
    """Uses so many CPU seconds for each replicate."""

    seconds: float = 0.5

    def trouble(self):
        end = time.process_time() + self.seconds * self.n
        while time.process_time() < end:
            pass


@dataclass(kw_only=True, eq=False)
class Exits(Good):
    def trouble(self):
        os._exit(0)


@dataclass(kw_only=True, eq=False)
class Crashes(Good):
    def trouble(self):
        ctypes.string_at(0)


@dataclass(kw_only=True, eq=False)
class Hangs(Good):
    """Leaves a file in the folder ``sign``, if given, before it is lost."""

    sign: str = ""

    def trouble(self):
        _spin(np.ones(1))  # compiled before the sign is given
        if self.sign:
            Path(self.sign, str(os.getpid())).touch()
        _spin(np.zeros(1))


@dataclass(kw_only=True, eq=False)
class Refuses(Good):
    def refusal(self, task):
        return "it does\nnot want to"
