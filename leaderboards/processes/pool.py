"""One loop over a pool of processes: hand calls to it, wait, and collect what ended."""

import math
from collections.abc import Callable, Collection, Generator, Mapping
from concurrent.futures import FIRST_COMPLETED, BrokenExecutor, Executor, Future, wait
from typing import Any, TypeVar

from leaderboards.processes.workers import Processes

_Name = TypeVar("_Name")
_Ended = list[tuple[_Name, Future[Any]]]


def collected(
    pool: Executor,
    calls: Mapping[_Name, Callable[[], Any]],
    *,
    at_once: float = math.inf,
    alone: Collection[_Name] = (),
    poll: float = 1.0,
) -> Generator[tuple[_Ended[_Name], list[_Name]], None, None]:
    """Hand calls to a pool in their order, and yield their futures as they end.

    Those that are found to have ended together are in that order too.

    When the iteration ends, even early, the pool is shut down and calls that run are ended.

    Parameters
    ----------
    at_once : int, optional
        How many calls the pool has at a time; by default all.
    alone : collection
        The names of calls that have a process of their own, which ends with the call.
    poll : float
        Seconds after which the generator yields although nothing has ended.

    Yields
    ------
    ended : list of (name, Future)
        A call that the pool could not take, because it is broken, has failed with that error.
    running : list of names
    """
    waiting = iter(calls)
    running: dict[Future[Any], tuple[_Name, Executor]] = {}
    left = len(calls)
    try:
        while left:
            while len(running) < min(at_once, left):
                name = next(waiting)
                own = Processes(1) if name in alone else pool
                running[_submitted(own, calls[name])] = name, own
            found, _ = wait(running, timeout=poll, return_when=FIRST_COMPLETED)
            left -= len(found)
            ended = [(future, *running.pop(future)) for future in [*running] if future in found]
            for _, _, own in ended:
                if own is not pool:
                    own.shutdown(wait=True, cancel_futures=True)
            yield (
                [(name, future) for future, name, _ in ended],
                [name for future, (name, _) in running.items() if future.running()],
            )
    finally:
        for own in {pool, *(own for _, own in running.values())}:
            own.shutdown(wait=True, cancel_futures=True)


def _submitted(pool: Executor, call: Callable[[], Any]) -> Future[Any]:
    try:
        return pool.submit(call)
    except BrokenExecutor as error:
        failed: Future[Any] = Future()
        failed.set_exception(error)
        return failed
