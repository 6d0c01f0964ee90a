"""Which columns of a log hold what."""

import pytest

from banditgym.logs import LogColumns
from banditgym.logs.log_columns import flat
from tests.banditgym.logs.log_examples import refused


def test_defaults_are_taken_where_they_are_there():
    found = LogColumns().among("x.csv", ["reward", "action", "other", "context"])
    assert found == {"context": "context", "action": "action", "reward": "reward"}


def test_none_leaves_a_column_of_the_default_name_out():
    found = LogColumns(time=None).among("x.csv", ["reward", "action", "time"])
    assert found == {"action": "action", "reward": "reward"}


def test_several_columns_are_one():
    columns = LogColumns.of({"context": [["a", "b"], ["c", "d"]], "action": "a", "reward": "b"})
    assert list(flat(columns.context)) == ["a", "b", "c", "d"]
    assert columns.among("x", list("abcd"))["context"] == [["a", "b"], ["c", "d"]]
    assert LogColumns.of(columns) is columns
    assert LogColumns.of(None) == LogColumns()


@pytest.mark.parametrize(
    ("columns", "message"),
    [
        ({"action": "shwon"}, "x.csv has no column 'shwon' for action; did you mean shown?: name"),
        ({"action": "a"}, "no column 'a' for action; it has shown, reward: name it by columns="),
        ({"action": "shown", "propensity": "p"}, "no column 'p' for propensity; it has"),
        ({}, "no column 'action' for action; it has shown, reward: name it by columns={'action'"),
        ({"actoin": "a"}, "columns: no column of a log is 'actoin'; did you mean action?; there"),
        (3, "columns must be a mapping or LogColumns, got 3"),
    ],
)
def test_what_is_wrong_is_said_in_one_line(columns, message):
    with refused(message):
        LogColumns.of(columns).among("x.csv", ["shown", "reward"])
