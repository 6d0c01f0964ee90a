"""The one decorator for compiled code: numba, cached on disk by a hash of the sources.

Kernels are compiled with ``error_model="numpy"`` (a division that may raise stops vectorisation)
and without fast-math or contraction, so that a number does not depend on the loop around it. They
release the interpreter's lock, so that several threads compute at once.
"""

import contextlib
import functools
import gc
from collections.abc import Callable, Iterator, Mapping
from typing import Any

import numba
from llvmlite import ir
from numba import types
from numba.core.cgutils import get_or_insert_function
from numba.core.codegen import JITCodeLibrary
from numba.core.compiler import CompilerBase, DefaultPassBuilder, Flags
from numba.core.compiler_lock import global_compiler_lock
from numba.extending import intrinsic, overload
from numba.np.arrayobj import make_array

from banditgym.compiled.kernel_cache import Cache


def compiled(function: Callable) -> Any:
    """Compile ``function`` with numba at its first call, and keep the machine code on disk.

    The machine code is reused as long as the syntax trees of the function's own file, and of all
    files of banditgym and agents that it uses, directly or not, do not change. So an edit compiles
    only code that may depend on it, and an edit of docstrings and comments compiles nothing.
    Third-party kernels may call ours.
    """
    # The wrapper for C's callers is left out: nothing uses it, and it holds the kernel once more.
    dispatcher = _translated(function, no_cfunc_wrapper=True)
    dispatcher._cache = cache = Cache(function)
    compile_or_load, add = dispatcher.compile, dispatcher.add_overload

    def add_with_parts(found: Any) -> None:
        for used in found._find_referenced_environments():  # Python's objects of its parts
            found.codegen.set_env(used.env_name, used)
        add(found)

    def once(sig: Any) -> Any:
        if sig in dispatcher.overloads:
            return compile_or_load(sig)
        # numba's lock comes first: a thread that has a turn does not wait for another thread's.
        with global_compiler_lock, cache.alone(sig), _without_collections():
            return _with_room(compile_or_load, sig)

    dispatcher.compile, dispatcher.add_overload = once, add_with_parts
    return dispatcher


@contextlib.contextmanager
def _without_collections() -> Iterator[None]:
    """Context manager: no garbage is collected.

    A compilation makes a million objects that live until its end, and every collection meanwhile
    looks at all of them: a twelfth of the time.
    """
    collects = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if collects:
            gc.enable()


def _with_room(call: Callable[[Any], Any], argument: Any) -> Any:
    """Call a function of long loops with room for the frames of all that it calls.

    CPython keeps frames in chunks of 16 kB. Where a chunk is full, each call maps another, and its
    return unmaps it: up to a fifth of the time of a compilation. This frame asks for half a
    megabyte, which it never touches, so it gets a chunk of a megabyte; its callees have the rest.
    """
    return call(argument)


_with_room.__code__ = _with_room.__code__.replace(co_stacksize=1 << 16)


def inlined(function: Callable) -> Any:
    """Compile a part that only compiled code calls, into each of its callers.

    A call between kernels costs about ten nanoseconds, mostly for counting references to its array
    arguments, and stops the vectorisation of the loop around it. A part has no machine code of its
    own: where Python calls it, it is compiled once more, and not kept on disk.
    """
    return _part(function)


def borrowing(function: Callable) -> Any:
    """Compile a part as ``inlined`` does, one that only borrows the arrays that it is given.

    It counts no references to arrays, of which each view and each array taken from a tuple costs
    two calls of some nanoseconds. So neither it nor anything that it calls may make an array or
    return one, alone or in a tuple; views that it only uses itself are allowed.
    """
    return _part(function, _nrt=False)


def distinct(function: Callable) -> Any:
    """Compile a part as ``borrowing`` does, one whose array arguments never share memory.

    A vectorised loop is right only if what it writes overlaps nothing that it reads. In other parts
    the machine code compares addresses before every loop, which takes as long as a short loop does.
    Here the caller promises that no two arguments overlap, and wrong numbers are the result if two
    do; different rows of one array do not.
    """
    return _part(function, distinct=True, _nrt=False)


def _intrinsic(generator: Callable) -> Any:
    """numba's decorator, typed so that callers may leave out the generator's first argument."""
    return intrinsic(generator)


@_intrinsic
def fetch(typingctx, row, index):
    """For compiled code: begin to bring ``row[index]`` of a contiguous array into the first cache.

    A read that misses the caches holds up what comes after it; this does not, and a later read
    hits the cache. It has no other effect, whatever the index.
    """

    def generate(context, builder, signature, given):
        data = make_array(signature.args[0])(context, builder, given[0]).data
        byte, number = ir.IntType(8).as_pointer(), ir.IntType(32)
        kind = ir.FunctionType(ir.VoidType(), [byte, number, number, number])
        prefetch = get_or_insert_function(builder.module, kind, "llvm.prefetch.p0i8")
        for_reading = [ir.Constant(number, code) for code in (0, 3, 1)]  # to be kept, data
        address = builder.bitcast(builder.gep(data, given[1:]), byte)
        builder.call(prefetch, [address, *for_reading])
        return context.get_dummy_value()

    return types.void(row, index), generate


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


def _part(function: Callable, distinct: bool = False, **options: Any) -> Any:
    part = _translated(
        function,
        distinct=distinct,
        forceinline=True,
        no_cpython_wrapper=True,
        no_cfunc_wrapper=True,
        pipeline_class=_PartCompiler,
        **options,
    )

    def add(found: Any) -> None:
        part.overloads[tuple(found.signature.args)] = found  # and not among those that Python calls

    @functools.cache
    def for_python() -> Any:
        return _translated(function, no_cfunc_wrapper=True)

    part.add_overload, part._compile_for_args = add, lambda *args: for_python()
    return part


class _PartLibrary(JITCodeLibrary):
    """LLVM's code of a part, which is optimised and made machine code within its callers alone."""

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
    """numba's code generator, which leaves a part's Python objects to the kernels that use it."""

    def __init__(self, codegen: Any):
        self._codegen = codegen

    def __getattr__(self, name: str) -> Any:
        return getattr(self._codegen, name)

    def set_env(self, name: str, env: Any) -> None:
        pass


class _PartCompiler(CompilerBase):
    def define_pipelines(self) -> list[Any]:
        state: Any = self.state
        state.library = _PartLibrary(state.targetctx.codegen(), state.func_id.func_qualname)
        passes = DefaultPassBuilder.define_nopython_pipeline(state)
        passes.finalize()
        return [passes]


class _Flags(Flags):
    """Options of a compilation, equal if the same ones are set to the same values.

    Functions of numba, such as ``np.empty``, are compiled once for equal options. numba compares
    options thousands of times, and its own comparison looks at all that there are.
    """

    def __hash__(self) -> int:
        return len(self._values)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Flags) and self._values == other._values


def _flags(flags: Any, distinct: bool) -> _Flags:
    if distinct:
        flags.noalias = True
    return _Flags(flags)


def _translated(function: Callable, distinct: bool = False, **options: Any) -> Any:
    dispatcher: Any = numba.njit(error_model="numpy", nogil=True, **options)(function)
    dispatcher._compiler._customize_flags = functools.partial(_flags, distinct=distinct)
    of_types = dispatcher.get_call_template

    def of_plain_types(args, kws):
        # numba compiles f(x, 0) apart from f(x, i), for the type "the integer 0".
        plain = {name: types.unliteral(kind) for name, kind in kws.items()}
        return of_types(tuple(map(types.unliteral, args)), plain)

    dispatcher.get_call_template = of_plain_types
    return dispatcher
