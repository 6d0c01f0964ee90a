"""CPU seconds and wall-clock seconds, with clocks that the tests set."""

import os
import subprocess
import sys
import time

import pytest

from leaderboards.processes import clock
from leaderboards.processes.clock import Clock, cpu_seconds


class Times:
    """A process that has used ``cpu`` seconds, at ``now`` on the wall."""

    cpu: float | None = 100.0
    now = 1000.0


@pytest.fixture
def times(monkeypatch):
    times = Times()
    monkeypatch.setattr(clock, "cpu_seconds", lambda pid: times.cpu)
    monkeypatch.setattr(clock.time, "monotonic", lambda: times.now)
    return times


def test_cpu_seconds_count_and_those_on_the_wall_hardly(times):
    watch = Clock(1, 10.0)
    times.now, times.cpu = 1099.0, 109.9  # a loaded machine
    assert watch.overdue(False) is None
    times.cpu = 110.1
    assert watch.overdue(False) == "still running after 10 s of CPU time: killed"


def test_who_sleeps_for_ever_ends(times):
    watch = Clock(1, 10.0)
    times.now, times.cpu = 1099.0, 102.0
    assert watch.overdue(False) is None
    times.now = 1101.0
    expected = "still running after 100 s, with 2 s of CPU time: killed"
    assert watch.overdue(False) == expected


def test_compilation_is_on_neither_clock(times):
    watch = Clock(1, 10.0)
    times.now, times.cpu = 1005.0, 105.0
    assert watch.overdue(True) is None  # what was until now may have been compilation
    times.now, times.cpu = 1800.0, 900.0
    assert watch.overdue(True) is None
    times.now, times.cpu = 1801.0, 901.0
    assert watch.overdue(False) is None  # it ended some time since
    times.now, times.cpu = 1802.0, 910.0
    assert watch.overdue(False) is None
    times.cpu = 911.5
    assert watch.overdue(False) == "still running after 10 s of CPU time: killed"


def test_compilation_ends_too(times):
    watch = Clock(1, 10.0)
    times.now += clock.COMPILING + 1.0
    assert watch.overdue(True) == "still compiling after 1800 s: killed"


def test_a_child_that_is_gone_gives_nothing_back(times):
    watch = Clock(1, 10.0)
    times.cpu = 108.0
    assert watch.overdue(False) is None
    times.cpu = 101.0  # nobody waited for it
    assert watch.overdue(False) is None
    times.cpu = 103.5
    assert watch.overdue(False) is not None


def test_where_nobody_tells_cpu_seconds_the_wall_counts(times):
    times.cpu = None
    watch = Clock(1, 10.0)
    times.now = 1009.0
    assert watch.overdue(False) is None
    times.now = 1011.0
    assert watch.overdue(False) is not None


@pytest.mark.skipif(not os.path.exists("/proc/self/stat"), reason="no /proc")
def test_the_seconds_of_a_process_and_its_children():
    before = cpu_seconds(os.getpid())
    assert before is not None
    assert before >= sum(os.times()[:4]) - 0.5  # or more: of children that still live
    spin = "import time\nwhile time.process_time() < 0.5: pass\n"
    wait = "input()"
    with subprocess.Popen(
        [sys.executable, "-c", f"import sys\n{spin}print(flush=True)\n{wait}"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    ) as child:
        assert child.stdout is not None
        child.stdout.readline()
        used = cpu_seconds(child.pid)
        assert used is not None
        assert used >= 0.45  # in ticks of a hundredth
        ours = cpu_seconds(os.getpid())
        assert ours is not None
        assert ours - before >= 0.45
        child.communicate(b"\n")
    assert cpu_seconds(child.pid) == 0.0  # it is gone
    end = time.process_time() + 0.1
    while time.process_time() < end:
        pass
    later = cpu_seconds(os.getpid())
    assert later is not None
    assert later >= ours
