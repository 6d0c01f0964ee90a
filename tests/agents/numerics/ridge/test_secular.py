"""A diagonal matrix plus an outer product against its dense eigendecomposition."""

import numpy as np
import pytest

from agents.numerics.ridge.secular import decompose


def _decompose(values, z):
    k = len(values)
    roots, vectors = np.empty(k), np.empty((k, k))
    decompose(values.copy(), z.copy(), roots, vectors)
    return roots, vectors


def _case(kind, rng):
    k = int(rng.integers(1, 13))
    values = rng.random(k) * 10.0 ** rng.uniform(-6, 6, k)
    z = rng.standard_normal(k) * 10.0 ** rng.uniform(-4, 4)
    if kind == "equal":
        values = rng.integers(0, 3, k).astype(float)
    elif kind == "nothing yet":
        values[:] = 0.0
    elif kind == "close":
        values = 1 + 2.0**-52 * rng.integers(0, 6, k)
    elif kind == "graded":
        values[0] = 0.0
        z *= 10.0 ** rng.uniform(-8, 8, k)
    elif kind == "long beside close":  # roots beside the close ones, far from where they are sought
        values = 1 + 2.0**-52 * 3.0 * np.arange(k)
        values[-1] = 3e8
        z = 10.0 ** rng.uniform(-8.5, -7, k)
    elif kind == "sparse":
        z[rng.random(k) < 0.5] = 0.0
    return np.sort(values)[::-1].copy(), z


@pytest.mark.parametrize(
    "kind", ["random", "equal", "nothing yet", "close", "graded", "sparse", "long beside close"]
)
def test_is_the_eigendecomposition(kind):
    """Orthogonal to 16 k eps and backward stable to as much (found: 5 eps for k to 12)."""
    rng = np.random.default_rng(3)
    for _ in range(300):
        values, z = _case(kind, rng)
        k = len(values)
        roots, vectors = _decompose(values, z)
        dense = np.diag(values) + np.outer(z, z)
        near = 16 * k * 2.0**-52
        assert np.all(np.diff(roots) <= 0)
        assert roots[-1] >= 0
        assert np.max(abs(vectors @ vectors.T - np.eye(k))) <= near
        assert np.max(abs(vectors.T * roots @ vectors - dense)) <= near * np.max(abs(dense))


def test_small_roots_have_all_their_digits():
    """The product of the roots is the determinant, d_1 z_2^2 where d_2 = 0: 2e12 times 5e-7.

    A dense eigendecomposition is off by eps times 2e12, a thousand times the small root.
    """
    for ratio in (1e3, 1e6, 1e9):
        roots, _ = _decompose(np.array([ratio**2, 0.0]), np.array([ratio, 1 / ratio]))
        np.testing.assert_allclose(roots[0], 2 * ratio**2, rtol=1e-5)
        np.testing.assert_allclose(roots.prod(), 1.0, rtol=1e-15)


def test_roots_interlace():
    rng = np.random.default_rng(5)
    for _ in range(100):
        values = np.sort(rng.random(8))[::-1].copy()
        z = rng.standard_normal(8)
        roots, _ = _decompose(values, z)
        assert np.all(roots >= values)
        assert np.all(roots[1:] <= values[:-1])
        np.testing.assert_allclose(roots.sum(), values.sum() + z @ z, rtol=1e-14)


@pytest.mark.parametrize("scale", [1e-160, 1e-150, 1e-140, 1e-100, 1e100, 1e120])
def test_extreme_scales_give_numbers(scale):
    values, z = np.array([3.0, 1.0, 1.0, 0.0]) * scale**2, np.array([1.0, 2.0, -1.0, 0.5]) * scale
    roots, vectors = _decompose(values, z)
    expected = np.linalg.eigvalsh(np.diag(values / scale**2) + np.outer(z, z) / scale**2)[::-1]
    if scale > 1e-120:  # below, the squares of z count as 0
        np.testing.assert_allclose(roots / scale**2, expected, rtol=1e-13)
    assert np.isfinite(roots).all()
    np.testing.assert_allclose(vectors @ vectors.T, np.eye(4), atol=1e-14)
