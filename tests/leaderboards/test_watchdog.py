"""Marks and the watchdog: who is killed, and who is left alone. 3 seconds."""

import os
import subprocess
import time

import pytest
from numba.core import event

from leaderboards import watchdog as module
from leaderboards.watchdog import Watchdog, marks_folder, running


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


def test_a_run_that_is_gone_does_not_trouble_its_workers(tmp_path):
    with running(tmp_path / "gone", "3.0.2"):
        event.start_event("numba:compile")
        event.end_event("numba:compile")


def test_a_worker_past_the_limit_is_killed(tmp_path, sleeper):
    watchdog = Watchdog(tmp_path, 0.2)
    mark(tmp_path, sleeper.pid)
    assert watchdog.check() == set()
    time.sleep(0.1)
    assert watchdog.check() == set()
    assert sleeper.poll() is None
    time.sleep(0.15)
    assert watchdog.check() == {"3.0.2"}
    assert sleeper.wait(5) == -9
    watchdog.clear()
    assert names(tmp_path) == []
    assert watchdog.check() == set()


def test_compilation_stops_the_clock(tmp_path, sleeper):
    watchdog = Watchdog(tmp_path, 0.2)
    path = mark(tmp_path, sleeper.pid)
    watchdog.check()
    assert not watchdog.compiling
    path = path.rename(tmp_path / f"{path.name}-compiling")
    time.sleep(0.25)
    assert watchdog.check() == set()
    assert watchdog.compiling
    path.rename(mark(tmp_path, sleeper.pid))
    assert watchdog.check() == set()  # a new clock
    assert not watchdog.compiling
    assert sleeper.poll() is None


def test_other_machines_and_this_process_are_out_of_reach(tmp_path, sleeper):
    watchdog = Watchdog(tmp_path, 0.01)
    mark(tmp_path, sleeper.pid, host="elsewhere")
    mark(tmp_path, os.getpid())
    watchdog.check()
    time.sleep(0.05)
    assert watchdog.check() == set()
    assert sleeper.poll() is None


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
