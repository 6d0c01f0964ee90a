"""Which predictions are accepted, and which are refused."""

import math

import numpy as np
import pytest

from banditgym.action_sets import Numbers


@pytest.mark.parametrize(
    "given", [[1, 2], (0.5, -1.0), np.float32([1, 2]), np.array([[1.0], [2.0]]), np.int8([1, 2])]
)
def test_numbers_of_any_kind_are_read(given):
    read = Numbers().read(given, 2)
    assert (read.dtype, read.shape) == (np.float64, (2,))
    np.testing.assert_array_equal(read, np.ravel(given))


def test_what_is_read_is_the_callers_own():
    given = np.array([1.0, 2.0])
    assert not np.shares_memory(Numbers().read(given, 2), given)


@pytest.mark.parametrize("given", ["a", [1.0], [[1, 2], [3, 4]], [True, False], [1, [2]], [1j, 2]])
def test_anything_else_is_refused_in_a_line(given):
    with pytest.raises(ValueError, match="expected 2 predictions, each a number, got") as error:
        Numbers().read(given, 2)
    assert "\n" not in str(error.value)


def test_a_bound_has_a_tolerance():
    numbers = Numbers(2.0)
    assert numbers.read([2.0 + 1.9e-9, -2.0], 2).tolist() == [2.0 + 1.9e-9, -2.0]
    assert numbers.read_one(-2.0) == -2.0
    for beyond in (2.0 + 2.1e-9, -2.1, math.nan, math.inf):
        with pytest.raises(ValueError, match=r"of replicate 1 is not within -2.0 .. 2.0"):
            numbers.read([0.0, beyond], 2)
        with pytest.raises(ValueError, match=r"of replicate 0 is not within -2.0 .. 2.0"):
            numbers.read_one(beyond)


def test_without_a_bound_numbers_must_be_finite():
    assert Numbers().read([1e308], 1).tolist() == [1e308]
    for value in (math.nan, math.inf, -math.inf):
        with pytest.raises(ValueError, match="of replicate 0 is not finite"):
            Numbers().read([value], 1)
