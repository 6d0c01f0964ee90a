"""Arrays that nobody may write to, such as the facts of a task, and copies that a caller may."""

from collections.abc import Callable
from typing import Any, Generic, TypeVar

import numpy as np

Buffer = TypeVar("Buffer")
Observation = TypeVar("Observation", np.ndarray, dict[str, np.ndarray])


def read_only(array: np.ndarray) -> np.ndarray:
    """The array itself, made read-only; for a view, the memory that it shows stays writable."""
    array.setflags(write=False)  # half the time of ``array.flags.writeable = False``
    return array


def own(value: Any) -> Any:
    """Copies, in the same layout, of an array or a mapping's arrays; other values as they are."""
    if isinstance(value, np.ndarray):
        return value.copy("K")
    if isinstance(value, dict):  # a call for each of its arrays would take a quarter of the time
        return {
            key: part.copy("K") if type(part) is np.ndarray else own(part)
            for key, part in value.items()
        }
    return value


class Alternating(Generic[Buffer, Observation]):
    """Alternating buffers, and the read-only observations that show them.

    An observation stays valid until the step after next, so two buffers are enough. One buffer is
    enough for observations that never change.

    Parameters
    ----------
    show : callable
        The observation of a buffer: a view of an array, or a mapping of views.
    *buffers
        Arrays, or tuples of arrays.
    """

    def __init__(self, show: Callable[[Buffer], Observation], *buffers: Buffer):
        self._show, self._buffers, self._turn = show, buffers, 0
        self._look()

    def __setstate__(self, state: dict[str, Any]) -> None:
        vars(self).update(state)
        self._look()  # a copied or unpickled view is an array of its own, which never changes

    def _look(self) -> None:
        self._shown = [self._show(buffer) for buffer in self._buffers]
        for shown in self._shown:
            for view in shown.values() if isinstance(shown, dict) else (shown,):
                read_only(view)

    def turn(self) -> Buffer:
        """The next buffer, to be written to: the one that was shown before the last."""
        # Not t % 2: an episode may end on either buffer, and a reset must not take the same again.
        self._turn = (self._turn + 1) % len(self._buffers)
        return self._buffers[self._turn]

    @property
    def buffer(self) -> Buffer:
        """The buffer that is shown."""
        return self._buffers[self._turn]

    @property
    def shown(self) -> Observation:
        """The observation; a mapping is a copy, so that callers may change theirs."""
        shown = self._shown[self._turn]
        return dict(shown) if isinstance(shown, dict) else shown  # type: ignore[return-value]
