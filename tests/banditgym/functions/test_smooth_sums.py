"""Sums of smooth terms against plain formulas, and their maxima against a dense search."""

import math

import numpy as np
import pytest

from banditgym.functions import smooth_sums
from banditgym.functions.covariances import RBF, Matern
from banditgym.functions.smooth_sums import COSINES, fill_values, kind_of, maximise

KINDS = {
    "rbf": RBF(length_scale=0.3),
    "matern32": Matern(nu=1.5, length_scale=0.4),
    "matern52": Matern(nu=2.5, length_scale=0.2),
    "cosines": None,
}


def drawn(name, dim, seed, size=20):
    """A sum of so many terms, and its values at points (m, d) by numpy."""
    rng, covariance = np.random.default_rng(seed), KINDS[name]
    weights = rng.standard_normal((size, 2))
    if covariance is None:
        terms = rng.standard_normal((size, dim)) * 0.8
        return (
            (COSINES, 1.0, terms, weights),
            lambda points: (
                np.cos(2 * math.pi * points @ terms.T) @ weights[:, 0]
                + np.sin(2 * math.pi * points @ terms.T) @ weights[:, 1]
            ),
        )
    terms = rng.random((size, dim))
    parts = (kind_of(covariance), covariance.length_scale, terms, weights)
    return parts, lambda points: covariance(points, terms) @ weights[:, 0]


def values_of(parts, points):
    out = np.empty(len(points))
    fill_values(*parts, np.ascontiguousarray(points.T), out)
    return out


@pytest.mark.parametrize("name", KINDS)
@pytest.mark.parametrize("dim", [1, 2, 3])
def test_values_are_those_of_the_formula_whatever_is_computed_beside_them(name, dim):
    parts, plain = drawn(name, dim, seed=dim)
    points = np.concatenate([np.random.default_rng(0).random((70, dim)), parts[2][:1]])
    values = values_of(parts, points)
    np.testing.assert_allclose(values, plain(points), rtol=0, atol=1e-12)
    alone = [values_of(parts, points[i : i + 1])[0] for i in range(71)]
    np.testing.assert_array_equal(values, alone)


@pytest.mark.parametrize("name", KINDS)
@pytest.mark.parametrize("dim", [1, 2, 3])
def test_jets_are_the_derivatives(name, dim):
    # Central differences of step 1e-5 err by rounding, 1e-16 / 1e-5 of some 10, and by third
    # derivatives times 1e-10, which are below 1e5.
    parts, plain = drawn(name, dim, seed=7 + dim)
    points = np.random.default_rng(1).random((65, dim)) * 0.9 + 0.05
    jets = np.empty((1 + dim + dim * (dim + 1) // 2, 65))
    smooth_sums._fill_jets(*parts, np.ascontiguousarray(points.T), jets)
    np.testing.assert_allclose(jets[0], plain(points), rtol=0, atol=1e-12)
    step = 1e-5 * np.eye(dim)
    row = 1 + dim
    for i in range(dim):
        slope = (plain(points + step[i]) - plain(points - step[i])) / 2e-5
        np.testing.assert_allclose(jets[1 + i], slope, rtol=0, atol=1e-5)
        moved = [np.empty_like(jets) for _ in range(2)]
        for sign, out in zip((1, -1), moved, strict=True):
            columns = np.ascontiguousarray((points + sign * step[i]).T)
            smooth_sums._fill_jets(*parts, columns, out)
        for k in range(i, dim):
            bend = (moved[0][1 + k] - moved[1][1 + k]) / 2e-5
            np.testing.assert_allclose(jets[row], bend, rtol=0, atol=1e-2)
            row += 1


def test_a_section_of_matern_3_2_has_a_hessian_at_its_centre():
    centre = np.array([[0.25, 0.5]])
    jets = np.empty((6, 1))
    weights = np.array([[2.0, 0.0]])
    smooth_sums._fill_jets(
        smooth_sums.MATERN32S, 0.5, centre, weights, np.ascontiguousarray(centre.T), jets
    )
    np.testing.assert_allclose(jets[:, 0], [2, 0, 0, -24, 0, -24], atol=1e-12)


@pytest.mark.parametrize("name", KINDS)
@pytest.mark.parametrize("dim", [1, 2, 3])
def test_what_taylors_formula_leaves_is_within_the_bound(name, dim):
    rng = np.random.default_rng(3)
    for seed in range(5):
        parts, plain = drawn(name, dim, seed, size=3)
        for half in (0.003, 0.05, 0.3, 2.0):
            centre = rng.random((1, dim))
            jets = np.empty((1 + dim + dim * (dim + 1) // 2, 1))
            smooth_sums._fill_jets(*parts, np.ascontiguousarray(centre.T), jets)
            hessian = np.zeros((dim, dim))
            hessian[np.triu_indices(dim)] = jets[1 + dim :, 0]
            hessian = np.triu(hessian) + np.triu(hessian, 1).T
            away = half * rng.uniform(-1, 1, (200, dim))
            away[:100] = half * np.sign(away[:100])
            model = jets[0, 0] + away @ jets[1 : 1 + dim, 0]
            model += 0.5 * np.einsum("mi,ij,mj->m", away, hessian, away)
            left = np.abs(plain(centre + away) - model).max()
            assert left <= smooth_sums._remainder(*parts, half) + 1e-12


@pytest.mark.parametrize("dim", [1, 2, 3])
def test_a_quadratic_is_within_its_bound_and_a_separable_one_attains_it(dim):
    rng, half = np.random.default_rng(11), 0.3
    upper = np.triu_indices(dim)
    away = half * rng.uniform(-1, 1, (4000, dim))
    away[::2] = half * np.sign(away[::2])
    for trial in range(300):
        hessian = rng.standard_normal((dim, dim)) * 5.0
        hessian = hessian + hessian.T - 8.0 * rng.random() * np.eye(dim)
        if trial % 3 == 0:
            hessian = np.diag(hessian.diagonal())
        slope = rng.standard_normal(dim) * rng.random() * 3.0
        jets = np.concatenate([[0.7], slope, hessian[upper]])[:, None]
        values = 0.7 + away @ slope + 0.5 * ((away @ hessian) * away).sum(axis=1)
        bound = smooth_sums._model_bound(jets, 0, dim, half)
        assert values.max() <= bound + 1e-12
        if trial % 3 == 0:
            steps = np.linspace(-half, half, 2001)[:, None]
            each = (slope * steps + 0.5 * hessian.diagonal() * steps * steps).max(axis=0)
            assert bound == pytest.approx(0.7 + each.sum(), abs=1e-5)


@pytest.mark.parametrize("name", KINDS)
@pytest.mark.parametrize("dim", [1, 2, 3])
def test_no_point_of_a_dense_search_is_better_and_the_best_point_is_as_good(name, dim):
    rng = np.random.default_rng(5)
    for seed in range(12):
        parts, _ = drawn(name, dim, 100 + seed)
        best_point = np.empty(dim)
        best, looked = maximise(*parts, 1e-9, best_point)
        assert looked > 0
        assert (best_point >= 0).all()
        assert (best_point <= 1).all()
        assert values_of(parts, best_point[None])[0] == pytest.approx(best, abs=1e-12)
        dense = rng.random((40_000, dim))
        dense[::4] = np.round(dense[::4])  # corners
        dense[1::4, rng.integers(dim)] = rng.integers(2)  # a face
        dense[2::4] = np.clip(best_point + 0.01 * rng.standard_normal((10_000, dim)), 0, 1)
        assert values_of(parts, dense).max() <= best + 1e-9


def test_equal_terms_and_no_weight_end_at_once():
    best_point = np.empty(2)
    parts = (smooth_sums.RBFS, 0.2, np.full((3, 2), 0.5), np.zeros((3, 2)))
    assert maximise(*parts, 1e-9, best_point) == (0.0, 2)


def test_the_best_point_lies_in_the_cube_even_if_no_value_is_a_number():
    terms, weights = np.full((3, 2), 0.5), np.full((3, 2), np.nan)
    point = np.full(2, 7.0)  # as memory that another array left
    maximise(smooth_sums.RBFS, 0.3, terms, weights, 1e-3, point)
    assert point.tolist() == [0.5, 0.5]


def test_what_has_too_many_cells_says_so(monkeypatch):
    rng = np.random.default_rng(0)
    parts = (COSINES, 1.0, 300.0 * rng.standard_normal((40, 3)), rng.standard_normal((40, 2)))
    assert maximise(*parts, 1e-9, np.empty(3))[1] == -1
