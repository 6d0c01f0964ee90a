"""Approximate G-optimal designs: leverages, known optima, arms that span less."""

import numpy as np
import pytest

from agents.numerics.optimal_design import design_scratch, fill_design, fit_by_design
from banditgym.compiled import compiled


@compiled
def _fill(arms, bound, negligible, design):
    return fill_design(arms, bound, negligible, design_scratch(*arms.shape), design)


def _design(x, bound=1.01, negligible=1e-10):
    """The design (K,) of arms (K, d), and r."""
    design = np.full(len(x), np.nan)
    rank = _fill(np.ascontiguousarray(x.T), bound, negligible, design)
    return design, rank


def _leverages(x, design):
    inverse = np.linalg.pinv((x.T * design) @ x, rcond=1e-10)
    return np.sum((x @ inverse) * x, axis=1)


@pytest.mark.parametrize(("dim", "n_arms"), [(1, 1), (1, 9), (2, 3), (3, 3), (5, 40), (20, 100)])
@pytest.mark.parametrize("bound", [1.05, 2.0])
def test_no_leverage_is_above_the_bound(dim, n_arms, bound):
    rng = np.random.default_rng(dim)
    for scale in (1.0, 1e-6, 1e6):
        x = scale * rng.standard_normal((n_arms, dim)) * rng.random((n_arms, 1))
        design, rank = _design(x, bound)
        assert rank == dim
        assert (design >= 0).all()
        assert abs(design.sum() - 1) < 1e-12
        assert _leverages(x, design).max() <= bound * dim * (1 + 1e-9)


def _plain_design(x, bound):
    """Arms farthest from the span of those before, each as often; then the arm of the largest
    leverage gets the share that makes det V largest, as long as its leverage is above the bound."""
    dim, chosen, rest = x.shape[1], [], x.copy()
    for _ in range(dim):
        chosen.append(int(np.argmax(np.sum(rest * rest, axis=1))))
        basis = np.linalg.qr(x[chosen].T)[0]
        rest = x - x @ basis @ basis.T
    design, steps = np.bincount(chosen, minlength=len(x)) / dim, 0
    while (leverages := _leverages(x, design)).max() > bound * dim:
        i = int(np.argmax(leverages))
        share = (leverages[i] / dim - 1) / (leverages[i] - 1)
        design, steps = (1 - share) * design + share * (np.arange(len(x)) == i), steps + 1
    return design, steps


@pytest.mark.parametrize(("dim", "n_arms"), [(4, 30), (5, 40)])
def test_steps_are_those_of_the_exact_line_search(dim, n_arms):
    rng, taken = np.random.default_rng(dim), 0
    for _ in range(10):
        x = rng.standard_normal((n_arms, dim))
        expected, steps = _plain_design(x, 1.05)
        np.testing.assert_allclose(_design(x, 1.05)[0], expected, rtol=0, atol=1e-10)
        taken += steps
    assert taken > 10


def test_of_equal_arms_the_first_is_in_the_design():
    x = np.random.default_rng(0).standard_normal((20, 3))
    design, _ = _design(np.vstack([x, x]))
    np.testing.assert_array_equal(design[20:], 0.0)
    np.testing.assert_array_equal(design[:20], _design(x)[0])
    assert np.count_nonzero(design) > 3


def test_arms_may_span_less_than_all_dimensions():
    rng = np.random.default_rng(0)
    x = rng.standard_normal((12, 2)) @ rng.standard_normal((2, 5))
    design, rank = _design(x)
    assert rank == 2
    assert _leverages(x, design).max() <= 1.01 * 2 * (1 + 1e-9)


def test_the_optimum_of_a_simplex_is_uniform_on_its_corners():
    corners, inner = np.eye(4), np.full((3, 4), 0.2)
    design, _ = _design(np.vstack([inner, corners]))
    np.testing.assert_allclose(design, [0, 0, 0, *[1 / 4] * 4], atol=1e-12)


def test_the_optimum_in_a_plane():
    """Three arms at angles 0, 60 and 120 degrees: by symmetry each has the weight 1 / 3."""
    angle = np.pi / 3 * np.arange(3)
    design, _ = _design(np.stack([np.cos(angle), np.sin(angle)], axis=1), bound=1.0001)
    np.testing.assert_allclose(design, 1 / 3, atol=0.01)


@pytest.mark.parametrize(("distance", "rank"), [(1e-2, 2), (1e-4, 1)])
def test_what_is_negligible_is_in_the_span(distance, rank):
    x = np.array([[1.0, 0.0], [0.9, distance]])
    assert _design(x, negligible=1e-6)[1] == rank


def test_arms_without_length_have_no_design():
    design, rank = _design(np.zeros((3, 2)))
    assert rank == 0
    assert not design.any()


@compiled
def _fit(arms, pulls, sums, mean):
    scratch, design = design_scratch(*arms.shape), np.empty(arms.shape[1])
    rank = fill_design(arms, 2.0, 1e-12, scratch, design)
    fit_by_design(rank, pulls, sums, scratch, mean)


@pytest.mark.parametrize(
    ("dim", "n_arms", "spanned"), [(3, 7, 3), (5, 4, 4), (6, 12, 2), (2, 1, 1)]
)
def test_means_are_those_of_least_squares(dim, n_arms, spanned):
    rng = np.random.default_rng(dim)
    x = rng.standard_normal((n_arms, spanned)) @ rng.standard_normal((spanned, dim))
    pulls, sums = rng.integers(1, 9, n_arms), rng.standard_normal(n_arms)
    mean = np.empty(n_arms)
    _fit(np.ascontiguousarray(x.T), pulls, sums, mean)
    rewards = np.repeat(sums / pulls, pulls)
    theta = np.linalg.lstsq(np.repeat(x, pulls, axis=0), rewards, rcond=1e-10)[0]
    np.testing.assert_allclose(mean, x @ theta, rtol=1e-9, atol=1e-9)
