"""Elementary functions against numbers of many digits, and the same in loops, arrays and alone."""

import math
import re

import mpmath
import numba
import numpy as np
import pytest

from banditgym import elementary
from banditgym.compiled import compiled

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


def worst(got, function, *arguments):
    """The largest error of ``got``, in units in the last place of the exact value."""
    worst, where = 0.0, None
    with mpmath.workprec(1300):  # of sines and cosines of the largest float64
        for value, *given in zip(got, *arguments, strict=True):
            exact = function(*(mpmath.mpf(float(x)) for x in given))
            nearest = float(exact)
            if math.isinf(nearest):
                assert value == nearest or abs(value) == LARGEST
                continue
            error = float(abs(mpmath.mpf(float(value)) - exact) / mpmath.mpf(math.ulp(nearest)))
            if not error <= worst:
                worst, where = error, given
    return worst, where


def spread(low, high, size=1500, seed=0):
    return np.random.default_rng(seed).uniform(low, high, size)


def sizes(low, high, size=1500, seed=1):
    """Of all magnitudes from 2^low to 2^high."""
    return 2.0 ** spread(low, high, size, seed)


CASES = {
    "exp": (
        mpmath.exp,
        1.0,
        [spread(-1, 1), spread(-708, 709.78), spread(-745.2, -708), sizes(-60, 5), -sizes(-60, 5)],
    ),
    "log": (
        mpmath.log,
        1.0,
        [spread(0.5, 2), sizes(-1022, 1024), np.arange(1, 500) * LEAST, 1 + spread(-1e-5, 1e-5)],
    ),
    "log1p": (
        lambda x: mpmath.log(1 + x),
        1.0,
        [spread(-1, 1), spread(-0.35, 0.5), sizes(-60, 1023), -sizes(-60, 0), sizes(-3, 6)],
    ),
    "expm1": (
        mpmath.expm1,
        1.0,
        [spread(-2, 2), spread(-60, 709.78), sizes(-60, 4), -sizes(-60, 4)],
    ),
    "sinh": (mpmath.sinh, 2.0, [spread(-2, 2), spread(-30, 30), spread(-710.4, 710.4)]),
    **{
        name: (
            function,
            1.0,
            [
                spread(-7, 7),
                spread(-elementary.FAR, elementary.FAR),
                np.arange(-600, 600) * (math.pi / 2),  # nearly 0, so that many digits cancel
                np.arange(1, 1000) * 1048.0 * (math.pi / 2),
                sizes(-60, 0),
                spread(elementary.FAR, 2 * elementary.FAR),
                -sizes(20.7, 1024),
                # The float64 nearest to an odd number of quarter turns; libraries err here.
                np.array([6381956970095103 * 2.0**797]),
            ],
        )
        for name, function in (("sin", mpmath.sin), ("cos", mpmath.cos))
    },
}


@pytest.mark.parametrize("name", NAMES)
def test_errors_stay_below_the_stated_bounds(name):
    function, bound, parts = CASES[name]
    x = np.concatenate(parts)
    error, where = worst(each(name)(x), function, x)
    assert error < bound, where


@pytest.mark.parametrize(
    ("x", "y"),
    [
        (sizes(-7, 7, seed=2), spread(-100, 100, seed=3)),
        (sizes(-1022, 1024, seed=4), spread(-1, 1, seed=5)),
        (1 + spread(-1e-6, 1e-6, seed=6), spread(-7e8, 7e8, seed=7)),  # up to the largest powers
        (spread(0.5, 2, seed=8), spread(-1070, 1020, seed=9)),
        (np.arange(1, 1500) * LEAST, spread(-0.9, 0.9, 1499, seed=10)),
        (sizes(-30, 30, seed=11), np.full(1500, 0.5)),
        (sizes(-30, 30, seed=12), np.full(1500, 1 / 3)),
    ],
)
def test_powers_err_by_less_than_a_unit(x, y):
    error, where = worst(elementary.each_power(x, y), mpmath.power, x, y)
    assert error < 1.0, where


def test_powers_with_exact_values_are_those():
    x = np.arange(1.0, 200.0)
    assert np.array_equal(elementary.each_power(x, 2.0), x * x)
    assert np.array_equal(elementary.each_power(x, 3.0), x * x * x)
    assert np.array_equal(elementary.each_power(x * x, 0.5), x)
    assert np.array_equal(elementary.each_power(x, 1.0), x)
    assert np.array_equal(elementary.each_power(2.0, np.arange(-1074.0, 1024.0)), [
        math.ldexp(1.0, k) for k in range(-1074, 1024)
    ])  # fmt: skip


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
def test_bits_do_not_depend_on_length_alignment_or_form(name):
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


@pytest.mark.parametrize("name", ["exp", "log", "log1p", "expm1", "sinh"])
def test_growing_arguments_give_growing_values(name):
    x = np.sort(np.concatenate([spread(0.01, 2), spread(0.01, 700), 1 + np.arange(500) * 2.0**-52]))
    assert np.all(np.diff(each(name)(x)) >= 0)


def test_two_over_pi_is_given_to_its_last_word():
    with mpmath.workprec(1300):
        digits = int(mpmath.floor(2 / mpmath.pi * mpmath.mpf(2) ** (32 * 37)))
    words = [0, 0, *((digits >> (32 * (36 - i))) & 0xFFFFFFFF for i in range(37))]
    assert elementary._TWO_OVER_PI.tolist() == words


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
    called = {many: (x, x, np.empty(100)), elementary._sine_cosine_far: (1e9,)}
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


def test_sine_cosine_says_by_nan_that_an_angle_is_too_large():
    @compiled
    def both(x):
        return elementary.sine_cosine(x)

    assert all(math.isnan(value) for value in both(2.0 * elementary.FAR))
    assert both(1.0) == (elementary.each_sin(1.0), elementary.each_cos(1.0))
