"""Compiled code: what numba makes of a kernel."""

import threading
import time

import numpy as np
import pytest

from banditgym.compiled import compiled, inlined


@pytest.mark.parametrize("decorator", [compiled, inlined])
def test_a_constant_handed_over_is_a_number_like_others(decorator):
    """numba has a type "the integer 0": a kernel would be compiled for it beside that for int."""

    @decorator
    def part(x, i, flag):
        return x[i] + flag

    @compiled
    def whole(x, i, flag):
        return part(x, 0, True) + part(x, flag=flag, i=1) + part(x, i, flag)

    assert whole(np.array([1.0, 2.0, 4.0]), 2, False) == 8.0
    assert len(part.signatures) == 1


@compiled
def _divide(a, b):
    return a / b


@compiled
def _multiply_add(a, b, c):
    return a * b + c


def test_division_by_zero_follows_ieee():
    assert _divide(1.0, 0.0) == np.inf
    assert np.isnan(_divide(0.0, 0.0))


def test_products_are_rounded_before_they_are_added():
    # a b = 1 - 2^-60 rounds to 1; a fused multiply-add would return -2^-60.
    assert _multiply_add(1.0 + 2.0**-30, 1.0 - 2.0**-30, -1.0) == 0.0
    values = np.full(64, 1.0 + 2.0**-30), np.full(64, 1.0 - 2.0**-30), np.full(64, -1.0)
    assert not _multiply_add(*values).any()


@compiled
def _long(rounds, most):
    total = 0.0
    for i in range(rounds):
        total += 1.0 / (1.0 + i)
    if total > most:
        raise ValueError("too long")
    return total


def test_other_threads_go_on_while_a_kernel_runs():
    _long(1, 20.0)
    kernel = threading.Thread(target=_long, args=(100_000_000, 20.0))
    turns = 0
    kernel.start()
    while kernel.is_alive():
        time.sleep(0.001)
        turns += 1
    assert turns > 20  # about 300; it would be one or two if the kernel kept the lock


def test_a_kernel_that_raises_has_its_lock_back():
    with pytest.raises(ValueError, match="too long"):
        _long(1000, 5.0)
