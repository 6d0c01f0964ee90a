"""A hash of the code that an experiment's numbers depend on.

Of the modules in this folder only the functions and constants that the simulation uses count, so
that texts and rules beside them can change without a new run. Of all other modules of this project
the closure counts, as it does for rows of results (`leaderboards.run.sources`).
"""

import ast
import functools
import hashlib
import json
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
    wanted, done = {name}, set()
    while wanted - done:
        done |= wanted
        for node in tree.body:
            if _binds(node) & done:
                wanted |= {n.id for n in ast.walk(node) if isinstance(n, ast.Name)}
    for node in tree.body:
        if isinstance(node, ast.Import | ast.ImportFrom):
            node.names = [own for own in node.names if (own.asname or own.name) in done]
            if node.names:
                yield node
        elif _binds(node) & done:
            yield node


def _binds(node: ast.stmt) -> set[str]:
    """The names that a statement at a module's top level binds, unless it is an import."""
    if isinstance(node, ast.FunctionDef | ast.ClassDef):
        return {node.name}
    if isinstance(node, ast.Import | ast.ImportFrom):
        return set()
    stores = (n for n in ast.walk(node) if isinstance(n, ast.Name))
    return {n.id for n in stores if isinstance(n.ctx, ast.Store)}
