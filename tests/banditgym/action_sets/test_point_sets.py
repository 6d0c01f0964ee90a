"""Point sets of the unit cube against plain constructions."""

import itertools

import numpy as np
import pytest
from scipy import stats

from banditgym.action_sets.point_sets import POINT_SETS, point_set, sobol
from banditgym.streams import ENVIRONMENT, Stream


def stream(seed=0):
    return Stream([seed], ENVIRONMENT, 1, 0)


@pytest.mark.parametrize(
    ("side", "dim"), [(5, 1), (4, 3), (1, 7), (2, 10), (10, 2), (1000, 1), (3, 5), (215, 2)]
)
def test_a_grid_is_the_product_of_equidistant_numbers(side, dim):
    points = point_set("grid", side**dim, dim, stream())
    numbers = [j / (side - 1) for j in range(side)] if side > 1 else [0.5]
    expected = list(itertools.product(numbers, repeat=dim))
    np.testing.assert_allclose(points, expected, rtol=0, atol=1e-15)
    assert points.flags.c_contiguous


@pytest.mark.parametrize(
    ("size", "dim", "nearest"),
    [(99, 2, 100), (101, 2, 100), (7, 3, 8), (2, 20, 1), (10**6, 4, 32**4)],
)
def test_a_grid_of_another_size_is_refused_with_the_nearest(size, dim, nearest):
    message = f"n_arms of a grid of dim {dim} .* {dim}, the nearest is {nearest}, got {size}$"
    with pytest.raises(ValueError, match=message) as caught:
        point_set("grid", size, dim, stream())
    assert "\n" not in str(caught.value)


def test_uniform_points_are_the_streams():
    points = point_set("uniform", 500, 3, stream(7))
    np.testing.assert_array_equal(points, stream(7).uniform(0, (500, 3))[0])
    assert len(np.unique(points)) == 1500


@pytest.mark.parametrize("size", [1, 2, 3, 100, 128, 129])
def test_sobol_points_are_the_sequences_shifted(size):
    plain = sobol(size, 5)
    points = point_set("sobol", size, 5, stream(3))
    assert plain.shape == points.shape == (size, 5)
    assert (plain[0] == 0).all()
    assert points.min() >= 0
    assert points.max() < 1
    shift = stream(3).uniform(0, (5,))
    np.testing.assert_allclose(points, np.mod(plain + shift, 1.0), rtol=0, atol=1e-15)
    np.testing.assert_array_equal(plain, stats.qmc.Sobol(5, scramble=False).random_base2(8)[:size])


def test_sobol_points_fill_the_cube_evenly():
    # Of the first 2^m points of the sequence each of 2^m equal intervals of a coordinate has one.
    plain = sobol(64, 6)
    for coordinate in plain.T:
        assert sorted((coordinate * 64).astype(int)) == list(range(64))
    assert point_set("sobol", 64, 6, stream()).shape == (64, 6)


@pytest.mark.parametrize("kind", POINT_SETS)
def test_points_depend_on_the_seed_where_they_are_drawn(kind):
    one, again, other = (point_set(kind, 64, 2, stream(seed)) for seed in (1, 1, 2))
    np.testing.assert_array_equal(one, again)
    assert np.array_equal(one, other) == (kind == "grid")
