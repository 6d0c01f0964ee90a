"""The files of agents saved in mid-run: arrays in npz and the rest in JSON, without pickle."""

import dataclasses
import io
import json
import math
import zipfile
from pathlib import Path
from typing import Any

import numpy as np

from agents.storage.states import equal, within
from banditgym.files import whole_files
from banditgym.validation import brief

_DESCRIPTION = "description"  # the npz entry that holds the JSON

# Generators that a file may name, and the largest values of the counts in their states.
_GENERATORS = {
    name: getattr(np.random, name) for name in ("MT19937", "PCG64", "PCG64DXSM", "Philox", "SFC64")
}
_COUNTS = {"pos": 624, "buffer_pos": 4, "has_uint32": 1}


def save(agent: Any, path: str | Path) -> None:
    """Write an agent and its state to one file.

    After loading, it continues as if it had never been saved, bit for bit. The file is written
    beside ``path`` and then takes its place: whatever ends the process, or fills the disk, leaves
    the last good file.

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
    text = np.frombuffer(json.dumps(described).encode(), np.uint8)
    with whole_files.opened(path) as file:
        np.savez(file, allow_pickle=False, **{_DESCRIPTION: text}, **arrays)


def classes_of(agent: object) -> list[type]:
    """The classes of an agent and its state; ``load`` must allow those that are not ours."""
    types = (type(value) for value in within(agent) if not isinstance(value, type))
    return list(dict.fromkeys(filter(dataclasses.is_dataclass, types)))


class Storable:
    """An object of another library in an agent's state.

    It is saved as a dataclass of arrays and plain data, which declares what is ``loadable``. To
    load it, ``restore`` of the object in the state of a fresh ``reset`` is given that dataclass.
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
    if type(value) in (list, tuple):
        items = [_encode(item, f"{where}[{i}]", arrays, owned) for i, item in enumerate(value)]
        return {"items": items, "tuple": isinstance(value, tuple)}
    if type(value) is dict and all(isinstance(key, str) for key in value):
        return {"dict": {k: _encode(v, f"{where}[{k!r}]", arrays, owned) for k, v in value.items()}}
    if type(value) is np.random.Generator:
        state = _encode(value.bit_generator.state, where, arrays, None)
        return {"generator": type(value.bit_generator).__name__, "state": state}
    if is_object(value):
        inner = None if dataclasses.is_dataclass(value) and _frozen(value) else owned
        state = {k: _encode(v, f"{where}.{k}", arrays, inner) for k, v in attributes(value).items()}
        return {"class": path_of(value), "state": state}
    raise TypeError(
        f"{where} is a {type(value).__name__}, which cannot be saved: state is made of arrays, "
        "plain data and dataclasses of these"
    )


def is_object(value: object) -> bool:
    """Whether a value is a dataclass, or a named tuple of this package.

    Compiled code takes its state as such tuples.
    """
    return (dataclasses.is_dataclass(value) and not isinstance(value, type)) or _is_record(value)


def path_of(value: object) -> str:
    """``module:Class`` of an object."""
    return f"{type(value).__module__}:{type(value).__qualname__}"


def attributes(value: Any) -> dict[str, Any]:
    """The attributes of such an object, by name."""
    return value._asdict() if _is_record(value) else vars(value)


def _is_record(value: object) -> bool:
    ours = type(value).__module__.startswith("agents.")
    return ours and isinstance(value, tuple) and hasattr(value, "_make")


def _frozen(value: object) -> bool:
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return type(value).__dataclass_params__.frozen  # type: ignore[attr-defined]
    empty = isinstance(value, np.ndarray) and value.size == 0
    return empty or isinstance(value, tuple | np.generic)


def _overlap(a: object, b: object) -> bool:
    arrays = isinstance(a, np.ndarray) and isinstance(b, np.ndarray)
    return arrays and np.may_share_memory(a, b)


def stored(path: str | Path) -> tuple[Any, dict[str, np.ndarray]]:
    """The contents of a file of ``save``, and the arrays in it that nothing refers to.

    No class is looked up: a dataclass is returned as a ``StoredObject``.

    Raises
    ------
    ValueError
        If it is no such file.
    """
    data = Path(path).read_bytes()
    try:
        arrays = _arrays_in(data)
        return _raw(json.loads(arrays.pop(_DESCRIPTION).tobytes()), arrays), arrays
    except Exception as error:  # numpy, zipfile and json raise many kinds, depending on the bytes
        raise ValueError(f"{path} holds no saved agent") from error


def _arrays_in(data: bytes) -> dict[str, np.ndarray]:
    """The arrays of an npz file of ``save``, which must be uncompressed and without objects."""
    arrays = {}
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        for entry in archive.infolist():
            name = entry.filename.removesuffix(".npy")
            if entry.compress_type != zipfile.ZIP_STORED or name in arrays:
                raise ValueError(f"no entry of a saved agent: {entry.filename!r}")
            file = io.BytesIO(archive.read(entry))
            # Checked before memory is allocated: the header gives the array's length.
            version = np.lib.format.read_magic(file)
            shape, _, dtype = np.lib.format.read_array_header_1_0(file)
            length = math.prod(shape) * dtype.itemsize
            if version != (1, 0) or length != entry.file_size - file.tell() or dtype.hasobject:
                raise ValueError(f"no array of numbers or words: {entry.filename!r}")
            file.seek(0)
            arrays[name] = np.lib.format.read_array(file, allow_pickle=False)
    return arrays


@dataclasses.dataclass
class StoredObject:
    """A dataclass or named tuple in a file: ``module:Class``, and the attributes."""

    path: str
    state: dict[str, Any]


def _raw(node: Any, arrays: dict[str, np.ndarray]) -> Any:
    """The value of a node of the description, with its ``arrays``; no class is looked up."""
    if isinstance(node, list):
        raise ValueError("a bare list")
    if not isinstance(node, dict):
        return node
    match sorted(node):
        case ["array", "writeable"]:
            array = arrays.pop(node["array"])
            array.flags.writeable = node["writeable"] is True
            return array
        case ["scalar"]:
            return arrays.pop(node["scalar"])[()]
        case ["items", "tuple"]:
            items = [_raw(item, arrays) for item in node["items"]]
            return tuple(items) if node["tuple"] else items
        case ["dict"]:
            return {str(key): _raw(item, arrays) for key, item in node["dict"].items()}
        case ["generator", "state"]:
            return _generator(node["generator"], _raw(node["state"], arrays))
        case ["class", "state"]:
            state = {str(key): _raw(item, arrays) for key, item in node["state"].items()}
            return StoredObject(str(node["class"]), state)
    raise ValueError(f"nothing of a saved agent: {sorted(node)}")


def _generator(name: str, state: Any) -> np.random.Generator:
    bits = _GENERATORS[name]()
    bits.state = state  # numpy does not check that counts are in range
    counts = {**state, **state["state"]}
    if not equal(bits.state, state) or any(
        not 0 <= counts.get(count, 0) <= most for count, most in _COUNTS.items()
    ):
        raise ValueError(f"a generator's state is {brief(state)}")
    return np.random.Generator(bits)
