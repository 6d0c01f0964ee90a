"""Rows are encoded one at a time as they were with their table, bit for bit as by scikit-learn."""

from decimal import Decimal

import numpy as np
import pandas
import pytest
from sklearn.compose import ColumnTransformer
from sklearn.impute import SimpleImputer
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler

from banditgym.data.table_encoding import encoded

N = 80
FITTED = np.arange(0, N, 2)


def table():
    rng = np.random.default_rng(3)
    numbers = rng.standard_normal((5, N))
    frame = pandas.DataFrame(
        {
            "plain": numbers[0],
            "gaps": np.where(np.arange(N) % 6 == 2, np.nan, 1e3 + numbers[1]),
            "huge": 2.0**700 * numbers[2],
            "town": rng.choice(["Bonn", "Ulm", "Jena"], N),
            "money": [f"{x:.2f} €".replace(".", ",") for x in numbers[3]],
            "many": [f"kind {x}" for x in rng.integers(0, 30, N)],
            "code": pandas.Categorical(rng.integers(1, 4, N)),
            "flag": rng.random(N) < 0.5,
        }
    )
    frame.loc[[4, 9], "town"] = None
    frame.loc[6, "money"] = "unknown"
    return frame


def by_scikit_learn(frame):
    """The rows, with the columns that are text or money read by hand."""
    names = ["plain", "gaps", "huge", "money", "flag"]
    money = frame["money"].str.removesuffix(" €").str.replace(",", ".")
    numbers = frame.assign(money=pandas.to_numeric(money, errors="coerce"))[names].astype(float)
    numbers["huge"] /= 2.0 ** np.frexp(np.abs(numbers["huge"]).max())[1]
    words = frame[["town", "many", "code"]].astype(object)
    words = words.where(words.notna(), "(missing)").astype(str).astype(object)
    filled = SimpleImputer(strategy="median", add_indicator=True)
    indicators = OneHotEncoder(
        max_categories=20, handle_unknown="infrequent_if_exist", sparse_output=False
    )
    encoder = ColumnTransformer(
        [
            ("numbers", make_pipeline(filled, StandardScaler()), names),
            ("text", indicators, ["town", "many", "code"]),
        ],
        sparse_threshold=0.0,
    )
    every = pandas.concat([numbers, words], axis=1)
    return encoder.fit(every.iloc[FITTED]).transform(every)


@pytest.fixture(scope="module")
def found():
    with np.errstate(all="ignore"):
        return encoded(table(), FITTED)


def test_rows_are_those_of_scikit_learn_bit_for_bit(found):
    np.testing.assert_array_equal(found.rows, by_scikit_learn(table()))
    assert found.encoder.dim == found.rows.shape[1] == 5 + 2 + 4 + 20 + 3


def test_a_row_alone_is_the_row_of_the_table(found):
    for one, row in zip(table().to_dict("records"), found.rows, strict=True):
        shuffled = {"unused": "x", **dict(reversed(one.items()))}
        np.testing.assert_array_equal(found.encoder(shuffled), row)
    np.testing.assert_array_equal(found.encoder(table()[3:9]), found.rows[3:9])


def test_new_rows_are_read_as_those_of_the_table_were(found):
    row = table().to_dict("records")[10]
    plain = found.encoder(row)
    for name, same in (
        ("plain", Decimal(row["plain"])),
        ("plain", str(row["plain"])),
        ("money", row["money"].removesuffix(" €")),  # one currency and none may be mixed
        ("money", float(row["money"].removesuffix(" €").replace(",", "."))),
        ("flag", "True" if row["flag"] else "False"),
        ("code", str(row["code"])),
    ):
        np.testing.assert_array_equal(found.encoder({**row, name: same}), plain, name)
    for name in ("plain", "gaps", "money", "flag"):
        lost = [
            found.encoder({**row, name: cell})
            for cell in (None, np.nan, pandas.NA, pandas.NaT, "", "n/a", "1 $")
        ]
        for one in lost[1:]:
            np.testing.assert_array_equal(one, lost[0])
        # The median, and a feature that says so where the table had gaps in the fitted rows.
        changed = (lost[0] != plain).sum()
        assert changed == (2 if name in ("gaps", "money") else 1), name


def test_unseen_text_is_the_rarest_together_or_nothing(found):
    row = table().to_dict("records")[10]
    town, many = slice(7, 11), slice(11, 31)
    assert found.encoder({**row, "town": "Kiel"})[town].tolist() == [0.0] * 4
    for gap in (None, np.nan, pandas.NA):
        assert found.encoder({**row, "town": gap})[town].tolist() == [1.0, 0, 0, 0]  # "(missing)"
    assert found.encoder({**row, "many": "new"})[many].tolist() == [0.0] * 19 + [1.0]


def test_what_cannot_be_encoded_is_one_line(found):
    row = table().to_dict("records")[0]
    del row["town"]
    with pytest.raises(ValueError, match="the rows have no column 'town'"):
        found.encoder(row)
    with pytest.raises(ValueError, match="no column 'gaps'; did you mean gap?"):
        found.encoder(table().rename(columns={"gaps": "gap"}))
    with pytest.raises(ValueError, match="the column 'plain' must be finite"):
        found.encoder({**table().to_dict("records")[0], "plain": np.inf})
