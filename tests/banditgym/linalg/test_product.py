"""Products against the stated order of summation, bit for bit, and against extended precision."""

import numpy as np
import pytest

from banditgym.compiled import compiled
from banditgym.linalg.product import (
    add_product,
    add_row_product,
    combine_rows,
    gram,
    product,
    row_product,
    transpose,
)

SHAPES = [(1, 1, 1), (2, 3, 5), (4, 4, 4), (5, 7, 3), (7, 66, 9), (3, 130, 300), (66, 64, 257)]


def in_the_stated_order(row, column):
    terms = [a * b for a, b in zip(row.tolist(), column.tolist(), strict=True)]
    total, k = 0.0, 0
    while k + 3 < len(terms):
        total += (terms[k] + terms[k + 1]) + (terms[k + 2] + terms[k + 3])
        k += 4
    for term in terms[k:]:
        total += term
    return total


@pytest.mark.parametrize("shape", SHAPES)
def test_an_element_is_summed_in_the_stated_order(shape):
    m, d, k = shape
    rng = np.random.default_rng(d)
    left, right = rng.standard_normal((m, d)), rng.standard_normal((d, k))
    out = product(left, right)
    for r in range(m):
        for c in range(0, k, 1 + k // 20):
            assert out[r, c] == in_the_stated_order(left[r], right[:, c])


@pytest.mark.parametrize("shape", SHAPES)
def test_elements_do_not_depend_on_other_rows_and_columns(shape):
    m, d, k = shape
    rng = np.random.default_rng(m)
    left, right = rng.standard_normal((m, d)), rng.standard_normal((d, k))
    out = product(left, right)
    for r in range(0, m, 1 + m // 7):
        np.testing.assert_array_equal(product(left[r : r + 1].copy(), right)[0], out[r])
    for c in range(0, k, 1 + k // 7):
        np.testing.assert_array_equal(product(left, right[:, c : c + 1].copy())[:, 0], out[:, c])


@pytest.mark.parametrize(("m", "d"), [(1, 1), (3, 8), (8, 3), (65, 67), (200, 30), (31, 300)])
def test_a_gram_matrix_is_the_product_and_symmetric(m, d):
    rows = np.random.default_rng(m).standard_normal((m, d))
    out = gram(rows)
    assert np.array_equal(out, out.T)
    np.testing.assert_array_equal(out, product(transpose(rows), rows))
    exact = rows.T.astype(np.longdouble) @ rows
    allowed = (m + 1) * 2.0**-53 * (np.abs(rows.T) @ np.abs(rows)) * 1.01
    assert (np.abs(out - exact) <= allowed).all()


@pytest.mark.parametrize("shape", [(1, 1), (3, 40), (40, 3), (16, 16), (33, 17)])
def test_a_transpose_is_numpys(shape):
    matrix = np.random.default_rng(0).standard_normal(shape)
    out = transpose(matrix)
    np.testing.assert_array_equal(out, matrix.T)
    assert out.flags.c_contiguous


def test_empty_matrices_have_empty_or_zero_products():
    assert product(np.empty((3, 0)), np.empty((0, 2))).tolist() == [[0.0, 0.0]] * 3
    assert product(np.empty((0, 3)), np.empty((3, 2))).shape == (0, 2)
    assert gram(np.empty((0, 2))).tolist() == [[0.0, 0.0]] * 2


def test_adding_leaves_what_is_outside_alone():
    rng = np.random.default_rng(3)
    weights, rows = rng.standard_normal((9, 7)), rng.standard_normal((12, 30))
    before = rng.standard_normal((20, 30))
    after = before.copy()
    add_product(weights, 6, 5, rows[4:], after[10:], 3, 28, False)
    expected = before.copy()
    expected[10:16, 3:28] += weights[:6, :5] @ rows[4:9, 3:28]
    np.testing.assert_allclose(after, expected, rtol=0, atol=1e-14)
    untouched = np.ones(before.shape, bool)
    untouched[10:16, 3:28] = False
    np.testing.assert_array_equal(after[untouched], before[untouched])


@compiled
def combined(weights, rows, out):
    combine_rows(weights, rows, out)


@pytest.mark.parametrize("dim", [1, 3, 4, 6, 13])
@pytest.mark.parametrize("k", [1, 7, 8, 21])
def test_rows_are_combined_one_after_the_other(dim, k):
    rng = np.random.default_rng(dim + k)
    weights, rows, out = rng.standard_normal(dim), rng.standard_normal((dim, k)), np.empty(k)
    combined(weights, rows, out)
    expected = np.zeros(k)
    for weight, row in zip(weights, rows, strict=True):
        expected += weight * row
    np.testing.assert_array_equal(out, expected)


@compiled
def _row_products(weights, rows, product, sums):
    row_product(weights, rows, product)
    add_row_product(weights, rows, sums)


@pytest.mark.parametrize("depth", [1, 3, 4, 9])
def test_the_product_of_a_row_is_summed_in_the_stated_order(depth):
    rng = np.random.default_rng(depth)
    weights, rows = rng.standard_normal(depth), rng.standard_normal((depth + 2, 5))
    product, sums = np.full(5, np.nan), np.zeros(5)
    _row_products(weights, rows, product, sums)
    expected = [in_the_stated_order(weights, rows[:depth, k]) for k in range(5)]
    assert product.tolist() == sums.tolist() == expected
