"""The one decorator for compiled code: numba, cached on disk by a hash of the sources.

Kernels are compiled with ``error_model="numpy"`` (a division that may raise stops vectorisation)
and without fast-math or contraction, so that a number does not depend on the loop around it. They
release the interpreter's lock, so that several threads compute at once.
"""

import functools
from collections.abc import Callable, Mapping
from typing import Any

import numba
from numba import types
from numba.extending import overload

from banditgym.kernel_cache import Cache


def compiled(function: Callable) -> Any:
    """Compile ``function`` with numba at its first call, and keep the machine code on disk.

    The machine code is reused as long as the syntax trees of the function's own file, and of all
    files of banditgym and agents that it uses, directly or not, do not change. So an edit compiles
    only code that may depend on it, and an edit of docstrings and comments compiles nothing.
    Third-party kernels may call ours.
    """
    dispatcher = _translated(function)
    dispatcher._cache = Cache(function)
    return dispatcher


def inlined(function: Callable) -> Any:
    """Compile a part that only compiled code calls, into each of its callers.

    A call between kernels costs about ten nanoseconds, mostly for counting references to its array
    arguments, and stops the vectorisation of the loop around it.
    """
    return _translated(function, forceinline=True)


def by_class(kernels: Mapping[type, Any]) -> Callable[[Callable], Any]:
    """A function that is one of several kernels, each for a class of the first argument.

    The classes are named tuples, whose class compiled code knows when it is compiled. The decorated
    function states the arguments, and what the kernels do.
    """

    def choose(function: Callable) -> Any:
        @functools.wraps(function)
        def call(*args: Any) -> Any:
            return kernels[type(args[0])](*args)

        @overload(call, strict=False, jit_options={"error_model": "numpy"})
        def _(*args):
            return kernels[args[0].instance_class].py_func

        return call

    return choose


def _translated(function: Callable, **options: Any) -> Any:
    dispatcher: Any = numba.njit(error_model="numpy", nogil=True, **options)(function)
    of_types = dispatcher.get_call_template

    def of_plain_types(args, kws):
        # numba compiles f(x, 0) apart from f(x, i), for the type "the integer 0".
        plain = {name: types.unliteral(kind) for name, kind in kws.items()}
        return of_types(tuple(map(types.unliteral, args)), plain)

    dispatcher.get_call_template = of_plain_types
    return dispatcher
