"""Defaults that commands and functions share."""

import inspect

from leaderboards import defaults
from leaderboards.run.execution import Execution
from leaderboards.run.store.store import Store
from leaderboards.suites.suite import available
from leaderboards.tuning.tune import tune


def test_defaults_are_those_of_the_library():
    assert inspect.signature(Store).parameters["folder"].default == defaults.STORE
    assert Execution().limit == defaults.LIMIT
    assert inspect.signature(tune).parameters["trials"].default == defaults.TRIALS
    assert defaults.SUITE in available()
