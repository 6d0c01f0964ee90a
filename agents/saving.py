"""Save an agent in mid-run: arrays in npz, the rest in JSON, no pickle."""

import dataclasses
import json
from pathlib import Path
from typing import Any

import numpy as np

from agents.states import within

DESCRIPTION = "description"  # the npz entry that holds the JSON


def save(agent: Any, path: str | Path) -> None:
    """Write an agent and its state to one file.

    After loading, it continues bit for bit as if it had never stopped.

    Raises
    ------
    TypeError
        If the state holds anything but arrays, plain data, numpy generators and dataclasses of
        these, or two attributes share memory; the message names the attribute.
    """
    if not agent.saveable:
        raise TypeError(f"{type(agent).__name__} cannot be saved")
    arrays: dict[str, np.ndarray] = {}
    described = _encode(agent, type(agent).__name__, arrays, {})
    text = json.dumps(described).encode()
    with open(path, "wb") as file:
        np.savez(file, allow_pickle=False, **{DESCRIPTION: np.frombuffer(text, np.uint8)}, **arrays)


def classes_of(agent: Any) -> list[type]:
    """The classes of an agent and of its state; ``load`` must allow those that are not ours."""
    types = (type(value) for value in within(agent) if not isinstance(value, type))
    return list(dict.fromkeys(filter(dataclasses.is_dataclass, types)))


class Storable:
    """An object of another library in a state.

    It is saved as a dataclass of arrays and plain data, for which ``agents.legal`` has rows. When
    it is loaded, the object that a fresh ``reset`` has in its place makes it from that dataclass.
    """

    def stored(self) -> Any:
        """The whole object as a dataclass."""
        raise NotImplementedError

    def restore(self, stored: Any, /) -> Any:
        """A new object from such a dataclass, and from this one's task, seed and settings."""
        raise NotImplementedError


def _encode(
    value: Any, where: str, arrays: dict[str, np.ndarray], owned: dict[str, Any] | None
) -> Any:
    # ``owned``: the writable arrays found so far, by their place; each may occur once. None within
    # a frozen dataclass, whose arrays never change and may be shared.
    if isinstance(value, Storable):
        value = value.stored()
    if value is None or isinstance(value, bool | str) or type(value) in (int, float):
        return value
    if owned is not None and not _frozen(value):
        for other, known in owned.items():
            if known is value or _overlap(known, value):
                raise TypeError(f"{other} and {where} share memory, and would not after loading")
        owned[where] = value
    if isinstance(value, np.ndarray) and value.dtype != object:
        arrays[where] = value
        return {"array": where, "writeable": value.flags.writeable}
    if isinstance(value, np.generic):
        arrays[where] = np.asarray(value)
        return {"scalar": where}
    if type(value) in (list, tuple) or is_record(value):
        items = [_encode(item, f"{where}[{i}]", arrays, owned) for i, item in enumerate(value)]
        return {"items": items, "tuple": isinstance(value, tuple)}
    if type(value) is dict and all(isinstance(key, str) for key in value):
        return {"dict": {k: _encode(v, f"{where}[{k!r}]", arrays, owned) for k, v in value.items()}}
    if type(value) is np.random.Generator:
        state = _encode(value.bit_generator.state, where, arrays, None)
        return {"generator": type(value.bit_generator).__name__, "state": state}
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        cls = type(value)
        inner = None if _frozen(value) else owned
        state = {k: _encode(v, f"{where}.{k}", arrays, inner) for k, v in vars(value).items()}
        return {"class": f"{cls.__module__}:{cls.__qualname__}", "state": state}
    raise TypeError(
        f"{where} is a {type(value).__name__}, which cannot be saved: state is made of arrays, "
        "plain data and dataclasses of these"
    )


def is_record(value: Any) -> bool:
    """Whether a value is a named tuple of this package, as compiled code takes its state."""
    ours = type(value).__module__.startswith("agents.")
    return ours and isinstance(value, tuple) and hasattr(value, "_make")


def _frozen(value: Any) -> bool:
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return type(value).__dataclass_params__.frozen  # type: ignore[attr-defined]
    empty = isinstance(value, np.ndarray) and value.size == 0
    return empty or isinstance(value, tuple | np.generic)


def _overlap(a: Any, b: Any) -> bool:
    arrays = isinstance(a, np.ndarray) and isinstance(b, np.ndarray)
    return arrays and np.may_share_memory(a, b)
