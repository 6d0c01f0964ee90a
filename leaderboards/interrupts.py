"""Calls that may raise anything at all, and the user's ctrl-C, which is none of their errors."""

import contextlib
import signal
import threading
from collections.abc import Callable, Iterator
from typing import Any


def attempt(call: Callable[[], Any]) -> tuple[Any, BaseException | None]:
    """What a call returned, and None; or None, and what it raised.

    Its own ``KeyboardInterrupt``, ``SystemExit`` and ``GeneratorExit`` are errors like any other.

    Raises
    ------
    KeyboardInterrupt
        If the user interrupted the call, whatever the call made of that.
    """
    with _interrupts() as arrived:
        result = error = None
        try:
            result = call()
        except BaseException as raised:
            error = raised
        if arrived():
            raise KeyboardInterrupt
    return result, error


@contextlib.contextmanager
def _interrupts() -> Iterator[Callable[[], bool]]:
    """Note whether a signal has really arrived: an exception of that kind anybody can raise."""
    handler = signal.getsignal(signal.SIGINT)
    # Python hands signals to the main thread, and none where they are ignored.
    if threading.current_thread() is not threading.main_thread() or not callable(handler):
        yield lambda: False
        return
    arrived = False

    def note(number: int, frame: Any) -> None:
        nonlocal arrived
        arrived = True
        handler(number, frame)

    signal.signal(signal.SIGINT, note)
    try:
        yield lambda: arrived
    finally:
        signal.signal(signal.SIGINT, handler)
