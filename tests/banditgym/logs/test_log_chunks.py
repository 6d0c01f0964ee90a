"""Rows of a log as arrays, and the checks of each row."""

import numpy as np
import pytest

from banditgym.logs.log_chunks import check_rows, chunk_of
from tests.banditgym.logs.log_examples import K, as_frame, refused, rows


def chunk(columns, first=1):
    frame = as_frame(columns)
    cells = {name: frame[name] for name in frame}
    return chunk_of(cells, {name: name for name in frame}, first, "x")


def test_every_column_is_an_array():
    given = rows() | {
        "position": np.ones(7),
        "time": np.arange(7),
        "agent": np.array(list("abcdefg")),
    }
    given |= {"action_mask": np.ones((7, K), int), "arrival": np.array([1.0, np.nan] * 3 + [2.0])}
    found = chunk(given, first=11)
    assert (found.first_row, len(found)) == (11, 7)
    for name, array in given.items():
        np.testing.assert_array_equal(found.arrays[name], array)
    assert found.action.dtype == found.position.dtype == np.int64
    assert found.action_mask.dtype == bool


def test_the_propensity_of_the_action_comes_from_those_of_all():
    given = rows()
    expected = given.pop("propensity")
    np.testing.assert_array_equal(chunk(given).propensity, expected)


@pytest.mark.parametrize(
    ("column", "place", "value", "message"),
    [
        ("action", 2, K, "x, row 13: action must be one of 0 .. 2: number the arms from 0 on"),
        ("action", 2, -1, "x, row 13: action must be one of 0 .. 2"),
        ("action", 2, 0.5, "x, row 13: action must be a whole number, got 0.5"),
        ("round", 1, 1.5, "x, row 12: round must be a whole number, got 1.5"),
        ("propensity", 0, 0.0, "x, row 11: propensity must be above 0 and"),
        ("propensity", 0, 1.5, "x, row 11: propensity must be above 0 and"),
        ("reward", 3, np.inf, "x, row 14: reward must be finite: fill it in, or l"),
        ("reward", 3, np.nan, "x, row 14: the column 'reward' is missing: fill it in, or l"),
        ("context", (4, 1), np.inf, "x, row 15: context must be finite"),
        ("propensities", (1, 0), -0.1, "x, row 12: propensities must be within 0 and 1"),
        ("propensities", (1, 0), 0.99, "x, row 12: propensities must sum to 1: divide them by"),
    ],
)  # fmt: skip
def test_a_wrong_row_is_named(column, place, value, message):
    given = rows()
    array = given[column] = given[column].astype(float)
    array[place] = value
    with refused(message):
        check_rows(chunk(given, first=11), K, "x")


@pytest.mark.parametrize("value", [0.0, 1.1, -0.5])
def test_propensities_of_the_action_alone(value):
    given = rows()
    del given["propensities"]
    given["propensity"][2] = value
    rule = f"x, row 3: propensity must be above 0 and at most 1: give the .*, got {value}"
    with pytest.raises(ValueError, match=rule):
        check_rows(chunk(given), K, "x")


def test_an_action_that_all_propensities_exclude():
    given = rows()
    del given["propensity"]
    given["propensities"][1] = np.eye(K)[(given["action"][1] + 1) % K]
    with pytest.raises(ValueError, match="x, row 2: propensity must be above 0 and .*, got 0.0"):
        check_rows(chunk(given), K, "x")


def test_an_action_that_is_not_available():
    given = rows()
    mask = given["action_mask"] = np.ones((7, K), int)
    check_rows(chunk(given), K, "x")
    mask[5, given["action"][5]] = 0
    with pytest.raises(ValueError, match="x, row 6: action must be available by action_mask: corr"):
        check_rows(chunk(given), K, "x")


def test_without_the_number_of_arms_any_action_from_0_on_is_legal():
    given = {"action": np.array([0, 9]), "reward": np.zeros(2)}
    check_rows(chunk(given), 0, "x")
    given["action"][1] = -1
    with pytest.raises(ValueError, match="row 2: action must be at least 0: number .*, got -1"):
        check_rows(chunk(given), 0, "x")
