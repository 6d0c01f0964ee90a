"""The fit of all samples against a plain regression, separable and not, in balls of any size."""

import numpy as np
import pytest

from agents.numerics.logistic.newton import fit
from banditgym.compiled import compiled
from tests.agents.definitions.logistic.ada_ofu_ecolog import sigma
from tests.agents.definitions.logistic.glm_ucb import regression


@compiled
def fitted(samples, known, theta, scratch):
    fit(samples, samples.shape[0], known, theta, scratch)


def made(count, dim):
    rng = np.random.default_rng(count + 100 * dim)
    x = rng.standard_normal((count, dim))
    return x, (rng.random(count) < sigma(2 * x[:, 0])).astype(float)


@pytest.mark.parametrize(("count", "dim"), [(1, 1), (1, 3), (4, 3), (60, 3), (300, 7)])
@pytest.mark.parametrize(("ridge", "norm"), [(0.3, np.inf), (0.0, 0.5), (0.0, 3.0), (0.0, 7.0)])
@pytest.mark.parametrize("start", [0.0, 1.0])
def test_it_is_the_constrained_minimum(count, dim, ridge, norm, start):
    x, reward = made(count, dim)
    theta = np.zeros(dim)
    theta[0] = start * min(norm, 2.0) * (dim == 1 or count > dim)  # with few samples from 0
    scratch = (np.empty((dim, dim)), np.empty((dim, dim))), np.empty((4, dim))
    fitted(np.column_stack([x, reward]), (ridge, norm), theta, scratch)
    np.testing.assert_allclose(theta, regression(x, reward, ridge, norm), rtol=0, atol=1e-8)
    assert np.linalg.norm(theta) <= norm * (1 + 1e-10)
    slopes = sigma(x @ theta) * sigma(-(x @ theta))
    expected = np.triu(x.T @ (x * slopes[:, None]) + ridge * np.eye(dim))
    np.testing.assert_allclose(np.triu(scratch[0][0]), expected, rtol=1e-8, atol=1e-9)


@pytest.mark.parametrize("ridge", [1e-4, 0.3])
@pytest.mark.parametrize("dim", [1, 3])
def test_it_comes_to_the_minimum_from_far_away(dim, ridge):
    """The loss is nearly linear there, so that a whole step of Newton's method goes too far."""
    x, reward = made(60, dim)
    theta = np.full(dim, -15.0)
    scratch = (np.empty((dim, dim)), np.empty((dim, dim))), np.empty((4, dim))
    fitted(np.column_stack([x, reward]), (ridge, np.inf), theta, scratch)
    np.testing.assert_allclose(theta, regression(x, reward, ridge, np.inf), rtol=0, atol=1e-8)
