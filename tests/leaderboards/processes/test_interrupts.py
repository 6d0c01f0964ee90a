"""The user's Ctrl-C, and exceptions of the same name."""

import os
import signal
import threading

import pytest

from leaderboards.processes.interrupts import attempt


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
