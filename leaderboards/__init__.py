"""Scores agents on suites of bandit tasks and shows a leaderboard.

Importing this package loads nothing; :func:`compare` is loaded when it is first used.
"""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from leaderboards.comparison.call import compare as compare

__all__ = ["compare"]


def __getattr__(name: str) -> Any:
    if name != "compare":
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    import importlib

    from banditgym.installed import other_agents

    if (other := other_agents()) is not None:
        raise ImportError(other)
    return importlib.import_module("leaderboards.comparison.call").compare


def __dir__() -> list[str]:
    return list(__all__)
