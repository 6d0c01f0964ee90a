"""The elementary functions for Python: of a number, or of each element of an array."""

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from banditgym.compiled import compiled
from banditgym.elementary.angles import FAR, cos, sin, sine_cosine, sine_cosine_far
from banditgym.elementary.exponentials import exp, expm1, log, log1p, sinh
from banditgym.elementary.powers import power

# Of one number. Kernels of their own: Python calls them, and finds their machine code on disk.
_one_exp, _one_log, _one_log1p = (compiled(part.py_func) for part in (exp, log, log1p))
_one_expm1, _one_sinh = (compiled(part.py_func) for part in (expm1, sinh))
_one_sin, _one_cos, _one_power = (compiled(part.py_func) for part in (sin, cos, power))


@compiled
def _fill_exp(x, out):
    for i in range(x.size):
        out[i] = exp(x[i])


@compiled
def _fill_log(x, out):
    for i in range(x.size):
        out[i] = log(x[i])


@compiled
def _fill_log1p(x, out):
    for i in range(x.size):
        out[i] = log1p(x[i])


@compiled
def _fill_expm1(x, out):
    for i in range(x.size):
        out[i] = expm1(x[i])


@compiled
def _fill_sinh(x, out):
    for i in range(x.size):
        out[i] = sinh(x[i])


@compiled
def _fill_sin(x, out):
    for i in range(x.size):
        out[i], _ = sine_cosine(x[i])
    for i in range(x.size):  # apart, so that the loop above vectorises
        if abs(x[i]) > FAR:
            out[i], _ = sine_cosine_far(x[i])


@compiled
def _fill_cos(x, out):
    for i in range(x.size):
        _, out[i] = sine_cosine(x[i])
    for i in range(x.size):  # apart, so that the loop above vectorises
        if abs(x[i]) > FAR:
            _, out[i] = sine_cosine_far(x[i])


@compiled
def _fill_power(x, y, out):
    for i in range(x.size):
        out[i] = power(x[i], y[i])


def _each(one: Callable, fill: Callable, x: ArrayLike) -> Any:
    if type(x) is float:
        return one(x)
    values = np.ascontiguousarray(x, np.float64)  # of at least one dimension
    out = np.empty(values.shape)
    fill(values.reshape(-1), out.reshape(-1))
    return out if np.ndim(x) else float(out[0])


def each_exp(x: ArrayLike) -> Any:
    """exp(x) of a number or of each element of an array_like."""
    return _each(_one_exp, _fill_exp, x)


def each_log(x: ArrayLike) -> Any:
    """Natural logarithm of a number or of each element of an array_like."""
    return _each(_one_log, _fill_log, x)


def each_log1p(x: ArrayLike) -> Any:
    """log(1 + x) of a number or of each element of an array_like."""
    return _each(_one_log1p, _fill_log1p, x)


def each_expm1(x: ArrayLike) -> Any:
    """exp(x) - 1 of a number or of each element of an array_like."""
    return _each(_one_expm1, _fill_expm1, x)


def each_sinh(x: ArrayLike) -> Any:
    """Hyperbolic sine of a number or of each element of an array_like."""
    return _each(_one_sinh, _fill_sinh, x)


def each_sin(x: ArrayLike) -> Any:
    """Sine of a number or of each element of an array_like."""
    return _each(_one_sin, _fill_sin, x)


def each_cos(x: ArrayLike) -> Any:
    """Cosine of a number or of each element of an array_like."""
    return _each(_one_cos, _fill_cos, x)


def each_power(x: ArrayLike, y: ArrayLike) -> Any:
    """x to the power of y, of numbers or of array_likes that broadcast together."""
    if type(x) is float and type(y) is float:
        return _one_power(x, y)
    shape = np.broadcast_shapes(np.shape(x), np.shape(y))
    bases, exponents = (
        np.ascontiguousarray(np.broadcast_to(np.asarray(given, np.float64), shape)).reshape(-1)
        for given in (x, y)
    )
    out = np.empty(bases.size)
    _fill_power(bases, exponents, out)
    return out.reshape(shape) if shape else float(out[0])
