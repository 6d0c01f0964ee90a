"""A hash of the code that an experiment's numbers depend on.

Of the modules in this folder only the functions and constants that the simulation uses count, so
that texts and rules beside them can change without a new run. Of all other modules of this project
the closure counts, as it does for rows of results (`leaderboards.run.sources`).
"""

import ast
import functools
import hashlib
import json
import symtable
from collections.abc import Callable, Iterator
from typing import Any

from banditgym import source_files, syntax
from leaderboards.run.sources import closure_of

_PAPERS = f"{__package__}."


def of_simulation(simulate: Callable[..., Any]) -> str:
    """Hash of what a function of a module computes: 16 hexadecimal digits."""
    todo, forms, others = [(simulate.__module__, simulate.__qualname__)], {}, {}
    while todo:
        module, name = todo.pop(0)
        if (module, name) in forms:
            continue
        part = _part(module, name)
        if part is None:
            others[f"{module}:{name}"] = None
            continue
        forms[module, name] = part.form
        todo += [(of, inner) for of, _, inner in (used.partition(":") for used in part.uses)]
    found = [list(forms.values()), closure_of(tuple(others)).form]
    return hashlib.sha256(json.dumps(found).encode()).hexdigest()[:16]


@functools.cache
def _part(module: str, name: str) -> syntax.Source | None:
    """The statements of a module in this folder that a name needs; None of any other module."""
    path = source_files.file_of(module, source_files.ROOT)
    if not module.startswith(_PAPERS) or path is None or not name:
        return None
    tree = ast.parse(path.read_bytes())
    needed = ast.Module(list(_needed(tree, name.partition(".")[0])), [])
    return syntax.source(ast.unparse(needed).encode(), module.rpartition(".")[0])


def _needed(tree: ast.Module, name: str) -> Iterator[ast.stmt]:
    """The statements of a module that bind a name, and the names that these mention, in order."""
    names = {node: _Names(node) for node in tree.body}
    wanted, done = {name}, set()
    while wanted - done:
        done |= wanted
        for own in names.values():
            if own.bound & done:
                wanted |= own.mentioned
    for node, own in names.items():
        if isinstance(node, ast.Import | ast.ImportFrom):
            node.names = [one for one in node.names if (one.asname or one.name) in done]
            if node.names:
                yield node
        elif own.bound & done:
            yield node


class _Names:
    """The module's names that a statement binds, and those that it mentions, anywhere inside it.

    Names of a function's own variables are neither. An import binds nothing here.
    """

    def __init__(self, node: ast.stmt):
        self.bound, self.mentioned = set[str](), set[str]()
        if isinstance(node, ast.Import | ast.ImportFrom):
            return
        module = symtable.symtable(ast.unparse(node), "", "exec")
        self.bound = {one.get_name() for one in module.get_symbols() if one.is_assigned()}
        self._mention(module)

    def _mention(self, table: symtable.SymbolTable) -> None:
        outermost = table.get_type() == "module"
        for one in table.get_symbols():
            if one.is_global() or (outermost and one.is_referenced()):
                self.mentioned.add(one.get_name())
        for inner in table.get_children():
            self._mention(inner)
