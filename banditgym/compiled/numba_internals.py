"""What makes compiled code fast to compile and to run, and is not numba's public interface.

``decorators`` does without it where numba has changed: no number depends on it. It was written for
the versions of numba that `_KNOWN` says; with others it is tried when it is imported.
"""

import functools
import gc
from collections.abc import Callable
from typing import Any, NamedTuple

import numba
import numpy as np
from llvmlite import ir
from numba import types
from numba.core.codegen import JITCodeLibrary
from numba.core.compiler import CompilerBase, DefaultPassBuilder
from numba.extending import intrinsic

_KNOWN = (0, 61), (0, 68)


class _InlinedLibrary(JITCodeLibrary):
    """LLVM's code of an inlined function, which becomes machine code within its callers alone."""

    def finalize(self) -> None:
        self._raise_if_finalized()
        for library in dict.fromkeys(self._linking_libraries):
            if hasattr(library, "_reload_init"):  # from numba 0.62 on
                self._reload_init.update(library._reload_init)
            self._final_module.link_in(library._get_module_for_linking(), preserve=True)
        self._finalized = True

    def get_pointer_to_function(self, name: str) -> int:
        self._ensure_finalized()
        return 0  # numba's "not there"

    @property
    def codegen(self) -> Any:
        return _WithoutEnvironments(self._codegen)


class _WithoutEnvironments:
    """numba's code generator: the kernels that use an inlined function have its Python objects."""

    def __init__(self, codegen: Any):
        self._codegen = codegen

    def __getattr__(self, name: str) -> Any:
        return getattr(self._codegen, name)

    def set_env(self, name: str, env: Any) -> None:
        pass


class _InlinedCompiler(CompilerBase):
    def define_pipelines(self) -> list[Any]:
        state: Any = self.state
        state.library = _InlinedLibrary(state.targetctx.codegen(), state.func_id.func_qualname)
        passes = DefaultPassBuilder.define_nopython_pipeline(state)
        passes.finalize()
        return [passes]


def translated(function: Callable, options: dict[str, Any], kind: str) -> Any:
    """A ``"kernel"``, or an inlined function: ``"inlined"`` or ``"borrowing"``."""
    # The wrapper for C's callers is left out: nothing uses it, and it holds the kernel once more.
    plain = options = {**options, "no_cfunc_wrapper": True}
    if kind != "kernel":
        options = {**plain, "forceinline": True, "no_cpython_wrapper": True}
        options |= {"pipeline_class": _InlinedCompiler}
    if kind == "borrowing":
        options["_nrt"] = False
    dispatcher: Any = numba.njit(**options)(function)
    _take_plain_types(dispatcher)
    if kind == "kernel":
        _compile_with_inlined(dispatcher)
    else:
        _give_to_python(dispatcher, functools.cache(lambda: numba.njit(**plain)(function)))
    if kind == "borrowing":
        dispatcher._compiler._customize_flags = _without_overlaps
    return dispatcher


def _without_overlaps(flags: Any) -> Any:
    flags.noalias = True
    return flags


def _take_plain_types(dispatcher: Any) -> None:
    """Let kernels call f(x, 0) as they call f(x, i): not compiled apart, for "the integer 0"."""
    of_types = dispatcher.get_call_template

    def of_plain_types(args, kws):
        plain = {name: types.unliteral(kind) for name, kind in kws.items()}
        return of_types(tuple(map(types.unliteral, args)), plain)

    dispatcher.get_call_template = of_plain_types


def _compile_with_inlined(kernel: Any) -> None:
    add, compile_or_load = kernel.add_overload, kernel.compile

    def add_with_inlined(found: Any) -> None:
        for used in found._find_referenced_environments():  # Python's objects of what it inlines
            found.codegen.set_env(used.env_name, used)
        add(found)

    def without_collections(sig: Any) -> Any:
        # A compilation makes a million objects that live until its end, and every collection of
        # garbage meanwhile looks at all of them: a twelfth of the time.
        collects = gc.isenabled()
        gc.disable()
        try:
            return _with_room(compile_or_load, sig)
        finally:
            if collects:
                gc.enable()

    kernel.add_overload, kernel.compile = add_with_inlined, without_collections


def _with_room(call: Callable[[Any], Any], argument: Any) -> Any:
    """Call a function of long loops with room for the frames of all that it calls.

    CPython keeps frames in chunks of 16 kB. Where a chunk is full, each call maps another, and its
    return unmaps it: up to a fifth of the time of a compilation. This frame asks for half a
    megabyte, which it never touches, so it gets a chunk of a megabyte; its callees have the rest.
    """
    return call(argument)


_with_room.__code__ = _with_room.__code__.replace(co_stacksize=1 << 16)


def _give_to_python(inlined: Any, kernel: Callable[[], Any]) -> None:
    """Let Python, which finds no machine code of an inlined function, call a kernel instead."""

    def add(found: Any) -> None:
        inlined.overloads[tuple(found.signature.args)] = found  # and not where Python looks

    inlined.add_overload, inlined._compile_for_args = add, lambda *args, **named: kernel()


def _fetch(typingctx, row, index):
    """For compiled code: begin to bring ``row[index]`` of a contiguous array into the first cache.

    A read that misses the caches holds up what comes after it; this does not, and a later read
    hits the cache. It has no other effect, whatever the index.
    """

    def generate(context, builder, signature, given):
        data = context.make_array(signature.args[0])(context, builder, given[0]).data
        byte, number = ir.IntType(8).as_pointer(), ir.IntType(32)
        kind = ir.FunctionType(ir.VoidType(), [byte, number, number, number])
        prefetch = builder.module.declare_intrinsic("llvm.prefetch", [byte], kind)
        for_reading = [ir.Constant(number, code) for code in (0, 3, 1)]  # to be kept, data
        address = builder.bitcast(builder.gep(data, given[1:]), byte)
        builder.call(prefetch, [address, *for_reading])
        return context.get_dummy_value()

    return types.void(row, index), generate


fetch: Any = intrinsic(_fetch)


class ByClass:
    """One of several dispatchers, by the class of the first argument; numba takes it for one.

    A call is compiled as that of the body. An overload, numba's own way, takes twice as long to
    compile, because it wraps every body in another function.
    """

    is_compiling = False

    def __init__(self, function: Callable):
        functools.update_wrapper(self, function)
        self.bodies: dict[type, Any] = {}

    def __call__(self, *args: Any) -> Any:
        return self.bodies[type(args[0])](*args)

    @property
    def _numba_type_(self) -> types.Dispatcher:
        return types.Dispatcher(self)

    def get_call_template(self, args: Any, kws: Any) -> Any:
        """As numba's dispatchers have it."""
        return self.bodies[args[0].instance_class].get_call_template(args, kws)

    def get_overload(self, args: Any) -> Any:
        """Likewise."""
        return self.bodies[args[0].instance_class].get_overload(args)


class _Pair(NamedTuple):
    x: np.ndarray
    y: np.ndarray


def _try() -> None:
    """Compile and call a kernel, with all of this file; raises whatever goes wrong."""
    options = {"error_model": "numpy"}
    divide = translated(lambda x, i: x[i] / 2.0, options, "inlined")

    def subtract(pair, i):
        fetch(pair.y, i)
        for k in range(pair.x.shape[0]):
            pair.x[k] -= divide(pair.y, k) + divide(pair.y, 0)
        return pair.x[i]

    subtract = translated(subtract, options, "borrowing")
    by_class = ByClass(subtract)
    by_class.bodies[_Pair] = subtract
    kernel = translated(lambda pair: by_class(pair, 1), options, "kernel")
    if kernel(_Pair(np.ones(2), np.ones(2))) != 0.0:
        raise ArithmeticError("numba computes something else")


# Machine code finds a field of a named tuple by its place, which numba's keys leave out: the class
# may stand in a file that the kernel's file does not import.
_tuples: tuple[Any, ...] = types.NamedTuple, types.NamedUniTuple
_keys = [kind.key for kind in _tuples]
try:
    for _kind, _key in zip(_tuples, _keys, strict=True):
        _kind.key = property(lambda self, of=_key.fget: (*of(self), self.fields))
    if not _KNOWN[0] <= numba.version_info.short <= _KNOWN[1]:
        _try()
except BaseException:
    for _kind, _key in zip(_tuples, _keys, strict=True):
        _kind.key = _key
    raise
