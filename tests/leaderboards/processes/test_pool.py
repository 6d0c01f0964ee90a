"""The loop over a pool: order, limits, processes of their own, early ends. 5 seconds."""

import os
import threading
from concurrent.futures import BrokenExecutor, Executor, ThreadPoolExecutor
from functools import partial

import pytest

from leaderboards.processes.pool import collected
from leaderboards.processes.workers import Here, Processes


def test_every_call_ends_once_with_its_result_or_its_error():
    pool = ThreadPoolExecutor(2)
    calls = {n: partial(divmod, 7, n) for n in range(4)}
    found = {name: future for ended, _ in collected(pool, calls) for name, future in ended}
    assert isinstance(found.pop(0).exception(), ZeroDivisionError)
    assert {name: future.result() for name, future in found.items()} == {
        1: (7, 0), 2: (3, 1), 3: (2, 1),
    }  # fmt: skip
    assert [*collected(Here(), {})] == []


def test_calls_are_handed_out_in_their_order_and_no_more_than_may_run():
    done = []
    calls = {n: partial(done.append, n) for n in (3, 1, 2)}
    looks = [list(done) for _ in collected(Here(), calls, at_once=1)]
    assert looks == [[3], [3, 1], [3, 1, 2]]


def test_it_looks_up_while_nothing_ends_and_names_what_runs():
    free = threading.Event()
    ends = collected(ThreadPoolExecutor(1), {"a": free.wait, "b": int}, poll=0.01)
    assert next(ends) == ([], ["a"])
    free.set()
    assert [name for ended, _ in ends for name, _ in ended] == ["a", "b"]


def test_calls_that_ended_together_are_in_their_order():
    names = [f"call {k}" for k in range(40)]
    [(ended, running)] = collected(Here(), dict.fromkeys(names, int))
    assert ([name for name, _ in ended], running) == (names, [])


class Watched(Here):
    """Notes how it was shut down, and breaks at the second call."""

    def __init__(self):
        self.calls, self.ends = 0, []

    def submit(self, fn, /, *args, **kwargs):
        self.calls += 1
        if self.calls == 2:
            raise BrokenExecutor("broken")
        return super().submit(fn, *args, **kwargs)

    def shutdown(self, wait=True, *, cancel_futures=False):
        self.ends.append((wait, cancel_futures))


def test_a_call_that_a_broken_pool_does_not_take_has_failed():
    ends = collected(Watched(), {"a": int, "b": int})
    found = {name: future.exception() for ended, _ in ends for name, future in ended}
    assert found["a"] is None
    assert isinstance(found["b"], BrokenExecutor)


@pytest.mark.parametrize("looks", [0, 1, 9])
def test_the_pool_is_shut_down_at_the_end_also_at_an_early_one(looks):
    pool = Watched()
    ends = collected(pool, {"a": int, "c": int, "d": int}, at_once=1)
    next(ends)
    for _ in zip(range(looks), ends, strict=False):
        pass
    ends.close()
    assert pool.ends == [(True, True)]


@pytest.mark.processes
def test_some_calls_have_a_process_of_their_own_that_ends_with_them():
    pool: Executor = Processes(1)
    calls = dict.fromkeys(("a", "b", "c", "d"), os.getpid)
    found = {}
    for ended, _ in collected(pool, calls, at_once=1, alone=["b", "d"]):
        found |= {name: future.result() for name, future in ended}
        for name in found.keys() & {"b", "d"}:
            with pytest.raises(ProcessLookupError):
                os.kill(found[name], 0)
    assert found["a"] == found["c"] != os.getpid()
    assert len({*found.values()}) == 3
