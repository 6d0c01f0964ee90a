"""A hash of numbers, arrays and states that is equal if and only if every bit is equal."""

import dataclasses
import hashlib
import struct
from types import FunctionType
from typing import Any

import numpy as np

from agents.storage.loadable import rules

_DIGITS = 32  # hexadecimal: 128 bits


class Digest:
    """SHA-256 of values fed one after the other.

    It hashes arrays by dtype, shape and bytes in C order; mappings in the order of their sorted
    keys; dataclasses and other plain objects by their class's name and attributes. Positive and
    negative 0 differ. All NaNs are equal, with any payload.

    Examples
    --------
    >>> def of(value):
    ...     digest = Digest()
    ...     digest.feed(value)
    ...     return digest.hex()
    >>> of({"x": 0.5, "y": [1, 2]}) == of({"y": [1, 2], "x": 0.5})
    True
    >>> of(0.5) == of(0.5 + 2.0**-53)
    False
    """

    def __init__(self) -> None:
        self._hash = hashlib.sha256()

    def feed(self, value: object) -> None:
        """Add a value.

        Raises
        ------
        TypeError
            If a value has parts other than arrays, numbers, strings, lists, mappings and objects.
        """
        if isinstance(value, np.ndarray | np.generic):
            self._feed_array(np.asarray(value))
        elif isinstance(value, float):
            self._mark("float", struct.pack("<d", value if value == value else float("nan")))
        elif value is None or isinstance(value, bool | int | str):
            self._mark(type(value).__name__, repr(value).encode())
        elif isinstance(value, dict):
            self._mark("mapping", str(len(value)).encode())
            for key in sorted(value):
                self.feed(key)
                self.feed(value[key])
        elif isinstance(value, list | tuple | set | frozenset):
            items = sorted(value) if isinstance(value, set | frozenset) else value
            self._mark("items", str(len(items)).encode())
            for item in items:
                self.feed(item)
        elif isinstance(value, np.random.Generator):
            self.feed(value.bit_generator.state)
        elif hasattr(value, "__dict__") and not isinstance(value, type | FunctionType):
            self._mark("object", type(value).__name__.encode())
            self.feed(attributes(value))
        else:
            raise TypeError(f"no hash is defined for a {type(value).__name__}")

    def hex(self) -> str:
        """The hash so far, 32 hexadecimal digits."""
        return self._hash.hexdigest()[:_DIGITS]

    def _feed_array(self, array: np.ndarray) -> None:
        if array.dtype == object:
            raise TypeError("no hash is defined for an array of objects")
        if array.dtype.kind == "f":
            array = np.where(np.isnan(array), np.array(np.nan, array.dtype), array)
        self._mark(f"{array.dtype.str} {array.shape}", np.ascontiguousarray(array).tobytes())

    def _mark(self, kind: str, data: bytes) -> None:
        # The length precedes the bytes, so that different values never give the same bytes.
        self._hash.update(f"{kind} {len(data)} ".encode())
        self._hash.update(data)


def attributes(value: object) -> dict[str, Any]:
    """An object's attributes by name.

    For a frozen dataclass these are its fields: all else that it stores is derived from them. A
    field whose metadata say ``added`` is left out where it is None, as it was before it was added,
    and so is what is declared as ``added`` in `agents.storage.loadable` where it is 0 everywhere.
    """
    if dataclasses.is_dataclass(value) and type(value).__dataclass_params__.frozen:  # pyright: ignore[reportAttributeAccessIssue]
        every = {field.name: getattr(value, field.name) for field in dataclasses.fields(value)}
        added = [field.name for field in dataclasses.fields(value) if "added" in field.metadata]
        return {name: of for name, of in every.items() if of is not None or name not in added}
    added = {name for name, rule in rules(type(value)).items() if rule.added}
    return {name: of for name, of in vars(value).items() if name not in added or np.any(of)}
