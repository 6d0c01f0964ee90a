"""Learners by name: short names of ours, ``module:Class`` and ``file.py:Class`` of anybody's."""

import ast
import dataclasses
import hashlib
import importlib
import importlib.util
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

from agents.agent import Agent
from banditgym.settings import nearest


def learners() -> dict[str, type[Agent]]:
    """Every learner of this package, by name."""
    package = importlib.import_module("agents")
    return {name: getattr(package, name) for name in package.LEARNERS}


def resolve(spec: str) -> Agent:
    """The learner that a text names, with its hyperparameters.

    Parameters
    ----------
    spec : str
        ``"LinUCB"``, ``"LinUCB(alpha=0.5)"``, ``"module:Class"`` or ``"file.py:Class(..)"``, with
        hyperparameters as keyword arguments of plain data. A part is named by its kind:
        ``estimator={"kind": "ridge", "ridge": 2.0}``.

    Raises
    ------
    ValueError
        With the nearest name, for an unknown one, and for hyperparameters that the learner does not
        take or refuses.
    """
    path, given = _parse(spec)
    cls = _class(path)
    known = [field.name for field in dataclasses.fields(cls)]
    for name in given:
        if name not in known:
            raise ValueError(
                f"{cls.__name__} has no hyperparameter {name!r}{nearest(name, known)}; it has "
                f"{', '.join(known) or 'none'}"
            )
    try:
        return cls(**{name: _part(value) for name, value in given.items()})
    except (TypeError, ValueError) as error:
        raise ValueError(f"{cls.__name__}: {error}") from error


def label(agent: Agent) -> str:
    """A short label: the class and the hyperparameters off their defaults."""
    changed = []
    for field in dataclasses.fields(agent):
        value = getattr(agent, field.name)
        if value != field.default:
            changed.append(f"{field.name}={value!r}")
    return type(agent).__name__ + (f"({', '.join(changed)})" if changed else "")


def hyperparameters(agent: Agent) -> dict[str, Any]:
    """The hyperparameters as plain data; a part is a mapping with its ``kind``."""
    return {name: _plain(value) for name, value in agent.hyperparameters().items()}


def _parse(spec: str) -> tuple[str, dict[str, Any]]:
    path, bracket, rest = spec.strip().partition("(")
    if not bracket:
        return path, {}
    try:
        call = ast.parse(f"f({rest}", mode="eval").body
        if not isinstance(call, ast.Call) or not isinstance(call.func, ast.Name) or call.args:
            raise SyntaxError
        given = {k.arg: ast.literal_eval(k.value) for k in call.keywords if k.arg is not None}
        if len(given) != len(call.keywords):
            raise SyntaxError
    except (SyntaxError, ValueError):
        raise ValueError(
            f"a learner is named like LinUCB(alpha=0.5), with plain data in keywords; got {spec!r}"
        ) from None
    return path, given


def _class(path: str) -> type[Agent]:
    place, colon, name = path.rpartition(":")
    if not colon:
        known = learners()
        if path.endswith(".py"):
            raise ValueError(f"name the class in the file too, as in {path}:Mine")
        if path not in known:
            hint = nearest(path, known) or f"; there are {', '.join(known)}"
            raise ValueError(f"unknown learner {path!r}{hint}")
        return known[path]
    module = _file(Path(place)) if place.endswith(".py") else _module(place)
    cls = getattr(module, name, None)
    if cls is None:
        classes = [key for key, value in vars(module).items() if isinstance(value, type)]
        raise ValueError(f"{place} has no learner {name!r}{nearest(name, classes)}")
    if not (isinstance(cls, type) and issubclass(cls, Agent) and dataclasses.is_dataclass(cls)):
        raise ValueError(f"{path} is no learner: it must be a dataclass that derives from Agent")
    return cls


def _module(name: str) -> ModuleType:
    try:
        return importlib.import_module(name)
    except ImportError as error:
        raise ValueError(f"cannot import {name!r}: {error}") from error


def _file(path: Path) -> ModuleType:
    """The module in a file, imported once a process for each state of the file."""
    try:
        source = path.read_bytes()
    except OSError as error:
        raise ValueError(f"cannot read {path}: {error.strerror}") from error
    name = f"{path.stem}_{hashlib.sha256(source).hexdigest()[:12]}"
    if name not in sys.modules:
        spec = importlib.util.spec_from_file_location(name, path)
        if spec is None or spec.loader is None:
            raise ValueError(f"{path} is no Python file")
        module = importlib.util.module_from_spec(spec)
        sys.modules[name] = module  # dataclasses look their module up there
        try:
            spec.loader.exec_module(module)
        except BaseException as error:
            del sys.modules[name]
            if isinstance(error, KeyboardInterrupt):
                raise
            raise ValueError(f"{path} does not run: {type(error).__name__}: {error}") from error
    return sys.modules[name]


def _parts() -> dict[str, type]:
    estimators = importlib.import_module("agents.estimators")
    return {
        _kind(getattr(estimators, name)): getattr(estimators, name) for name in estimators.__all__
    }


def _kind(cls: type) -> str:
    """``UnregularizedForward`` -> ``unregularized_forward``."""
    return "".join(
        "_" * (i > 0) + c.lower() if c.isupper() else c for i, c in enumerate(cls.__name__)
    )


def _part(value: Any) -> Any:
    if not (isinstance(value, dict) and "kind" in value):
        return value
    known = _parts()
    kind = str(value["kind"])
    if kind not in known:
        raise ValueError(f"unknown part {kind!r}{nearest(kind, known)}")
    given = {key: item for key, item in value.items() if key != "kind"}
    fields = [field.name for field in dataclasses.fields(known[kind])]
    for key in given:
        if key not in fields:
            raise ValueError(f"the part {kind!r} has no {key!r}{nearest(str(key), fields)}")
    return known[kind](**given)


def _plain(value: Any) -> Any:
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        fields = {f.name: _plain(getattr(value, f.name)) for f in dataclasses.fields(value)}
        return {"kind": _kind(type(value)), **fields}
    return value
