"""Papers whose claims are tested again; `banditgym reproduce` runs them and shows the verdicts.

A paper is a folder of this package that holds ``PAPER``, named below, and a module for each group
of its claims.
"""

from importlib import import_module

from leaderboards.papers.claim import Paper

NAMES = ("calandriello2019", "kakade2008", "korda2014", "ouhamma2021", "rakhlin2008")


def load(name: str) -> Paper:
    """A paper by its short name; the error for an unknown name suggests the nearest one."""
    from agents.naming import nearest

    if name not in NAMES:
        hint = nearest(name, NAMES) or f"; there are {', '.join(NAMES)}"
        raise ValueError(f"unknown paper {name!r}{hint}")
    return import_module(f"{__name__}.{name}").PAPER
