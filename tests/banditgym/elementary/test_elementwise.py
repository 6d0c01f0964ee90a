"""Elementary functions of numbers and arrays: special values, equal bits, shapes."""

import math
import re

import numba
import numpy as np
import pytest

from banditgym import elementary
from banditgym.compiled import compiled
from banditgym.elementary import angles

NAMES = ["exp", "log", "log1p", "expm1", "sinh", "sin", "cos"]
TINY, LEAST, LARGEST = 2.0**-1022, 5e-324, 1.7976931348623157e308
AWKWARD = np.array(
    [
        *(0.0, 0.5, 1.0, 1.5, 2.0, 3.0, 1e-300, 1e-20, 1e20, 1e300),
        *(LEAST, TINY - LEAST, TINY, LARGEST, np.inf, np.nan),
        *(1.0 - 2.0**-53, 1.0 + 2.0**-52, 2.0**-27, 2.0**-28, 2.0**-54, 2.0**-53),
        *(0.34657359027997264, 1.0397207708399179, 0.25, math.sqrt(0.5), math.sqrt(2.0), 22.0),
        *(709.782712893384, 709.79, 710.4758600739439, 710.48, 745.1332191019411, 745.14, 720.0),
        *(2.0**51 + 0.5, 2.0**52, 2.0**52 + 1, 2.0**53 - 1, 2.0**53, 2.0**53 + 2, 2.0**64),
        *(elementary.FAR, np.nextafter(elementary.FAR, np.inf)),
    ]
)
AWKWARD = np.concatenate([AWKWARD, -AWKWARD])


def each(name):
    return getattr(elementary, f"each_{name}")


def alike(ours, numpys):
    """Equal, with the sign of 0, or both NaN; apart by what two good libraries may differ by."""
    close = np.abs(ours - numpys) <= 3 * np.spacing(np.abs(numpys))
    equal = (ours == numpys) & (np.signbit(ours) == np.signbit(numpys))
    special = (numpys == 0) | ~np.isfinite(numpys)
    return np.where(special, equal | (np.isnan(ours) & np.isnan(numpys)), close)


@pytest.mark.parametrize("name", NAMES)
def test_special_values_are_numpys(name):
    ours = each(name)(AWKWARD)
    with np.errstate(all="ignore"):
        numpys = getattr(np, name)(AWKWARD)
        assert np.all(alike(ours, numpys)), AWKWARD[~alike(ours, numpys)]


def test_special_powers_are_numpys():
    ours = elementary.each_power(AWKWARD[:, None], AWKWARD)
    with np.errstate(all="ignore"):
        numpys = np.power(AWKWARD[:, None], AWKWARD)
        assert np.all(alike(ours, numpys))


@pytest.mark.parametrize("name", [*NAMES, "power"])
def test_bits_do_not_depend_on_length_alignment_or_form(name, spread):
    with np.errstate(over="ignore"):
        x = np.concatenate([AWKWARD, spread(-5, 5, 50), spread(-800, 800, 50), spread(0, 1e7, 50)])
    arguments = (x, x[::-1].copy()) if name == "power" else (x,)
    whole = each(name)(*arguments)
    alone = np.array([each(name)(*map(float, given)) for given in zip(*arguments, strict=True)])
    assert alone.tobytes() == whole.tobytes()
    for start, stop, step in ((0, 7, 1), (1, 18, 1), (3, 34, 1), (5, None, 3), (2, 2, 1)):
        part = slice(start, stop, step)
        assert each(name)(*(a[part] for a in arguments)).tobytes() == whole[part].tobytes()


@pytest.mark.parametrize("name", NAMES)
def test_numbers_give_floats_and_arrays_new_arrays(name):
    function = each(name)
    for number in (0.5, np.float64(0.5), np.float32(0.5), np.array(0.5)):
        value = function(number)
        assert type(value) is float
        assert value == function(np.array([0.5]))[0]
    assert type(function(0)) is float
    given = np.arange(1, 7).reshape(2, 3)
    assert function(given).shape == (2, 3)
    assert function(np.empty((0, 2))).shape == (0, 2)
    assert np.array_equal(function(given.T), function(given).T)
    assert np.array_equal(function([1.0, 2.0]), function(np.array([1.0, 2.0])))
    floats = given.astype(float)
    function(floats)
    assert np.array_equal(floats, given)


def test_powers_broadcast():
    x, y = np.arange(1.0, 4.0), np.array([[0.5], [2.0]])
    assert elementary.each_power(x, y).shape == (2, 3)
    assert np.array_equal(elementary.each_power(x, y)[1], x * x)
    assert elementary.each_power(4, 0.5) == 2.0
    assert type(elementary.each_power(np.float64(4), 1)) is float
    with pytest.raises(ValueError, match="broadcast"):
        elementary.each_power(np.ones(2), np.ones(3))


@compiled
def many(x, y, out):
    for i in range(x.size):
        sine, cosine = elementary.sine_cosine(x[i])
        out[i] = sine + cosine + elementary.power(elementary.exp(x[i]), y[i])
        out[i] += elementary.log(y[i]) + elementary.log1p(y[i])
        out[i] += elementary.expm1(x[i]) + elementary.sinh(x[i])


def test_no_library_function_is_called():
    """LLVM knows some patterns by the name of a library's function; it shall find none here."""
    x = np.linspace(0.1, 3.0, 100)
    called = {many: (x, x, np.empty(100)), angles.sine_cosine_far: (1e9,)}
    for function, arguments in called.items():
        # Compiled here: machine code from the disk cache cannot be inspected.
        fresh = numba.njit(error_model="numpy")(function.py_func)
        fresh(*arguments)
        assert fresh.inspect_asm()
        for text in fresh.inspect_asm().values():
            library = r"\b_*(exp|log|pow|sin|cos|tan|ldexp|frexp|scalbn|floor|rint|round|fma)\w*\b"
            targets = re.findall(r"\b(?:call|jmp|movabsq|leaq)\w*\s+[^\n]*", text)
            assert not [line for line in targets if re.search(rf"[\s$*]{library}", line)]
            assert "vfmadd" not in text
