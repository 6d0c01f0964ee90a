"""Inverse and projector kept apart: their sum is the inverse, and no direction drowns another."""

import numpy as np
import pytest

from banditgym.linalg import unseen as kernels


def _absorb(dim, rows, ridge):
    seen, unseen = np.zeros((1, dim, dim)), np.eye(dim)[None].copy()
    rank, theta, log_det = np.zeros(1, np.int64), np.zeros((1, dim)), np.zeros(1)
    for row in rows:
        x = np.ascontiguousarray(row[None, :, None])
        x.flags.writeable = False
        bad = kernels.absorb_unseen(
            seen, unseen, rank, ridge, theta, log_det, x, np.zeros(1, int), row[:1].copy(),
            np.ones(1, bool),
        )  # fmt: skip
        assert bad == -1
    return seen[0], unseen[0], rank[0], theta[0], log_det[0]


@pytest.mark.parametrize("ridge", [1e-6, 0.5, 1e6])
@pytest.mark.parametrize(("dim", "span", "rounds"), [(1, 1, 5), (4, 4, 3), (5, 2, 30), (9, 9, 40)])
def test_the_sum_is_the_inverse(dim, span, rounds, ridge):
    """Reference: the eigenvectors of the samples' span, in which V is inverted entry by entry."""
    rng = np.random.default_rng(dim)
    rows = rng.standard_normal((rounds, span)) @ rng.standard_normal((span, dim))
    seen, unseen, rank, theta, log_det = _absorb(dim, rows, ridge)
    _, singular, v = np.linalg.svd(rows)
    assert rank == min(span, rounds)
    singular, rest = singular[:rank], v[rank:]
    part = v[:rank].T @ np.diag(1 / (ridge + singular**2)) @ v[:rank]
    # relative to the largest entry; condition on the span at most 1e3 here
    np.testing.assert_allclose(seen, part, rtol=0, atol=1e-11 * abs(part).max())
    np.testing.assert_allclose(unseen, rest.T @ rest, rtol=0, atol=1e-12)
    assert log_det == pytest.approx(np.log1p(singular**2 / ridge).sum(), rel=1e-12)
    expected = part @ rows.T @ rows[:, 0]
    np.testing.assert_allclose(theta, expected, rtol=0, atol=1e-10 * (1 + abs(expected).max()))
    np.testing.assert_array_equal(seen, seen.T)
    if rank == dim:
        np.testing.assert_array_equal(unseen, 0.0)


def test_rounding_is_no_new_direction():
    """10 000 samples in a plane of R^5, rotated so that no coordinate is zero."""
    rng = np.random.default_rng(0)
    rows = rng.standard_normal((10_000, 2)) @ rng.standard_normal((2, 5)) * 1e3
    assert _absorb(5, rows, 1e-6)[2] == 2


def test_a_small_new_component_is_a_new_direction():
    """Length 1e-9 beside 1: V is 1e-4 + 1e-18 there, and so is its inverse; nothing is lost."""
    rows = np.array([[1.0, 0.0], [1.0, 1e-9]])
    seen, unseen, rank, *_ = _absorb(2, rows, 1e-4)
    assert rank == 2
    exact = np.linalg.inv(1e-4 * np.eye(2) + rows.T @ rows)
    np.testing.assert_allclose(seen + unseen / 1e-4, exact, rtol=1e-6, atol=1e-9)
