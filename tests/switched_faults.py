"""Many faults of one source at once: each is an expression that a switch in memory chooses.

Numba compiles a source with all its faults in as many seconds as it takes for a single one. So a
source is rewritten such that ``a + b`` becomes ``(a - b) if at(7) else (a + b)``, is compiled once,
and every fault is tried in a process that is forked from the one that compiled it.
"""

from collections.abc import Sequence

SWITCH = '''"""The number of the fault that is present; none is -1."""

import ctypes

from llvmlite import ir
from numba import types
from numba.extending import intrinsic, overload

PRESENT = ctypes.c_int64(-1)


@intrinsic
def _read(typing):
    def code(context, builder, signature, arguments):
        place = ir.Constant(ir.IntType(64), ctypes.addressof(PRESENT))
        return builder.load(builder.inttoptr(place, ir.IntType(64).as_pointer()))

    return types.int64(), code


def at(number):
    """Whether this fault is present."""
    return number == PRESENT.value


@overload(at, inline="always")
def _at(number):
    return lambda number: number == _read()
'''
_NAME = "fault_is_present"
_IMPORT = f"from agents.fault_switch import at as {_NAME}"


def switched(source: str, faults: Sequence[tuple[tuple[int, int], str]]) -> str:
    """A source in which, if the switch is at k, the expression of the k-th fault has its text.

    Parameters
    ----------
    faults : sequence of ((start, stop), str)
        Where in the source an expression is, and what it becomes.
    """
    spans: dict[tuple[int, int], list[str]] = {}
    for number, (span, text) in enumerate(faults):
        spans.setdefault(span, []).append(f"({text}) if {_NAME}({number}) else ")
    # Outer expressions come before those that they contain.
    waiting = sorted(spans, key=lambda span: (span[0], -span[1]))

    def written(start: int, stop: int) -> str:
        parts, at = [], start
        while waiting and waiting[0][1] <= stop:
            inner = waiting.pop(0)
            parts.append(source[at : inner[0]])
            parts.append("({}({}))".format("".join(spans[inner]), written(*inner)))
            at = inner[1]
        return "".join([*parts, source[at:stop]])

    return written(0, len(source)) + f"\n\n{_IMPORT}\n"
