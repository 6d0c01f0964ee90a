"""The decorators for compiled code: numba with one set of options, cached on disk.

Kernels are compiled with ``error_model="numpy"`` (a division that may raise stops vectorisation)
and without fast-math or contraction, so that a number does not depend on the loop around it. They
release the interpreter's lock, so that several threads compute at once.
"""

import functools
from collections.abc import Callable
from typing import Any

import numba
from numba.extending import overload

from banditgym.compiled.cache import keep

_OPTIONS = {"error_model": "numpy", "nogil": True}

try:
    from banditgym.compiled.numba_internals import ByClass, fetch, translated
except Exception:  # numba has changed: the same numbers, not as fast

    def translated(function: Callable, options: dict[str, Any], kind: str) -> Any:
        return numba.njit(**options)(function)

    def ByClass(function: Callable) -> Any:
        @functools.wraps(function)
        def call(*args: Any) -> Any:
            return call.bodies[type(args[0])](*args)  # type: ignore[attr-defined]

        @overload(call, strict=False, jit_options={"error_model": "numpy"})
        def _(*args):
            body = call.bodies[args[0].instance_class]  # type: ignore[attr-defined]
            return lambda *args: body(*args)

        call.bodies = {}  # type: ignore[attr-defined]
        return call

    @numba.njit
    def fetch(row, index):
        pass


def compiled(function: Callable) -> Any:
    """Compile ``function`` with numba at its first call, and keep the machine code on disk.

    The machine code is used until a source changes (`banditgym.compiled.cache`). Third-party
    kernels may call ours.
    """
    kernel = translated(function, _OPTIONS, "kernel")
    keep(kernel)
    return kernel


def inlined(function: Callable) -> Any:
    """Compile a function that only compiled code calls, into each of its callers.

    A call between kernels costs about ten nanoseconds, mostly for counting references to its array
    arguments, and stops the vectorisation of the loop around it. Where Python calls it, it is
    compiled once more and not kept on disk.
    """
    return translated(function, _OPTIONS, "inlined")


def borrowing(function: Callable) -> Any:
    """Compile as ``inlined`` does a function that only borrows the arrays that it is given.

    It counts no references to arrays, of which each view and each array taken from a tuple costs
    two calls of some nanoseconds. So neither it nor anything that it calls may make an array or
    return one, alone or in a tuple; views that it only uses itself are allowed.

    Nor does it compare addresses before a loop, which takes as long as a short loop does. So an
    array that it writes may overlap no other argument, or wrong numbers are the result; different
    rows of one array do not overlap.
    """
    return translated(function, _OPTIONS, "borrowing")


def by_class(function: Callable) -> Any:
    """A function that compiled code calls, with one body for each class of its first argument.

    The classes are named tuples; the body is chosen when the caller is compiled. The docstring of
    the decorated function states the arguments and what every body does; its own body is empty.
    ``@function.of(Class)`` adds a body: a kernel, or a plain function, which is compiled as by
    ``borrowing``. All bodies are in the package of the kernels that call the function, because such
    a kernel is kept on disk until a source of that package changes.
    """
    chosen = ByClass(function)

    def of(*classes: type) -> Callable[[Callable], Any]:
        def add(body: Callable) -> Any:
            one = body if hasattr(body, "py_func") else borrowing(body)
            chosen.bodies.update(dict.fromkeys(classes, one))
            return one

        return add

    chosen.of = of  # type: ignore[attr-defined]
    return chosen
