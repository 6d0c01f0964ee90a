"""Compiled code: what numba makes of a kernel."""

import gc
import resource
import threading
import time
from typing import NamedTuple

import numpy as np
import pytest
from numba.core import caching, event
from numba.core.errors import NumbaError

from banditgym.compiled import borrowing, by_class, compiled, fetch, inlined


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


def test_a_part_has_no_machine_code_of_its_own_and_python_may_call_it():
    @inlined
    def part(x, y=1.0):
        return 2.0 * x + y

    @compiled
    def whole(x):
        return part(x) + 1.0

    for _ in range(2):  # before and after a kernel compiled it
        assert part(3.0, 2.0) == part(3.0, y=2.0) == 8.0
        assert part(3.0) == 7.0
        assert whole(3.0) == 8.0
    (found,) = part.overloads.values()
    assert found.library.get_pointer_to_function(found.fndesc.mangled_name) == 0


def test_a_part_may_use_objects_of_python(capfd):
    """Which its callers' machine code finds, though the part has no machine code of its own."""

    @inlined
    def part(x):
        print("part of", x)
        if x > 2.0:
            raise ValueError("too large", x)
        return x

    @compiled
    def whole(x):
        return part(x) + 1.0

    assert whole(1.0) == 2.0
    with pytest.raises(ValueError, match="too large") as raised:
        whole(3.0)
    assert raised.value.args == ("too large", 3.0)
    assert capfd.readouterr().out == "part of 1.0\npart of 3.0\n"


@pytest.mark.parametrize(("decorator", "compares"), [(inlined, True), (borrowing, False)])
def test_a_borrowing_part_does_not_compare_addresses_before_a_loop(decorator, compares):
    @decorator
    def subtract(row, left, right):
        for k in range(row.shape[0]):
            row[k] -= left[k] * right[k]

    @compiled
    def whole(rows):
        subtract(rows[0], rows[1], rows[2])

    rows = np.arange(12.0).reshape(3, 4)
    whole(rows)
    assert rows[0].tolist() == [-32.0, -44.0, -58.0, -74.0]
    [code] = whole.inspect_llvm().values()
    vectorised = " x double>" in code  # which older versions of LLVM do not
    assert ("memcheck" in code) == (compares and vectorised)


def test_a_borrowing_part_may_view_arrays_but_not_make_any():
    @borrowing
    def total(arrays, i):
        row, _ = arrays[0][i], arrays[1]
        return row[0] + row[1]

    @borrowing
    def copied(x):
        return x.copy()[0]

    @compiled
    def sums(x, y):
        return total((x, y), 0) + total((y, x), 1)

    @compiled
    def first(x):
        return copied(x)

    x = np.array([[1.0, 2.0], [4.0, 8.0]])
    for _ in range(100):  # an array that was released too often would be gone
        assert sums(x, 16.0 * x) == 3.0 + 192.0
    with pytest.raises(NumbaError, match="NRT required"):
        first(x[0])


class _Sum(NamedTuple):
    x: np.ndarray


class _Scaled(NamedTuple):
    part: _Sum
    scale: float


class _Strange(NamedTuple):
    x: np.ndarray


def test_a_function_has_a_body_for_each_class_which_may_call_it_again():
    @by_class
    def total(one, i):
        """A number."""

    @total.of(_Sum, _Strange)
    def _(one, i):
        return one.x[i] + 1.0

    @total.of(_Scaled)
    def _(one, i):
        return one.scale * total(one.part, i)

    @total.of(_Strange)  # in place of the first one
    @compiled
    def _(one, i):
        return one.x.copy()[i] - 1.0

    @compiled
    def whole(one, i):
        return total(one, i) + 100.0

    x = np.array([1.0, 2.0])
    for _ in range(50):  # an array that was released too often would be gone
        assert whole(_Sum(x), 1) == 103.0
        assert whole(_Scaled(_Sum(x), 4.0), 0) == 108.0
        assert whole(_Strange(x), 1) == 101.0
    assert total(_Scaled(_Sum(x), 4.0), 0) == 8.0
    assert total.__doc__ == "A number."


@compiled
def _divide(a, b):
    return a / b


@compiled
def _multiply_add(a, b, c):
    return a * b + c


def test_fetching_is_an_instruction_without_any_other_effect():
    @compiled
    def total(row, indices):
        for index in indices:
            fetch(row, index)
        return row.sum()

    row = np.arange(5.0)
    indices = np.array([0, 4, 5, -1, 2**40, -(2**40), 2**62])
    assert total(row, indices) == 10.0
    np.testing.assert_array_equal(row, np.arange(5.0))
    [code] = total.inspect_llvm().values()
    assert "call void @llvm.prefetch" in code


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


@pytest.mark.parametrize("collects", [True, False])
def test_no_garbage_is_collected_during_a_compilation_alone(collects, monkeypatch):
    seen = []
    add = compiled(lambda x: x + 1)
    monkeypatch.setattr(
        caching.FunctionCache, "save_overload", lambda *args: seen.append(gc.isenabled())
    )
    before = gc.isenabled()
    (gc.enable if collects else gc.disable)()
    try:
        assert add(1) == 2
        after = gc.isenabled()
        with pytest.raises(NumbaError):
            add("one")
        assert seen == [False]
        assert after == gc.isenabled() == collects
    finally:
        (gc.enable if before else gc.disable)()


def test_a_function_of_numba_is_compiled_once_for_many_kernels(monkeypatch):
    monkeypatch.setattr(caching.FunctionCache, "save_overload", lambda *args: None)
    compilations = event.RecordingListener()
    with event.install_listener("numba:compile", compilations):
        for _ in range(3):
            size = compiled(lambda n: np.empty(n, np.float32).size)
            assert size(3) == 3
    names = [
        found.data["dispatcher"].py_func.__qualname__
        for _, found in compilations.buffer
        if found.is_start
    ]
    assert sum(name.startswith("ol_np_empty") for name in names) == 1
    assert sum("<lambda>" in name for name in names) == 3


def _below(depth, call):
    """What ``call`` returns, called with ``depth`` frames between."""
    return _below(depth - 1, call) if depth else call()


def _faults():
    """The page faults of 500 calls, one after another, of 12 frames each."""
    before = resource.getrusage(resource.RUSAGE_SELF).ru_minflt
    for _ in range(500):
        _below(12, int)
    return resource.getrusage(resource.RUSAGE_SELF).ru_minflt - before


def test_calls_during_a_compilation_map_no_memory_at_any_depth(monkeypatch):
    """A chunk holds some 150 frames; where it ends, each call would map another."""
    seen = []
    monkeypatch.setattr(
        caching.FunctionCache, "save_overload", lambda *args: seen.append(_faults())
    )
    for depth in range(0, 200, 10):
        add = compiled(lambda x: x + 1)
        assert _below(depth, lambda add=add: add(1)) == 2
    assert len(seen) == 20
    assert max(seen) < 100
