"""Load an agent that was saved in mid-run.

Files are not trusted. Constructors check hyperparameters, and the classes of tasks check tasks. A
new agent is made and reset, and the stored state is compared with its state by the rules of
``agents.storage.loadable``.
"""

import contextlib
import dataclasses
import importlib
import math
import re
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import numpy as np

from agents.agent import Agent
from agents.naming import PARTS
from agents.scalar import ScalarAgent
from agents.storage.loadable import LARGEST, Loadable, is_foreign, own_members, rules
from agents.storage.saving import (
    Storable,
    StoredObject,
    attributes,
    is_object,
    path_of,
    stored,
)
from agents.storage.states import equal
from banditgym.validation import brief

# The modules of classes that a file may name: agents, their parts, and tasks.
_AGENTS = ("agents",)
_PARTS = (
    *PARTS,
    "banditgym.action_sets",
    "banditgym.functions.covariances",
    "banditgym.tasks",
    "banditgym.rounds.delays",
)
_MOVED = {"banditgym.covariances": "banditgym.functions.covariances"}  # since version 0.1
_MADE_BY_RESET = {"task", "n", "solo", "seeds", "_all"}


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
    # A constructor or a reset may raise anything for values that it was not written for.
    except Exception as error:
        kind = "" if isinstance(error, _RefusedError) else f"{type(error).__name__}: "
        reason = kind + (brief(str(error), 200) if kind else str(error))
        raise ValueError(f"{path} holds no saved agent that can be loaded: {reason}") from error


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
        fresh = self.constructed(cls, state)
        names = {field.name for field in dataclasses.fields(cls)} | _MADE_BY_RESET
        if "task" in state:
            n, solo, seeds = (state.get(name) for name in ("n", "solo", "seeds"))
            _expect(isinstance(seeds, list) and len(seeds) == n, "it lacks a seed per replicate")
            task = self.plain(state["task"])
            fault = task.fault() if type(task).__module__ == "banditgym.tasks" else None
            _expect(fault is None, f"the task cannot be played: {fault}")
            fresh.reset(task, n=None if solo else n, seed=seeds)
        names = vars(fresh).keys() if _ours(cls) else vars(fresh).keys() & names
        return self.made(cls, self.members(cls, state, fresh, cls.__name__, names), cls.__name__)

    def constructed(self, cls: Any, state: Mapping[str, Any]) -> Any:
        """An object that its constructor makes from its fields, and so checks."""
        fields = [field.name for field in dataclasses.fields(cls) if field.init]
        return cls(**{name: self.argument(state[name]) for name in fields if name in state})

    def argument(self, raw: Any) -> Any:
        """What a constructor gets for a field: plain data, a part, or an agent without a task."""
        if isinstance(raw, StoredObject):
            cls = self.named(raw.path, (*_AGENTS, *_PARTS))
            if issubclass(cls, Agent):
                return self.constructed(cls, raw.state)
        return self.plain(raw)

    def named(self, path: str, modules: tuple[str, ...]) -> Any:
        """The dataclass at a path: an allowed one, or one of ours in these modules."""
        cls: Any = self.allowed.get(path)
        if cls is None:
            module, _, name = path.partition(":")
            module = _MOVED.get(module, module)
            ours = any(module == known or module.startswith(f"{known}.") for known in modules)
            if ours and re.fullmatch(r"[a-z0-9_.]+", module) and name.isidentifier():
                with contextlib.suppress(ImportError):
                    cls = getattr(importlib.import_module(module), name, None)
            _expect(  # a package exports the classes of its modules
                isinstance(cls, type) and f"{cls.__module__}.".startswith(f"{module}."),
                f"it needs {brief(path)}, which this package does not have; a class of yours is "
                "given as load(path, allow=[YourAgent])",
            )
        _expect(isinstance(cls, type) and dataclasses.is_dataclass(cls), f"{path} is no dataclass")
        return cls

    def members(
        self, cls: type, state: Mapping[str, Any], fresh: Any, where: str, names: Iterable[str]
    ) -> dict[str, Any]:
        """The attributes of an object, from their stored values ``state``.

        Those in ``names`` must be stored, and are compared with the attributes of ``fresh``. Only
        third-party classes may have further ones. A field whose metadata say ``added`` is None in a
        file without it.
        """
        fields = dataclasses.fields(cls) if dataclasses.is_dataclass(cls) else ()
        state = dict(state)
        if any("added" in field.metadata and field.name not in state for field in fields):
            state = {field.name: state.get(field.name) for field in fields} | state
        known, declared, values = attributes(fresh), rules(cls), {}
        for name, rule in declared.items():
            if rule.added and name in known:
                state.setdefault(name, known[name])
        for name in names:
            _expect(name in state, f"{where} lacks {name}")
        lengths: dict[str, int] = {}
        for name, raw in state.items():
            at = f"{where}.{name}"
            if name in names:
                rule = declared.get(name, Loadable())
                values[name] = self.compared(raw, known[name], at, rule, lengths)
            else:
                _expect(is_foreign(cls), f"a fresh reset has no {brief(at)}")
                values[name] = self.free(raw, known.get(name), at)
        return values

    def compared(
        self, raw: Any, fresh: Any, where: str, rule: Loadable, lengths: dict[str, int]
    ) -> Any:
        """A stored value, if its rule allows it beside the value after a fresh ``reset``.

        ``lengths`` has the lengths of axes seen so far, by the rules' words for axes.
        """
        if _plays(fresh):
            return self.inner(raw, fresh, where)
        if isinstance(fresh, Storable):
            return fresh.restore(self.like(raw, fresh.stored(), where))
        if is_object(fresh):
            return self.like(raw, fresh, where)
        kind = type(fresh)
        if type(raw) is not kind:  # compared first, so that no long array is formatted needlessly
            raise _RefusedError(f"{where} must be a {kind.__name__}, got {brief(raw)}")
        if isinstance(fresh, list | tuple):
            _expect(len(raw) == len(fresh), f"{where} must have {len(fresh)} items, got {len(raw)}")
            pairs = enumerate(zip(raw, fresh, strict=True))
            return kind(self.compared(a, b, f"{where}[{i}]", rule, {}) for i, (a, b) in pairs)
        if isinstance(fresh, dict):
            _expect(raw.keys() == fresh.keys(), f"{where} must have the keys {brief([*fresh])}")
            return {
                key: self.compared(item, fresh[key], f"{where}[{key!r}]", Loadable(), {})
                for key, item in raw.items()
            }
        if isinstance(fresh, np.ndarray):
            _check_array(raw, fresh, where, rule, lengths)
        if isinstance(fresh, np.ndarray | np.generic) or rule.most is not None:
            _check_integers(raw, fresh, where, rule)
        elif rule.fixed or not isinstance(fresh, np.random.Generator | bool):
            close = kind is float and math.isclose(raw, fresh, rel_tol=1e-6)
            _expect(raw == fresh or close or raw != raw != fresh, f"{where} cannot be {brief(raw)}")
        return raw

    def inner(self, raw: Any, fresh: Agent, where: str) -> Agent:
        """An agent within another one: like a fresh one, but for its seeds."""
        _expect(isinstance(raw, StoredObject) and "task" in raw.state, f"{where} must have a task")
        agent = self.agent(raw)
        fixed = {"task", "n", "solo", *fresh.hyperparameters()}
        alike = type(agent) is type(fresh) and all(
            equal(vars(agent)[name], vars(fresh)[name]) for name in fixed
        )
        _expect(alike, f"{where} is another agent than its owner plays by, or of another task")
        return agent

    def like(self, raw: Any, fresh: Any, where: str) -> Any:
        """An object, if it is like a fresh one; its class may have had another module before."""
        cls, own = type(fresh), path_of(fresh)
        _expect(isinstance(raw, StoredObject), f"{where} must be a {cls.__name__}")
        alike = raw.path.rpartition(":")[2] == cls.__qualname__
        _expect(alike, f"{where} must be a {own}, got {brief(raw.path)}")
        values = self.members(cls, raw.state, fresh, where, attributes(fresh).keys())
        return self.made(cls, values, where)

    def plain(self, raw: Any) -> Any:
        """Plain data, arrays and parts, without agents."""
        return self.free(raw, None, "it", agents=False)

    def free(self, raw: Any, fresh: Any, where: str, agents: bool = True) -> Any:
        """A value that may differ from the fresh one, if there is a fresh one.

        An object of this package is still compared with the fresh object of its class. Of other
        objects, frozen dataclasses are made by their constructors, and the rest must be allowed.
        """
        if isinstance(raw, list | tuple):
            known = fresh if isinstance(fresh, list | tuple) else ()
            known = known if len(known) == len(raw) else [None] * len(raw)
            pairs = enumerate(zip(raw, known, strict=True))
            return type(raw)(self.free(a, b, f"{where}[{i}]", agents) for i, (a, b) in pairs)
        if isinstance(raw, dict):
            known = fresh if isinstance(fresh, dict) else {}
            return {k: self.free(x, known.get(k), f"{where}.{k}", agents) for k, x in raw.items()}
        if not isinstance(raw, StoredObject):
            return raw
        if raw.path not in self.allowed and is_object(fresh) and raw.path == path_of(fresh):
            return self.like(raw, fresh, where)
        cls, state = self.named(raw.path, _PARTS), raw.state
        if cls.__dataclass_params__.frozen:
            return self.like(raw, self.constructed(cls, state), raw.path)
        _expect(
            raw.path in self.allowed and (agents or not issubclass(cls, Agent)),
            f"it holds a {raw.path} where a fresh reset has none",
        )
        known = vars(fresh) if type(fresh) is cls else {}
        values = {k: self.free(x, known.get(k), f"{where}.{k}", agents) for k, x in state.items()}
        return self.made(cls, values, where)

    def made(self, cls: Any, values: Mapping[str, Any], where: str) -> Any:
        """An object with these attributes, if they agree with each other."""
        if issubclass(cls, tuple):
            instance = cls(**values)
        else:
            instance = cls.__new__(cls) if issubclass(cls, Agent) else object.__new__(cls)
            for name, value in values.items():
                object.__setattr__(instance, name, value)  # frozen dataclasses too
        if issubclass(cls, Agent) and "task" not in values:
            return instance
        for name, rule in rules(cls).items():
            if name not in values:
                continue  # an attribute on tasks of another family
            most = rule.most(instance) if callable(rule.most) else rule.most
            if most is not None and not np.all(values[name] <= most):
                raise _out_of_range(f"{where}.{name}", values[name])
        agree = all(consistent(instance) for consistent in own_members(cls, "consistent"))
        _expect(agree, f"the members of {where} contradict each other")
        return instance


def _plays(value: object) -> bool:
    """Whether a value is an agent that has a task."""
    return isinstance(value, Agent) and "task" in vars(value)


def _check_array(
    raw: np.ndarray, fresh: np.ndarray, where: str, rule: Loadable, lengths: dict[str, int]
) -> None:
    _expect(
        (raw.dtype, raw.ndim) == (fresh.dtype, fresh.ndim),
        f"{where} must be of {fresh.dtype} with {fresh.ndim} axes, got {raw.dtype} with {raw.ndim}",
    )
    _expect(
        raw.flags.writeable == fresh.flags.writeable
        and (raw.flags.c_contiguous or not fresh.flags.c_contiguous),
        f"{where} has another memory layout than that of a fresh reset",
    )
    words = rule.axes.split() or ["_"] * fresh.ndim
    shape: tuple[int, ...] = ()
    for word, known, length in zip(words, fresh.shape, raw.shape, strict=True):
        lengths |= {"_": known, "any": length}
        shape += (lengths.setdefault(word, max(length, known)),)
    _expect(raw.shape == shape, f"{where} must be of shape {shape}, got {raw.shape}")


def _check_integers(raw: Any, fresh: Any, where: str, rule: Loadable) -> None:
    """Check that integers are within their limits.

    A limit ``most`` of the rule is checked by `_Reader.made`, because it may depend on other
    attributes.
    """
    kind = np.asarray(fresh).dtype.kind
    if kind == "u":
        _expect(raw.tobytes() == fresh.tobytes(), f"{where} must be that of a fresh reset")
    elif kind == "i":
        first = min(int(np.min(fresh)), 0) if np.size(fresh) else 0
        least = first if rule.least is None else rule.least
        if not (np.all(raw >= least) and (rule.most is not None or np.all(raw <= LARGEST))):
            raise _out_of_range(where, raw)


def _out_of_range(where: str, numbers: Any) -> _RefusedError:
    return _RefusedError(f"{where} has numbers that are out of range, {brief(numbers)}")


def _ours(cls: type) -> bool:
    """Whether a class derives from an agent of this package, and so has that agent's state."""
    bases = [base for base in cls.__mro__ if issubclass(base, Agent)]
    return any(not is_foreign(base) and base not in (Agent, ScalarAgent) for base in bases)
