"""A log that was read once, with all checks, and can be read again in chunks."""

import numpy as np
import pyarrow.parquet as parquet
import pytest

from banditgym.logs import LogColumns, open_log
from tests.banditgym.logs.log_examples import D, K, as_arrow, as_csv, as_frame, rows


def same(log, expected, size):
    chunks = list(log.chunks(size))
    assert [len(chunk) for chunk in chunks][:-1] == [size] * (len(chunks) - 1)
    assert [chunk.first_row for chunk in chunks] == list(range(1, log.n_rows + 1, size))
    for name, array in expected.items():
        found = np.concatenate([getattr(chunk, name) for chunk in chunks])
        np.testing.assert_array_equal(found, array)


@pytest.mark.parametrize("arms", [False, True])
def test_a_log_is_the_same_in_every_form(tmp_path, arms):
    expected = rows(9, arms=arms)
    metadata = {"version": "0", "context": "arms" if arms else "shared"}
    table = as_arrow(expected, metadata)
    parquet.write_table(table, tmp_path / "x.parquet", row_group_size=4)
    names = as_csv(tmp_path / "x.csv", expected)
    forms = [
        (tmp_path / "x.parquet", None), (table, None), (as_frame(expected), None),
        (as_arrow(expected, fixed=False), LogColumns()), (tmp_path / "x.csv", names),
    ]  # fmt: skip
    for data, columns in forms:
        log = open_log(data, columns)
        for size in (2, 9, 100):
            same(log, expected, size)
        assert (log.n_rows, log.n_arms) == (9, K)
        assert log.context == ("arms" if arms else "shared")
        assert log.context_shape == ((K, D) if arms else (D,))
        norms = np.linalg.norm(expected["context"], axis=-1)
        assert log.context_norm == pytest.approx(norms.max(), rel=1e-15)
        assert log.smallest_propensity == expected["propensity"].min()
        assert log.reward_limits == (expected["reward"].min(), expected["reward"].max())
        assert log.metadata == (metadata if log.name == "x.parquet" or data is table else {})


def test_a_log_without_anything_else():
    log = open_log(as_frame({"action": np.array([0, 4]), "reward": np.ones(2)}))
    assert (log.n_arms, log.context, log.context_shape, log.positions) == (5, "none", (), ())
    assert np.isnan(log.smallest_propensity)
    assert log.holds == {"action", "reward"}
    assert open_log(as_frame({"action": [0], "reward": [1]}), n_arms=7).n_arms == 7


def test_what_the_writer_said_about_contexts_and_arms_counts():
    given = rows()
    del given["mean"], given["propensities"]
    log = open_log(as_arrow(given, {"context": "played", "n_arms": 8}))
    assert (log.context, log.context_shape, log.n_arms) == ("played", (D,), 8)


def test_positions_are_counted_and_few():
    given = {"action": np.zeros(1002, int), "reward": np.zeros(1002)}
    few = np.arange(1002) % 3 + 1
    assert open_log(as_frame(given | {"position": few})).positions == (1, 2, 3)
    with pytest.raises(
        ValueError, match="position says where .* got more than 1000: leave the col"
    ):
        open_log(as_frame(given | {"position": np.arange(1002)}))


def test_the_shapes_of_all_columns_agree():
    given = rows()
    with pytest.raises(
        ValueError, match="row 1: propensities must have an entry for each of the 4"
    ):
        open_log(as_frame(given), n_arms=4)
    given["mean"] = given["mean"][:, :2]
    with pytest.raises(
        ValueError, match=r"row 1: mean must have an entry .* 3 arms, got shape \(2"
    ):
        open_log(as_frame(given))
    scalar = {"action": np.array([0]), "reward": np.ones(1), "propensities": np.ones(1)}
    with pytest.raises(ValueError, match="the frame: propensities must be a list of K numbers"):
        open_log(as_frame(scalar))
    with pytest.raises(
        ValueError, match="the frame: context must be d numbers or .K, d. in each row, got"
    ):
        open_log(as_frame(rows() | {"context": np.ones(7)}))
    with pytest.raises(ValueError, match="the frame has no rows"):
        open_log(as_frame({"action": np.zeros(0), "reward": np.zeros(0)}))
    with pytest.raises(ValueError, match="n_arms must be an integer >= 1, got 0"):
        open_log(as_frame(rows()), n_arms=0)


def test_errors_of_later_chunks_name_their_row(monkeypatch):
    monkeypatch.setattr("banditgym.logs.bandit_log.CHUNK", 4)
    given = rows(11)
    given["round"] = np.arange(11)
    open_log(as_frame(given))
    for column, value, message in [
        ("round", 3, "row 10: round 3 comes after 7"),
        ("action", 9, "row 10: action must be one of 0 .. 2"),
        ("propensity", 0.0, "row 10: propensity must be "),
    ]:
        wrong = given | {column: given[column].copy()}
        wrong[column][9] = value
        with pytest.raises(ValueError, match=message):
            open_log(as_frame(wrong))
    wide = as_frame(given)
    wide["context"] = [np.ones(3) if row >= 8 else np.ones(2) for row in range(11)]
    with pytest.raises(
        ValueError, match=r"row 9: context must have the shape of the first row, \(2,"
    ):
        open_log(wide)


def test_a_log_that_changes_after_its_check(tmp_path):
    as_csv(tmp_path / "x.csv", {"action": np.zeros(5, int), "reward": np.zeros(5)})
    log = open_log(tmp_path / "x.csv")
    as_csv(tmp_path / "x.csv", {"action": np.zeros(4, int), "reward": np.zeros(4)})
    with pytest.raises(ValueError, match="x.csv had 5 rows when it was checked, now 4"):
        list(log.chunks())
