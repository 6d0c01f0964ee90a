"""Agents by name: ``Class`` for our agents, ``module:Class`` or ``file.py:Class`` for others."""

import ast
import dataclasses
import importlib
import importlib.util
import re
from typing import Any, get_args

from agents import ownership
from agents.agent import Agent
from agents.storage.states import within
from banditgym.files.class_paths import module_at, names_own, place_of
from banditgym.functions.covariances import KINDS
from banditgym.tasks import Task
from banditgym.validation import brief, from_fields, nearest, word

# The modules of parts: every class that these export is a part.
PARTS = (
    "agents.parts.estimators",
    "agents.parts.posteriors",
    "agents.parts.decision_rules",
    "agents.parts.batching",
    "agents.parts.detectors",
)


def own_agents() -> dict[str, type[Agent]]:
    """Every agent of this package, by name."""
    package = importlib.import_module("agents")
    return {name: getattr(package, name) for name in package.AGENTS}


def names(family: str | None = None) -> list[str]:
    """The names of this package's agents, as ``resolve`` and the command line take them.

    Parameters
    ----------
    family : str, optional
        Only those that play this family of problems: ``armed``, ``adversarial``, ``linear``,
        ``logistic``, ``kernelized``, ``strongly_convex``, ``regression``, ``losses``,
        ``multiclass`` or ``news``.

    Raises
    ------
    ValueError
        For another family, with the nearest one.

    Examples
    --------
    >>> import agents
    >>> agents.names("strongly_convex")
    ['UniformRandom', 'PEGE', 'FastPEGE', 'BallOFUL', 'BallTS', 'ExploreThenCommit']
    """
    plays = {name: families_of(kind) for name, kind in own_agents().items()}
    if family is not None:
        word("family", family, tuple(dict.fromkeys(one for own in plays.values() for one in own)))
    return [name for name, own in plays.items() if family is None or family in own]


def families_of(kind: type[Agent]) -> list[str]:
    """The families of the tasks that a class of agents accepts, and of their subclasses.

    >>> import agents
    >>> families_of(agents.UCB1)
    ['armed', 'adversarial']
    """
    played = [task for task in get_args(Task) if issubclass(task, kind.accepts)]
    return list(dict.fromkeys(task.family for task in (*kind.accepts, *played)))


def named() -> dict[str, type[Agent]]:
    """Every agent that can be named by its class name alone.

    First the package's agents, then those that play on request, then those that a library computes.
    """
    package = importlib.import_module("agents")
    return {name: getattr(package, name) for name in _listed()}


def required(kind: type[Agent]) -> list[str]:
    """Hyperparameters that must be given: those without a default, and what the class `needs`."""
    return [
        field.name
        for field in dataclasses.fields(kind)
        if field.default is field.default_factory is dataclasses.MISSING or field.name in kind.needs
    ]


def resolve(spec: str) -> Agent:
    """The agent that a text names, with its hyperparameters.

    Parameters
    ----------
    spec : str
        ``"LinUCB"``, ``"LinUCB(alpha=0.5)"``, ``"module:Class"`` or ``"file.py:Class(..)"``, with
        hyperparameters as keyword arguments of plain data. A part is named as in Python,
        ``estimator=Ridge(ridge=2.0)``, or by its kind: ``{"kind": "ridge", "ridge": 2.0}``. An
        agent's argument may be another agent of this package, ``"Pending(UCB1())"``, whose kind is
        its name.

    Raises
    ------
    ValueError
        For an unknown name, with the nearest one, and for hyperparameters that the agent does not
        have or refuses.
    """
    path, given = _parse(spec)
    cls = find(path)
    known = [field.name for field in dataclasses.fields(cls)]
    unknown = [f"{name!r}{nearest(name, known)}" for name in given if name not in known]
    if unknown:
        raise ValueError(
            f"{cls.__name__} has no hyperparameter {', and none '.join(unknown)}; it has "
            f"{', '.join(known) or 'none'}"
        )
    missing = [n for n in required(cls) if n not in given]
    if missing:
        written = ", ".join(f"{name}=.." for name in missing)
        raise ValueError(
            f"{cls.__name__} needs arguments: write {cls.__name__}({written}), in quotes in a "
            f"shell; banditgym show {path} says what they are"
        )
    for name, value in given.items():
        if not is_plain(value):
            raise ValueError(
                f"{cls.__name__}: {name} must be plain data that JSON can hold, got {brief(value)}"
            )
    try:
        return cls(**{name: _part(value) for name, value in given.items()})
    except (TypeError, ValueError) as error:
        raise ValueError(f"{cls.__name__}: {error}") from error


def label(agent: Agent) -> str:
    """A short label: the class and its non-default hyperparameters; ``resolve`` reads it."""
    changed = _changed(agent)
    return type(agent).__name__ + (f"({changed})" if changed else "")


def _changed(value: Any) -> str:
    """The non-default fields of a dataclass, as one would write them."""
    shown = []
    for field in dataclasses.fields(value):
        item = getattr(value, field.name)
        if item != field.default:
            part = dataclasses.is_dataclass(item)
            text = f"{type(item).__name__}({_changed(item)})" if part else repr(item)
            shown.append(text if isinstance(item, Agent) else f"{field.name}={text}")
    return ", ".join(shown)


def plays_apart(spec: str) -> bool:
    """Whether the agent that a text names needs a process of its own.

    Third-party code does; it is not imported to find out. The classes for which
    `ownership.plays_apart` is true do too.

    >>> plays_apart("mine.py:Mine"), plays_apart("LinUCB"), plays_apart("PPO(n_steps=128)")
    (True, False, True)
    """
    return not names_own(spec) or ownership.plays_apart(find(spec.strip().partition("(")[0]))


def hyperparameters(agent: Agent) -> dict[str, Any]:
    """The hyperparameters as plain data; a part is a mapping with its ``kind``."""
    return {name: _plain(value) for name, value in agent.hyperparameters().items()}


def _parse(spec: str) -> tuple[str, dict[str, Any]]:
    path, bracket, rest = spec.strip().partition("(")
    if not bracket:
        return path, {}
    try:
        return path, _arguments(ast.parse(f"f({rest}", mode="eval").body, path.strip())
    # The latter two for deep nesting.
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        raise ValueError(
            "an agent is written like LinUCB(alpha=0.5) or OFUL(radius='closed'): keywords with "
            f"plain data, strings in quotes; got {brief(spec)}"
        ) from None


def _arguments(call: ast.expr, path: str) -> dict[str, Any]:
    """The arguments of a call of ``path`` in a text; a part is a mapping with its kind.

    Those without a name come first, and the first of them is an agent, the argument ``agent``.
    """
    if not isinstance(call, ast.Call) or not isinstance(call.func, ast.Name):
        raise SyntaxError
    names = _in_order(path)
    if len(call.args) > len(names) or not all(isinstance(value, ast.Call) for value in call.args):
        raise SyntaxError
    given: dict[str, Any] = {}
    unnamed = zip(names, call.args, strict=False)
    for name, value in (*unnamed, *((one.arg, one.value) for one in call.keywords)):
        if name is None or name in given:
            raise SyntaxError
        if isinstance(value, ast.Call) and isinstance(value.func, ast.Name):
            called = value.func.id
            agent = called in _listed() or value in call.args[:1]
            kind = called if agent else _snake(called)
            given[name] = {"kind": kind} | _arguments(value, called)
        else:
            given[name] = ast.literal_eval(value)
    return given


def _in_order(path: str) -> list[str]:
    """The arguments that need no name, of an agent that is not ours ``agent``."""
    if path not in _listed():
        return ["agent"]
    return [field.name for field in dataclasses.fields(find(path)) if not field.kw_only]


def _listed() -> tuple[str, ...]:
    """The names of ``named``; no agent is imported."""
    package = importlib.import_module("agents")
    return (*package.AGENTS, *package.ON_REQUEST, *package.LIBRARY_AGENTS)


def find(path: str) -> type[Agent]:
    """The class for a name without hyperparameters.

    Raises
    ------
    ValueError
        With the nearest name, for an unknown one.
    """
    place, name = place_of(path)
    if ":" not in path:
        known = _listed()
        if path.endswith(".py"):
            raise ValueError(f"name the class in the file too, as in {brief(f'{path}:Mine')}")
        if path not in known:
            hint = nearest(path, known) or "; banditgym list agents shows them"
            raise ValueError(f"unknown agent {brief(path)}{hint}")
        return getattr(importlib.import_module("agents"), path)
    module = module_at(place)
    cls = getattr(module, name, None)
    if cls is None:
        classes = [key for key, value in vars(module).items() if isinstance(value, type)]
        raise ValueError(f"{place} has no agent {brief(name)}{nearest(name, classes)}")
    if not (isinstance(cls, type) and issubclass(cls, Agent) and dataclasses.is_dataclass(cls)):
        raise ValueError(f"{path} is not an agent: it must be a dataclass that derives from Agent")
    return cls


def _parts() -> dict[str, type]:
    packages = [importlib.import_module(name) for name in PARTS]
    parts = [getattr(package, name) for package in packages for name in package.__all__]
    return KINDS | {_snake(part.__name__): part for part in parts}


def _snake(name: str) -> str:
    """``FrequentDirections`` -> ``frequent_directions``, and ``RBF`` -> ``rbf``."""
    return re.sub(r"(?<=[a-z])(?=[A-Z])", "_", name).lower()


def parts_of(spec: str) -> list[type]:
    """The classes of the parts that a text names among hyperparameters.

    Raises
    ------
    ValueError
        As `resolve` does, for a part that does not exist.

    Examples
    --------
    >>> [part.__name__ for part in parts_of("FastLinUCB(estimator=PolyakAveraging(step=2.0))")]
    ['PolyakAveraging']
    """
    given = within([*_parse(spec)[1].values()])
    return [_kind_of(item) for item in given if isinstance(item, dict) and "kind" in item]


def _part(value: object) -> Any:
    if not (isinstance(value, dict) and "kind" in value):
        return value
    kind, given = _kind_of(value), {name: _part(item) for name, item in value.items()}
    return from_fields("agent" if issubclass(kind, Agent) else "part", kind, given)


def _kind_of(value: dict[str, Any]) -> type:
    """The class of a part, or of an agent, given as a mapping with its kind."""
    kind, known = str(value["kind"]), _parts()
    if kind in _listed():
        return find(kind)
    if kind not in known:
        agent = kind != _snake(kind)  # as ``_arguments`` leaves the names of agents
        called, names = ("agent", _listed()) if agent else ("part", [*known, *_listed()])
        raise ValueError(f"unknown {called} {kind!r}{nearest(kind, names)}")
    return known[kind]


def is_plain(value: object) -> bool:
    """Whether a value is plain data that JSON can hold."""
    if isinstance(value, dict):
        return all(isinstance(key, str) and is_plain(item) for key, item in value.items())
    if isinstance(value, list | tuple):
        return all(map(is_plain, value))
    return value is None or isinstance(value, bool | int | float | str)


def _plain(value: object) -> Any:
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        fields = {f.name: _plain(getattr(value, f.name)) for f in dataclasses.fields(value)}
        name = type(value).__name__
        return {"kind": name if isinstance(value, Agent) else _snake(name), **fields}
    return value
