"""Processes live as long as this one, whichever thread started them."""

import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

from leaderboards.processes.launcher import kill_tree, launch

pytestmark = pytest.mark.processes

# It says when it will die with the thread that started it, and lives until its input ends.
MORTAL = """
import sys
from leaderboards.processes.workers import die_with_parent
die_with_parent()
print(flush=True)
sys.stdin.read()
"""


def test_a_process_outlives_the_thread_that_asked_for_it():
    found = []

    def ask():
        command = [sys.executable, "-c", MORTAL]
        found.append(launch(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE))
        found[0].stdout.readline()

    thread = threading.Thread(target=ask)
    thread.start()
    thread.join()
    (process,) = found
    process.communicate(timeout=600)
    assert process.returncode == 0


def test_what_cannot_be_started_is_raised_where_it_was_asked_for(tmp_path):
    for _ in range(2):
        with pytest.raises(FileNotFoundError):
            launch([str(tmp_path / "nothing")])


# It starts a process in a session of its own, says which, and waits.
PARENT = """
import subprocess
child = subprocess.Popen(["sleep", "600"], start_new_session=True)
print(child.pid, flush=True)
child.wait()
"""


def runs(pid):
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


def test_a_tree_is_killed_with_what_left_its_group():
    with launch([sys.executable, "-c", PARENT], stdout=subprocess.PIPE) as process:
        child = int(process.stdout.readline())
        assert runs(child)
        kill_tree(process)
        assert process.returncode == -9
    end = time.monotonic() + 60.0
    while runs(child) and time.monotonic() < end:
        time.sleep(0.01)
    assert not runs(child)
