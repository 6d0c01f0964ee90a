"""The user's Ctrl-C, and exceptions of the same name."""

import os
import signal
import subprocess
import sys
import threading

import pytest

from leaderboards.processes.interrupts import attempt, deaf_children


@pytest.fixture
def handled():
    """Python's own handler, also where the tests run with the signal ignored."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


def raiser(error):
    def call():
        raise error

    return call


@pytest.mark.parametrize(
    "kind", [KeyboardInterrupt, SystemExit, GeneratorExit, BaseException, ValueError, MemoryError]
)
def test_what_a_call_raises_is_its_error(kind, handled):
    error = kind("me")
    assert attempt(raiser(error)) == (None, error)
    assert attempt(lambda: 3) == (3, None)
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


def interrupted():
    os.kill(os.getpid(), signal.SIGINT)
    for _ in range(10**7):  # it arrives between two steps
        pass


def test_the_users_interrupt_stops(handled):
    with pytest.raises(KeyboardInterrupt):
        attempt(interrupted)
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


def test_the_users_interrupt_cannot_be_kept_back(handled):
    def swallows():
        try:
            interrupted()
        except BaseException:
            return 3

    def turns():
        try:
            interrupted()
        except BaseException:
            raise ValueError from None

    for call in (swallows, turns):
        with pytest.raises(KeyboardInterrupt):
            attempt(call)


def test_where_the_signal_is_ignored_no_handler_is_set():
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        assert isinstance(attempt(raiser(KeyboardInterrupt()))[1], KeyboardInterrupt)
        assert attempt(lambda: signal.getsignal(signal.SIGINT)) == (signal.SIG_IGN, None)
    finally:
        signal.signal(signal.SIGINT, before)


def test_in_another_thread_an_interrupt_is_an_error():
    found = []
    thread = threading.Thread(target=lambda: found.append(attempt(raiser(KeyboardInterrupt()))))
    thread.start()
    thread.join()
    ((result, error),) = found
    assert result is None
    assert isinstance(error, KeyboardInterrupt)


def start(*steps):
    with deaf_children():
        for step in steps:
            step()


def test_an_interrupt_while_children_start_is_postponed(handled):
    done = []
    with pytest.raises(KeyboardInterrupt):
        start(interrupted, lambda: done.append("the start"))
    assert done == ["the start"]
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler
    assert signal.SIGINT not in signal.pthread_sigmask(signal.SIG_BLOCK, ())


def test_an_interrupt_that_another_thread_receives_is_postponed(handled):
    done = []
    receive, received = threading.Event(), threading.Event()

    def thread():
        receive.wait()
        signal.pthread_kill(threading.get_ident(), signal.SIGINT)
        received.set()

    receiver = threading.Thread(target=thread)  # started before: it does not block the signal
    receiver.start()
    with pytest.raises(KeyboardInterrupt):
        start(receive.set, received.wait, lambda: done.append("the start"))
    receiver.join()
    assert done == ["the start"]


def test_an_interrupt_is_not_lost_where_the_start_fails(handled):
    with pytest.raises(KeyboardInterrupt):
        start(interrupted, raiser(OSError("no more processes")))


def test_children_do_not_receive_an_interrupt(handled):
    code = (
        "import os, signal; signal.signal(signal.SIGINT, signal.default_int_handler); "
        "os.kill(os.getpid(), signal.SIGINT); sum(range(10**6)); print('alive')"
    )
    command = [sys.executable, "-c", code]
    with deaf_children():
        child = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
    assert (child.returncode, child.stdout) == (0, "alive\n")
    child = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
    assert child.returncode != 0  # elsewhere they do


def test_where_interrupts_are_ignored_they_stay_so():
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        start(interrupted)
        assert signal.getsignal(signal.SIGINT) is signal.SIG_IGN
    finally:
        signal.signal(signal.SIGINT, before)


def test_in_another_thread_children_are_deaf_too(handled):
    seen = []

    def thread():
        with deaf_children():
            seen.append(signal.SIGINT in signal.pthread_sigmask(signal.SIG_BLOCK, ()))

    other = threading.Thread(target=thread)
    other.start()
    other.join()
    assert seen == [True]


def test_workers_are_deaf_from_their_first_moment(handled, monkeypatch):
    """Also the first ones, before whom multiprocessing starts a process that tracks resources."""
    code = """
import sys
from leaderboards.processes.workers import Processes

if __name__ == "__main__":
    workers = Processes(2)
    future = workers.submit(sorted, "ba")
    for worker in workers._processes:
        status = dict(line.split(":", 1) for line in open(f"/proc/{worker}/status"))
        deaf = int(status["SigBlk"], 16) | int(status["SigIgn"], 16)  # ignored: a little later
        print(deaf & 2, end=" ")
    print(future.result())
    workers.shutdown()
"""
    ran = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, timeout=300, check=False
    )
    assert (ran.stdout, ran.stderr) == ("2 2 ['a', 'b']\n", "")
