"""Runs on dask's workers: rows equal loky's, and every loss is reported in one line."""

import contextlib
import json
import os
import signal
import socket
import subprocess
import sys
import time
from pathlib import Path

import pytest

from leaderboards.cluster import connecting, executor
from leaderboards.cluster.executor import DaskCluster, opener
from leaderboards.cluster.likeness import likeness
from leaderboards.processes.launcher import descendants
from leaderboards.processes.workers import Lost, Unusable
from leaderboards.run import runner
from leaderboards.run.execution import Execution
from leaderboards.run.store.store import Store
from leaderboards.suites.suite import Suite, load

pytestmark = pytest.mark.cluster

TOYS = f"{Path(__file__).parents[1] / 'toys.py'}:"
PARRICIDE = """
import os, signal, time
import agents

class Parricide(agents.UCB1):
    def _start(self):
        os.kill(os.getppid(), signal.SIGKILL)
        time.sleep(1e6)
"""


@pytest.fixture
def suite(small):
    return load(small)


@pytest.fixture
def cluster():
    """What makes a cluster whose scheduler and workers are threads of this process."""
    from distributed import LocalCluster

    with contextlib.ExitStack() as stack:

        def made(n_workers=1, threads=1):
            return stack.enter_context(
                LocalCluster(
                    n_workers=n_workers, threads_per_worker=threads, processes=False,
                    protocol="tcp", host="127.0.0.1", dashboard_address="127.0.0.1:0",
                    silence_logs=60,
                )
            )  # fmt: skip

        yield made


def results(store, suite):
    return {
        (row.task, row.agent, row.seed): (row.error, row.rounds, row.measures)
        for row in store.rows(suite.hash)
    }


def test_rows_are_those_of_loky(suite, tmp_path):
    (tmp_path / "parricide.py").write_text(PARRICIDE)
    agents = ["UCB1", "LinUCB", f"{tmp_path / 'parricide.py'}:Parricide"]
    agents += [TOYS + name for name in ("Good", "Raises", "Exits", "Crashes", "Burns")]
    found = {}
    for name in ("loky", "dask"):
        fresh = None
        if name == "dask":
            fresh = opener("dask", workers=2, wanted=lambda: likeness(suite, agents))
        store = Store(tmp_path / name)
        runner.run(
            suite, agents, store=store, execution=Execution(workers=2, limit=1.0, executor=fresh)
        )
        found[name] = results(store, suite)
    assert found["dask"] == found["loky"]
    errors = {
        agent: error for (task, agent, seed), (error, *_) in found["dask"].items() if not seed
    }
    assert {name for name, error in errors.items() if error is None} == {
        "UCB1", "LinUCB", "Good", "UniformRandom",
    }  # fmt: skip
    assert "1 s of CPU time: killed" in errors["Burns"]
    assert "its process died" in errors["Exits"]


def test_equal_calls_are_two(cluster):
    pool = DaskCluster(cluster(2).scheduler_address, wanted=nothing())
    assert pool.at_once == 4
    try:
        futures = [pool.submit(time.monotonic_ns) for _ in range(3)]
        assert len({future.result(60) for future in futures}) == 3
    finally:
        pool.shutdown(cancel_futures=True)


def test_a_call_whose_worker_dies_is_lost_and_others_go_on():
    import dask

    with dask.config.set({"distributed.scheduler.allowed-failures": 0}):
        pool = DaskCluster(None, workers=1, wanted=nothing())
    try:
        dies = pool.submit(os._exit, 1)
        with pytest.raises(Lost, match="its worker died, 1 times"):
            dies.result(120)
        assert pool.submit(abs, -3).result(120) == 3
    finally:
        pool.shutdown(cancel_futures=True)


def test_what_is_lost_is_played_alone_and_then_a_failure(suite, tmp_path):
    """As after a worker's death under loky: its seeds alone, and the first that is lost ends it."""
    from concurrent.futures import Future

    from leaderboards.processes.workers import Cluster

    class Loses(Cluster):
        at_once = 2

        def submit(self, fn, /, *args, **kwargs):
            cell, marks, limit, threads = args
            assert (marks, limit, threads) == (None, 5.0, 1)
            future = Future()
            if cell.blank.agent == "UCB1":
                future.set_exception(Lost("its worker died, 4 times"))
            else:
                future.set_result(fn(cell))
            return future

    store = Store(tmp_path / "store")
    runner.run(
        suite, ["UCB1", "KLUCB"], store=store, execution=Execution(limit=5.0, executor=Loses)
    )
    found = results(store, suite)
    assert [found["one", "UCB1", seed][0] for seed in suite.seeds] == [
        "its worker died, 4 times",
        *["not played: given up on this task after seed 0: its worker died, 4 times"] * 2,
    ]
    assert not any(found["one", "KLUCB", seed][0] for seed in suite.seeds)


def test_a_lost_scheduler_ends_the_run(cluster):
    lost = cluster()
    pool = DaskCluster(lost.scheduler_address, wanted=nothing())
    try:
        runs = pool.submit(time.sleep, 2.0)
        lost.close()
        with pytest.raises(Unusable, match="the dask scheduler of tcp://.* was lost: finished"):
            runs.result(60)
    finally:
        pool.shutdown(cancel_futures=True)


def test_what_has_not_ended_is_cancelled(cluster, tmp_path):
    pool = DaskCluster(cluster().scheduler_address, wanted=nothing())
    first = pool.submit(time.sleep, 1.0)
    waits = pool.submit((tmp_path / "played").touch)
    pool.shutdown(cancel_futures=True)
    assert waits.cancelled() or waits.exception() is not None
    time.sleep(1.5)
    assert not (tmp_path / "played").exists()
    assert first.done()


def test_workers_must_be_alike(cluster, suite):
    wanted = json.loads(likeness(suite, []))
    wanted["versions"]["numpy"] = "0.1"
    wanted["data"]["/nowhere/log.csv"] = "0123"
    address = cluster().scheduler_address
    with pytest.raises(ValueError, match="is not like this machine") as refused:
        DaskCluster(address, wanted=json.dumps(wanted))
    message = str(refused.value)
    assert "\n" not in message
    assert "the worker tcp://127.0.0.1" in message
    assert "numpy is" in message
    assert "here 0.1; /nowhere/log.csv is missing, here 0123; install" in message


def test_workers_have_one_thread_each(cluster):
    with pytest.raises(ValueError, match="it has 2 threads \\(start it with --nthreads 1\\)"):
        DaskCluster(cluster(threads=2).scheduler_address, wanted=nothing())


def test_a_worker_that_joins_later_is_compared_too(cluster, monkeypatch):
    pool = DaskCluster(cluster().scheduler_address, wanted=nothing())
    monkeypatch.setattr(executor, "differences", lambda wanted: ("numpy is 0.1, here 2",))
    try:
        with pytest.raises(Unusable, match="the worker tcp://.* is not like this machine: numpy"):
            pool.submit(abs, -3).result(60)
    finally:
        pool.shutdown(cancel_futures=True)


def test_a_cluster_without_workers_is_waited_for_and_then_refused(cluster, monkeypatch):
    monkeypatch.setattr(executor, "_JOINING", 0.5)
    with pytest.raises(Unusable, match="no worker joined .* within 0 s: start some with dask"):
        DaskCluster(cluster(0).scheduler_address, wanted=nothing())


def test_a_cluster_that_all_workers_leave_ends_the_run(cluster, monkeypatch):
    local = cluster()
    pool = DaskCluster(local.scheduler_address, wanted=nothing())
    monkeypatch.setattr(executor, "_LOOK", 0.0)
    monkeypatch.setattr(executor, "_EMPTY", 0.5)
    try:
        assert pool.at_once == 2
        local.scale(0)
        with pytest.raises(Unusable, match="has had no worker for 0 s"):
            _watch(pool)
    finally:
        pool.shutdown(cancel_futures=True)


@pytest.mark.parametrize(
    ("address", "reason"),
    [
        ("tcp://127.0.0.1:1", "Timed out"),
        ("tls://127.0.0.1:1", "names no certificate.*distributed.comm.tls"),
    ],
)
def test_no_scheduler_is_one_line(address, reason, monkeypatch):
    monkeypatch.setattr(connecting, "CONNECTING", 1.0)
    with pytest.raises(Unusable, match=f"no dask scheduler at {address}: .*{reason}") as refused:
        DaskCluster(address, wanted=nothing())
    assert "\n" not in str(refused.value)


def test_a_scheduler_that_says_nothing_is_not_waited_for(monkeypatch):
    monkeypatch.setattr(connecting, "CONNECTING", 0.5)
    monkeypatch.setattr(connecting, "ANSWERING", 1.0)
    with socket.create_server(("127.0.0.1", 0)) as silent:
        address = f"tcp://127.0.0.1:{silent.getsockname()[1]}"
        with pytest.raises(Unusable, match=f"no dask scheduler at {address}"):
            DaskCluster(address, wanted=nothing())


def test_a_scheduler_that_stops_to_answer_ends_the_run(cluster, monkeypatch):
    pool = DaskCluster(cluster().scheduler_address, wanted=nothing())
    monkeypatch.setattr(executor, "_LOOK", 0.0)
    monkeypatch.setattr(connecting, "ANSWERING", 0.5)
    monkeypatch.setattr(pool._client, "nthreads", lambda: time.sleep(5))
    try:
        with pytest.raises(Unusable, match="the dask scheduler of .* was lost"):
            _watch(pool)
    finally:
        pool.shutdown(cancel_futures=True)


def test_ctrl_c_keeps_what_is_played_and_leaves_nothing_behind(suite, tmp_path):
    agents = [f"{TOYS}Slow(seconds={seconds})" for seconds in (0.1, 50.0, 60.0)]
    command = ["leaderboard", "run", "small.toml", "--executor", "dask", "--workers", "2"]
    for agent in agents:
        command += ["--agent", agent]
    code = (  # pytest's own SIGINT may be ignored, and would be here as well
        "import signal; signal.signal(signal.SIGINT, signal.default_int_handler); "
        "from leaderboards.cli import main; main()"
    )
    run = subprocess.Popen(
        [sys.executable, "-c", code, *command],
        cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
        start_new_session=True,
    )  # fmt: skip
    store = Store(tmp_path / "banditgym-results")
    deadline = time.monotonic() + 300
    # What it refuses is a row before the workers start, who ignore Ctrl-C from then on.
    while not any(r.measures and "0.1" in r.agent for r in store.rows()):
        assert time.monotonic() < deadline
        time.sleep(0.1)
    begun = descendants(run.pid)
    os.killpg(run.pid, signal.SIGINT)
    out, err = run.communicate(timeout=120)
    assert run.returncode == 130
    assert "interrupted: finished cells are kept in banditgym-results; continue with" in err
    assert "Traceback" not in err
    assert not out  # what agents print is not there
    ends = time.monotonic() + 30
    while any(map(_lives, begun)) and time.monotonic() < ends:
        time.sleep(0.1)
    assert not list(filter(_lives, begun))


def nothing():
    """What a run of nothing needs of workers."""
    return likeness(Suite(name="none", title="", seeds=(0,), tasks=(), hash="", n_seeds=1), [])


def _watch(pool):
    for _ in range(600):
        assert pool.at_once == 2
        time.sleep(0.1)


def _lives(pid):
    try:
        state = Path("/proc", str(pid), "stat").read_text().rpartition(")")[2].split()[0]
    except OSError:
        return False
    return state != "Z"
