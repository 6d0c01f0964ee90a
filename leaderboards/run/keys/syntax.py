"""A hash of the computation in a Python source, from its syntax tree, and the names that it uses.

Two sources with one ``form`` compute the same numbers. These do not change the form:

- comments, the layout, docstrings and other statements that are a mere constant, ``pass``;
- annotations; within classes only that a name has one, and whether it is ``ClassVar``, ``InitVar``
  or ``KW_ONLY``, as a dataclass reads them;
- ``search``, the search space that a class declares as a ``ClassVar``: it says what may be tuned;
- texts of errors: strings that are arguments of what is raised, and the message of ``assert``;
- ``if TYPE_CHECKING:`` blocks, unless the module has a ``__getattr__``: then they are what it
  imports when it is first used;
- imports: their place and order, and what an imported thing is called here. Wherever it is used its
  full name counts, and this is kept beside the form, in ``uses``.

An import whose name is also bound in another way (by a second import, or as a parameter) stays in
the form as written.

The form is our own, because ``ast.dump`` differs between versions of Python. Empty fields of nodes
are left out, so that a new field of a later Python changes nothing if it is not used.
"""

import ast
import hashlib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

FORM = 2  # raise it when a form is written otherwise
LARGEST = 2**20  # bytes of a source that is parsed; a larger one counts by its bytes


@dataclass(frozen=True)
class Source:
    """The computation in a source, and the names that it uses from other modules.

    Attributes
    ----------
    form : str
        Hash of what it computes.
    uses : tuple of str
        The names that it uses from other modules, as ``"module:name"`` or ``"module:"``, in the
        order of first use; last, imports that it never names.
    hands_on : dict of str to str
        The names that its imports at top level bind: name -> ``"module:name"``.
    defines : frozenset of str
        The names that are bound there in other ways.
    """

    form: str
    uses: tuple[str, ...]
    hands_on: dict[str, str]
    defines: frozenset[str]


def source(code: bytes, package: str = "") -> Source:
    """Read a source; one that does not parse, or is too large, counts by its bytes.

    Parameters
    ----------
    code : bytes
    package : str
        The name of the package that it lies in, which relative imports start from.
    """
    try:
        if len(code) > LARGEST:
            raise ValueError("too large to be parsed")
        return _Reader(ast.parse(code), package).source()
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return Source(_digest([repr(code)]), (), {}, frozenset())


def _digest(parts: Iterable[str]) -> str:
    return hashlib.sha256("".join(parts).encode()).hexdigest()[:32]


_KINDS = ("typing:ClassVar", "dataclasses:InitVar", "dataclasses:KW_ONLY")


class _Reader:
    """Writes the form of one tree."""

    def __init__(self, tree: ast.Module, package: str):
        if any(
            isinstance(node, ast.FunctionDef) and node.name == "__getattr__" for node in tree.body
        ):
            tree.body = [each for node in tree.body for each in _on_demand(node)]
        self.tree, self.package = tree, package
        self.out: list[str] = []
        self.uses: dict[str, int] = {}
        self.origins: dict[str, str] = {}  # alias -> where it comes from, if that is all it is
        self.whole: set[str] = set()  # modules that ``import a.b.c`` names in full
        self.prefixes: set[str] = set()  # a, a.b and a.b.c
        self.effects: list[str] = []  # imports that nothing names
        self.within: list[ast.AST] = []  # classes and functions around the present node

    def source(self) -> Source:
        self._find_imports()
        self._statements(self.tree.body)
        for used in sorted(self.effects):
            self._index(used)
        hands_on, defines = self._top()
        return Source(_digest(self.out), tuple(self.uses), hands_on, defines)

    def _find_imports(self) -> None:
        found: dict[str, set[str]] = {}
        others: set[str] = set()
        for node in _running(self.tree):
            if isinstance(node, ast.Import | ast.ImportFrom):
                for alias, origin in self._bound(node):
                    found.setdefault(alias, set()).add(origin)
                if isinstance(node, ast.Import):
                    self.whole.update(one.name for one in node.names if one.asname is None)
            else:
                others.update(_binds(node))
        mentioned = {node.id for node in ast.walk(self.tree) if isinstance(node, ast.Name)}
        for alias, origins in found.items():
            if len(origins) == 1 and alias not in others:
                (self.origins[alias],) = origins
                if alias not in mentioned:
                    self.effects += origins
        self.effects += [f"{name}:" for name in self.whole if "." in name]
        parts = [name.split(".") for name in self.whole]
        self.prefixes = {".".join(own[:end]) for own in parts for end in range(1, len(own) + 1)}

    def _bound(self, node: ast.Import | ast.ImportFrom) -> Iterator[tuple[str, str]]:
        """The names that an import binds, each with ``"module:name"``; of a star, ``"*"``."""
        for one in node.names:
            if isinstance(node, ast.ImportFrom):
                yield one.asname or one.name, f"{self._absolute(node)}:{one.name.strip('*')}"
            elif one.asname is not None:
                yield one.asname, f"{one.name}:"
            else:
                top = one.name.partition(".")[0]
                yield top, f"{top}:"

    def _absolute(self, node: ast.ImportFrom) -> str:
        """The module that something is imported from."""
        if not node.level:
            return node.module or ""
        parts = self.package.split(".") if self.package else []
        base = parts[: len(parts) - node.level + 1]
        return ".".join([*base, node.module] if node.module else base)

    def _top(self) -> tuple[dict[str, str], frozenset[str]]:
        """The names that the module's own level binds: by imports, and in other ways."""
        bound: dict[str, set[str]] = {}
        defines: set[str] = set()
        for node in _running(self.tree, inner=False):
            if isinstance(node, ast.Import | ast.ImportFrom):
                for name, origin in self._bound(node):
                    bound.setdefault(name, set()).add(origin)
            else:
                defines.update(_binds(node))
        defines.update(name for name, origins in bound.items() if len(origins) > 1)
        hands_on = {name: min(own) for name, own in sorted(bound.items()) if name not in defines}
        return hands_on, frozenset(defines)

    def _index(self, used: str) -> int:
        return self.uses.setdefault(used, len(self.uses))

    def _statements(self, body: list[ast.stmt]) -> None:
        self.out.append("[")
        for node in body:
            self._statement(node)
        self.out.append("]")

    def _statement(self, node: ast.stmt) -> None:
        if isinstance(node, ast.Pass) or (
            isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
        ):
            return
        if isinstance(node, ast.Import | ast.ImportFrom):
            for alias, origin in self._bound(node):
                if alias not in self.origins:
                    self.out.append(f"import {alias} @{self._index(origin)};")
        elif isinstance(node, ast.If) and _is_type_checking(node.test):
            for other in node.orelse:
                self._statement(other)
        elif isinstance(node, ast.AnnAssign):
            self._annotated(node)
        elif isinstance(node, ast.Raise):
            self._raise(node)
        elif isinstance(node, ast.Assert):
            self.out.append("Assert(")
            self._value(node.test)
            self.out.append(")")
        elif isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            self.within.append(node)
            self._fields(node, leave_out=("returns",))
            self.within.pop()
        else:
            self._fields(node)

    def _annotated(self, node: ast.AnnAssign) -> None:
        if self.within and isinstance(self.within[-1], ast.ClassDef):
            if self._is_search(node):
                return
            self.out.append(f"field {self._kind(node.annotation)}")
            self._value(node.target)
        if node.value is not None:
            self._fields(ast.Assign(targets=[node.target], value=node.value))

    def _is_search(self, node: ast.AnnAssign) -> bool:
        """Whether a class declares its search space there, which no number depends on."""
        named = isinstance(node.target, ast.Name) and node.target.id == "search"
        return named and self._kind(node.annotation) == "typing:ClassVar"

    def _kind(self, annotation: ast.expr) -> str:
        """The kind of field that a dataclass makes for this annotation."""
        if isinstance(annotation, ast.Constant):  # an annotation in quotes
            return ascii(annotation.value)
        base = annotation.value if isinstance(annotation, ast.Subscript) else annotation
        used = self._full_name(base)
        return used if used in _KINDS else ""

    def _raise(self, node: ast.Raise) -> None:
        self.out.append("Raise(")
        if isinstance(node.exc, ast.Call):
            self._value(node.exc.func)
            for argument in node.exc.args:
                if not _is_text(argument):
                    self._value(argument)
            self._value(node.exc.keywords)
        else:
            self._value(node.exc)
        self.out.append(";")
        self._value(node.cause)
        self.out.append(")")

    def _value(self, value: object) -> None:
        if isinstance(value, ast.Name | ast.Attribute):
            self._named(value)
        elif isinstance(value, ast.Constant):
            self.out.append(f"{type(value.value).__name__} {value.value!a};")
        elif isinstance(value, ast.Call) and (module := self._imported(value)):
            self.out.append(f"@{self._index(module)};")
        elif isinstance(value, ast.arg):
            self.out.append(f"arg {value.arg};")
        elif isinstance(value, ast.AST):
            self._fields(value)
        elif isinstance(value, list):
            if value and all(isinstance(item, ast.stmt) for item in value):
                self._statements(value)
                return
            self.out.append("[")
            for item in value:
                self._value(item)
            self.out.append("]")
        else:
            self.out.append(f"{value!a};")

    def _fields(self, node: ast.AST, leave_out: tuple[str, ...] = ()) -> None:
        self.out.append(type(node).__name__ + "(")
        for name in node._fields:
            value = getattr(node, name, None)
            if value is None or value == [] or name in ("ctx", "type_comment") or name in leave_out:
                continue
            self.out.append(name + "=")
            self._value(value)
        self.out.append(")")

    def _named(self, node: ast.Name | ast.Attribute) -> None:
        """A name, or a name with attributes: of an imported thing its full name."""
        used = self._full_name(node)
        if used is not None:
            self.out.append(f"@{self._index(used)};")
        elif isinstance(node, ast.Name):
            self.out.append(f"Name {node.id};")
        else:
            self.out.append("Attribute(")
            self._value(node.value)
            self.out.append(f"{node.attr})")

    def _full_name(self, node: ast.expr) -> str | None:
        """``"module:name"`` of an imported thing."""
        attributes: list[str] = []
        while isinstance(node, ast.Attribute):
            attributes.append(node.attr)
            node = node.value
        if not isinstance(node, ast.Name) or node.id not in self.origins:
            return None
        module, _, name = self.origins[node.id].partition(":")
        chain = [*([name] if name else []), *reversed(attributes)]
        while not name and chain and f"{module}.{chain[0]}" in self.prefixes:
            module, chain = f"{module}.{chain[0]}", chain[1:]
        return f"{module}:{'.'.join(chain)}"

    def _imported(self, node: ast.Call) -> str | None:
        """The module that a call imports by a name that stands there."""
        by_name = isinstance(node.func, ast.Name) and node.func.id == "__import__"
        if not by_name and self._full_name(node.func) != "importlib:import_module":
            return None
        if not node.args or not isinstance(node.args[0], ast.Constant):
            return None
        name = str(node.args[0].value)
        level = len(name) - len(name.lstrip("."))
        of = ast.ImportFrom(module=name[level:] or None, names=[], level=level)
        return f"{self._absolute(of)}:"


def _running(tree: ast.AST, inner: bool = True) -> Iterator[ast.AST]:
    """The nodes that may run; without ``inner`` those of the module's own level alone."""
    todo: list[ast.AST] = [tree]
    while todo:
        node = todo.pop()
        yield node
        if isinstance(node, ast.If) and _is_type_checking(node.test):
            todo += node.orelse
        elif inner or not isinstance(
            node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef | ast.Lambda
        ):
            todo += ast.iter_child_nodes(node)


def _binds(node: ast.AST) -> list[str]:
    """The names that a node binds, unless it is an import."""
    if isinstance(node, ast.Name):
        return [] if isinstance(node.ctx, ast.Load) else [node.id]
    if isinstance(node, ast.arg):
        return [node.arg]
    if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
        return [node.name]
    if isinstance(node, ast.ExceptHandler | ast.MatchAs | ast.MatchStar):
        return [node.name] if node.name else []
    if isinstance(node, ast.MatchMapping):
        return [node.rest] if node.rest else []
    if isinstance(node, ast.Global | ast.Nonlocal):
        return node.names
    kind = type(node).__name__  # of parameters of types, since Python 3.12
    return [vars(node)["name"]] if kind in ("TypeVar", "ParamSpec", "TypeVarTuple") else []


def _is_type_checking(test: ast.expr) -> bool:
    return (isinstance(test, ast.Name) and test.id == "TYPE_CHECKING") or (
        isinstance(test, ast.Attribute) and test.attr == "TYPE_CHECKING"
    )


def _on_demand(node: ast.stmt) -> list[ast.stmt]:
    """The statements in place of one of a module that imports names when they are first used."""
    return node.body if isinstance(node, ast.If) and _is_type_checking(node.test) else [node]


def _is_text(node: ast.expr) -> bool:
    """Whether an expression is a text that stands there, perhaps with values filled in."""
    if isinstance(node, ast.Constant):
        return isinstance(node.value, str)
    if isinstance(node, ast.BinOp):
        return _is_text(node.left) or _is_text(node.right)
    if isinstance(node, ast.IfExp):
        return _is_text(node.body) and _is_text(node.orelse)
    if isinstance(node, ast.Call):
        return isinstance(node.func, ast.Attribute) and _is_text(node.func.value)
    return isinstance(node, ast.JoinedStr)
