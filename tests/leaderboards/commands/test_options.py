"""Defaults of options."""

from leaderboards import publish
from leaderboards.commands import options
from leaderboards.run import runner
from leaderboards.store import DEFAULT_FOLDER
from leaderboards.suite import available


def test_defaults_are_those_of_the_library():
    assert (options.STORE, options.LIMIT) == (DEFAULT_FOLDER, runner.LIMIT)
    assert options.SUITE == publish.SUITE
    assert max(name for name in available() if name.startswith("core-")) == options.SUITE
