"""The memory of a replicate, of agents that take a known amount."""

import pytest

from leaderboards.suites.suite import SuiteTask
from tools.libraries import memory

TASK = SuiteTask(name="one", env="ArmedBandit-v0", settings={}, horizon=3, family="armed")
SOURCE = """
from dataclasses import dataclass
import agents
import numpy as np

IMPORTED = np.ones(30 << 17)  # 30 MiB

@dataclass(kw_only=True, eq=False)
class Big(agents.UniformRandom):
    library = "numpy"

    def _start(self):
        self.big = np.ones(100 << 17)  # 100 MiB
        super()._start()

class Broken(Big):
    def _start(self):
        raise RuntimeError("no room")
"""


@pytest.fixture
def file(tmp_path):
    path = tmp_path / "own.py"
    path.write_text(SOURCE)
    return path


def test_it_is_what_a_replicate_takes_beyond_the_imports(file):
    """The first compiled code takes some 50 MiB more, and what is imported counts for nothing."""
    found = memory.measured(f"{file}:Big", TASK)
    assert found.keys() == {"library", "version", "task", "mebibytes"}
    assert (found["library"], found["task"]) == ("numpy", "one")
    assert found["version"].startswith("2.")
    assert 100 < found["mebibytes"] < 400


def test_the_peak_of_the_imports_is_subtracted(monkeypatch):
    told = {"library": "numpy", "version": "2.0"}
    monkeypatch.setattr(memory, "_told", lambda _, task: told | {"peak": 5120 if task else 2048})
    assert memory.measured("UCB1", TASK) == told | {"task": "one", "mebibytes": 3.0}


def test_an_agent_that_cannot_play_is_told_with_its_reason(file):
    found = memory.measured(f"{file}:Broken", TASK)
    assert found["error"] == "RuntimeError: no room"
    assert "mebibytes" not in found


def test_a_peak_stays_when_its_memory_is_free_again():
    before = memory.peak()
    block = bytearray(before * 1024 + (64 << 20))  # larger than all that was
    block[:: 1 << 12] = b"x" * len(block[:: 1 << 12])
    largest = memory.peak()
    assert largest > before + (64 << 10)
    del block
    assert memory.peak() > largest - 1024  # the kernel counts in steps
