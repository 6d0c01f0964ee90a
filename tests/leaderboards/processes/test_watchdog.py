"""Marks and the watchdog: which workers are killed, and which are not.

Only separate processes are really killed: a faulty watchdog must not kill the tests.
"""

import os
import signal
import subprocess
import sys

import pytest
from numba.core import event

from leaderboards.processes import watchdog as module
from leaderboards.processes.watchdog import Watchdog, marks_folder, running


@pytest.fixture
def sleeper():
    process = subprocess.Popen(["sleep", "60"])
    yield process
    process.kill()
    process.wait()


def names(folder):
    return sorted(path.name for path in folder.iterdir())


def mark(folder, pid, host=module._HOST):
    path = folder / f"3.0.2-{host}-{pid}"
    path.touch()
    return path


def test_a_mark_lasts_as_long_as_its_cell(tmp_path):
    mine = f"3.0.2-{module._HOST}-{os.getpid()}"
    with running(tmp_path, "3.0.2"):
        assert names(tmp_path) == [mine]
    with pytest.raises(RuntimeError), running(tmp_path, "3.0.2"):
        raise RuntimeError
    assert names(tmp_path) == []
    with running(None, "3.0.2"):
        pass


def test_a_mark_tells_that_its_cell_compiles(tmp_path):
    mine = f"3.0.2-{module._HOST}-{os.getpid()}"
    with running(tmp_path, "3.0.2"):
        event.start_event("numba:compile")
        event.start_event("numba:compile")  # a callee
        assert names(tmp_path) == [f"{mine}-compiling"]
        event.end_event("numba:compile")
        assert names(tmp_path) == [f"{mine}-compiling"]
        event.end_event("numba:compile")
        assert names(tmp_path) == [mine]


def test_a_cell_that_runs_apart_is_noted_while_it_compiles(tmp_path):
    mark, watchdog = f"3.0.2-{module._HOST}-{os.getpid()}-apart", Watchdog(tmp_path, 0.01)
    with running(tmp_path, "3.0.2", apart=True) as note:
        for compiles in (False, True, False):
            note(compiles)
            assert names(tmp_path) == [mark + "-compiling" * compiles]
            assert watchdog.check() == {}
            assert watchdog.compiling is compiles
            assert watchdog.compilers == ({"3.0.2"} if compiles else set())
            assert watchdog._clocks == {}  # this process only waits
    assert names(tmp_path) == []
    with running(None, "3.0.2", apart=True) as note:
        note(True)


def test_a_run_that_is_gone_does_not_trouble_its_workers(tmp_path):
    with running(tmp_path / "gone", "3.0.2"):
        event.start_event("numba:compile")
        event.end_event("numba:compile")
    with running(tmp_path / "gone", "3.0.2", apart=True) as note:
        note(True)
        note(False)


class Told:
    """A clock that finds its process overdue when the tests say so."""

    reasons: dict[int, str] = {}  # noqa: RUF012 (shared by all of them)
    heard: list[tuple[int, bool]] = []  # noqa: RUF012

    def __init__(self, pid, limit):
        self.pid = pid
        assert limit == 7.0

    def overdue(self, compiling):
        self.heard.append((self.pid, compiling))
        return self.reasons.get(self.pid)


@pytest.fixture
def killed(monkeypatch):
    """The processes that were killed, as it were."""
    found = []
    monkeypatch.setattr(module.os, "kill", lambda pid, number: found.append((pid, number)))
    monkeypatch.setattr(module, "Clock", Told)
    Told.reasons, Told.heard = {}, []
    return found


def test_a_worker_past_the_limit_is_killed(tmp_path, killed):
    watchdog = Watchdog(tmp_path, 7.0)
    mark(tmp_path, 1234567)
    assert watchdog.check() == {}
    (clock,) = watchdog._clocks.values()
    assert watchdog.check() == {}
    assert killed == []
    assert [*watchdog._clocks.values()] == [clock]
    Told.reasons[1234567] = "too long"
    assert watchdog.check() == {"3.0.2": "too long"}
    assert killed == [(1234567, signal.SIGKILL)]
    watchdog.clear()
    assert names(tmp_path) == []
    assert watchdog.check() == {}


def test_its_clock_is_told_of_compilation(tmp_path, killed):
    watchdog = Watchdog(tmp_path, 7.0)
    path = mark(tmp_path, 1234567)
    watchdog.check()
    assert not watchdog.compiling
    assert not watchdog.compilers
    (clock,) = watchdog._clocks.values()
    path = path.rename(tmp_path / f"{path.name}-compiling")
    watchdog.check()
    assert watchdog.compiling
    assert watchdog.compilers == {"3.0.2"}
    path = path.rename(mark(tmp_path, 1234567))
    watchdog.check()
    assert not watchdog.compiling
    assert watchdog.compilers == {"3.0.2"}
    assert [*watchdog._clocks.values()] == [clock]
    assert Told.heard == [(1234567, compiles) for compiles in (False, True, False)]
    path.unlink()
    watchdog.check()
    assert not watchdog.compilers
    path = mark(tmp_path, 1234567)
    path.rename(tmp_path / f"{path.name}-compiling")
    watchdog.check()
    watchdog.clear()
    assert not watchdog.compilers


def test_other_machines_and_this_process_are_out_of_reach(tmp_path, killed):
    watchdog = Watchdog(tmp_path, 7.0)
    mark(tmp_path, 1234567, host="elsewhere")
    mark(tmp_path, os.getpid())
    Told.reasons.update({1234567: "too long", os.getpid(): "too long"})
    assert watchdog.check() == {}
    assert killed == []


REAL = """
import os, subprocess, sys, time
from pathlib import Path
from leaderboards.processes import watchdog
burner = subprocess.Popen([sys.executable, "-c", "while True: pass"])
folder = Path({folder!r})
(folder / f"3.0.2-{{watchdog._HOST}}-{{burner.pid}}").touch()
watch = watchdog.Watchdog(folder, 0.3)
overdue = {{}}
while not overdue:
    time.sleep(0.02)
    overdue = watch.check()
print(burner.wait(), overdue)
"""


def test_a_process_that_burns_is_really_killed(tmp_path):
    code = REAL.format(folder=str(tmp_path))
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=250)
    reason = "still running after 0.3 s of CPU time: killed"
    assert done.stdout == f"-9 {{'3.0.2': '{reason}'}}\n", done.stderr


def test_folders_of_killed_runs_are_removed(tmp_path, sleeper):
    with marks_folder(tmp_path) as folder:
        assert str(os.getpid()) in folder.name
        left = tmp_path / folder.name.replace(str(os.getpid()), str(sleeper.pid))
        left.mkdir()
        with marks_folder(tmp_path):
            assert left.exists()  # its run lives
        sleeper.kill()
        sleeper.wait()
        with marks_folder(tmp_path):
            assert not left.exists()
            assert folder.exists()
    assert names(tmp_path) == []
