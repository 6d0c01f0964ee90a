"""Papers whose claims are tested again; `banditgym reproduce` runs them and shows the verdicts.

A paper is a package within this one: it holds ``PAPER``, and has a module for each group of its
claims.
"""

from importlib import import_module
from pkgutil import iter_modules

from leaderboards.papers.claim import Paper

NAMES = tuple(sorted(found.name for found in iter_modules(__path__) if found.ispkg))


def load(name: str) -> Paper:
    """A paper by its short name; the error for an unknown name suggests the nearest one."""
    from banditgym.validation import nearest

    if name not in NAMES:
        hint = nearest(name, NAMES) or f"; there are {', '.join(NAMES)}"
        raise ValueError(f"unknown paper {name!r}{hint}")
    return import_module(f"{__name__}.{name}").PAPER
