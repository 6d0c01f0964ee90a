"""Checks of settings: each function returns the converted value, or raises with the reason.

A dataclass states the check of a field beside its default, by ``checked``.
"""

import difflib
import math
import os
import re
import sys
import tokenize
import warnings
from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import MISSING, field, fields
from numbers import Integral, Real
from pathlib import Path
from typing import Any
from unicodedata import category

import numpy as np

Check = Callable[[str, Any], Any]  # of a name and its value
_INVISIBLE = ("Cc", "Cf", "Cs", "Zl", "Zp")  # categories of Unicode


def whole(name: str, value: object, least: int = 1) -> int:
    """``value`` as an int >= ``least``, or a ValueError that names it."""
    if not isinstance(value, Integral) or isinstance(value, bool) or value < least:
        raise ValueError(f"{name} must be an integer >= {least}, got {brief(value)}")
    return int(value)


def real(name: str, value: object) -> float:
    """``value`` as a float, NaN and infinities included, or a ValueError that names it."""
    if not isinstance(value, Real) or isinstance(value, bool):
        raise ValueError(f"{name} must be a number, got {brief(value)}")
    try:
        return float(value)
    except OverflowError:
        raise ValueError(f"{name} must fit in double precision, got {brief(value)}") from None


def positive(name: str, value: object) -> float:
    """``value`` as a finite float > 0, or a ValueError that names it."""
    number = real(name, value)
    if not 0 < number < math.inf:
        raise ValueError(f"{name} must be finite and > 0, got {brief(value)}")
    return number


def nonnegative(name: str, value: object) -> float:
    """``value`` as a finite float >= 0, or a ValueError that names it."""
    number = real(name, value)
    if not 0 <= number < math.inf:
        raise ValueError(f"{name} must be finite and >= 0, got {brief(value)}")
    return number


def probability(name: str, value: object) -> float:
    """``value`` as a float > 0 and < 1, or a ValueError that names it."""
    number = real(name, value)
    if not 0 < number < 1:
        raise ValueError(f"{name} is a probability and must be in (0, 1), got {brief(value)}")
    return number


def ruled(legal: Callable[[float], bool], rule: str) -> Check:
    """A check of numbers, whose error says what they must be: the name, ``rule`` and the value."""

    def check(name: str, value: object) -> float:
        number = real(name, value)
        if not legal(number):
            raise ValueError(f"{name} {rule}, got {value}")
        return number

    return check


def checked(check: Check, default: Any = MISSING) -> Any:
    """The field of a dataclass, with the check of its values by ``check_fields``."""
    return field(default=default, metadata={"check": check})


def check_fields(owner: Any) -> None:
    """Check the fields of a dataclass, in order; None is legal where it is the default."""
    for row in fields(owner):
        check, value = row.metadata.get("check"), getattr(owner, row.name)
        if check is not None and not (value is None and row.default is None):
            check(row.name, value)


class Checked:
    """A base class of dataclasses that checks their fields."""

    def __post_init__(self) -> None:
        check_fields(self)


def flag(name: str, value: object) -> bool:
    """``value`` as a bool, numpy's too, or a ValueError that names it."""
    if not isinstance(value, bool | np.bool_):
        raise ValueError(f"{name} must be true or false, got {brief(value)}")
    return bool(value)


def word(name: str, value: object, known: Collection[str]) -> str:
    """``value``, one of the words ``known``, or a ValueError that names it, with the nearest."""
    if not isinstance(value, str) or value not in known:
        hint = nearest(value, known) if isinstance(value, str) else ""
        raise ValueError(f"{name} must be one of {', '.join(known)}, got {brief(value)}{hint}")
    return value


def reals(name: str, value: object) -> np.ndarray:
    """A float64 copy of an array of finite numbers, or a ValueError that names it."""
    refuse_masked(name, value)
    try:
        array = np.asarray(value)
    except ValueError as error:  # rows of different lengths
        raise ValueError(f"{name} must be an array of numbers: {error}") from error
    if array.dtype.kind not in "iuf":
        raise ValueError(f"{name} must be an array of real numbers, got {array.dtype}")
    array = np.array(array, dtype=np.float64, order="C")
    finite = np.isfinite(array)
    if not finite.all():
        where = tuple(int(i) for i in np.argwhere(~finite)[0])
        raise ValueError(f"{name} must be finite, got {array[where]} at {where}")
    return array


def as_array(value: object, kind: type = float) -> np.ndarray:
    """``value`` as numpy's array; an empty one of ``kind`` for sequences of different lengths."""
    try:
        return np.asarray(value)
    except ValueError:
        return np.empty(0, kind)


def refuse_masked(name: str, value: object) -> None:
    """Refuse masked entries of an array, or of the rows of a list: numpy shows what they hide."""
    rows = dict(enumerate(value)) if isinstance(value, list | tuple) else {None: value}
    for i, row in rows.items():
        if isinstance(row, np.ma.MaskedArray) and row.dtype.names is None and np.ma.is_masked(row):
            place = [int(j) for j in np.argwhere(np.ma.getmaskarray(row))[0]]
            where = tuple(place if i is None else [i, *place])
            raise ValueError(f"{name} must have no masked entries, got one at {where}")


def read_npy(name: str, path: Path) -> np.ndarray:
    """The array of a .npy file, of any shape.

    Raises
    ------
    ValueError
        If the file is no such file; the message has ``name``.
    """
    try:
        with path.open("rb") as file, warnings.catch_warnings():
            warnings.filterwarnings("ignore", "Reading `.npy` or `.npz` file required additional")
            # Not np.load, which would hand back archives and pickles of the same suffix.
            return np.lib.format.read_array(file, allow_pickle=False)
    # The header is a line of Python, with sizes that may fit no integer.
    except (ValueError, TypeError, OverflowError, RecursionError, tokenize.TokenError) as error:
        raise ValueError(f"{name}: {path} holds no matrix of numbers: {error}") from error


def memory() -> int:
    """The machine's memory in bytes, or the largest possible number where it is unknown."""
    if sys.platform == "linux":
        try:  # not by ``sysconf``, which does not notice that a sandbox refuses its call
            with open("/proc/meminfo", encoding="ascii") as file:
                return 1024 * int(file.readline().split()[1])  # MemTotal, in kB
        except (OSError, ValueError, IndexError):
            return 2**48
    try:
        return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    except (AttributeError, ValueError, OSError):  # Windows
        return 2**48


def brief(value: object, longest: int = 80) -> str:
    """``repr`` of a value on one line, cut off where it is long, for messages."""
    text = " ".join(repr(value).split())
    return text if len(text) <= longest else f"{text[: longest - 3]} .."


def visible(text: str) -> str:
    r"""Text with control characters written out, such as ``\x1b``; line breaks stay.

    Characters that move a cursor, change the direction of text or cannot be seen are written out,
    because names and messages may come from third-party files.
    """
    return "".join(
        c.encode("unicode_escape").decode() if c != "\n" and category(c) in _INVISIBLE else c
        for c in text
    )


def legible(name: str) -> str:
    """A name, in quotes if it has blanks or characters that a message would hide."""
    plain = name and name.isprintable() and name == " ".join(name.split())
    return name if plain else repr(name)


def of_kind(called: str, kinds: Mapping[str, type], value: Any, forms: str) -> Any:
    """An object of one of some dataclasses, from a mapping that has its ``kind`` and its fields.

    Parameters
    ----------
    called : str
        What errors call it.
    kinds : mapping of str to type
        The dataclasses by their kinds.
    value : object
        ``{"kind": "rbf", "length_scale": 0.3}``; anything else is refused.
    forms : str
        The forms that a value may have, for errors.
    """
    if not isinstance(value, dict) or "kind" not in value:
        raise ValueError(f"{called} must be {forms}, got {brief(value)}")
    kind = str(value["kind"])
    if kind not in kinds:
        hint = nearest(kind, kinds) if kind.isidentifier() else ""
        raise ValueError(f"unknown {called} {kind!r}{hint or f'; there are {forms}'}")
    return from_fields(called, kinds[kind], value)


def from_fields(called: str, cls: type, value: Mapping[str, Any]) -> Any:
    """An object of a dataclass, from a mapping that has its ``kind`` and some of its fields."""
    given = {name: item for name, item in value.items() if name != "kind"}
    known = {row.name: row for row in fields(cls)}
    which = f"the {called} {str(value['kind'])!r}"
    for name in given.keys() - known.keys():
        raise ValueError(f"{which} has no {name!r}{nearest(str(name), known)}")
    for name, row in known.items():
        if name not in given and row.default is MISSING and row.default_factory is MISSING:
            raise ValueError(f"{which} needs {name}")
    return cls(**given)


def nearest(name: str, known: Iterable[str]) -> str:
    """``"; did you mean X?"`` for the nearest known name, or nothing.

    A name that is spelled almost alike comes first, then those that begin with ``name`` or have a
    word in common with it, then those that are spelled alike. Among equals the one with the
    nearest number is taken, then the first.

    >>> nearest("UCB", ["LinUCB", "UCB1", "UCB2"]), nearest("Softmax", ["SOBA"])
    ('; did you mean UCB1?', '')
    """
    words, letters = _words(name), _letters(name)
    likeness = {
        other: difflib.SequenceMatcher(None, letters, _letters(other)).ratio()
        for other in known
        if other
    }
    spelled = [other for other, ratio in likeness.items() if ratio > 0.85]
    akin = [
        other
        for other in likeness
        if words & _words(other) or (words and _letters(other).startswith(letters))
    ]
    alike = [other for other, ratio in likeness.items() if ratio >= 0.6]
    best = max(
        spelled or akin or alike,
        key=lambda other: (likeness[other], -abs(_number(name) - _number(other))),
        default="",
    )
    return f"; did you mean {legible(best)}?" if best else ""


def _letters(name: str) -> str:
    """A name without marks, in lower case: ``klucb`` for ``KL-UCB``."""
    return "".join(filter(str.isalnum, name)).lower()


def _number(name: str) -> int:
    """The last number in a name, such as 2 of ``core-v2``; 0 if there is none."""
    return int((re.findall("[0-9]{1,9}", name) or ["0"])[-1])


def _words(name: str) -> set[str]:
    """The words of a name, of three letters or more: ``UCB1Tuned`` has ucb and tuned."""
    found = re.findall("[A-Z]+(?![a-z])|[A-Z]?[a-z]+", name)
    return {word.lower() for word in found if len(word) > 2}
