"""What the fuzz tests share: values of every kind, damaged bytes, and what a readable error is.

Whatever goes in, the property is the same: it works, or raises one readable error. The examples are
the same in every run; ``BANDITGYM_FUZZ=100 pytest tests/fuzz`` tries a hundred times as many, new
ones each time.
"""

import contextlib
import linecache
import os
import resource
import sys
import traceback
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st

FACTOR = int(os.environ.get("BANDITGYM_FUZZ", "1"))
ROOT = Path(__file__).parents[2]
OURS = tuple(str(ROOT / package) for package in ("banditgym", "agents", "leaderboards"))
ROOM = 6 << 30  # bytes beyond what the process has; what asks for more is too large for anybody
LONGEST = 1000  # characters of an error


def examples(number: int) -> settings:
    """So many examples a test, or ``BANDITGYM_FUZZ`` times as many."""
    return settings(
        max_examples=number * FACTOR,
        derandomize=FACTOR == 1,
        deadline=None,
        database=None,
        suppress_health_check=list(HealthCheck),
    )


@contextlib.contextmanager
def readable(*, said_by_us: bool = True) -> Iterator[None]:
    """A block that works or raises one readable error; anything else is a failure.

    A readable error is a ValueError, TypeError or OSError of one line, raised by a ``raise`` of
    ours: one that comes out of numpy or Python itself names nothing that a user wrote.
    """
    with limited_memory():
        try:
            yield
        except (ValueError, TypeError, OSError) as error:
            text = str(error)
            assert text.strip()
            assert "\n" not in text
            assert len(text) <= LONGEST, f"{len(text)} characters"
            if said_by_us:
                last = traceback.extract_tb(error.__traceback__)[-1]
                line = linecache.getline(last.filename, last.lineno or 0).strip()
                if not (last.filename.startswith(OURS) and line.startswith("raise")):
                    raise AssertionError(f"a raw error: {error!r}") from error


@contextlib.contextmanager
def limited_memory() -> Iterator[None]:
    """MemoryError in place of a machine that runs out of it."""
    if not sys.platform.startswith("linux"):
        yield
        return
    soft, hard = resource.getrlimit(resource.RLIMIT_AS)
    used = int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()
    resource.setrlimit(resource.RLIMIT_AS, (used + ROOM, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_AS, (soft, hard))


NUMBERS: list[Any] = [
    0, 1, 2, 3, 5, 7, -1, 2**31, 2**53 + 1, 2**62, 2**63, 10**20, 10**400, True, False,
    0.0, -0.0, 0.5, 1.0, 1.5, 1e-3, 1e-300, 5e-324, 1e150, 1e154, 1e300, 1e308, -1.0, -0.5,
    float("nan"), float("inf"), -float("inf"),
]  # fmt: skip
ODD: list[Any] = [
    None, "", "x", "\x00", "\x1b[2J", "\ud800", "nan", "/dev/null", "/dev/zero", ".", b"x", 1j, {},
    set(), frozenset({1}), (), object, print, np.float64(0.5), np.int64(3), np.bool_(True),
    np.array(2), np.array([]), np.array(["a"]), np.array([None]), np.zeros((2, 0)),
    np.datetime64("2020-01-01"), {"kind": "ridge"}, {"kind": []}, {1: 2}, {"a": {"b": [1]}},
]  # fmt: skip
WORDS = [
    "gaussian", "bernoulli", "uniform", "rademacher", "student_t", "sphere", "ball", "cube", "box",
    "grid", "linear", "adaptive", "curved", "sign", "switch", "ellipsoid", "lp_ball", "rkhs", "gp",
    "branin", "hartmann6", "rbf", "matern", "identity", "shuffled", "chronological", "digits",
    "iris", "diabetes", "R6A", "R6B", "article", "user", "auto", "closed", "theory", "adversarial",
]  # fmt: skip
PARTS: list[Any] = [
    {"kind": "rbf", "length_scale": 0.3}, {"kind": "matern", "nu": 1.5, "length_scale": 0.2},
    {"kind": "linear"}, {"kind": "rbf", "length_scale": -1.0}, {"kind": "matern", "nu": 1e9},
    {"kind": "sum"}, {"kind": "rbf", "colour": 3}, {"kind": "rbf", "length_scale": [1, 2]},
]  # fmt: skip


def arrays() -> st.SearchStrategy[Any]:
    """Nested lists and arrays of numbers, most of them small, ragged ones included."""
    number = st.one_of(
        st.floats(-2, 2), st.integers(-3, 9), st.sampled_from(NUMBERS), st.just(None)
    )
    row = st.lists(st.floats(-1, 1), min_size=1, max_size=6)
    table = st.builds(
        lambda n, d, fill: np.linspace(-fill, fill, n * d).reshape(n, d),
        st.integers(1, 7),
        st.integers(1, 5),
        st.sampled_from([0.0, 0.5, 1.0, 1e-200, 1e200]),
    )
    return st.one_of(
        row,
        table,
        table.map(np.ndarray.tolist),
        st.lists(number, max_size=5),
        st.lists(st.lists(number, max_size=3), max_size=4),
        st.tuples(table, st.lists(st.integers(0, 2), min_size=1, max_size=7)),
    )


def values() -> st.SearchStrategy[Any]:
    """Anything that somebody might hand over."""
    number = [st.integers(1, 12), st.floats(0, 2), st.floats(), st.sampled_from(NUMBERS)]
    other = [st.booleans(), st.sampled_from(WORDS), st.sampled_from(PARTS), st.sampled_from(ODD)]
    return st.one_of(*number, *number, *other, arrays())


def plain() -> st.SearchStrategy[Any]:
    """What a file may say: JSON's values."""
    leaf = st.one_of(
        st.none(), st.booleans(), st.integers(), st.floats(), st.text(max_size=8),
        st.sampled_from(WORDS + [x for x in NUMBERS if not isinstance(x, bool)]),
    )  # fmt: skip
    return st.recursive(
        leaf,
        lambda of: st.lists(of, max_size=4) | st.dictionaries(st.text(max_size=5), of, max_size=3),
        max_leaves=8,
    )


@st.composite
def damaged(draw: st.DrawFn, whole: bytes, tokens: tuple[bytes, ...] = ()) -> bytes:
    """The bytes with up to four changes: flipped, cut, doubled, or with something foreign in."""
    data = bytearray(whole)
    foreign = st.one_of(
        st.sampled_from([b"\x00", b"\xff", b"\r", b"\n", b'"', b"9" * 400, *tokens])
    )
    for _ in range(draw(st.integers(0, 4))):
        at = draw(st.integers(0, len(data)))
        length = draw(st.integers(1, 20))
        match draw(st.integers(0, 4)):
            case 0 if data:
                data[min(at, len(data) - 1)] ^= 1 << draw(st.integers(0, 7))
            case 1:
                del data[at : at + length]
            case 2:
                del data[at:]
            case 3:
                data[at:at] = data[max(0, at - length) : at]
            case _:
                data[at:at] = draw(foreign)
    return bytes(data)
