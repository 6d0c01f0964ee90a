"""The user's Ctrl-C: not lost in code that may raise anything, and kept from child processes."""

import contextlib
import signal
import threading
from collections.abc import Callable, Iterator
from multiprocessing import resource_tracker
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
    with _noted(handled=True) as arrived:
        result = error = None
        try:
            result = call()
        except BaseException as raised:
            error = raised
        if arrived():
            raise KeyboardInterrupt
    return result, error


@contextlib.contextmanager
def _noted(*, handled: bool) -> Iterator[Callable[[], bool]]:
    """Note whether SIGINT was received: any code can raise a ``KeyboardInterrupt``.

    ``handled`` says whether its handler is called too.
    """
    handler = signal.getsignal(signal.SIGINT)
    # Python handles signals only in the main thread, and not at all if they are ignored.
    if threading.current_thread() is not threading.main_thread() or not callable(handler):
        yield lambda: False
        return
    arrived = False

    def note(number: int, frame: FrameType | None) -> None:
        nonlocal arrived
        arrived = True
        if handled:
            handler(number, frame)

    signal.signal(signal.SIGINT, note)
    try:
        yield lambda: arrived
    finally:
        signal.signal(signal.SIGINT, handler)


@contextlib.contextmanager
def deaf_children() -> Iterator[None]:
    """Start processes that Ctrl-C does not reach, and postpone it here until they are started.

    Ctrl-C is sent to the whole process group, but only the parent should handle it. A process
    inherits blocked signals, so processes started in this context never receive it. On systems
    without blocked signals they do.

    Raises
    ------
    KeyboardInterrupt
        At the end of the context, if the user interrupted it.
    """
    with contextlib.ExitStack() as stack:
        # At the end: another thread, which does not block it, may receive it.
        stack.callback(lambda: arrived() and signal.raise_signal(signal.SIGINT))
        arrived = stack.enter_context(_noted(handled=False))
        if hasattr(signal, "pthread_sigmask"):
            resource_tracker.ensure_running()  # its start ends by unblocking SIGINT
            before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
            stack.callback(signal.pthread_sigmask, signal.SIG_SETMASK, before)
        yield
