"""Scores learners on suites of bandit tasks and shows a leaderboard.

Importing this package loads nothing; :func:`compare` is loaded when it is first used.
"""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from leaderboards.compare import compare as compare

__all__ = ["compare"]


def __getattr__(name: str) -> Any:
    if name != "compare":
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    import importlib

    function = importlib.import_module("leaderboards.compare").compare
    globals()[name] = function  # the import has just bound this name to the submodule
    return function
