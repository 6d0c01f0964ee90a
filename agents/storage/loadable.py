"""How a class declares the states that may be loaded, where a fresh ``reset`` does not fix them.

Kernels trust the state: they index with its counters and do not check its shapes. So the state in a
file is compared with the state of a fresh ``reset``, attribute by attribute:

- an array must have the fresh one's type, number of axes and lengths. Integers must be at least the
  fresh ones, or 0, and at most 2^53. Unsigned integers are keys of streams and must be equal;
- numbers and strings must equal the fresh ones (floats to 1e-6, because another machine may have
  computed them), and a bool must be a bool;
- lists, mappings and parts must have the same members, each of which is compared in turn.

A class of this package for which other states are legal, because an array grows or a counter is an
index, declares them as ``loadable``, a mapping of attributes' names to `Loadable`, to which derived
classes add. ``{"counts paid": Loadable("_ capacity")}`` declares two attributes. If attributes
depend on each other in further ways, the class has a method ``consistent()``, which says whether
those of a loaded object agree.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

LARGEST = 2**53  # the largest counter: every smaller integer is a float64


@dataclass(frozen=True)
class Loadable:
    """The legal values of an attribute.

    Parameters
    ----------
    axes : str, optional
        For an array, or for each of a list, a word for each axis: ``_`` is the length after a fresh
        ``reset``, and ``any`` is any length. Another word is a length that is at least the fresh
        one, and the same wherever the word stands in a declaration of the same object.
    least : int, optional
        The least integer, if it is not that of the fresh state or 0.
    most : int or callable, optional
        The largest integer; or a function of the loaded object that returns it, elementwise.
    fixed : bool
        Whether a bool must be the fresh one.
    added : bool
        Whether files of earlier versions lack it; it is then the fresh one. Hashes of states leave
        it out where it is 0 everywhere, as it must be for the numbers of earlier versions.
    """

    axes: str = ""
    least: int | None = None
    most: int | Callable[[Any], Any] | None = None
    fixed: bool = False
    added: bool = False


def rules(cls: type) -> dict[str, Loadable]:
    """The declarations of a class and its bases of this package, by the attribute's name."""
    declared = [found.items() for found in own_members(cls, "loadable")]
    return {name: rule for items in declared for names, rule in items for name in names.split()}


def own_members(cls: type, name: str) -> list[Any]:
    """The values of a class attribute in a class and its bases of this package, bases first."""
    ours = (vars(base) for base in reversed(cls.__mro__) if not is_foreign(base))
    return [members[name] for members in ours if name in members]


def is_foreign(cls: type) -> bool:
    """Whether a class is third-party code."""
    return not cls.__module__.startswith(("agents.", "banditgym."))
