"""Fixed arms: their own coordinates, equal arms, determinants beyond the largest number."""

import numpy as np
import pytest

from agents.numerics.ridge import fixed_arms_updates as kernels
from agents.parts.estimators import Ridge
from banditgym.tasks import LinearTask

EPS = 2.0**-52


def _reset(dim, n_arms, n, ridge):
    task = LinearTask(
        n_arms=n_arms, dim=dim, horizon=99, noise_std=0.1, subgaussian=0.1, feature_norm=None,
        param_norm=1.0, fixed_arms=True,
    )  # fmt: skip
    return Ridge(ridge=ridge).reset(task, n)


def _shown(x):
    x = np.ascontiguousarray(x)
    x.flags.writeable = False
    return x


@pytest.mark.parametrize("kind", ["gaussian", "equal", "zero", "scales"])
@pytest.mark.parametrize(("dim", "n_arms"), [(1, 1), (2, 1), (5, 3), (4, 4), (26, 9)])
def test_coordinates_keep_the_products_of_arms(dim, n_arms, kind):
    """A reflection errs by some d eps of an arm's length; there are K."""
    x = np.random.default_rng(dim).standard_normal((2, dim, n_arms))
    if kind == "equal":
        x[:] = x[:, :, :1]
    elif kind == "zero":
        x[:, :, ::2] = 0.0
    elif kind == "scales":
        x *= np.logspace(-9, 9, n_arms)
    coordinates, kernel = np.full((2, 2, n_arms, n_arms), np.nan)
    kernels.reflect(_shown(x), 0.5, coordinates, kernel)
    products = np.einsum("idk,idl->ikl", x, x)
    sizes = np.sqrt(np.einsum("ikk,ill->ikl", products, products))
    own = np.einsum("idk,idl->ikl", coordinates, coordinates)
    assert np.all(abs(own - products) <= 8 * dim * n_arms * EPS * sizes)
    assert np.all(abs(kernel - products / 0.5) <= 4 * dim * EPS * sizes)
    np.testing.assert_array_equal(kernel, kernel.transpose(0, 2, 1))
    if kind == "equal":
        np.testing.assert_array_equal(
            coordinates, np.broadcast_to(coordinates[:, :, :1], own.shape)
        )


@pytest.mark.parametrize("sign", [1.0, -1.0])
def test_an_arm_that_is_nearly_an_axis_leaves_the_lengths_of_others(sign):
    """A reflection along a difference of nearly equal numbers, 5e-13, would change them by 1e-4."""
    x = np.zeros((1, 4, 2))
    x[0, :, 0], x[0, 2, 1] = [sign, 0.0, 1e-6, 0.0], 1.0
    coordinates, kernel = np.full((2, 1, 2, 2), np.nan)
    kernels.reflect(_shown(x), 0.5, coordinates, kernel)
    np.testing.assert_allclose(
        coordinates[0].T @ coordinates[0], x[0].T @ x[0], rtol=1e-9, atol=1e-14
    )


@pytest.mark.parametrize(("dim", "n_arms"), [(2, 4), (6, 4)])
@pytest.mark.parametrize("length", [0.1, 10.0])
def test_no_variance_is_less_than_a_64th_of_that_last_computed(dim, n_arms, length):
    """And what is computed anew, in 400 rounds of four arms several times, is a fresh solve's."""
    x = length * np.random.default_rng(1).standard_normal((1, dim, n_arms))
    model, x, renewed = _reset(dim, n_arms, 1, 0.01 * length**2), _shown(x), 0
    gram, total = 0.01 * length**2 * np.eye(dim), np.zeros(dim)
    model.predict(x)
    for t in range(400):
        arm, reward, before = t % n_arms, np.cos(t), model.computed.copy()
        model.update(x, np.array([arm]), np.array([reward]), np.ones(1, bool))
        row = x[0, :, arm]
        gram, total = gram + np.outer(row, row), total + reward * row
        assert (64 * model.variance >= model.computed).all()
        anew = (model.computed != before)[0]
        renewed += anew.sum()
        solved = np.linalg.solve(gram, x[0])
        np.testing.assert_allclose(model.variance[0], (x[0] * solved).sum(axis=0), rtol=1e-10)
        np.testing.assert_allclose(model.mean[0], solved.T @ total, rtol=1e-9, atol=1e-12)
        np.testing.assert_array_equal(model.computed[0, anew], model.variance[0, anew])
    assert renewed >= 2 * n_arms


@pytest.mark.parametrize("length", [1.0, 1e4])
@pytest.mark.parametrize(("dim", "n_arms"), [(3, 6), (7, 6), (6, 6)])
def test_equal_arms_keep_equal_bits(dim, n_arms, length):
    """Also where means and variances are computed afresh, as they are at a length of 1e4."""
    rng = np.random.default_rng(0)
    x = length * rng.standard_normal((2, dim, n_arms))
    x[:, :, 4], x[:, :, 5] = x[:, :, 0], x[:, :, 1]
    model, x = _reset(dim, n_arms, 2, 0.5), _shown(x)
    for _ in range(200):
        mean, variance = model.predict(x)
        for one, other in ((0, 4), (1, 5)):
            assert mean[:, one].tobytes() == mean[:, other].tobytes()
            assert variance[:, one].tobytes() == variance[:, other].tobytes()
        arms = rng.integers(n_arms, size=2)
        model.update(x, arms, rng.standard_normal(2), np.ones(2, bool))


@pytest.mark.parametrize(("dim", "n_arms"), [(40, 41), (40, 40), (40, 30)])
def test_a_determinant_may_be_beyond_the_largest_number(dim, n_arms):
    """Orthogonal arms of length 1e6 at ridge 1: det V is 1e12 to the power of d or K."""
    model = _reset(dim, n_arms, 1, 1.0)
    x = np.zeros((1, dim, n_arms))
    x[0, range(min(dim, n_arms)), range(min(dim, n_arms))] = 1e6
    for arm in range(min(dim, n_arms)):
        model.update(_shown(x), np.array([arm]), np.ones(1), np.ones(1, bool))
    expected = min(dim, n_arms) * np.log1p(1e12)
    assert model.log_det[0] == pytest.approx(expected, rel=1e-14)
