"""The triangular factor against least squares afresh: random, awkward, deficient, in batches."""

from fractions import Fraction

import numpy as np
import pytest

from banditgym.linalg import triangular as kernels

TOLERANCE = 1e-10
EPS = 2.2e-16


def absorb(factor, rows, outcome, observed=None):
    """The residuals (n,) of rows (n, d)."""
    n = len(rows)
    residual = np.full(n, np.nan)
    observed = np.ones(n, bool) if observed is None else observed
    x = np.ascontiguousarray(rows)[:, :, None]
    x.flags.writeable = False
    assert kernels.absorb_row(factor, x, outcome, observed, TOLERANCE, residual) == -1
    return residual


def predict(factor, rows):
    """Mean and leverage (n,) of rows (n, d)."""
    mean, leverage = np.full((len(rows), 1), np.nan), np.full((len(rows), 1), np.nan)
    x = np.ascontiguousarray(rows)[:, :, None]
    x.flags.writeable = False
    assert kernels.predict_row(factor, x, TOLERANCE, mean, leverage) == -1
    return mean[:, 0], leverage[:, 0]


def rows_of(kind, rng, t, n, dim):
    x = rng.standard_normal((n, dim))
    if kind == "long":
        x *= 1e6
    elif kind == "short":
        x *= 1e-6
    elif kind == "scales":  # features on units from 1e-3 to 1e3
        x *= np.logspace(-3, 3, dim)
    elif kind == "repeated":  # three rows in turn
        x[:] = np.random.default_rng(t % 3).standard_normal(dim)
    elif kind == "line":
        x[:] = np.linspace(1, 2, dim) * rng.standard_normal((n, 1))
    elif kind == "plane":  # of dimension about half, at no axis
        basis = np.random.default_rng(9).standard_normal((1 + dim // 2, dim))
        x = rng.standard_normal((n, len(basis))) @ basis
    elif kind == "zeros":
        x[rng.random(x.shape) < 0.7] = 0.0
    elif kind == "backwards":  # the last column first, and so every pivot late
        x[:, : max(0, dim - 1 - t // 4)] = 0.0
    elif kind == "widening":  # a new direction now and then, at no axis
        x[:] = 0.0
        for k in range(min(dim, 1 + t // 5)):
            direction = np.random.default_rng(k).standard_normal(dim)
            x += rng.standard_normal((n, 1)) * direction
    return x


KINDS = [
    "gaussian", "long", "short", "scales", "repeated", "line", "plane", "zeros", "backwards",
    "widening",
]  # fmt: skip


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("dim", [1, 2, 3, 5, 10, 17])
def test_is_least_squares(dim, kind):
    """Mean, leverage and residual of every round against a fresh singular value decomposition.

    Within the span both are those of least squares on the columns that have a pivot, and err by
    about 40 rounds times d eps times the condition number of these columns; so does the mean, times
    ‖x‖ (‖theta‖ + condition ‖rest‖ / ‖X‖), the bound for least squares with a residual. A
    hundredfold of eps is allowed in place of 40 d. Residuals err by eps times the size of what they
    are a part of.
    """
    n, rng = 3, np.random.default_rng(dim)
    factor = kernels.initial_factor(n, dim)
    rows, seen = np.zeros((n, 0, dim)), np.zeros((n, 0))
    rest = np.zeros(n)
    for t in range(40):
        x, y = rows_of(kind, rng, t, n, dim), rng.standard_normal(n)
        mean, leverage = predict(factor, x)
        residual = absorb(factor, x, y)
        for i in range(n):
            expected, width, room = of_span(rows[i], seen[i], x[i], rest[i])
            if width is None:
                assert (mean[i], leverage[i], residual[i]) == (0.0, np.inf, 0.0)
                continue
            assert abs(mean[i] - expected) <= room
            condition = conditioned(rows[i])
            assert abs(leverage[i] - width) <= 100 * EPS * condition * width
            error = y[i] - expected
            shrunk = error / np.sqrt(1 + width)
            assert abs(residual[i] - shrunk) <= room + 100 * EPS * condition * abs(shrunk)
        rows = np.concatenate([rows, x[:, None]], axis=1)
        seen = np.concatenate([seen, y[:, None]], axis=1)
        rest += residual**2
        for i in range(n):
            theta = np.linalg.lstsq(rows[i], seen[i], rcond=1e-10)[0]
            least = ((seen[i] - rows[i] @ theta) ** 2).sum()
            room = 100 * EPS * conditioned(rows[i]) * (seen[i] @ seen[i])
            assert abs(rest[i] - least) <= room


def spectrum(rows):
    u, s, vt = np.linalg.svd(rows, full_matrices=False)
    kept = s > 1e-10 * s.max(initial=0.0)
    return u[:, kept], s[kept], vt[kept]


def pivots(rows):
    """The columns that are no combination of those before them."""
    ranks = [0, *(len(spectrum(rows[:, :c])[1]) for c in range(1, rows.shape[1] + 1))]
    return np.flatnonzero(np.diff(ranks))


def conditioned(rows):
    _, s, _ = spectrum(rows[:, pivots(rows)])
    return s[0] / s[-1] if len(s) else 1.0


def of_span(rows, seen, x, rest):
    """Mean, leverage and the room for error of a row x; leverage None outside the span."""
    u, s, vt = spectrum(rows)
    if np.linalg.norm(x - vt.T @ (vt @ x)) > 1e-9 * np.linalg.norm(x):
        return 0.0, None, 0.0
    if not len(s):
        return 0.0, 0.0, 0.0
    z = vt @ x / s
    columns = pivots(rows)
    theta = np.linalg.lstsq(rows[:, columns], seen, rcond=None)[0]
    condition = conditioned(rows)
    size = np.linalg.norm(theta) + condition * np.sqrt(rest) / s[0]
    return z @ (u.T @ seen), z @ z, 100 * EPS * condition * np.linalg.norm(x) * size


def test_a_short_first_entry_costs_no_digits():
    """Rows (1e-8, 1), (1, 0.5), then (0.3, 0.7): the first pivot is tiny beside its row. In exact
    fractions, the mean of a fourth row; the three rows are well-conditioned together."""
    rows = np.array([[1e-8, 1.0], [1.0, 0.5], [0.3, 0.7]])
    outcome, x = np.array([1.0, -2.0, 0.5]), np.array([0.4, -1.1])
    factor = kernels.initial_factor(1, 2)
    for row, y in zip(rows, outcome, strict=True):
        absorb(factor, row[None], np.array([y]))
    exact = [[Fraction(v) for v in row] for row in rows]
    a, b, c = (sum(r[i] * r[j] for r in exact) for i, j in ((0, 0), (0, 1), (1, 1)))
    p, q = (sum(r[i] * Fraction(y) for r, y in zip(exact, outcome, strict=True)) for i in (0, 1))
    det = a * c - b * b
    first, second = Fraction(x[0]), Fraction(x[1])
    mean = (first * (c * p - b * q) + second * (a * q - b * p)) / det
    leverage = (first * (c * first - b * second) + second * (a * second - b * first)) / det
    got = predict(factor, x[None])
    assert got[0][0] == pytest.approx(float(mean), rel=1e-15 * 10)
    assert got[1][0] == pytest.approx(float(leverage), rel=1e-15 * 10)


@pytest.mark.parametrize("scale", [1e-6, 1.0, 1e6])
def test_rank_is_kept_over_long_runs(scale):
    """20 000 rows of a plane of rank 4 in 8 dimensions, four of them between lengths 1e-3 and 1e3:
    no rounding becomes a direction, and rows off the plane stay outside."""
    rng, n, dim = np.random.default_rng(3), 2, 8
    basis = rng.standard_normal((4, dim))
    factor = kernels.initial_factor(n, dim)
    for _ in range(20_000):
        lengths = 10.0 ** rng.uniform(-3, 3, (n, 1))
        x = scale * lengths * (rng.standard_normal((n, 4)) @ basis)
        absorb(factor, x, rng.standard_normal(n))
    _, inside = predict(factor, scale * (rng.standard_normal((n, 4)) @ basis))
    assert (inside < 1e-3).all()
    mean, outside = predict(factor, scale * rng.standard_normal((n, dim)))
    np.testing.assert_array_equal(outside, np.inf)
    np.testing.assert_array_equal(mean, 0.0)


def test_tolerance_is_relative_to_the_row():
    """After (1, 0, 0) and (0, 1, 0), the row (0.001, 1, 1.5e-10) has a new direction, and with
    1.3e-10 it has none, whatever the unit: its weight is 1/2, so these count 1/√2 of themselves."""
    for unit in (1e-6, 1.0, 1e6):
        for entry, direction in ((1.5e-10, True), (1.3e-10, False)):
            factor = kernels.initial_factor(1, 3)
            absorb(factor, unit * np.array([[1.0, 0.0, 0.0]]), np.ones(1))
            absorb(factor, unit * np.array([[0.0, 1.0, 0.0]]), np.ones(1))
            row = unit * np.array([[1e-3, 1.0, entry]])
            _, leverage = predict(factor, row)
            assert np.isinf(leverage[0]) == direction
            assert (absorb(factor, row, np.zeros(1))[0] == 0.0) == direction


@pytest.mark.parametrize("n", [1, 7, 128, 129, 300])
def test_replicates_do_not_depend_on_each_other(n):
    """Bit for bit those alone, rows of zero rank and unobserved ones among them."""
    rng, dim = np.random.default_rng(n), 4
    checked = sorted({0, n // 2, n - 1, min(n - 1, 127), min(n - 1, 128)})
    factor = kernels.initial_factor(n, dim)
    alone = {i: kernels.initial_factor(1, dim) for i in checked}
    for _ in range(12):
        x, y = rng.standard_normal((n, dim)), rng.standard_normal(n)
        x[rng.random((n, dim)) < 0.5] = 0.0
        observed = rng.random(n) < 0.7
        predicted = predict(factor, x)
        residual = absorb(factor, x, y, observed)
        for i, one in alone.items():
            mean, leverage = predict(one, x[i : i + 1])
            assert (mean[0], leverage[0]) == (predicted[0][i], predicted[1][i])
            own = absorb(one, x[i : i + 1], y[i : i + 1], observed[i : i + 1])
            assert own[0] == residual[i]
    assert np.isfinite(factor).all()


def test_an_unobserved_row_changes_nothing():
    """Whatever stands in it, and its residual is 0."""
    rng, n, dim = np.random.default_rng(0), 3, 4
    for rounds in (0, 2, 20):
        factor = kernels.initial_factor(n, dim)
        for _ in range(rounds):
            absorb(factor, rng.standard_normal((n, dim)), rng.standard_normal(n))
        before = factor.copy()
        x = rng.standard_normal((n, dim))
        x[0], x[1, 2], x[2, 0] = np.nan, np.inf, 1e200
        residual = absorb(factor, x, np.array([np.nan, 1.0, 2.0]), np.zeros(n, bool))
        np.testing.assert_array_equal(factor, before)
        np.testing.assert_array_equal(residual, 0.0)


@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf, 1e200, -2e140])
def test_rows_that_cannot_be_kept_are_named_before_anything_is_written(value):
    rng, n, dim = np.random.default_rng(0), 200, 3
    factor = kernels.initial_factor(n, dim)
    absorb(factor, rng.standard_normal((n, dim)), rng.standard_normal(n))
    before, residual = factor.copy(), np.full(n, 7.0)
    x = rng.standard_normal((n, dim, 1))
    x[150, 1] = value
    x[180, 0] = np.nan
    x.flags.writeable = False
    bad = -2 - 150 if np.isfinite(value) else 150
    yes = np.ones(n, bool)
    assert kernels.absorb_row(factor, x, np.zeros(n), yes, TOLERANCE, residual) == bad
    np.testing.assert_array_equal(factor, before)
    np.testing.assert_array_equal(residual, 7.0)
    mean, leverage = np.full((n, 1), 7.0), np.full((n, 1), 7.0)
    assert kernels.predict_row(factor, x, TOLERANCE, mean, leverage) == bad
    np.testing.assert_array_equal(mean, 7.0)
    np.testing.assert_array_equal(leverage, 7.0)
