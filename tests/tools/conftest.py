"""What the tests of tools share with those of the judge."""

from ..leaderboards.conftest import tiny

__all__ = ["tiny"]
