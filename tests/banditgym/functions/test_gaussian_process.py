"""Draws of the prior: their covariances are those of the definition, one at a time or many."""

import numpy as np
import pytest
from scipy import stats
from threadpoolctl import threadpool_limits

from banditgym.functions import gaussian_process
from banditgym.functions.covariances import RBF, Linear, Matern
from banditgym.functions.gaussian_process import (
    JITTER,
    N_FEATURES,
    PriorDraws,
    frequency_normals,
    least_jitter,
    spectral_frequencies,
)
from banditgym.streams import ENVIRONMENT, Stream

STATIONARY = [
    RBF(length_scale=0.3, variance=2.0),
    Matern(nu=0.5, length_scale=0.7, variance=0.5),
    Matern(nu=1.5, length_scale=0.1, variance=3.0),
    Matern(nu=2.5, length_scale=1.5),
]


def points(count, dim, seed=0):
    return np.random.default_rng(seed).random((count, dim))


def prior(covariance, x, seed=0):
    return PriorDraws(covariance, x, Stream([seed], ENVIRONMENT, 1, 0))


def implied(draws):
    """The covariances of the draws, which are linear in their normals: B^T B of their matrix B."""
    matrix = draws.draw(np.eye(draws.n_normals))
    return matrix.T @ matrix


@pytest.fixture
def approximate(monkeypatch):
    monkeypatch.setattr(gaussian_process, "EXACT_POINTS", 10)


@pytest.mark.parametrize("covariance", STATIONARY, ids=repr)
@pytest.mark.parametrize(("count", "dim"), [(1, 1), (3, 2), (50, 1), (71, 20)])
def test_draws_have_the_covariance_and_the_jitter(covariance, count, dim):
    x = points(count, dim)
    draws = prior(covariance, x)
    assert draws.n_normals == count
    expected = covariance(x, x) + JITTER * covariance.variance * np.eye(count)
    np.testing.assert_allclose(implied(draws), expected, rtol=0, atol=1e-13 * count)


@pytest.mark.parametrize(("given", "used"), [(1e-6, 1e-6), (0.0, 40**2 * 2**-51)])
def test_the_jitter_may_be_less_but_not_too_little(given, used):
    """Where points meet it alone tells them apart: by a variance of twice the jitter."""
    stream = Stream([0], ENVIRONMENT, 1, 0)
    draws = PriorDraws(RBF(variance=4.0), np.zeros((40, 1)), stream, jitter=given)
    law = implied(draws)
    apart = np.diag(law)[1:] + law[0, 0] - 2 * law[0, 1:]
    np.testing.assert_allclose(apart, 2 * used * 4.0, rtol=0.02)
    assert least_jitter(40) == 40**2 * 2**-51


@pytest.mark.parametrize("covariance", [*STATIONARY, RBF(length_scale=1e3)], ids=repr)
def test_points_that_meet_have_one_value(covariance):
    x = points(40, 2)
    x = np.concatenate([x, x + 1e-12, x[:1], x[:1]])
    normals = Stream(range(20), ENVIRONMENT, 0, 0).normal(0, (len(x),))
    values = prior(covariance, x).draw(normals)
    assert np.isfinite(values).all()
    # Two independent errors of deviation sqrt(JITTER s) a pair, of which there are 820; and
    # r = 1e-12 moves a Matérn process of nu = 1/2 by a deviation of sqrt(2 s r / l) = 1.7e-6.
    spread = 5 * (2 * JITTER * covariance.variance) ** 0.5
    assert np.abs(values[:, :40] - values[:, 40:80]).max() < spread
    assert np.abs(values[:, -1] - values[:, 0]).max() < spread


@pytest.mark.parametrize("count", [1500, 1501])
def test_many_points_at_one_place_can_be_factored(count):
    values = prior(RBF(), np.full((count, 3), 0.3)).draw(np.ones((1, count)))
    assert np.isfinite(values).all()


def test_linear_draws_are_exact_at_any_size(approximate):
    x = points(25, 3)
    draws = prior(Linear(variance=0.3), x)
    assert draws.n_normals == 3
    np.testing.assert_allclose(implied(draws), 0.3 * x @ x.T, rtol=0, atol=1e-15)
    normals = np.array([[1.0, -2.0, 0.5]])
    expected = 0.3**0.5 * x @ normals[0]
    np.testing.assert_allclose(draws.draw(normals)[0], expected, rtol=0, atol=1e-14)


@pytest.mark.parametrize("dim", [1, 3])
@pytest.mark.parametrize("covariance", STATIONARY, ids=repr)
def test_frequencies_have_the_law_whose_cosines_make_the_covariance(covariance, dim):
    shape = (100_000, frequency_normals(covariance, dim))
    omega = spectral_frequencies(covariance, np.random.default_rng(0).standard_normal(shape))
    assert omega.shape == (100_000, dim)
    direction = np.arange(1.0, dim + 1)
    direction /= np.linalg.norm(direction)
    for lag in (0.1, 0.5, 1.0, 2.0):
        away = lag * covariance.length_scale * direction
        mean = covariance.variance * np.cos(omega @ away).mean()
        # A cosine has a variance of at most 1/2 here: five deviations of the mean.
        slack = 5 * covariance.variance * (0.5 / 100_000) ** 0.5
        assert abs(mean - covariance(away[None], np.zeros((1, dim)))[0, 0]) < slack


@pytest.mark.parametrize(("nu", "degrees"), [(0.5, 1), (1.5, 3), (2.5, 5)])
def test_a_matern_coordinate_is_students_t(nu, degrees):
    covariance = Matern(nu=nu, length_scale=0.2)
    normals = np.random.default_rng(1).standard_normal((5000, frequency_normals(covariance, 2)))
    omega = spectral_frequencies(covariance, normals)
    for coordinate in omega.T:
        assert stats.kstest(0.2 * coordinate, stats.t(degrees).cdf).pvalue > 1e-4
    # The denominator is shared: squares of the coordinates go together, coordinates do not.
    ranks = stats.spearmanr(omega[:, 0] ** 2, omega[:, 1] ** 2)
    assert ranks.statistic > 0.05
    assert abs(stats.spearmanr(*omega.T).statistic) < 5 / 5000**0.5


def test_a_linear_covariance_has_no_spectrum():
    with pytest.raises(ValueError, match="is not stationary and has no spectrum"):
        frequency_normals(Linear(), 3)


@pytest.mark.parametrize("covariance", STATIONARY, ids=repr)
def test_features_err_by_what_is_stated(covariance, approximate):
    x = points(70, 2)  # more than one block of 64
    draws = prior(covariance, x)
    assert draws.n_normals == N_FEATURES
    error = (implied(draws) - covariance(x, x)) / covariance.variance
    np.testing.assert_allclose(np.diag(error), 0.0, atol=1e-12)
    # Deviation 1 / sqrt(D) at most; five of them for the largest of 2415 pairs.
    assert np.sqrt((error**2).mean()) < 1.5 / N_FEATURES**0.5
    assert np.abs(error).max() < 5 / N_FEATURES**0.5


def test_features_are_of_the_stream(approximate):
    x, weights = points(20, 2), np.ones((1, N_FEATURES))
    one, again, other = (prior(RBF(), x, seed).draw(weights) for seed in (0, 0, 1))
    np.testing.assert_array_equal(one, again)
    assert not np.isclose(one, other, rtol=1e-3).all()


def test_draws_are_exact_up_to_the_bound_and_not_beyond(approximate):
    assert prior(RBF(), points(10, 2)).n_normals == 10
    assert prior(RBF(), points(11, 2)).n_normals == N_FEATURES


@pytest.mark.parametrize("covariance", [RBF(), Matern(nu=0.5), Linear()], ids=repr)
@pytest.mark.parametrize("size", [1, 2, 7, 10, 11, 130])
def test_a_draw_does_not_depend_on_the_others(covariance, size, approximate):
    draws = prior(covariance, points(size, 3))
    normals = Stream(range(9), ENVIRONMENT, 0, 0).normal(0, (draws.n_normals,))
    normals.flags.writeable = False
    together = draws.draw(normals)
    assert together.shape == (9, size)
    for i in (0, 5, 8):
        alone = draws.draw(normals[i : i + 1])
        assert alone.tobytes() == together[i].tobytes()
    kept = together.copy()
    draws.draw(2 * normals)
    np.testing.assert_array_equal(together, kept)


def test_draws_do_not_depend_on_the_number_of_threads():
    x = points(700, 2)
    drawn = []
    for threads in (1, 2):
        with threadpool_limits(threads, "blas"):
            drawn.append(prior(Matern(), x).draw(np.ones((1, 700))))
    np.testing.assert_array_equal(*drawn)


def test_many_draws_have_the_law_of_the_process():
    # 4000 draws at three points: whitened by the definition's factor they are standard normal.
    x = np.array([[0.1], [0.2], [0.6]])
    covariance = Matern(nu=1.5, length_scale=0.3, variance=2.0)
    values = prior(covariance, x).draw(Stream(range(4000), ENVIRONMENT, 0, 0).normal(0, (3,)))
    white = np.linalg.solve(np.linalg.cholesky(covariance(x, x)), values.T)
    for coordinate in white:
        assert stats.kstest(coordinate, stats.norm.cdf).pvalue > 1e-4
    assert np.abs(white @ white.T / 4000 - np.eye(3)).max() < 5 * (2 / 4000) ** 0.5
