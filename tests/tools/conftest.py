"""What the tests of tools share with those of the judge."""

from ..leaderboards.conftest import *  # noqa: F403
