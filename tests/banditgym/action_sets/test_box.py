"""The unit cube against its definition."""

import numpy as np
import pytest
from scipy import stats

from banditgym.action_sets import Box
from banditgym.streams import AGENT, Stream


def test_points_are_accepted_to_1e_9_and_used_as_given():
    box = Box(3)
    points = np.array([[0.0, 1.0, 0.5], [-0.9e-9, 1 + 0.9e-9, 0.2]])
    np.testing.assert_array_equal(box.read(points, 2), points)
    assert (box.read([[0, 1, 1]], 1) == [[0.0, 1.0, 1.0]]).all()


@pytest.mark.parametrize(
    ("points", "message"),
    [
        ([[0.5, 1.1]], r"is not in the box \[0, 1\]\^2: it lies 0.1 outside"),
        ([[-1e-8, 0.5]], "of replicate 0 is not in the box .* 1e-08 outside"),
        ([[np.nan, 0.5]], "of replicate 0 is not finite"),
        ([[0.5]], "expected 1 points of 2 numbers"),
        ([[True, False]], "expected 1 points of 2 numbers"),
    ],
)
def test_other_points_are_refused_in_a_line(points, message):
    with pytest.raises(ValueError, match=message) as caught:
        Box(2).read(points, 1)
    assert "\n" not in str(caught.value)


def test_projection_distance_and_argmax_are_those_of_a_fine_grid():
    box, rng = Box(2), np.random.default_rng(0)
    axis = np.linspace(0, 1, 201)
    grid = np.stack(np.meshgrid(axis, axis), axis=-1).reshape(-1, 2)
    for point in rng.uniform(-1, 2, (50, 2)):
        away = np.linalg.norm(grid - point, axis=1)
        nearest = box.project(point[None])
        assert box.distance(point[None])[0] == pytest.approx(away.min(), abs=0.004)
        assert np.linalg.norm(nearest[0] - point) <= away.min() + 1e-12
        np.testing.assert_array_equal(box.project(nearest), nearest)
        assert box.argmax(point[None])[0] @ point >= (grid @ point).max() - 1e-12
    assert box.longest == pytest.approx(2**0.5)
    np.testing.assert_array_equal(box.extent, [1, 1])
    assert np.linalg.eigvalsh(box.basis.T @ box.basis).min() == box.basis_strength


def test_draws_are_uniform_and_each_replicates_own():
    box = Box(3)
    keys = Stream(range(4000), AGENT, 0, 0).keys
    points = box.draw(keys, np.arange(4000))
    for coordinate in points.T:
        assert stats.kstest(coordinate, stats.uniform.cdf).pvalue > 1e-4
    # A correlation of independent numbers has a deviation of 1 / sqrt(4000).
    assert np.abs(np.corrcoef(points.T) - np.eye(3)).max() < 5 / 4000**0.5
    np.testing.assert_array_equal(box.draw(keys[7:8], np.array([7])), points[7:8])


def test_a_dimension_is_a_whole_number():
    with pytest.raises(ValueError, match="dim must be an integer >= 1, got 0"):
        Box(0)
