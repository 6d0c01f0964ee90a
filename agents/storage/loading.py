"""Load an agent that was saved in mid-run.

Files are not trusted. Hyperparameters and tasks pass the checks of their constructors. State is
compared with that of a fresh ``reset``, by the rules of ``agents.storage.legal`` and
``agents.storage.legal_tasks``.
"""

import contextlib
import dataclasses
import importlib
import math
import re
from collections.abc import Iterable, Mapping
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np

from agents.agent import Agent
from agents.naming import PARTS
from agents.scalar import ScalarAgent
from agents.storage.legal import HOLDS, LARGEST, LIMITS, Legal, row_of
from agents.storage.legal_tasks import fault_of_task
from agents.storage.saving import Storable, StoredObject, attributes, is_object, stored
from banditgym.validation import brief

# The modules of classes that a file may name: agents, their parts, and tasks.
_AGENTS = ("agents",)
_PARTS = (*PARTS, "banditgym.action_sets", "banditgym.functions.covariances", "banditgym.tasks")


def load(path: str | Path, *, allow: Iterable[type] = ()) -> Any:
    """The agent that ``save`` wrote.

    The file is not trusted. Of the classes that it names, only this package's own agents and parts
    are used. Hyperparameters pass the constructor's checks. The names, types, shapes and counters
    of the state are compared with those of a fresh ``reset``, so that no file makes compiled code
    read or write out of bounds. A file may still hold any numbers, and its task may need much
    memory.

    Parameters
    ----------
    path : str or Path
    allow : iterable of type, optional
        Further classes that the file may name: your agent, and dataclasses in its state that a
        fresh ``reset`` does not make. Their constructors and ``reset`` are called. Of their
        attributes, only those that an agent of this package also has are checked.

    Raises
    ------
    ValueError
        If the file holds no agent, names a class that is not allowed, or holds a state that its
        agent cannot have.
    """
    raw, arrays = stored(path)
    try:
        _expect(not arrays, "it holds arrays that nothing refers to")
        return _Reader(allow).agent(raw)
    except _RefusedError as refused:
        raise ValueError(f"{path} holds no saved agent that can be loaded: {refused}") from None
    # A constructor or a reset may raise anything for values that it was not written for.
    except (Exception, MemoryError, RecursionError) as error:
        said = brief(str(error), 200)
        raise ValueError(
            f"{path} holds no saved agent that can be loaded: {type(error).__name__}: {said}"
        ) from error


class _RefusedError(Exception):
    """The fault of a file, in a message for the user who loads it."""


def _expect(condition: Any, message: str) -> None:
    if not condition:
        raise _RefusedError(message)


class _Reader:
    """Makes an agent from the contents of a file, or refuses them."""

    def __init__(self, allow: Iterable[type]):
        self.allowed = {f"{cls.__module__}:{cls.__qualname__}": cls for cls in allow}

    def agent(self, raw: Any) -> Agent:
        _expect(isinstance(raw, StoredObject), "it describes no agent")
        cls, state = self.named(raw.path, _AGENTS), raw.state
        _expect(issubclass(cls, Agent), f"{raw.path} is no agent")
        fields = dataclasses.fields(cls)
        for field in fields:
            _expect(field.name in state, f"{raw.path} needs the hyperparameter {field.name}")
        fresh = cls(**{f.name: self.value(state[f.name]) for f in fields if f.init})
        given = {field.name for field in fields}
        if "task" in state:
            fresh = self.reset(fresh, state)
            given |= {"task", "n", "solo", "seeds", "_all"}
        values = self.members(cls, state, fresh, cls.__name__, _ours(cls), given)
        return self.made(cls, values, cls.__name__)

    def reset(self, agent: Agent, state: Mapping[str, Any]) -> Agent:
        """The agent after a ``reset`` with the task, n and seeds of the file."""
        task = self.value(state["task"])
        _expect(dataclasses.is_dataclass(task), "the task is not a task")
        if type(task).__module__ == "banditgym.tasks":
            fault = fault_of_task(task)
            _expect(fault is None, f"the task cannot be played: {fault}")
        n, solo = state.get("n"), state.get("solo")
        seeds: Any = state.get("seeds")
        _expect(type(n) is int and type(solo) is bool, "the number of replicates is not a number")
        _expect(n == 1 or not solo, "it is solo and has several replicates")
        _expect(isinstance(seeds, list) and len(seeds) == n, "there is not one seed per replicate")
        return agent.reset(task, n=None if solo else n, seed=seeds)

    def named(self, path: str, modules: tuple[str, ...]) -> Any:
        """The dataclass at a path: an allowed one, or one of ours in these modules."""
        if path in self.allowed:
            cls: Any = self.allowed[path]
        else:
            module, _, name = path.partition(":")
            ours = any(module == known or module.startswith(f"{known}.") for known in modules)
            cls = None
            if ours and re.fullmatch(r"[a-z0-9_.]+", module) and name.isidentifier():
                with contextlib.suppress(ImportError):
                    cls = getattr(importlib.import_module(module), name, None)
            _expect(
                isinstance(cls, type) and cls.__module__ == module,
                f"it needs {brief(path)}, which this package does not have; a class of yours is "
                "given as load(path, allow=[YourAgent])",
            )
        _expect(isinstance(cls, type) and dataclasses.is_dataclass(cls), f"{path} is no dataclass")
        return cls

    def value(self, raw: Any) -> Any:
        """Plain data, arrays, and parts, which are made by their constructors."""
        if isinstance(raw, list | tuple):
            return type(raw)(self.value(item) for item in raw)
        if isinstance(raw, dict):
            return {key: self.value(item) for key, item in raw.items()}
        return self.part(raw) if isinstance(raw, StoredObject) else raw

    def part(self, raw: StoredObject) -> Any:
        """A part; if it is ours it must be frozen, and its constructor checks it."""
        cls, state = self.named(raw.path, _PARTS), raw.state
        if not _frozen_class(cls):
            _expect(
                raw.path in self.allowed and not issubclass(cls, Agent),
                f"it holds a {raw.path} where a fresh reset has none",
            )
            values = {name: self.value(item) for name, item in state.items()}
            return self.made(cls, values, raw.path)
        fields = [field.name for field in dataclasses.fields(cls) if field.init]
        _expect(all(name in state for name in fields), f"{raw.path} needs {', '.join(fields)}")
        fresh = cls(**{name: self.value(state[name]) for name in fields})
        return self.made(cls, self.members(cls, state, fresh, raw.path, True, set()), raw.path)

    def members(
        self,
        cls: type,
        state: Mapping[str, Any],
        fresh: Any,
        where: str,
        strict: bool,
        given: set[str],
    ) -> dict[str, Any]:
        """The attributes of an object, compared with those of a fresh one.

        If ``strict`` all are compared; otherwise those ``given``, and objects of ours in the rest.
        """
        known, legal = attributes(fresh), {}
        for name in known:
            _expect(name in state or (not strict and name not in given), f"{where} lacks {name}")
        if strict:
            for name, value in known.items():
                _same_kind(state[name], value, f"{where}.{name}")
            limits = row_of(LIMITS, cls)
            if limits is not None:
                legal = limits(SimpleNamespace(**state), fresh)
        values = {}
        for name, raw in state.items():
            at = f"{where}.{name}"
            if name in known and (strict or name in given):
                values[name] = self.compared(raw, known[name], at, legal.get(name, Legal()))
            else:
                _expect(_foreign(cls), f"a fresh reset has no {brief(at)}")
                values[name] = self.free(raw, known.get(name), at)
        return values

    def compared(self, raw: Any, fresh: Any, where: str, legal: Legal) -> Any:
        """A stored value, if it is legal for the attribute."""
        if isinstance(fresh, Storable):
            return fresh.restore(self.compared(raw, fresh.stored(), where, legal))
        _same_kind(raw, fresh, where)
        if isinstance(fresh, np.ndarray | np.generic):
            _check_array(raw, fresh, where, legal)
            return raw
        if is_object(fresh):
            cls = type(fresh)
            own = f"{cls.__module__}:{cls.__qualname__}"
            _expect(raw.path == own, f"{where} must be a {own}, got {brief(raw.path)}")
            return self.made(cls, self.members(cls, raw.state, fresh, where, True, set()), where)
        if isinstance(fresh, list | tuple):
            _expect(len(raw) == len(fresh), f"{where} must have {len(fresh)} items, got {len(raw)}")
            items = legal.items or [Legal()] * len(fresh)
            return type(fresh)(
                self.compared(a, b, f"{where}[{i}]", rule)
                for i, (a, b, rule) in enumerate(zip(raw, fresh, items, strict=True))
            )
        if isinstance(fresh, dict):
            _expect(raw.keys() == fresh.keys(), f"{where} must have the keys {brief([*fresh])}")
            return {
                key: self.compared(item, fresh[key], f"{where}[{key!r}]", Legal())
                for key, item in raw.items()
            }
        if isinstance(fresh, np.random.Generator) or (type(fresh) is bool and not legal.same):
            return raw
        if legal.most is not None:
            fits = (legal.least or 0) <= raw <= legal.most
        elif type(fresh) is float:
            fits = raw == fresh or math.isclose(raw, fresh, rel_tol=1e-6) or raw != raw != fresh
        else:
            fits = raw == fresh
        _expect(fits, f"{where} cannot be {brief(raw)}")
        return raw

    def free(self, raw: Any, fresh: Any, where: str) -> Any:
        """A value of a class that the caller allowed; objects of ours in it are compared."""
        if isinstance(raw, list | tuple):
            alike = isinstance(fresh, list | tuple) and len(fresh) == len(raw)
            return type(raw)(
                self.free(item, fresh[i] if alike else None, f"{where}[{i}]")
                for i, item in enumerate(raw)
            )
        if isinstance(raw, dict):
            known = fresh if isinstance(fresh, dict) else {}
            return {key: self.free(x, known.get(key), f"{where}.{key}") for key, x in raw.items()}
        if not isinstance(raw, StoredObject):
            return raw
        cls: Any = self.allowed.get(raw.path)
        if cls is None:
            counterpart = fresh is not None and not isinstance(fresh, type)
            ours = (
                counterpart and raw.path == f"{type(fresh).__module__}:{type(fresh).__qualname__}"
            )
            return self.compared(raw, fresh, where, Legal()) if ours else self.part(raw)
        if _frozen_class(cls):
            return self.part(raw)
        known = vars(fresh) if type(fresh) is cls else {}
        values = {k: self.free(x, known.get(k), f"{where}.{k}") for k, x in raw.state.items()}
        return self.made(cls, values, where)

    def made(self, cls: Any, values: Mapping[str, Any], where: str) -> Any:
        """An object with these attributes, which must be consistent with each other."""
        if issubclass(cls, tuple):
            instance = cls(**values)
        else:
            instance = cls.__new__(cls) if issubclass(cls, Agent) else object.__new__(cls)
            for name, value in values.items():
                object.__setattr__(instance, name, value)  # frozen dataclasses too
        holds = row_of(HOLDS, cls) if "task" in values or not issubclass(cls, Agent) else None
        _expect(holds is None or holds(instance), f"the members of {where} contradict each other")
        return instance


def _same_kind(raw: Any, fresh: Any, where: str) -> None:
    """Refuse a value of another type than the fresh one, or an array with other axes."""
    if is_object(fresh):
        _expect(isinstance(raw, StoredObject), f"{where} must be a {type(fresh).__name__}")
        return
    kind = type(fresh)
    if type(raw) is not kind:  # compared first, so that no long array is formatted needlessly
        raise _RefusedError(f"{where} must be a {kind.__name__}, got {brief(raw)}")
    if kind is np.ndarray:
        _expect(
            (raw.dtype, raw.ndim) == (fresh.dtype, fresh.ndim),
            f"{where} must be of {fresh.dtype} with {fresh.ndim} axes, got {raw.dtype} with "
            f"{raw.ndim}",
        )
        _expect(
            raw.flags.writeable == fresh.flags.writeable
            and (raw.flags.c_contiguous or not fresh.flags.c_contiguous),
            f"{where} has another memory layout than that of a fresh reset",
        )


def _check_array(raw: Any, fresh: Any, where: str, legal: Legal) -> None:
    shape = fresh.shape if legal.shape is None else legal.shape
    _expect(raw.shape == shape, f"{where} must be of shape {shape}, got {raw.shape}")
    if legal.same or raw.dtype.kind == "u":
        _expect(raw.tobytes() == fresh.tobytes(), f"{where} must be that of a fresh reset")
    elif raw.dtype.kind == "i":
        first = min(int(fresh.min()), 0) if fresh.size else 0
        least = first if legal.least is None else legal.least
        most = LARGEST if legal.most is None else legal.most
        fits = np.all((raw >= least) & (raw <= most))
        if not fits:
            raise _RefusedError(f"{where} has numbers that are out of range, {brief(raw)}")


def _foreign(cls: type) -> bool:
    """Whether a class is third-party code."""
    return not cls.__module__.startswith(("agents.", "banditgym."))


def _ours(cls: type) -> bool:
    """Whether only methods of this package change an agent's state."""
    bases = [base for base in cls.__mro__ if issubclass(base, Agent)]
    return any(not _foreign(base) and base not in (Agent, ScalarAgent) for base in bases)


def _frozen_class(cls: Any) -> bool:
    return cls.__dataclass_params__.frozen
