"""Turns: one process at a time, and none that outlives its process."""

import os
import signal
import subprocess
import sys
import time

import pytest

from banditgym.compiled import turns
from banditgym.compiled.turns import turn

HOLD = """
import sys, time
from pathlib import Path
from banditgym.compiled.turns import turn
with turn(Path(sys.argv[1]), "kernel"):
    print("taken", flush=True)
    time.sleep(60)
"""


@pytest.fixture
def holder(tmp_path):
    """A process that has the turn at "kernel"."""
    process = subprocess.Popen(
        [sys.executable, "-c", HOLD, str(tmp_path / "turns")], stdout=subprocess.PIPE, text=True
    )
    assert process.stdout is not None
    assert process.stdout.readline() == "taken\n"
    yield process
    process.kill()
    process.wait()
    process.stdout.close()


def waited(path, thing, longest=turns.LONGEST_WAIT):
    started = time.monotonic()
    with turn(path, thing, longest):
        return time.monotonic() - started


def test_a_turn_is_awaited_until_its_process_is_killed(tmp_path, holder):
    assert waited(tmp_path / "turns", "kernel", 0.2) >= 0.2  # and then it goes on without
    assert waited(tmp_path / "turns", "another kernel", 30.0) < 30.0
    os.kill(holder.pid, signal.SIGKILL)
    assert waited(tmp_path / "turns", "kernel", 30.0) < 30.0


def test_a_process_may_have_many_turns_and_gives_back_one_at_a_time(tmp_path):
    path = tmp_path / "turns"
    ask = (
        "import sys; from pathlib import Path; from banditgym import turns\n"
        "for thing in ('outer', 'inner'):\n"
        "    with turns.turn(Path(sys.argv[1]), thing, 0.0) as has: print(int(has), end='')"
    )

    def free():
        done = subprocess.run(
            [sys.executable, "-c", ask, str(path)], capture_output=True, text=True, check=True
        )
        return done.stdout

    with turn(path, "outer"):
        with turn(path, "inner") as has:
            assert has
            assert free() == "00"
        assert free() == "01"
    assert free() == "11"


def test_without_a_file_or_without_locks_nobody_waits(tmp_path, monkeypatch):
    with turn(tmp_path / "no folder" / "turns", "kernel") as has:
        assert not has
    monkeypatch.setattr(turns, "fcntl", None)
    with turn(tmp_path / "turns", "kernel") as has:
        assert not has
    assert not (tmp_path / "turns").exists()


def test_the_file_is_open_only_during_turns(tmp_path):
    """Other code of the process may write into every descriptor that it finds."""

    def descriptors():
        found = {
            os.readlink(f"/proc/self/fd/{number}") for number in range(1000) if is_open(number)
        }
        return {path for path in found if path.startswith(str(tmp_path))}

    def is_open(number):
        return os.path.lexists(f"/proc/self/fd/{number}")

    with turn(tmp_path / "turns", "one"):
        with turn(tmp_path / "turns", "two"):
            pass
        assert descriptors() == {str(tmp_path / "turns")}  # to close it would end the first turn
    assert descriptors() == set()
