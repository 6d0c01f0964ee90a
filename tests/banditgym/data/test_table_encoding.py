"""Features as numbers, against a plain recomputation; nothing comes from other rows."""

from decimal import Decimal

import numpy as np
import pandas
import pytest

from banditgym.data.table_encoding import encoded

from ...leaderboards.choosing.small_tables import separable

TUNING = np.arange(0, 60, 2)


def by_hand(frame):
    """The rows of ``separable`` by the definition."""
    columns = []
    fitted = frame.iloc[TUNING]
    for name in ("x", "z"):
        median = np.sort(fitted[name].dropna())
        middle = (median[(len(median) - 1) // 2] + median[len(median) // 2]) / 2
        columns.append((frame[name].fillna(middle), fitted[name].fillna(middle)))
    columns.append((frame["x"].isna() * 1.0, fitted["x"].isna() * 1.0))  # z has no gaps
    rows = [(every - own.mean()) / own.std(ddof=0) for every, own in columns]
    towns = frame["town"].fillna("(missing)")
    kinds = sorted(set(towns.iloc[TUNING]))
    return np.column_stack([*rows, *((towns == kind) * 1.0 for kind in kinds)])


def test_the_encoding_is_its_definition_fitted_to_the_tuning_rows():
    frame = separable().drop(columns="label")
    found = encoded(frame, TUNING)
    np.testing.assert_allclose(found.rows, by_hand(frame), atol=1e-12)
    # Row 5, whose town is missing, is no tuning row: no feature says so, and it has no town.
    assert found.rows.shape == (60, 6)
    assert found.rows[5, 3:].tolist() == [0.0, 0.0, 0.0]
    frame.loc[1, ["x", "town"]] = [1e9, "Kiel"]
    changed = encoded(frame, TUNING).rows
    np.testing.assert_array_equal(np.delete(changed, 1, axis=0), np.delete(found.rows, 1, axis=0))


def test_the_output_says_how():
    frame = separable().drop(columns="label")
    frame["day"] = pandas.Timestamp("2024-01-01")
    frame["name"] = [f"case {i}" for i in range(60)]
    frame["same"], frame["empty"] = 1.5, np.nan
    assert encoded(frame, TUNING).said == (
        "2 columns (x, z) of numbers, scaled to mean 0 and standard deviation 1 (scikit-learn's "
        "StandardScaler)",
        "missing numbers become the median, with a feature that says where (SimpleImputer): x (9)",
        "1 column (town) of text, a 0-1 feature for each value; with more than 20 values, one for "
        "the rarest together (OneHotEncoder)",
        "missing text counts as a value: town (1)",
        "left out: day (a time), name (another text in every row), same (the same in every row), "
        "empty (empty)",
    )


def test_text_of_many_values_has_twenty_features():
    words = [f"w{i % 29}" for i in range(58)] + ["w0", "w1"]
    rows = encoded(pandas.DataFrame({"word": words}), np.arange(60)).rows
    assert rows.shape == (60, 20)
    np.testing.assert_array_equal(rows.sum(axis=1), 1.0)


def test_booleans_and_categories_are_encoded():
    frame = pandas.DataFrame(
        {"b": [True, False] * 10, "c": pandas.Categorical(["u", "v", None, "u"] * 5)}
    )
    rows = encoded(frame, np.arange(20)).rows
    np.testing.assert_array_equal(rows[:4, 0], [1, -1, 1, -1])
    np.testing.assert_array_equal(rows[:4, 1:], [[0, 1, 0], [0, 0, 1], [1, 0, 0], [0, 1, 0]])


def test_frames_of_nullable_types_are_encoded():
    gaps = pandas.DataFrame({"i": [1, None, 3, 3] * 5, "s": ["u", None, "v", "u"] * 5})
    rows = encoded(gaps.astype({"i": "float64", "s": "object"}), np.arange(20)).rows
    nullable = gaps.astype({"i": "Int64", "s": "string"})
    np.testing.assert_array_equal(encoded(nullable, np.arange(20)).rows, rows)
    answers = pandas.DataFrame({"b": pandas.array([True, None, False] * 5, dtype="boolean")})
    assert encoded(answers, np.arange(15)).rows.shape == (15, 2)  # and where it is missing


@pytest.mark.parametrize("size", [1e155, 1e200, 1.7e308, 1e-200])
def test_huge_and_tiny_numbers_are_scaled_like_others(size):
    x = np.random.default_rng(0).uniform(-1, 1, 40)
    x[3] = np.nan
    rows = encoded(pandas.DataFrame({"x": size * x}), np.arange(0, 40, 2)).rows
    expected = encoded(pandas.DataFrame({"x": x}), np.arange(0, 40, 2)).rows
    np.testing.assert_allclose(rows, expected, rtol=1e-12)


def test_numbers_are_encoded_alike_in_every_container():
    cents = np.random.default_rng(0).integers(100, 99999, 60)
    floats = [None if i == 7 else cent / 100 for i, cent in enumerate(cents)]
    expected = encoded(pandas.DataFrame({"price": floats}, dtype=np.float64), TUNING).rows
    assert expected.shape == (60, 1)  # row 7, whose price is missing, is no tuning row
    written = [f"{price or 0:.2f}" for price in floats]
    for cells in (
        [
            None if price is None else Decimal(text)
            for price, text in zip(floats, written, strict=True)
        ],
        np.array(floats, object),
        [text if i != 7 else "?" for i, text in enumerate(written)],
        [text.replace(".", ",") if i != 7 else None for i, text in enumerate(written)],
        [f"${text}" if i != 7 else "" for i, text in enumerate(written)],
        pandas.array(floats, dtype="Float64"),
    ):
        rows = encoded(pandas.DataFrame({"price": cells}), TUNING).rows
        np.testing.assert_array_equal(rows, expected)


def test_doubts_are_sentences_and_warnings():
    frame = separable().drop(columns="label")
    frame["day"] = "2024-01-05"
    frame["stars"] = ["?", *["4.5", "3", "2"] * 19, "1", "1"]
    frame["sales"] = ["1,234", "5,678"] * 30
    frame["mass"] = ["5 kg", "6 kg", "7 kg"] * 20
    found = encoded(frame, TUNING)
    assert "left out: day (a time), sales (two readings)" in found.said
    texts = (
        "the column 'day' is left out: it holds times",
        "the column 'stars' is read as numbers: 1 of its 60 cells are no numbers",
        "the column 'sales' is left out: its text has two readings",
        "the column 'mass' is read as text, although 60 of its 60 cells are or begin with a number",
    )
    for warning, text in zip(found.warned, texts, strict=True):
        assert warning.startswith(text)
    assert found.said[-3:] == found.warned[1:]
    assert "missing numbers become the median" in found.said[1]
    assert "x (9), stars (1)" in found.said[1]


def test_what_cannot_be_encoded_is_one_line():
    with pytest.raises(ValueError, match="the column 'x' must be finite, got inf in row 3"):
        encoded(pandas.DataFrame({"x": [0.0, 1.0, np.inf]}), np.arange(2))
    with pytest.raises(ValueError, match="no column is left as a feature: left out x"):
        encoded(pandas.DataFrame({"x": [0.0, 0.0, 1.0]}), np.arange(2))
