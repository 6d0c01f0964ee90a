"""Which classes are this package's own. Identity decides, because a name can be forged."""

import inspect
import os
import sys
from types import FunctionType
from typing import Any

_FOLDER = os.path.dirname(__file__) + os.sep
# id of a class -> the class, so that no other object gets the id, and its methods as defined.
_KNOWN: dict[int, tuple[type, dict[str, Any]]] = {}
_LATER = {"__init__", "__repr__", "__replace__"}  # which ``dataclass`` adds to the defined class


def register(cls: type, names: dict[str, Any]) -> None:
    """Register a class and its bases as own if the names where it is defined are a module's here.

    It guards against mistakes, not attacks: third-party code may ``exec`` in a module's namespace.
    """
    module = sys.modules.get(cls.__module__)
    here = module is not None and vars(module) is names
    if here and (getattr(module, "__file__", None) or "").startswith(_FOLDER):
        for base in cls.__mro__[:-1]:
            _KNOWN.setdefault(id(base), (base, _methods(base)))


def is_own(cls: type) -> bool:
    """Whether a class was registered. Its name, module and metaclass do not matter."""
    return id(cls) in _KNOWN


def plays_apart(cls: type) -> bool:
    """Whether agents of a class need a process of their own.

    Third-party code does, because it may change anything in its process. Agents of this package
    that set ``apart`` do too, because a library with global state, such as torch, computes them.
    """
    return not is_own(cls) or getattr(cls, "apart", False)


def as_imported(instance: object) -> bool:
    """Whether an object's class is this package's, with its methods as they were defined.

    This is false if a method was replaced or added on the class, a base class, or the object; but
    ``__init__`` and ``__repr__``, which ``dataclass`` adds later, are not compared.
    """
    cls = type(instance)
    if not is_own(cls):
        return False
    for base in cls.__mro__[:-1]:
        known, now = _KNOWN[id(base)][1], _methods(base)
        if known.keys() != now.keys() or any(known[name] is not now[name] for name in known):
            return False
        if not vars(instance).keys().isdisjoint(known):
            return False
    return True


def files_of(cls: type) -> set[str]:
    """The files with the methods of a class and its bases, without ours."""
    found = set()
    for base in cls.__mro__[:-1]:
        for value in [] if is_own(base) else vars(base).values():
            function = getattr(value, "__func__", getattr(value, "fget", value))
            if isinstance(function, FunctionType):
                found.add(inspect.unwrap(function).__code__.co_filename)
    return found - {"<string>"}  # methods that ``dataclass`` generated


def that_play(task: Any) -> str:
    """``"; UCB1, KLUCB and BetaThompson can"``: our agents that play a task, for a message.

    At most four are named, and uniform play only if no other agent plays the task.
    """
    package = sys.modules["agents"]  # imported by whoever has an agent; importing it is a cycle
    able = [name for name in package.AGENTS if getattr(package, name)().refuses(task) is None]
    able = [name for name in able if name != "UniformRandom"] or able
    names = able if len(able) < 5 else [*able[:3], "others"]
    *most, last = names or [""]
    return f"; {', '.join(most)}{' and ' * bool(most)}{last} can" if last else ""


def _methods(cls: type) -> dict[str, Any]:
    """Functions, properties and other attributes of a class that can run code."""
    found = vars(cls).items()
    return {
        name: value
        for name, value in found
        if name not in _LATER and (callable(value) or _is_descriptor(value))
    }


def _is_descriptor(value: object) -> bool:
    return hasattr(type(value), "__get__")
