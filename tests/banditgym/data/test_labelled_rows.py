"""Rows from arrays against plain loops, and what cannot be rows."""

import math
from dataclasses import FrozenInstanceError
from itertools import pairwise

import numpy as np
import pandas
import pytest
from scipy import sparse

from banditgym.data.labelled_rows import LabelledRows, row_norms

FEATURES = np.array([[0.0, -3.0, 4.0], [0.0, 0.0, 0.0], [1.5, 0.0, 0.0], [1.0, 2.0, -2.0]])
LABELS = ["wheat", "corn", "wheat", "corn"]


def entries(rows, t):
    """Row t as a dictionary."""
    where = slice(rows.indptr[t], rows.indptr[t + 1])
    return dict(zip(rows.indices[where].tolist(), rows.values[where].tolist(), strict=True))


def with_zeros():
    """FEATURES as a COO matrix with an entry in two parts, one written as 0, out of order."""
    row = [0, 0, 0, 2, 3, 3, 3, 3]
    column = [2, 1, 1, 0, 2, 1, 0, 0]
    value = [4.0, -1.0, -2.0, 1.5, -2.0, 2.0, 1.0, 0.0]
    return sparse.coo_matrix((value, (row, column)), shape=(4, 3))


def as_stored():
    """FEATURES as a CSR array with entries in two parts, written as 0, out of order."""
    indices = [2, 1, 1, 1, 0, 0, 0, 2, 1]
    value = [4.0, -1.0, -2.0, 0.0, 1.0, 0.5, 1.0, -2.0, 2.0]
    return sparse.csr_array((value, indices, [0, 3, 4, 6, 9]), shape=(4, 3))


GIVEN = {
    "array": lambda: FEATURES,
    "list": lambda: FEATURES.tolist(),
    "fortran": lambda: np.asfortranarray(FEATURES),
    "coo with duplicates": with_zeros,
    "csr with zeros and duplicates": as_stored,
    "csc": lambda: sparse.csc_array(FEATURES),
}


@pytest.mark.parametrize("given", GIVEN)
def test_rows_hold_what_was_given(given):
    rows = LabelledRows.from_dense(GIVEN[given](), LABELS)
    for t, row in enumerate(FEATURES):
        assert entries(rows, t) == {j: x for j, x in enumerate(row.tolist()) if x}
        ids = rows.indices[rows.indptr[t] : rows.indptr[t + 1]]
        assert (np.diff(ids) > 0).all()
    assert rows.labels.tolist() == [1, 0, 1, 0]  # corn < wheat
    assert (rows.dim, rows.n_labels, rows.width, len(rows)) == (3, 2, 3, 4)
    assert (rows.feature_norm, rows.limits) == (5.0, (-3.0, 4.0))
    dtypes = [a.dtype for a in (rows.indptr, rows.indices, rows.values, rows.labels)]
    assert dtypes == [np.int64, np.int32, np.float64, np.int64]
    assert all(a.flags.c_contiguous for a in (rows.indptr, rows.indices, rows.values, rows.labels))


@pytest.mark.parametrize("kind", [np.array, sparse.csr_array])
def test_nothing_is_shared_and_nothing_can_be_changed(kind):
    features, labels = kind(FEATURES.copy()), np.array([1, 0, 1, 0])
    rows = LabelledRows.from_dense(features, labels)
    features[0, 1] = 7.0
    labels[0] = 0
    assert entries(rows, 0) == {1: -3.0, 2: 4.0}
    assert rows.labels[0] == 1
    for array in (rows.indptr, rows.indices, rows.values, rows.labels):
        assert not array.flags.writeable
    with pytest.raises(FrozenInstanceError):
        rows.dim = 4  # type: ignore[misc]


@pytest.mark.parametrize(
    ("given", "codes", "k"),
    [
        ([7, -1, 7, 3], [2, 0, 2, 1], 3),
        (np.array([0.5, 0.25, 0.5, 0.5]), [1, 0, 1, 1], 2),
        ([True, False, True, True], [1, 0, 1, 1], 2),
        (np.array(["b", "c", "a", "a"], dtype=object), [1, 2, 0, 0], 3),
        (np.array([b"b", b"a", b"b", b"b"]), [1, 0, 1, 1], 2),
        (np.array([250, 3, 3, 3], dtype=np.uint8), [1, 0, 0, 0], 2),
    ],
)
def test_labels_are_numbered_by_sorted_order(given, codes, k):
    rows = LabelledRows.from_dense(FEATURES, given)
    assert rows.labels.tolist() == codes
    assert rows.n_labels == k


def test_labels_are_taken_as_they_are_where_their_number_is_given():
    rows = LabelledRows.from_dense(FEATURES, np.array([4, 1, 1, 4], dtype=np.int8), n_labels=6)
    assert rows.labels.tolist() == [4, 1, 1, 4]
    assert rows.labels.dtype == np.int64
    assert rows.n_labels == 6


def test_a_width_is_never_0_and_limits_hold_0():
    nothing = LabelledRows.from_dense(np.zeros((2, 3)), [0, 1])
    assert (nothing.width, nothing.feature_norm, nothing.limits) == (1, 0.0, (0.0, 0.0))
    assert LabelledRows.from_dense([[2.0], [3.0]], [0, 1]).limits == (0.0, 3.0)
    assert LabelledRows.from_dense([[-2.0], [-3.0]], [0, 1]).limits == (-3.0, 0.0)


def test_a_norm_is_the_sum_of_squares_in_the_order_of_the_entries(monkeypatch):
    monkeypatch.setattr("banditgym.data.labelled_rows._SLICE", 7)
    draw = np.random.default_rng(0)
    lengths = draw.integers(0, 6, size=40)
    indptr = np.concatenate([[0], np.cumsum(lengths)])
    values = draw.normal(size=indptr[-1]) * 10.0 ** draw.integers(-9, 9, size=indptr[-1])
    expected = []
    for start, stop in pairwise(indptr):
        total = 0.0
        for x in values[start:stop].tolist():
            total += x * x
        expected.append(math.sqrt(total))
    assert row_norms(indptr, values).tolist() == expected
    assert row_norms(np.array([0, 1, 2]), np.array([1e200, 1e-200])).tolist() == [math.inf, 0.0]


def test_cut_and_take():
    rows = LabelledRows.from_dense(FEATURES, LABELS)
    middle = rows.cut(1, 3)
    assert len(middle) == 2
    assert middle.indptr.tolist() == [0, 0, 1]
    assert entries(middle, 1) == {0: 1.5}
    assert middle.labels.tolist() == [0, 1]
    assert np.shares_memory(middle.values, rows.values)
    mixed = rows.take(np.array([3, 0, 0]))
    assert [entries(mixed, t) for t in range(3)] == [entries(rows, t) for t in (3, 0, 0)]
    assert mixed.labels.tolist() == [0, 1, 1]
    for part in (middle, mixed):  # they speak of the whole
        assert (part.dim, part.n_labels, part.width, part.feature_norm) == (3, 2, 3, 5.0)
        assert part.limits == (-3.0, 4.0)
        assert part.indptr.dtype == np.int64
        assert part.indices.dtype == np.int32
    assert len(rows.cut(2, 99)) == 2


@pytest.mark.parametrize("size", [1.0, 1e150, 1e-170])
def test_standardized_features_do_not_depend_on_their_size(size):
    power = 2.0 ** round(math.log2(size))  # a product with it is exact
    # 1,000 squares of 1e150 are beyond the largest float.
    x = np.random.default_rng(0).standard_normal((1000, 2))
    labels = np.arange(1000) % 2
    found = LabelledRows.from_dense(power * x, labels).standardized()
    expected = (x - x.mean(axis=0)) / x.std(axis=0)
    np.testing.assert_array_equal(found.values, expected.ravel())


def changed(where, value):
    features = FEATURES.copy()
    features[where] = value
    return features


@pytest.mark.parametrize(
    ("features", "message"),
    [
        (changed((2, 1), math.nan), r"features must be finite, got nan at \(2, 1\)"),
        (
            sparse.csr_array(changed((2, 1), -math.inf)),
            r"features must be finite, got -inf at \(2, 1\)",
        ),
        (sparse.csr_array(changed((3, 0), math.nan)), r"finite, got nan at \(3, 0\)"),
        (FEATURES[0], r"features must be of shape \(rows, features\), got \(3,\)"),
        (np.zeros((0, 3)), r"features must have a row and a column at least, got \(0, 3\)"),
        (sparse.csr_array((4, 0)), r"features must have a row and a column at least, got \(4, 0\)"),
        ([["a"]], "features must be an array of real numbers, got <U1"),
        (sparse.csr_array(FEATURES * 1j), "array of real numbers, got complex128"),
        ([[1.0], [1.0, 2.0]], "features must be an array of numbers"),
        (FEATURES[:3], "labels must be as many as rows, 3, got 4"),
        (changed((2, 0), 1e200), "of finite norm, row 2 has one above 1e154"),
        (np.ma.masked_equal(FEATURES, FEATURES[0, 0]), r"must have no masked entries, got .*0, 0"),
    ],
)
def test_what_are_no_features_is_refused(features, message):
    with pytest.raises(ValueError, match=message):
        LabelledRows.from_dense(features, LABELS)


@pytest.mark.parametrize(
    ("labels", "message"),
    [
        ([0, 1, math.nan, 1], "labels must be finite, got nan at 2"),
        ([0, math.inf, 0, 1], "labels must be finite, got inf at 1"),
        ([[0], [1], [0], [1]], r"labels must be of shape \(rows,\), got \(4, 1\)"),
        (3, r"labels must be of shape \(rows,\), got \(\)"),
        ([0, None, 1, 0], r"labels must be numbers or strings, got \[0, None, 1, 0\]"),
        ([1j, 0, 1, 0], "labels must be numbers or strings"),
        (["a", math.nan, "b", "a"], "labels must not be missing, got nan at 1"),
        (np.array(["a", "b", math.nan, "a"], object), "labels must not be missing, got nan at 2"),
        (pandas.Series(["a", math.nan, "b", "a"]), "labels must not be missing, got nan at 1"),
        (np.ma.array([0, 1, 1, 0], mask=[0, 1, 0, 0]), r"labels must have no masked entries, .*1"),
        ([5, 5, 5, 5], r"labels must be of two kinds at least, got only \[5\]"),
        (["a"] * 4, r"labels must be of two kinds at least, got only \['a'\]"),
    ],
)
def test_what_are_no_labels_is_refused(labels, message):
    with pytest.raises(ValueError, match=message):
        LabelledRows.from_dense(FEATURES, labels)


@pytest.mark.parametrize(
    ("labels", "n_labels", "message"),
    [
        ([0, 1, 3, 1], 3, r"labels must be in 0\.\.2, got 3 at 2"),
        ([0, 1, 1, -1], 3, r"labels must be in 0\.\.2, got -1 at 3"),
        ([0.0, 1.0, 1.0, 0.0], 3, "labels must be integers where n_labels is given, got float64"),
        ([0, 1, 1, 0], 1, "n_labels must be an integer >= 2, got 1"),
        ([2, 2, 2, 2], 3, "two kinds at least"),
    ],
)
def test_labels_outside_their_number_are_refused(labels, n_labels, message):
    with pytest.raises(ValueError, match=message):
        LabelledRows.from_dense(FEATURES, labels, n_labels)
