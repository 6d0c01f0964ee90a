"""Tasks as plain data, to send to an agent's process bit for bit."""

import base64
import dataclasses
import importlib
from typing import Any

import numpy as np

# The modules of the classes that a task is made of.
_PLACES = (
    "banditgym.tasks",
    "banditgym.action_sets",
    "banditgym.functions.covariances",
    "banditgym.rounds.delays",
)


def plain(value: object) -> Any:
    """A task, or a part of one, as data that JSON can hold.

    Raises
    ------
    ValueError
        For objects of other packages: an agent's process could not make them.
    """
    if value is None or isinstance(value, bool | str):
        return value
    if isinstance(value, int | np.integer):
        return int(value)
    if isinstance(value, float | np.floating):
        return {"float": float(value).hex()}
    if type(value) is tuple:
        return {"tuple": [plain(item) for item in value]}
    if isinstance(value, np.ndarray) and value.dtype.kind in "biuf":
        return {
            "dtype": value.dtype.str,
            "shape": list(value.shape),
            "data": base64.b64encode(np.ascontiguousarray(value).tobytes()).decode(),
            "writeable": bool(value.flags.writeable),
        }
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        place, name = type(value).__module__, type(value).__qualname__
        if any(place == known or place.startswith(known + ".") for known in _PLACES):
            fields = {f.name: plain(getattr(value, f.name)) for f in dataclasses.fields(value)}
            return {"class": [place, name], "fields": fields}
    raise ValueError(f"a task with {type(value).__name__} cannot be sent to another process")


def made(value: Any) -> Any:
    """The task or part that ``plain`` was given. Its input comes from the judge and is trusted."""
    if not isinstance(value, dict):
        return value
    if "float" in value:
        return float.fromhex(value["float"])
    if "tuple" in value:
        return tuple(made(item) for item in value["tuple"])
    if "data" in value:
        array = np.frombuffer(bytearray(base64.b64decode(value["data"])), value["dtype"])
        array = array.reshape(value["shape"])
        array.flags.writeable = value["writeable"]
        return array
    place, name = value["class"]
    cls = getattr(importlib.import_module(place), name)
    state = {name: made(item) for name, item in value["fields"].items()}
    # Not by the constructor: what it computes might differ in a last bit from the stored value.
    thing = cls.__new__(cls)
    for name, item in state.items():
        object.__setattr__(thing, name, item)
    return thing
