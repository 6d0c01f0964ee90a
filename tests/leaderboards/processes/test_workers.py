"""loky's processes: what is killed beside them costs no line of output."""

import subprocess
import sys

import pytest

pytestmark = pytest.mark.processes

KILLED = """
import os, signal
from loky.backend import resource_tracker
from leaderboards.processes.workers import Processes

pool = Processes(1)
assert pool.submit(abs, -1).result() == 1
tracker = resource_tracker._resource_tracker._pid
os.kill(tracker, signal.SIGKILL)
os.waitpid(tracker, 0)
{again}
pool.shutdown(wait=True, cancel_futures=True)
"""


@pytest.mark.parametrize("again", ["", "assert pool.submit(abs, -2).result() == 2"])
def test_a_killed_tracker_is_replaced_by_one_that_knows_what_there_is(again):
    done = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", KILLED.format(again=again)],
        capture_output=True,
        text=True,
        timeout=300,
    )
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
