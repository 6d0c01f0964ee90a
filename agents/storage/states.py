"""States of agents, compared bit for bit."""

import copy
import dataclasses
from collections.abc import Iterator
from typing import Any

import numpy as np


def within(value: object) -> Iterator[Any]:
    """A value, and all values of its mappings, sequences and dataclasses."""
    yield value
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        yield from within(vars(value))
    elif isinstance(value, dict):
        for item in value.values():
            yield from within(item)
    elif isinstance(value, list | tuple):
        for item in value:
            yield from within(item)


def state_of(agent: object) -> dict[str, Any]:
    return copy.deepcopy(vars(agent))


def equal(a: Any, b: Any) -> bool:
    """Whether two states are the same bit for bit."""
    if type(a) is not type(b):
        return False
    if isinstance(a, np.ndarray):
        return a.dtype == b.dtype and a.shape == b.shape and a.tobytes() == b.tobytes()
    if isinstance(a, dict):
        return a.keys() == b.keys() and all(equal(a[key], b[key]) for key in a)
    if isinstance(a, list | tuple):
        return len(a) == len(b) and all(map(equal, a, b))
    if isinstance(a, np.random.Generator):
        return equal(a.bit_generator.state, b.bit_generator.state)
    if dataclasses.is_dataclass(a):
        return equal(vars(a), vars(b))
    if type(a).__eq__ is object.__eq__:
        return True  # opaque: it differs even from its copy, so it cannot be compared
    return bool(a == b)


def changed(before: dict[str, Any], after: dict[str, Any]) -> str:
    """The names of the attributes that differ; empty if there are none."""
    names = before.keys() | after.keys()
    differ = [n for n in sorted(names) if not equal(before.get(n), after.get(n))]
    return ", ".join(differ)


def rows_of(state: object, i: int) -> Any:
    """The state of replicate i of three: row i of arrays and lists with three rows."""
    if isinstance(state, np.ndarray):
        return state[i] if state.ndim and len(state) == 3 else None
    if isinstance(state, dict):
        return {key: rows_of(value, i) for key, value in state.items()}
    if isinstance(state, list):
        return state[i] if len(state) == 3 else None
    if isinstance(state, tuple):
        return [rows_of(value, i) for value in state]
    if dataclasses.is_dataclass(state):
        return rows_of(vars(state), i)
    return None


def put_rows(state: Any, others: Any, which: np.ndarray, n: int) -> None:
    """Replace replicates (m,) of a state of n replicates, in place, by those of a state of m.

    Replicates are rows of arrays, and members of lists. What is shared by all replicates stays.
    """
    if isinstance(state, np.ndarray):
        if state is not others and state.shape == (n, *others.shape[1:]) and state.ndim:
            state[which] = others
    elif isinstance(state, list) and len(state) == n and len(others) == len(which):
        for i, other in zip(which, others, strict=True):
            state[i] = other
    elif isinstance(state, dict):
        for name in state.keys() & others.keys():
            put_rows(state[name], others[name], which, n)
    elif isinstance(state, list | tuple):
        for one, other in zip(state, others, strict=True):
            put_rows(one, other, which, n)
    elif dataclasses.is_dataclass(state) and state is not others:
        put_rows(vars(state), vars(others), which, n)
