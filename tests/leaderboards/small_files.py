"""A small suite, a small submission and a small epoch, as files that a test may change."""

from datetime import date
from pathlib import Path

from leaderboards.run.confinement import Confinement
from leaderboards.submit.epochs import stages as holding
from leaderboards.submit.epochs import verification

SUITE = """
title = "small"
seeds = 3

[[task]]
name = "one"
env = "ArmedBandit-v0"
horizon = 60
settings = { means = [0.2, 0.9] }

[[task]]
name = "other"
env = "LinearBandit-v0"
horizon = 60
settings = { dim = 3 }
"""
AGENT = '''
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

import agents
from banditgym.tasks import ArmedTask


@dataclass(kw_only=True, eq=False)
class Turns(agents.Agent):
    """Plays the arms in turn, from ``first`` on."""

    accepts: ClassVar = (ArmedTask,)

    first: int = 0
    step: int = 1

    def _start(self):
        pass

    def _choose(self, contexts):
        return (self.first + self.step * self.decisions) % self.task.n_arms

    def _learn(self, contexts, actions, reward, observed):
        pass
'''
MANIFEST = """schema = 1
name = "turns"
version = "1.0.0"
authors = ["A. Author"]
contact = "author@example.org"
license = "MIT"
entry = "agent.py:Turns"
paper = "nobody 2030"
facts = []

[hyperparameters]
first = 0

[tuning]
where = "nowhere"
on = "nothing"
trials = 0
"""
OF_AN_EPOCH = """
title = "small"
seeds = 3

[[task]]
name = "one"
env = "ArmedBandit-v0"
horizon = 60
settings = { n_arms = 2 }

[[task]]
name = "known"
env = "ArmedBandit-v0"
horizon = 60
settings = { means = [0.2, 0.9] }

[[task]]
name = "other"
env = "LinearBandit-v0"
horizon = 60
settings = { dim = 3, noise_std = 1.0 }
"""
RANGES = """
suite = "small"
[public]
known = "its means are written down"
[ranges.one]
n_arms = [2, 6]
[ranges.other]
dim = [2, 4]
noise_std = [0.5, 2.0]
"""
FIRST, CLOSES, REVEALS = date(2030, 1, 1), date(2030, 2, 1), date(2030, 3, 1)
AGENTS = ("UCB1", "UniformRandom", "LinUCB")


class HeldOut:
    """The files of an epoch, and each of its steps."""

    def __init__(self, folder: Path):
        self.folder = folder
        self.suite, self.path = folder / "small.toml", folder / "epochs" / "first.json"
        self.secret, self.store = folder / "first.secret", folder / "store"
        self.suite.write_text(OF_AN_EPOCH)
        (folder / "small.held-out.toml").write_text(RANGES)

    def new(self, **changes):
        """Commit to the epoch."""
        settings = {
            "suite": str(self.suite), "draws": 2, "replicates": 3, "maintainer": "M. Aintainer",
            "committed": FIRST, "closes": CLOSES, "reveals": REVEALS, "demonstration": False,
        }  # fmt: skip
        return holding.new(self.path, self.secret, **(settings | changes))

    def open(self):
        """Play our agents."""
        return holding.open_(
            self.path, self.secret, self.store, agents=AGENTS, workers=1, today=FIRST
        )

    def verify(self, submission, today=CLOSES, isolation="full", audit=False):
        """Verify a submission."""
        confinement = Confinement(isolation=isolation, audit=audit)
        return verification.verify(
            submission, self.path, self.secret, self.store, confinement=confinement, workers=1,
            today=today,
        )  # fmt: skip

    def reveal(self, today=REVEALS):
        """Publish the secret and the rows."""
        return holding.reveal(self.path, self.secret, self.store, today=today)


def replaced(folder: Path, old: str, new: str, file: str = "submission.toml") -> None:
    """Replace a text of a file, which must be there."""
    text = (folder / file).read_text()
    assert old in text
    (folder / file).write_text(text.replace(old, new))
