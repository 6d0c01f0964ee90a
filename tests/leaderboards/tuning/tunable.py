"""Agents and a suite that are tuned in a second or two."""

import time
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

import numpy as np

from agents import Agent
from agents.search import Choice, Log
from banditgym.tasks import ArmedTask, LinearTask
from leaderboards.suites.baselines_file import Baselines
from leaderboards.tuning.trials import play

PLACE = f"{Path(__file__)}:"
TINY = """title = "Tiny"
seeds = 4
[[task]]
name = "coins"
env = "ArmedBandit-v0"
horizon = 60
settings = { n_arms = 3 }
[[task]]
name = "rare"
env = "ArmedBandit-v0"
ranking = "armed-rare"
horizon = 40
settings = { means = [0.1, 0.05, 0.02] }
[[task]]
name = "arms"
env = "LinearBandit-v0"
horizon = 30
settings = { dim = 3 }
"""


def baselines_of(suite):
    """The baselines of a suite whose measures are regrets."""
    finals = play("UniformRandom", suite).finals
    return {
        name: Baselines(dict(zip(suite.seeds, values, strict=True)))
        for name, values in finals.items()
    }


@dataclass(kw_only=True, eq=False)
class Fixed(Agent):
    """Always the same arm, which is best for some seeds: all that tuning finds is a seed's."""

    accepts: ClassVar = (ArmedTask,)
    search: ClassVar = {"arm": Choice(tuple(range(10)))}

    arm: int = 0

    def _start(self):
        pass

    def _choose(self, contexts):
        return np.full(self.n, self.arm)

    def _learn(self, contexts, actions, reward, observed):
        pass


@dataclass(kw_only=True, eq=False)
class Heavy(Fixed):
    """Takes ``seconds`` of CPU time in its first decision, and raises with a ``width`` above 5."""

    accepts: ClassVar = (ArmedTask, LinearTask)
    search: ClassVar = {"seconds": Choice((0.0, 3.0))}

    seconds: float = 0.0
    width: float = 1.0

    def _start(self):
        self.worked = False

    def _choose(self, contexts):
        begin = time.thread_time()
        while not self.worked and time.thread_time() < begin + self.seconds:
            pass
        self.worked = True
        if self.width > 5.0:
            raise ArithmeticError("too wide")
        return super()._choose(contexts)


@dataclass(kw_only=True, eq=False)
class Wide(Heavy):
    """Fails for most of its space."""

    search: ClassVar = {"width": Log(0.1, 1000.0)}
