"""Layout of named arrays in a buffer of bytes. Both sides agree on it before any data is sent."""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from agents.inputs.observations import Observation

# Only numbers: an array of objects would hold addresses.
_KINDS = "biuf"
_ALIGNED = 8  # bytes: kernels are compiled for aligned numbers


@dataclass(frozen=True)
class Layout:
    """Named arrays, one after the other.

    Attributes
    ----------
    parts : tuple of (str, str, tuple of int, tuple of int)
        Name, dtype and shape of each array, and its axes from the slowest to the fastest: kernels
        depend on the order of features in memory. An array without others has the name ``""``.
    """

    parts: tuple[tuple[str, str, tuple[int, ...], tuple[int, ...]], ...]

    @classmethod
    def of(cls, arrays: Mapping[str, np.ndarray]) -> "Layout":
        """The layout of arrays.

        Raises
        ------
        ValueError
            If an array does not hold numbers.
        """
        for name, array in arrays.items():
            if array.dtype.kind not in _KINDS:
                raise ValueError(f"only numbers can be sent, and {name!r} is of {array.dtype}")
        return cls(tuple((name, a.dtype.str, a.shape, _axes(a)) for name, a in arrays.items()))

    @classmethod
    def read(cls, plain: Any) -> "Layout":
        """The layout that ``plain`` wrote."""
        return cls(
            tuple((name, dtype, tuple(shape), tuple(axes)) for name, dtype, shape, axes in plain)
        )

    @property
    def plain(self) -> list:
        """The layout as plain data."""
        return [list(part) for part in self.parts]

    @cached_property
    def _places(self) -> list[tuple[str, np.dtype, int, int, Any, Any]]:
        """Name, dtype, elements and first byte of each array; shape in memory, and order of axes.

        The shape is None for arrays of one axis, which need no order.
        """
        found, first = [], 0
        for name, text, shape, axes in self.parts:
            dtype, count = np.dtype(text), math.prod(shape)
            lying = None if len(shape) == 1 else tuple(shape[axis] for axis in axes)
            found.append((name, dtype, count, first, lying, tuple(map(int, np.argsort(axes)))))
            first += _rounded(count * dtype.itemsize)
        return found

    @cached_property
    def size(self) -> int:
        """Bytes of all arrays together."""
        return sum(_rounded(dtype.itemsize * count) for _, dtype, count, *_ in self._places)

    def bytes_of(self, arrays: Mapping[str, np.ndarray]) -> bytes:
        """The arrays as bytes, which ``over`` reads."""
        pieces = []
        for (*_, axes), array in zip(self.parts, arrays.values(), strict=True):
            data = (array if array.ndim < 2 else array.transpose(axes)).tobytes()
            pieces.append(data + bytes(-len(data) % _ALIGNED))
        return b"".join(pieces)

    def over(self, memory: Any, start: int = 0) -> dict[str, np.ndarray]:
        """The arrays, as views of memory."""
        views = {}
        for name, dtype, count, first, lying, order in self._places:
            array = np.frombuffer(memory, dtype, count, start + first)
            views[name] = array if lying is None else array.reshape(lying).transpose(order)
        return views


def _rounded(size: int) -> int:
    return -(-size // _ALIGNED) * _ALIGNED


def _axes(array: np.ndarray) -> tuple[int, ...]:
    """The axes from the largest stride to the smallest; first those of length 1, of any stride."""
    lengths = [
        abs(s) if n > 1 else math.inf for s, n in zip(array.strides, array.shape, strict=True)
    ]
    return tuple(sorted(range(array.ndim), key=lambda axis: -lengths[axis]))


def parts_of(value: Observation) -> dict[str, np.ndarray]:
    """An observation as named arrays; a single array has the name ``""``."""
    if isinstance(value, Mapping):
        return {str(name): np.asarray(part) for name, part in value.items()}
    return {"": np.asarray(value)}


def whole_of(parts: dict[str, np.ndarray]) -> Any:
    """The observation that ``parts_of`` took apart."""
    return parts.get("", parts)
