"""Processes live as long as this one, whichever thread started them."""

import subprocess
import sys
import threading

import pytest

from leaderboards.processes.launcher import launch

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
