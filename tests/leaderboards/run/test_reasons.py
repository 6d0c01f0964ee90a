"""Errors that cannot tell themselves, and long ones."""

import pytest

from leaderboards.run.entrants import entrants
from leaderboards.run.reasons import LONGEST_ERROR, failure, reason_of
from leaderboards.suites.suite import SuiteTask


class Untold(type):
    @property
    def __name__(cls):
        raise SystemExit


def own_error(says):
    """An error of a class of its own, whose message is another error."""

    def tell(self):
        raise says

    return type("Own", (BaseException,), {"__str__": tell, "__repr__": tell})()


@pytest.mark.parametrize(
    "says", [KeyboardInterrupt(), SystemExit(), ValueError("hm"), own_error(ValueError())]
)
def test_an_error_that_cannot_tell_itself_is_told_by_its_kind(says):
    found = failure(own_error(says))
    assert found["error"] == "Own"
    assert "Own" in found["traceback"]


def test_an_error_whose_every_name_and_trace_raise_is_told_by_its_kind():
    trace = property(lambda self: {}["no"])
    error = Untold("Own", (Exception,), {"__traceback__": trace})("me")
    assert failure(error)["error"].startswith("Own")


@pytest.mark.parametrize("before", range(LONGEST_ERROR - 45, LONGEST_ERROR))
def test_no_digit_of_a_hidden_seed_is_left_where_an_error_is_cut(before):
    task = SuiteTask(
        name="one", env="ArmedBandit-v0", settings={}, horizon=9, family="armed", hidden=(1,)
    )
    assert not any(map(str.isdigit, reason_of(task, "x" * (before - 1) + " " + "7" * 39)))


def test_a_label_is_no_longer_than_an_error(tmp_path):
    path = tmp_path / "own.py"
    path.write_text(
        "from dataclasses import dataclass\nimport agents\n"
        "@dataclass(kw_only=True, eq=False)\nclass Own(agents.UCB1):\n    any: object = None\n"
        "    def __post_init__(self):\n        self.any = 'x' * 10000\n"
    )
    (own,) = entrants([f"{path}:Own"])
    assert len(own.about["agent"]) == LONGEST_ERROR
