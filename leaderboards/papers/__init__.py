"""Papers whose claims are tested again; `banditgym reproduce` runs them and shows the verdicts.

A paper is a package within this one: it holds ``PAPER``, and has a module for each group of its
claims.
"""

from importlib import import_module
from pkgutil import iter_modules

from leaderboards.papers.claim import Paper

ALIASES = {"korda2014": "korda2015"}  # former names
NAMES = tuple(sorted(found.name for found in iter_modules(__path__) if found.ispkg))


def load(name: str) -> Paper:
    """A paper by its short name or an alias; an unknown name is an error with the nearest one."""
    from banditgym.validation import nearest

    name = ALIASES.get(name, name)
    if name not in NAMES:
        hint = nearest(name, NAMES) or f"; there are {', '.join(NAMES)}"
        raise ValueError(f"unknown paper {name!r}{hint}")
    return import_module(f"{__name__}.{name}").PAPER
