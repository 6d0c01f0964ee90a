"""A small epoch, from its secret to its reveal, in a folder of its own."""

from dataclasses import replace
from datetime import date
from pathlib import Path

import pytest

from leaderboards.heldout import holding, lock
from leaderboards.processes.workers import Here
from leaderboards.run import runner
from leaderboards.run.confinement import HERE, Confinement
from leaderboards.submit import asking, playing

SUITE = """
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
AGENT = """
from dataclasses import dataclass
from typing import ClassVar

import agents
from banditgym.tasks import ArmedTask


@dataclass(kw_only=True, eq=False)
class Turns(agents.Agent):
    accepts: ClassVar = (ArmedTask,)

    def _start(self):
        pass

    def _choose(self, contexts):
        return self.decisions % self.task.n_arms

    def _learn(self, contexts, actions, reward, observed):
        pass
"""
MANIFEST = """schema = 1
name = "turns"
version = "1.0.0"
authors = ["A. Author"]
contact = "author@example.org"
license = "MIT"
entry = "agent.py:Turns"
paper = "nobody 2030"
facts = []
hyperparameters = {}
tuning = { where = "nowhere", on = "nothing", trials = 0 }
"""
FIRST, CLOSES, REVEALS = date(2030, 1, 1), date(2030, 2, 1), date(2030, 3, 1)
AGENTS = ("UCB1", "UniformRandom", "LinUCB")


class Small:
    """The files of an epoch."""

    def __init__(self, folder: Path):
        self.folder = folder
        self.suite, self.path = folder / "small.toml", folder / "epochs" / "first.json"
        self.secret, self.store = folder / "first.secret", folder / "store"
        self.suite.write_text(SUITE)
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
        return holding.verify(
            submission, self.path, self.secret, self.store, confinement=confinement, workers=1,
            today=today,
        )  # fmt: skip

    def reveal(self, today=REVEALS):
        """Publish the secret and the rows."""
        return holding.reveal(self.path, self.secret, self.store, today=today)


@pytest.fixture
def small(tmp_path, monkeypatch):
    """An epoch's files, with a lock that no network is needed for."""

    def locked(path):
        path.write_text(f"numpy==1.0 \\\n    --hash=sha256:{'0' * 64}\n")

    monkeypatch.setattr(lock, "write", locked)
    monkeypatch.setattr(lock, "differences", lambda path: [])
    # Cells are played in this process: no other one has to start.
    monkeypatch.setattr(runner, "Processes", lambda workers: Here())
    monkeypatch.setattr(playing, "Processes", lambda workers: Here())
    return Small(tmp_path)


@pytest.fixture
def turns(tmp_path):
    """The folder of a submission."""
    folder = tmp_path / "turns"
    folder.mkdir()
    (folder / "agent.py").write_text(AGENT)
    (folder / "submission.toml").write_text(MANIFEST)
    return folder


@pytest.fixture
def unconfined(monkeypatch):
    """Let rows say ``full`` though the agent plays here: what is tested is the bookkeeping."""
    original = playing.played

    def played(game):
        return original(replace(game, confinement=HERE))

    asked = asking.described

    def described(submission, folder, tasks, isolation):
        return asked(submission, folder, tasks, "none")

    monkeypatch.setattr(playing, "played", played)
    monkeypatch.setattr(asking, "described", described)
