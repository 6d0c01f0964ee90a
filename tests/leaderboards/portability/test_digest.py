"""Hashes differ if and only if a bit, a type or a shape differs."""

from dataclasses import dataclass
from itertools import pairwise

import numpy as np
import pytest

from leaderboards.portability.digest import Digest


def of(*values):
    digest = Digest()
    for value in values:
        digest.feed(value)
    return digest.hex()


@dataclass(frozen=True)
class Point:
    x: float


class State:
    def __init__(self, **attributes):
        vars(self).update(attributes)


class Another(State):
    pass


DIFFERENT = [
    None, True, 1, 1.0, "1", "a", [1, 2], [[1], 2], [1, [2]], [], {}, {"a": 1}, {"b": 1},
    0.0, -0.0, 0.1, 0.1 + 2.0**-56, float("nan"), float("inf"),
    np.zeros(3), np.zeros((3, 1)), np.zeros((1, 3)), np.zeros(3, np.float32), np.zeros(3, np.int64),
    -np.zeros(3), np.array([0.0, np.nan, 0.0]), np.float64(0.0), np.int64(1), np.array([True]),
    Point(0.1), Point(0.2), State(x=0.1), State(y=0.1), Another(x=0.1), np.random.default_rng(3),
]  # fmt: skip


def test_different_values_have_different_hashes():
    assert len({of(value) for value in DIFFERENT}) == len(DIFFERENT)


def test_values_fed_apart_do_not_run_together():
    assert of("ab", "c") != of("a", "bc") != of("abc")
    assert of([1], [2]) != of([1, 2])
    assert of(np.zeros(2), np.zeros(1)) != of(np.zeros(1), np.zeros(2))


@pytest.mark.parametrize(
    ("one", "same"),
    [
        ({"a": 1, "b": 2}, {"b": 2, "a": 1}),
        (np.arange(6.0).reshape(2, 3), np.arange(6.0).reshape(3, 2).T.ravel("F").reshape(2, 3)),
        (np.array([np.nan]), np.array([0x7FF8000000000123], np.uint64).view(np.float64)),
        (np.array([np.nan]), -np.array([np.nan])),
        (float("nan"), -float("nan")),
        (State(a=1, b=np.ones(2)), State(b=np.ones(2), a=1)),
        ((1, 2), [1, 2]),
        (np.random.default_rng(3), np.random.default_rng(3)),
    ],
)
def test_equal_values_have_equal_hashes(one, same):
    assert of(one) == of(same)


def test_order_in_memory_does_not_count():
    array = np.arange(12.0).reshape(3, 4)
    assert of(array) == of(np.asfortranarray(array)) == of(np.stack([array, array])[1])
    assert of(array) != of(array.T)


def test_one_bit_of_an_array_counts():
    array = np.linspace(0.1, 1.0, 50)
    hashes = [of(array)]
    for i in range(50):
        array[i] = np.nextafter(array[i], 2.0)
        hashes.append(of(array))
    assert all(a != b for a, b in pairwise(hashes))
    assert len(set(hashes)) == 51


@pytest.mark.parametrize("value", [object, len, lambda: None, np.array([None]), {1: object()}])
def test_what_has_no_hash_is_refused(value):
    with pytest.raises(TypeError):
        of(value)
