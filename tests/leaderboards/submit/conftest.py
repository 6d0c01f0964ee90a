"""A small submission to change, and a root without others."""

import shutil
from pathlib import Path

import pytest

from leaderboards.submit import starting

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


@pytest.fixture
def root(tmp_path, monkeypatch):
    """An empty folder in the place of the repository's submissions."""
    folder = tmp_path / "submissions"
    folder.mkdir()
    return folder


@pytest.fixture
def mine(tmp_path):
    """A submission of a few lines."""
    folder = tmp_path / "mine"
    folder.mkdir()
    (folder / "agent.py").write_text(AGENT)
    (folder / "submission.toml").write_text(MANIFEST)
    return folder


@pytest.fixture
def small(tmp_path):
    """The path of a small suite."""
    path = tmp_path / "small.toml"
    path.write_text(SUITE)
    return path


@pytest.fixture
def example(tmp_path, root):
    """What ``banditgym submit new`` writes."""
    starting.write(tmp_path / "example", root)
    yield tmp_path / "example"
    shutil.rmtree(tmp_path / "example")


def replaced(folder: Path, old: str, new: str, file: str = "submission.toml") -> None:
    """Replace a text of a file, which must be there."""
    text = (folder / file).read_text()
    assert old in text
    (folder / file).write_text(text.replace(old, new))
