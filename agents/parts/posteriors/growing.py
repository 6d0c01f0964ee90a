"""Arrays of posteriors that grow with the pulls."""

from typing import Any

import numpy as np


def more(capacity: int) -> int:
    """The next capacity of arrays that grow."""
    return capacity + capacity // 2


def longer(array: np.ndarray, *lengths: int) -> np.ndarray:
    """A copy of an array whose first axes have these lengths, with zeros as room."""
    grown = np.zeros((*lengths, *array.shape[len(lengths) :]), array.dtype)
    grown[tuple(map(slice, array.shape))] = array
    return grown


def lengthen(state: Any, capacity: int, *names: str) -> None:
    """Extend all axes except the first of a state's arrays (n, ..) to a length, with zeros."""
    for name in names:
        array = getattr(state, name)
        setattr(state, name, longer(array, len(array), *[capacity] * (array.ndim - 1)))
