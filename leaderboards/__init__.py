"""Scores agents on suites of bandit tasks and shows a leaderboard.

Importing this package loads nothing; its functions are loaded when they are first used.
"""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from leaderboards.choosing.choose import choose as choose
    from leaderboards.choosing.saved_choice import load_choice as load_choice
    from leaderboards.choosing.service import Service as Service
    from leaderboards.comparison.compare_function import compare as compare
    from leaderboards.rank.paired_table import paired_table as paired_table
    from leaderboards.run.store.frame import load_results as load_results

__all__ = ["Service", "choose", "compare", "load_choice", "load_results", "paired_table"]
_HOMES = {
    "choose": "leaderboards.choosing.choose",
    "load_choice": "leaderboards.choosing.saved_choice",
    "Service": "leaderboards.choosing.service",
    "compare": "leaderboards.comparison.compare_function",
    "load_results": "leaderboards.run.store.frame",
    "paired_table": "leaderboards.rank.paired_table",
}


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    import importlib

    from banditgym.files.other_agents import other_agents

    if (other := other_agents()) is not None:
        raise ImportError(other)
    return getattr(importlib.import_module(_HOMES[name]), name)


def __dir__() -> list[str]:
    return list(__all__)
