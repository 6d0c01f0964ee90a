"""Covariances against plain formulas and scikit-learn's kernels."""

import itertools
import math

import numpy as np
import pytest
from sklearn.gaussian_process import kernels

from banditgym.functions.covariances import KINDS, RBF, Linear, Matern, read_covariance

ALL = [
    RBF(length_scale=0.3, variance=2.0),
    Matern(nu=0.5, length_scale=0.7, variance=0.5),
    Matern(nu=1.5, length_scale=0.1, variance=3.0),
    Matern(nu=2.5, length_scale=2.0),
    Linear(variance=0.3),
]


def points(count, dim, seed=0):
    return np.random.default_rng(seed).normal(size=(count, dim))


def plain(covariance, x, y):
    """The formula for two points, in Python's own numbers."""
    s = covariance.variance
    if isinstance(covariance, Linear):
        return s * math.fsum(a * b for a, b in zip(x, y, strict=True))
    r = math.dist(x, y) / covariance.length_scale
    if isinstance(covariance, RBF):
        return s * math.exp(-r * r / 2)
    c = math.sqrt(2 * covariance.nu) * r
    return s * {0.5: 1, 1.5: 1 + c, 2.5: 1 + c + c * c / 3}[covariance.nu] * math.exp(-c)


@pytest.mark.parametrize("covariance", ALL, ids=repr)
@pytest.mark.parametrize("sizes", [(4, 7, 3), (7, 4, 3), (1, 1, 1), (1, 9, 20), (9, 1, 2)], ids=str)
def test_values_are_those_of_the_formula(covariance, sizes):
    a, b, dim = sizes
    x, y = points(a, dim), points(b, dim, 1)
    values = covariance(x, y)
    assert values.shape == (a, b)
    assert values.flags.c_contiguous
    expected = [[plain(covariance, p, q) for q in y] for p in x]
    np.testing.assert_allclose(values, expected, rtol=1e-12, atol=1e-14)
    own = [plain(covariance, p, p) for p in x]
    np.testing.assert_allclose(covariance.diagonal(x), own, rtol=1e-14)
    np.testing.assert_array_equal(covariance.diagonal(x).shape, (a,))


@pytest.mark.parametrize("covariance", ALL, ids=repr)
def test_values_are_scikit_learns(covariance):
    if isinstance(covariance, Linear):
        other = kernels.DotProduct(sigma_0=0.0)
    elif isinstance(covariance, RBF):
        other = kernels.RBF(covariance.length_scale)
    else:
        other = kernels.Matern(covariance.length_scale, nu=covariance.nu)
    x, y = points(30, 4), points(20, 4, 1)
    expected = covariance.variance * other(x, y)
    np.testing.assert_allclose(covariance(x, y), expected, rtol=1e-10, atol=1e-13)


@pytest.mark.parametrize("covariance", ALL, ids=repr)
def test_a_pair_has_one_covariance_whoever_else_is_there(covariance):
    x, y = points(13, 5), points(37, 5, 1)
    values = covariance(x, y)
    np.testing.assert_array_equal(values, covariance(y, x).T)
    for i, j in itertools.product((0, 5, 12), (0, 8, 36)):
        assert covariance(x[i : i + 1], y[j : j + 1])[0, 0] == values[i, j]
    gram = covariance(x, x)
    np.testing.assert_array_equal(gram, gram.T)
    np.testing.assert_array_equal(np.diag(gram), covariance.diagonal(x))


@pytest.mark.parametrize("covariance", ALL, ids=repr)
def test_matrices_are_positive_semidefinite(covariance):
    x = points(60, 2) * 0.3
    x[20:40] = x[:20]  # the same again
    x[40:] = x[:20] + 1e-9  # and nearly
    gram = covariance(x, x)
    # Rounding of entries, within 4 eps each, moves eigenvalues by 60 times that at most.
    largest = np.abs(gram).max()
    assert np.linalg.eigvalsh(gram).min() >= -60 * 4 * np.finfo(float).eps * largest


def test_points_that_nearly_meet_are_distinguished():
    # Far from the origin, where |x|² + |y|² - 2 <x, y> has no digit left of a distance of 1e-6.
    x = np.array([[1000.0, 1000.0]])
    y = x + [[2.0**-20, 0.0]]
    away = 1 - Matern(nu=0.5, length_scale=0.5)(x, y)[0, 0]
    assert away == pytest.approx(2.0**-19, rel=1e-5)
    for covariance in ALL[:4]:
        assert covariance(x, x)[0, 0] == covariance.variance


def test_what_comes_in_stays_as_it_is():
    x = points(5, 3)
    y = np.asfortranarray(points(8, 3, 1)[::2])
    kept = x.copy(), y.copy()
    x.flags.writeable = False
    first = RBF()(x, y)
    first[:] = -1.0  # a new matrix at every call
    np.testing.assert_array_equal(RBF()(x, y), RBF()(x.tolist(), y.tolist()))
    np.testing.assert_array_equal(x, kept[0])
    np.testing.assert_array_equal(y, kept[1])


def test_extreme_scales_make_no_noise():
    x = points(6, 2)
    for kind in (RBF, Matern):
        np.testing.assert_array_equal(kind(length_scale=1e-100)(x, x), np.eye(6))
        np.testing.assert_array_equal(kind(length_scale=1e100)(x, x), np.ones((6, 6)))


@pytest.mark.parametrize("shapes", [((3, 2), (3, 1)), ((3,), (3, 1)), ((3, 2), (2, 2, 2))], ids=str)
def test_points_of_other_shapes_are_refused(shapes):
    one, two = (np.zeros(shape) for shape in shapes)
    for covariance in (RBF(), Matern(), Linear()):
        with pytest.raises(ValueError, match=r"expected points \(a, d\) and \(b, d\), got \("):
            covariance(one, two)


def test_covariances_are_read_from_plain_data():
    assert read_covariance({"kind": "rbf"}) == read_covariance("rbf") == RBF()
    assert read_covariance({"kind": "rbf", "length_scale": 3}) == RBF(length_scale=3)
    plain_matern = {"kind": "matern", "nu": 0.5, "variance": 2.0}
    assert read_covariance(plain_matern) == Matern(nu=0.5, variance=2.0)
    assert plain_matern == {"kind": "matern", "nu": 0.5, "variance": 2.0}
    assert read_covariance({"kind": "linear", "variance": 4.0}) == Linear(variance=4.0)
    for covariance in ALL:
        assert read_covariance(covariance) is covariance
    assert set(KINDS) == {"rbf", "matern", "linear"}


@pytest.mark.parametrize(
    ("value", "message"),
    [
        (None, r"covariance must be rbf, matern, linear, or a mapping .*, got None"),
        ("rfb", "unknown covariance 'rfb'; did you mean rbf"),
        (RBF, "covariance must be rbf, .*got <class"),
        ({}, r"got \{\}"),
        ({"length_scale": 1.0}, "a mapping such as"),
        ({"kind": "matren"}, "unknown covariance 'matren'; did you mean matern?"),
        ({"kind": 3}, "unknown covariance '3'; there are rbf, matern, linear, or a map"),
        ("RBF(length_scale=0.2)", r"unknown covariance 'RBF\(.*; there are rbf, .*mapping such as"),
        ({"kind": ["rbf"]}, "unknown covariance"),
        ({"kind": "rbf", "lengthscale": 1}, "no 'lengthscale'; did you mean length_scale?"),
        ({"kind": "linear", "length_scale": 1}, "the covariance 'linear' has no 'length_scale'"),
        ({"kind": "rbf", 3: 1}, "the covariance 'rbf' has no 3"),
        ({"kind": "rbf", "length_scale": 0}, "length_scale must be finite and > 0, got 0"),
        ({"kind": "rbf", "length_scale": math.nan}, "length_scale must be finite and > 0, got nan"),
        ({"kind": "matern", "length_scale": math.inf}, "length_scale must be finite .*, got inf"),
        ({"kind": "rbf", "length_scale": 1e-101}, "within 1e-100 .. 1e100, got 1e-101"),
        ({"kind": "matern", "length_scale": 1e101}, "length_scale must be within .*, got 1e.101"),
        ({"kind": "rbf", "length_scale": "1"}, "length_scale must be a number, got '1'"),
        ({"kind": "rbf", "variance": -1}, "variance must be finite and > 0, got -1"),
        ({"kind": "matern", "variance": 0.0}, "variance must be finite and > 0, got 0.0"),
        ({"kind": "linear", "variance": math.nan}, "variance must be finite and > 0, got nan"),
        ({"kind": "matern", "nu": 1}, "nu must be 0.5, 1.5 or 2.5, got 1"),
        ({"kind": "matern", "nu": math.nan}, "nu must be 0.5, 1.5 or 2.5, got nan"),
        ({"kind": "matern", "nu": "0.5"}, "nu must be 0.5, 1.5 or 2.5, got '0.5'"),
    ],
)
def test_what_is_no_covariance_is_refused_in_a_line(value, message):
    with pytest.raises(ValueError, match=message) as caught:
        read_covariance(value)
    assert "\n" not in str(caught.value)
