"""Processes live as long as they should, and have only what they should."""

import importlib.util
import os
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import gymnasium
import pytest

import banditgym  # noqa: F401 (registers the environments)
from leaderboards.sandbox.launch import start
from leaderboards.sandbox.limits import Limits
from leaderboards.sandbox.probes import SMALL
from leaderboards.sandbox.sandboxed_agent import SandboxedAgent

pytestmark = pytest.mark.sandbox

# Starts a process that goes on without end, and never looks whether the judge is still there.
JUDGE = """
import time
import numpy as np
from leaderboards.sandbox.launch import start
from leaderboards.sandbox.limits import Limits
from leaderboards.sandbox.wait_limits import WaitLimits
from leaderboards.sandbox.probes import PROBES, SMALL
from leaderboards.sandbox.messages import NUMBER, reply_header
started = start(full=True, limits=Limits(), probe=SMALL)
started.channel.receive(reply_header(NUMBER, np.dtype(np.uint8), (len(PROBES),)), WaitLimits(300.0))
print(started.process.pid, flush=True)
time.sleep(300)
"""


def descendants(pid):
    found, left = [], [pid]
    while left:
        pid = left.pop()
        found.append(pid)
        for task in Path(f"/proc/{pid}/task").glob("*/children"):
            left += map(int, task.read_text().split())
    return found


def gone(pids):
    deadline = time.monotonic() + 60
    while any(_runs(pid) for pid in pids):
        assert time.monotonic() < deadline, "processes are left"
        time.sleep(0.02)
    return True


def _runs(pid):
    try:
        state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except OSError:
        return False
    return state != "Z"


def test_all_its_processes_die_with_a_judge_that_is_killed(full):
    with subprocess.Popen(
        [sys.executable, "-c", JUDGE], stdout=subprocess.PIPE, text=True
    ) as judge:
        first = int(judge.stdout.readline())
        started = descendants(first)
        assert len(started) == 3  # bubblewrap, its own first process, Python
        os.kill(judge.pid, signal.SIGKILL)
    assert gone(started)


def test_without_bubblewrap_too_it_dies_with_the_judge(tmp_path):
    """An agent that spins never reads that the judge has closed its pipe."""
    (tmp_path / "spins.py").write_text(
        "import os, pathlib\n"
        "pathlib.Path(__file__).with_name('new').write_text(str(os.getpid()))\n"
        "pathlib.Path(__file__).with_name('new').rename(pathlib.Path(__file__).with_name('pid'))\n"
        "while True:\n    pass\n"
    )
    code = (
        "from leaderboards.sandbox.sandboxed_agent import SandboxedAgent\n"
        f"SandboxedAgent(spec={str(tmp_path / 'spins.py') + ':Any'!r}, isolation='process')"
        ".described({})\n"
    )
    with subprocess.Popen([sys.executable, "-c", code]) as judge:
        deadline = time.monotonic() + 300
        while not (tmp_path / "pid").exists():
            assert time.monotonic() < deadline, "it never began"
            time.sleep(0.02)
        pid = int((tmp_path / "pid").read_text())
        os.kill(judge.pid, signal.SIGKILL)
    assert gone([pid])


def test_a_process_outlives_the_thread_that_asked_for_it(full):
    found = []
    thread = threading.Thread(target=lambda: found.append(start(full=True, limits=Limits())))
    thread.start()
    thread.join()
    time.sleep(0.3)
    (started,) = found
    assert started.process.poll() is None
    started.process.kill()
    started.process.wait()
    started.channel.close()
    started.control.close()
    started.process.stderr.close()


def test_a_closed_agent_leaves_no_process_and_no_open_file(full):
    before = len(os.listdir("/proc/self/fd"))
    with SandboxedAgent(spec="UCB1") as agent:
        env = gymnasium.make_vec("ArmedBandit-v0", num_envs=2, horizon=5)
        agent.reset(env.unwrapped.task, n=2)
        observation, _ = env.reset(seed=0)
        agent.act(observation)
        pids = descendants(agent._own.processes[0].pid)
        assert len(pids) >= 3
    assert gone(pids)
    assert len(os.listdir("/proc/self/fd")) == before


LIBRARIES = """
import sqlite3
import threading

import matplotlib.pyplot
import numba
import numpy as np
import sklearn.linear_model

import agents


@numba.njit(parallel=True)
def total(x):
    found = 0.0
    for i in numba.prange(x.size):
        found += x[i]
    return found


class Uses(agents.UCB1):
    def _start(self):
        super()._start()
        threads = [threading.Thread(target=sum, args=([1],)) for _ in range(8)]
        for one in threads:
            one.start()
        for one in threads:
            one.join()
        assert total(np.ones(9)) == 9.0
        known = sqlite3.connect("file:/tmp/known?nolock=1", uri=True)
        known.execute("create table known (number)")
        known.execute("insert into known values (7)")
        known.commit()
        assert known.execute("select * from known").fetchall() == [(7,)]
        figure = matplotlib.pyplot.figure()
        figure.savefig("/tmp/figure.png")
        sklearn.linear_model.LogisticRegression().fit(np.eye(4), [0, 1, 0, 1])
        TORCH
"""


def test_libraries_start_although_no_file_can_be_locked(full, tmp_path):
    torch = importlib.util.find_spec("torch") is not None
    uses = "import torch; assert (torch.ones(99, 99) @ torch.ones(99, 99)).sum() == 99**3"
    (tmp_path / "uses.py").write_text(LIBRARIES.replace("TORCH", uses if torch else "pass"))
    limits = Limits(memory=16 << 30, wall=300.0, start=600.0)  # torch reserves much of it
    with SandboxedAgent(spec=f"{tmp_path / 'uses.py'}:Uses", limits=limits) as agent:
        agent.reset(gymnasium.make("ArmedBandit-v0").unwrapped.task, n=2)
        assert agent.faults == [None, None]


def test_where_it_runs_as_root_it_becomes_nobody(full):
    ours = os.geteuid()
    started = start(full=True, limits=SMALL)
    pids = descendants(started.process.pid)
    while len(pids) < 3 or Path(f"/proc/{pids[-1]}").stat().st_uid == 0:
        time.sleep(0.02)
        pids = descendants(started.process.pid)
        assert started.process.poll() is None
    status = Path(f"/proc/{pids[-1]}/status").read_text()
    uids = next(line for line in status.splitlines() if line.startswith("Uid:")).split()[1:]
    assert len(set(uids)) == 1
    # Outside, anybody but root stays who they are: only root can become somebody else.
    assert int(uids[0]) >= 1 << 30 if ours == 0 else int(uids[0]) == ours
    started.process.kill()
    started.process.wait()
    started.channel.close()
    started.control.close()
    started.process.stderr.close()
