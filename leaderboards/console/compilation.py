"""Says when numba begins to compile and when it has finished."""

from collections.abc import Callable
from contextlib import AbstractContextManager

from numba.core.event import Listener, install_listener


class _Outermost(Listener):
    """Counts how deep compilation is: compiling a function also compiles those that it calls."""

    def __init__(self, tell: Callable[[bool], object]):
        self._tell = tell
        self._depth = 0

    def on_start(self, event: object) -> None:
        self._depth += 1
        if self._depth == 1:
            self._tell(True)

    def on_end(self, event: object) -> None:
        self._depth -= 1
        if self._depth == 0:
            self._tell(False)


def notes_of_compilation(tell: Callable[[bool], object]) -> AbstractContextManager[None]:
    """Context manager: call ``tell`` with True when compilation begins, with False at its end."""
    return install_listener("numba:compile", _Outermost(tell))
