"""The modules that a number depends on: those that its module uses, directly or not.

The names that a source uses are read from its syntax tree (`leaderboards.run.keys.syntax`), and
nothing is imported. An import therefore counts wherever it is, even if its code never runs.
``importlib.import_module`` counts if its argument is a literal name; a computed name is not found.

A name that the ``__init__`` of a package re-exports is followed to the module that defines it, and
the package's other modules do not count. A package that is used other than by its names counts with
all that it imports.
"""

import functools
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from leaderboards.run.keys.syntax import Source


@dataclass(frozen=True)
class Closure:
    """Modules, and how they use each other.

    Attributes
    ----------
    form : list
        Plain data, equal if the modules compute the same and use each other likewise. No name or
        path of a module of the closure is in it: they are numbered in the order of first use.
    files : tuple of Path
        The modules by number.
    others : frozenset of str
        What is used from elsewhere, ``"numpy.linalg.norm"``.
    """

    form: list[Any]
    files: tuple[Path, ...]
    others: frozenset[str]


def closure(
    roots: Iterable[str],
    find: Callable[[str], Path | None],
    read: Callable[[Path], Source],
    leaf: Callable[[Path], bool] = lambda path: False,
) -> Closure:
    """Collect the modules that some roots use, directly or not.

    Parameters
    ----------
    roots : iterable of str
        ``"module:name"`` or ``"module:"``, in an order that matters.
    find : callable
        The file of a module of that name, None if it is to be left alone, as libraries are.
    read : callable
        The source in a file.
    leaf : callable
        Whether a file is not to be looked into: only the names that are used of it count.
    """
    numbers: dict[Path, int] = {}
    others: set[str] = set()

    def place(used: str) -> Any:
        path, names = _resolved(used, find, read)
        if path is None:
            others.add(names)
            return names
        if leaf(path):
            return ["", names]
        return [numbers.setdefault(path, len(numbers)), names]

    form: list[Any] = [[place(root) for root in roots]]
    done = 0
    while done < len(numbers):
        source = read(list(numbers)[done])
        form.append([source.form, [place(used) for used in source.uses]])
        done += 1
    return Closure(form, tuple(numbers), frozenset(others))


@functools.lru_cache(1 << 15)  # most closures share most of what they use
def _resolved(
    used: str, find: Callable[[str], Path | None], read: Callable[[Path], Source]
) -> tuple[Path | None, str]:
    """The file that defines a thing and its name there; of a thing from elsewhere the full name."""
    module, _, name = used.partition(":")
    names = name.split(".") if name else []  # in the module, then those of attributes
    seen: set[tuple[str, str]] = set()
    while True:
        path = find(module)
        if not names or (path is not None and path.name != "__init__.py"):
            break
        inner, source = f"{module}.{names[0]}", None if path is None else read(path)
        if source is not None and names[0] in source.hands_on and (module, names[0]) not in seen:
            seen.add((module, names[0]))
            module, _, name = source.hands_on[names[0]].partition(":")
            names = [*(name.split(".") if name else []), *names[1:]]
        elif (source is None or names[0] not in source.defines) and find(inner) is not None:
            module, names = inner, names[1:]
        else:
            break
    return path, ".".join(names if path is not None else [module, *names])
