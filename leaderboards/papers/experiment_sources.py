"""A hash of the code that an experiment's numbers depend on.

Of the modules in this folder only the functions and constants that the simulation uses count, so
that texts and rules beside them can change without a new run. Of all other modules of this project
the closure counts, as it does for rows of results (`leaderboards.run.keys.sources`).

An environment is made by its id, which imports nothing. So each id that stands as a whole text in
what the simulation uses counts as its environment does for rows: with its class's modules, and with
the settings that it fixes. While a simulation is played no other environment of this package can be
made (`only`), so that none can be missing from the hash.
"""

import ast
import contextlib
import functools
import symtable
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import gymnasium

from banditgym.files.class_paths import ROOT, file_of
from banditgym.registration import ENVIRONMENTS
from leaderboards.run.keys import syntax
from leaderboards.run.keys.sources import closure_of, digest

_PAPERS = f"{__package__}."


class _Part(NamedTuple):
    """Statements of a module in this folder: their hash, the names they use, and ids in them."""

    form: str
    uses: tuple[str, ...]
    ids: tuple[str, ...]


class _Found(NamedTuple):
    """What a simulation uses: hashes of parts in this folder, other modules' names, and ids."""

    forms: list[str]
    others: list[str]
    ids: list[str]


def of_simulation(simulate: Callable[..., Any]) -> str:
    """Hash of what a function of a module computes: 16 hexadecimal digits."""
    forms, others, ids = _found(simulate)
    made = [ENVIRONMENTS[name] for name in ids]
    closure = closure_of((*others, *(env.path for env in made)))
    return digest([forms, closure.form, [env.settings for env in made]])


@contextlib.contextmanager
def only(simulate: Callable[..., Any]) -> Iterator[None]:
    """Let a function of a paper make only the environments that its hash covers.

    Raises
    ------
    ValueError
        If it makes another one of this package.
    """
    forms, _, ids = _found(simulate)
    hidden = ENVIRONMENTS.keys() - ids if forms else ()
    registered = {name: gymnasium.registry.pop(name) for name in hidden}
    try:
        yield
    except gymnasium.error.UnregisteredEnv as error:
        raise ValueError(
            f"{simulate.__qualname__} must name each environment's id as a whole text, for the "
            f"hash of its sources, got another: {error}"
        ) from error
    finally:
        gymnasium.registry.update(registered)


def _found(simulate: Callable[..., Any]) -> _Found:
    todo, parts, others = [(simulate.__module__, simulate.__qualname__)], {}, {}
    while todo:
        module, name = todo.pop(0)
        if (module, name) in parts:
            continue
        part = _part(module, name)
        if part is None:
            others[f"{module}:{name}"] = None
            continue
        parts[module, name] = part
        todo += [(of, inner) for of, _, inner in (used.partition(":") for used in part.uses)]
    ids = dict.fromkeys(name for part in parts.values() for name in part.ids)
    return _Found([part.form for part in parts.values()], list(others), list(ids))


@functools.cache
def _part(module: str, name: str) -> _Part | None:
    """The statements of a module in this folder that a name needs; None of any other module."""
    path = file_of(module, ROOT)
    if not module.startswith(_PAPERS) or path is None or not name:
        return None
    tree = ast.parse(path.read_bytes())
    needed = ast.Module(list(_needed(tree, name.partition(".")[0])), [])
    found = syntax.source(ast.unparse(needed).encode(), module.rpartition(".")[0])
    texts = (node.value for node in ast.walk(needed) if isinstance(node, ast.Constant))
    return _Part(found.form, found.uses, tuple(text for text in texts if text in ENVIRONMENTS))


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
