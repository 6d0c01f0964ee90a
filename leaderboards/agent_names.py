"""The agents of this package by name, read from the source of ``agents/__init__.py``.

No agent is imported, which would take as long as everything else that shows a board.
"""

import ast
import functools

from leaderboards.run.keys import source_files

SOURCE = source_files.ROOT / "agents/__init__.py"
LISTS = ("AGENTS", "ON_REQUEST", "LIBRARY_AGENTS")


@functools.cache
def homes() -> dict[str, str]:
    """Every agent that is named by its class alone, with the place of its class.

    Examples
    --------
    >>> homes()["LinUCB"], homes()["PPO"]
    ('agents.linear.linucb:LinUCB', 'agents.deep.ppo:PPO')
    """
    handed = source_files.read(SOURCE).hands_on
    return {name: handed[name] for members in LISTS for name in listed(members)}


@functools.cache
def listed(members: str) -> tuple[str, ...]:
    """The names in one of `LISTS`, in order.

    Examples
    --------
    >>> "LinUCB" in listed("AGENTS"), "LinUCB" in listed("ON_REQUEST")
    (True, False)
    """
    return tuple(literal(SOURCE.read_text(encoding="utf-8"), members))


def literal(source: str, name: str) -> list[str]:
    """The value of a list of texts that a source assigns at its top level."""
    return list(ast.literal_eval(assigned(source, name).value))


def assigned(source: str, name: str) -> ast.Assign:
    """The statement by which a source assigns a name at its top level."""
    return next(
        node
        for node in ast.parse(source).body
        if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == name
    )
