"""Save and load a learner in mid-run: arrays in npz, the rest in JSON, no pickle."""

import dataclasses
import importlib
import json
import sys
from pathlib import Path
from typing import Any

import numpy as np

from agents.agent import Agent

_DESCRIPTION = "description"  # the npz entry that holds the JSON


def save(agent: Agent, path: str | Path) -> None:
    """Write a learner and its state to one file.

    Loaded and continued it plays bit for bit as if it had never stopped.

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
        np.savez(
            file, allow_pickle=False, **{_DESCRIPTION: np.frombuffer(text, np.uint8)}, **arrays
        )


def load(path: str | Path) -> Any:
    """The learner that ``save`` wrote; its class must be importable as it was.

    Raises
    ------
    ValueError
        If the file holds no learner, or one whose class cannot be found.
    """
    try:
        # Opened here: numpy leaves a file open that it cannot read.
        with open(path, "rb") as file, np.load(file, allow_pickle=False) as stored:
            arrays = dict(stored)
    except OSError:
        raise
    except Exception as error:  # numpy and zipfile raise much, by what the bytes look like
        raise ValueError(f"{path} holds no saved learner") from error
    if _DESCRIPTION not in arrays:
        raise ValueError(f"{path} holds no saved learner")
    agent = _decode(json.loads(arrays.pop(_DESCRIPTION).tobytes()), arrays)
    if not isinstance(agent, Agent):
        raise ValueError(f"{path} holds no saved learner")
    return agent


def _encode(
    value: Any, where: str, arrays: dict[str, np.ndarray], owned: dict[str, Any] | None
) -> Any:
    # ``owned``: what may be written to, by place, which must be there once. None within a frozen
    # dataclass: what never changes may be shared.
    if value is None or isinstance(value, bool | str) or type(value) in (int, float):
        return value
    if owned is not None and not _frozen(value):
        for other, known in owned.items():
            if known is value or _overlap(known, value):
                raise TypeError(f"{other} and {where} share memory, and would be loaded apart")
        owned[where] = value
    if isinstance(value, np.ndarray) and value.dtype != object:
        arrays[where] = value
        return {"array": where, "writeable": value.flags.writeable}
    if isinstance(value, np.generic):
        arrays[where] = np.asarray(value)
        return {"scalar": where}
    if type(value) in (list, tuple):
        items = [_encode(item, f"{where}[{i}]", arrays, owned) for i, item in enumerate(value)]
        return {"items": items, "tuple": type(value) is tuple}
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


def _frozen(value: Any) -> bool:
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return type(value).__dataclass_params__.frozen  # type: ignore[attr-defined]
    empty = isinstance(value, np.ndarray) and value.size == 0
    return empty or isinstance(value, tuple | np.generic)


def _overlap(a: Any, b: Any) -> bool:
    arrays = isinstance(a, np.ndarray) and isinstance(b, np.ndarray)
    return arrays and np.may_share_memory(a, b)


def _decode(value: Any, arrays: dict[str, np.ndarray]) -> Any:
    if not isinstance(value, dict):
        return value
    if "array" in value:
        array = arrays[value["array"]]
        array.flags.writeable = value["writeable"]
        return array
    if "scalar" in value:
        return arrays[value["scalar"]][()]
    if "items" in value:
        items = [_decode(item, arrays) for item in value["items"]]
        return tuple(items) if value["tuple"] else items
    if "dict" in value:
        return {key: _decode(item, arrays) for key, item in value["dict"].items()}
    if "generator" in value:
        bits = getattr(np.random, value["generator"])()
        bits.state = _decode(value["state"], arrays)
        return np.random.Generator(bits)
    cls = _dataclass(value["class"])
    instance = object.__new__(cls) if not issubclass(cls, Agent) else cls.__new__(cls)
    for name, item in value["state"].items():
        object.__setattr__(instance, name, _decode(item, arrays))  # frozen dataclasses too
    return instance


def _dataclass(path: str) -> type:
    module, _, name = path.partition(":")
    try:
        cls: Any = sys.modules.get(module) or importlib.import_module(module)
        for part in name.split("."):
            cls = getattr(cls, part)
    except (ImportError, AttributeError):
        raise ValueError(
            f"the saved learner needs {path}, which cannot be imported here; a learner from a file "
            "is found once agents.resolve has named that same file"
        ) from None
    if not (isinstance(cls, type) and dataclasses.is_dataclass(cls)):
        raise ValueError(f"the saved state names {path}, which is no dataclass")
    return cls
