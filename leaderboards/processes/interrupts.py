"""Calls code that may raise anything, without losing the user's Ctrl-C."""

import contextlib
import signal
import threading
from collections.abc import Callable, Iterator
from types import FrameType
from typing import Any


def attempt(call: Callable[[], Any]) -> tuple[Any, BaseException | None]:
    """Call a function and return its result and None, or None and the exception that it raised.

    A ``KeyboardInterrupt``, ``SystemExit`` or ``GeneratorExit`` that the called code itself raises
    is treated like any other error.

    Raises
    ------
    KeyboardInterrupt
        If the user interrupted the call, even if the call caught the interrupt.
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
    """Note whether SIGINT was received: any code can raise a ``KeyboardInterrupt``."""
    handler = signal.getsignal(signal.SIGINT)
    # Python handles signals only in the main thread, and not at all if they are ignored.
    if threading.current_thread() is not threading.main_thread() or not callable(handler):
        yield lambda: False
        return
    arrived = False

    def note(number: int, frame: FrameType | None) -> None:
        nonlocal arrived
        arrived = True
        handler(number, frame)

    signal.signal(signal.SIGINT, note)
    try:
        yield lambda: arrived
    finally:
        signal.signal(signal.SIGINT, handler)
