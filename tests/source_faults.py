"""Deliberate faults of a source, and the source with all of them, of which a switch chooses one.

Every fault changes one number, sign, factor, summand, bound or comparison. Numba compiles a source
with all its faults in as many seconds as it takes for a single one. So a source is rewritten such
that ``a + b`` becomes ``(a - b) if at(7) else (a + b)``, is compiled once, and every fault is tried
in a process that is forked from the one that compiled it.
"""

import ast
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import NamedTuple

_OPERATORS = {
    ast.Add: "+", ast.Sub: "-", ast.Mult: "*", ast.Div: "/", ast.FloorDiv: "//", ast.Mod: "%",
    ast.Pow: "**",
}  # fmt: skip
_SIGNS = {"+": "-", "-": "+"}
_COMPARED = {
    ast.Lt: ("<", "<=", ">="), ast.LtE: ("<=", "<", ">"), ast.Gt: (">", ">=", "<="),
    ast.GtE: (">=", ">", "<"), ast.Eq: ("==", "!="), ast.NotEq: ("!=", "=="),
}  # fmt: skip
_BOUNDS = {"min": "max", "max": "min"}

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


class Fault(NamedTuple):
    """A deliberate error: the characters ``start`` to ``stop`` of a source are replaced.

    ``code`` is the line, and ``change`` what is changed in it, such as ``0.25 -> 0.5``, with a
    number where a source has the same change of the same code more than once. ``choice`` is the
    expression that a switch may choose, and its text with the fault; None if compiled code must
    know which it is, or the source is read only once.
    """

    line: int
    code: str
    change: str
    start: int
    stop: int
    new: str
    choice: tuple[tuple[int, int], str] | None


def faults(source: str) -> list[Fault]:
    """The faults of a source, in the order of its lines.

    Class variables, which describe an agent, annotations and texts of errors have none.
    """
    tree, places, found, times = ast.parse(source), _Places(source), [], Counter()
    chosen, changes = _chosen(tree), {}
    for node in _nodes(tree):
        for start, stop, new in _changes(node, places, source):
            changes[start, stop, new] = node
    for (start, stop, new), node in sorted(changes.items(), key=lambda change: change[0]):
        if source[start:stop] == new:  # such as 1.0 / x, whose factor alone is itself
            continue
        choice = None
        if node in chosen and isinstance(node, ast.expr):
            first, last = places.start(node), places.stop(node)
            choice = (first, last), source[first:start] + new + source[stop:last]
        elif node in chosen and new in _SIGNS:  # of an assignment such as x += y
            first, last = places.start(node.value), places.stop(node.value)
            choice = (first, last), f"-({source[first:last]})"
        line = source.count("\n", 0, start)
        code = places.lines[line].strip()
        change = " -> ".join(" ".join(text.split()) for text in (source[start:stop], new))
        times[code, change] += 1
        if times[code, change] > 1:
            change += f" ({times[code, change]})"
        found.append(Fault(line + 1, code, change, start, stop, new, choice))
    return found


class _Places:
    """Where in a source, as one text, its nodes begin and end."""

    def __init__(self, source: str):
        self.lines = source.splitlines()
        self._begins = [0]
        for line in source.splitlines(keepends=True):
            self._begins.append(self._begins[-1] + len(line))

    def start(self, node: ast.AST) -> int:
        return self._at(node.lineno, node.col_offset)

    def stop(self, node: ast.AST) -> int:
        return self._at(node.end_lineno, node.end_col_offset)

    def _at(self, line: int, column: int) -> int:
        # Columns of ast count bytes.
        characters = len(self.lines[line - 1].encode()[:column].decode())
        return self._begins[line - 1] + characters


def _nodes(node: ast.AST) -> Iterator[ast.AST]:
    """All nodes that may have a fault."""
    for name, value in ast.iter_fields(node):
        if name in ("annotation", "returns", "decorator_list"):
            continue
        for child in value if isinstance(value, list) else [value]:
            about = isinstance(child, ast.AnnAssign) and "ClassVar" in ast.unparse(child.annotation)
            if isinstance(child, ast.AST) and not about and not isinstance(child, ast.JoinedStr):
                yield child
                yield from _nodes(child)


def _chosen(tree: ast.Module) -> set[ast.AST]:
    """The nodes in bodies of functions, without constants that choose types."""
    found: set[ast.AST] = set()
    for function in ast.walk(tree):
        if isinstance(function, ast.FunctionDef):
            found.update(inner for node in function.body for inner in ast.walk(node))
    for node in ast.walk(tree):
        fixed: list[ast.AST] = []
        if isinstance(node, ast.Subscript):
            fixed = [node.slice, *ast.walk(node.slice)]
            fixed = [one for one in fixed if isinstance(one, ast.Constant | ast.UnaryOp)]
        elif isinstance(node, ast.keyword):
            fixed = [node.value]
        elif isinstance(node, ast.BinOp) and isinstance(node.op, ast.Pow):
            fixed = [node.right]
        found.difference_update(fixed)
    return found


def _changes(node: ast.AST, places: _Places, source: str) -> Iterator[tuple[int, int, str]]:
    """What may be replaced in a node: start, stop, and the new text."""
    if isinstance(node, ast.Constant) and isinstance(node.value, bool | int | float):
        yield places.start(node), places.stop(node), _other(node.value)
    elif isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
        yield places.start(node), places.start(node) + 1, ""
    elif isinstance(node, ast.BinOp) and type(node.op) in _OPERATORS:
        yield from _of_two(node, places, source)
    elif isinstance(node, ast.AugAssign) and type(node.op) in _OPERATORS:
        old = _OPERATORS[type(node.op)]
        at = source.index(old + "=", places.stop(node.target))
        yield at, at + len(old), _SIGNS.get(old, "")
    elif isinstance(node, ast.Compare):
        before = node.left
        for operator, after in zip(node.ops, node.comparators, strict=True):
            old, *others = _COMPARED.get(type(operator), ("",))
            for new in others:
                at = source.index(old, places.stop(before))
                yield at, at + len(old), new
            before = after
    elif isinstance(node, ast.Call) and ast.unparse(node.func) in _BOUNDS:
        start, stop = places.start(node), places.stop(node)
        yield start, places.stop(node.func), _BOUNDS[ast.unparse(node.func)]
        for argument in node.args:
            yield start, stop, f"({source[places.start(argument) : places.stop(argument)]})"


def _of_two(node: ast.BinOp, places: _Places, source: str) -> Iterator[tuple[int, int, str]]:
    """The other sign, and one summand or factor alone."""
    old = _OPERATORS[type(node.op)]
    at = source.index(old, places.stop(node.left))
    start, stop = places.start(node), places.stop(node)
    if old in _SIGNS:
        yield at, at + len(old), _SIGNS[old]
    left, right = source[start:at].rstrip(), source[at + len(old) : stop].lstrip()
    yield start, stop, left
    if old != "/" or left not in ("1", "1.0"):
        inverse = {ast.Sub: f"-{right}", ast.Div: f"1.0 / {right}"}
        yield start, stop, inverse.get(type(node.op), right)


def _other(number: float) -> str:
    if isinstance(number, bool):
        return str(not number)
    if isinstance(number, int):
        return str(number + 1)
    return repr(2.0 * number or 1.0)


def switched(source: str, faults: Sequence[Fault]) -> str:
    """Rewrite a source so that the number k of the switch turns on the k-th of these faults."""
    spans: dict[tuple[int, int], list[str]] = {}
    for number, fault in enumerate(faults):
        assert fault.choice is not None
        span, text = fault.choice
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
