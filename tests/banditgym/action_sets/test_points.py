"""What holds of every set: best points, nearest points, samples, and what is read."""

import copy
import pickle

import numpy as np
import pytest
from scipy import optimize, stats

from banditgym.action_sets import Ball, Ellipsoid, LpBall, Sphere, read_points
from banditgym.action_sets.points import for_kernels, lengths
from banditgym.streams import AGENT, Stream


def directions(dim, n=6, seed=0):
    return np.random.default_rng(seed).standard_normal((n, dim))


def test_best_points_are_of_the_set_and_none_is_better(any_set, measure):
    theta = directions(any_set.dim, 2)
    best = any_set.argmax(theta)
    np.testing.assert_allclose(measure(any_set, best), 1.0, rtol=1e-12)
    worth = (best * theta).sum(axis=1)
    others = any_set.sample(np.random.default_rng(1), 500)
    assert (others @ theta.T <= worth * (1 + 1e-12)).all()
    for i in range(len(theta)):  # by a general solver: of the ray through y the farthest point

        def lost(y, i=i):
            return -(y @ theta[i]) / measure(any_set, any_set.longest * y) / worth[i]

        rng = np.random.default_rng(i)
        near = best[i] / any_set.longest * (1 + 0.1 * rng.standard_normal(any_set.dim))
        options = {"maxiter": 4000, "xatol": 1e-9, "fatol": 1e-12}
        found = min(
            optimize.minimize(lost, start, method="Nelder-Mead", options=options).fun
            for start in (near, theta[i] / np.linalg.norm(theta[i]))
        )
        found *= any_set.longest
        assert -1 - 1e-11 <= found <= -1 + 1e-6


def test_best_points_of_the_plane_are_those_of_a_fine_grid(any_set, measure):
    if any_set.dim != 2:
        return
    # Angles pi / 100 000 apart: some point of the grid is worth all but a share of the step's
    # square times the curvature of the worth along it, which for these sets is below 1e4.
    angle = np.linspace(0, 2 * np.pi, 200_001)
    boundary = np.stack([np.cos(angle), np.sin(angle)], axis=1)
    boundary /= measure(any_set, boundary)[:, None]
    for theta in directions(2, 20):
        most = (boundary @ theta).max()
        [worth] = any_set.argmax(theta[None]) @ theta
        assert most * (1 - 1e-12) <= worth <= most * (1 + 1e-5)


@pytest.mark.parametrize("size", [1e-320, 1e-200, 1e200, 1e307])
def test_the_length_of_a_direction_makes_no_difference(any_set, size):
    # The sizes are no powers of 2, and subnormal directions have but a few digits of their own.
    theta = np.random.default_rng(2).choice([-3.0, 1.0, 2.0], (8, any_set.dim))
    given = size * theta
    if size < 1e-300:
        theta = given * 2.0**1000
    longest = any_set.longest
    np.testing.assert_allclose(any_set.argmax(given), any_set.argmax(theta), rtol=1e-9,
                               atol=1e-13 * longest)  # fmt: skip


def test_a_direction_0_has_a_point_of_the_set(any_set):
    best = any_set.argmax(np.zeros((2, any_set.dim)))
    expected = np.zeros((2, any_set.dim))
    if isinstance(any_set, Sphere):
        expected[:, 0] = any_set.radius
    np.testing.assert_array_equal(best, expected)
    any_set.read(best, 2)


def test_nearest_points_are_of_the_set_and_meet_the_boundary_at_right_angles(any_set, measure):
    dim, longest = any_set.dim, any_set.longest
    for size in (1 + 1e-6, 1.5, 30.0, 1e8):
        points = directions(dim, 50, seed=3)
        points *= size / measure(any_set, points)[:, None]
        nearest = any_set.project(points)
        np.testing.assert_allclose(measure(any_set, nearest), 1.0, rtol=1e-11)
        away = points - nearest
        np.testing.assert_allclose(
            any_set.distance(points), np.linalg.norm(away / longest, axis=1) * longest, rtol=1e-9
        )
        # Of a convex set the nearest point y is the one that is best in the direction x - y.
        best = any_set.argmax(away)
        units = away / np.linalg.norm(away / longest, axis=1, keepdims=True)
        short = ((best - nearest) * units).sum(axis=1) / longest**2
        assert np.abs(short).max() <= (1e-8 if size < 1.1 else 1e-11)


def test_points_of_the_set_and_nearest_points_stay_bit_for_bit(any_set, measure):
    rng = np.random.default_rng(4)
    inside = any_set.sample(rng, 300)
    np.testing.assert_array_equal(any_set.project(inside), inside)
    assert any_set.project(inside) is not inside
    for size in (1 + 1e-12, 1.001, 3.0, 1e5, 1e40):
        points = directions(any_set.dim, 1000, seed=5)
        points *= size / measure(any_set, points)[:, None]
        once = any_set.project(points)
        np.testing.assert_array_equal(any_set.project(once), once)
        any_set.read(once, 1000)
    best = any_set.argmax(directions(any_set.dim, 1000, seed=6))
    np.testing.assert_array_equal(any_set.project(best), best)
    assert (any_set.distance(best) <= 1e-13 * any_set.longest).all()


def test_the_largest_numbers_have_nearest_points(any_set):
    largest = np.finfo(float).max
    points = largest * np.array([np.ones(any_set.dim), -np.ones(any_set.dim)])
    points[1, 0] = largest
    # So far away the nearest point is the best one in that direction.
    np.testing.assert_allclose(
        any_set.project(points), any_set.argmax(points), rtol=1e-12, atol=1e-14 * any_set.longest
    )


def test_nothing_depends_on_neighbours(any_set):
    points = 1.5 * any_set.longest * directions(any_set.dim, 40, seed=7)
    for operation in (any_set.project, any_set.distance, any_set.argmax):
        alone = np.concatenate([operation(points[i : i + 1]) for i in range(40)])
        np.testing.assert_array_equal(operation(points), alone)
        np.testing.assert_array_equal(operation(np.asfortranarray(points)), alone)
        np.testing.assert_array_equal(operation(np.repeat(points, 2, axis=0)[::2]), alone)


def test_the_basis_spans_the_space_within_the_set(any_set, measure):
    basis = any_set.basis
    assert basis.shape == (any_set.dim, any_set.dim)
    any_set.read(basis, any_set.dim)
    any_set.read(-basis, any_set.dim)
    np.testing.assert_allclose(measure(any_set, basis), 1.0, rtol=1e-12)
    gram = sum(np.outer(b, b) for b in basis)
    # The error of eigvalsh is of the size of the largest eigenvalue.
    least, largest = np.linalg.eigvalsh(gram)[[0, -1]]
    assert abs(any_set.basis_strength - least) <= 1e-14 * any_set.dim * largest
    assert any_set.basis_strength > 0


def test_the_longest_point_and_the_box_around_the_set(any_set):
    points = any_set.argmax(directions(any_set.dim, 3000, seed=8))
    norms = np.linalg.norm(points / any_set.longest, axis=1)
    assert norms.max() <= 1 + 1e-12
    farthest = any_set.basis[np.argmax(np.linalg.norm(any_set.basis / any_set.longest, axis=1))]
    np.testing.assert_allclose(np.linalg.norm(farthest / any_set.longest), 1.0, rtol=1e-14)
    extent = any_set.extent
    assert extent.shape == (any_set.dim,)
    assert (np.abs(points) <= extent * (1 + 1e-12)).all()
    touching = any_set.argmax(np.eye(any_set.dim))
    np.testing.assert_array_equal(touching.max(axis=0), extent)


def test_draws_are_functions_of_seed_and_round(any_set):
    keys, rounds = Stream([4, 5, 6], AGENT, 0, 0).keys, np.array([7, 7, 2**40])
    points = any_set.draw(keys, rounds)
    assert points.shape == (3, any_set.dim)
    assert points.flags.c_contiguous
    assert points.flags.writeable
    for i in range(3):
        np.testing.assert_array_equal(
            any_set.draw(keys[i : i + 1], rounds[i : i + 1])[0], points[i]
        )
    if any_set.dim > 1:
        assert (any_set.draw(keys, rounds + 1) != points).all()
    any_set.read(points, 3)


def test_samples_fill_the_set_evenly(any_set, measure):
    """Of 6000 points: the share of the set within a point's gauge is uniform, which on a sphere has
    no meaning; in the coordinates that make it a ball, signs are independent. Level 1e-5 each."""
    points = any_set.sample(np.random.default_rng(9), 6000)
    share = measure(any_set, points) ** any_set.dim
    if isinstance(any_set, Sphere):
        np.testing.assert_allclose(share, 1.0, rtol=1e-12)
    else:
        assert share.max() <= 1 + 1e-12
        assert stats.kstest(share, "uniform").pvalue > 1e-5
    if isinstance(any_set, Ellipsoid):
        points = points @ (any_set.directions.T / any_set.axes)
    signs = (points[:, 0] > 0) + 2 * (points[:, -1] > 0)
    expected = [1 / 2, 0, 0, 1 / 2] if any_set.dim == 1 else [1 / 4] * 4
    counts = np.bincount(signs, minlength=4)
    assert stats.chisquare(counts[np.array(expected) > 0]).pvalue > 1e-5


@pytest.mark.parametrize(
    "measured", [Sphere(3), Ball(3), Ellipsoid.of_axes([1.0, 1.0, 1.0]), LpBall(3, 1.3)], ids=repr
)
def test_coordinates_of_samples_fall_as_by_rejection(measured, measure):
    # Two samples of 6000 and of about 10 000: levels 1e-5, for one coordinate and a pair's sum.
    points = measured.sample(np.random.default_rng(10), 6000)
    cube = np.random.default_rng(11).uniform(-1, 1, (60_000, 3))
    other = cube[measure(measured, cube) <= 1]
    if isinstance(measured, Sphere):
        other /= np.linalg.norm(other, axis=1, keepdims=True)
    for j in range(3):
        assert stats.ks_2samp(points[:, j], other[:, j]).pvalue > 1e-5
        pair = np.abs(points[:, j]) + np.abs(points[:, j - 1])
        other_pair = np.abs(other[:, j]) + np.abs(other[:, j - 1])
        assert stats.ks_2samp(pair, other_pair).pvalue > 1e-5


def test_n_samples_take_from_the_generator_what_n_single_ones_would(any_set):
    together = any_set.sample(np.random.default_rng(12), 5)
    rng = np.random.default_rng(12)
    np.testing.assert_array_equal(together, [any_set.sample(rng, 1)[0] for _ in range(5)])


def test_points_barely_off_are_used_as_given(any_set):
    boundary = any_set.argmax(directions(any_set.dim, 50, seed=13))
    point = boundary * (1 + 9e-10)
    read = any_set.read(point, 50)
    np.testing.assert_array_equal(read, point)
    assert (read.dtype, read.flags.c_contiguous, read.flags.writeable) == (np.float64, True, False)
    assert np.shares_memory(read, point)
    assert point.flags.writeable
    any_set.read(boundary * (1 - 9e-10), 50)
    for factor in (1 + 1.2e-9, 1 + 1e-7, 2.0, 1e150):
        for i in (0, 7, 49):
            given = point.copy()
            given[i] = factor * boundary[i]
            with pytest.raises(
                ValueError, match=rf"of replicate {i} is not .*: it lies .* outside"
            ):
                any_set.read(given, 50)


def test_the_refusal_has_the_distance(any_set):
    point = 1.5 * any_set.argmax(directions(any_set.dim, 1, seed=14))
    [distance] = any_set.distance(point)
    assert distance > 0
    with pytest.raises(ValueError, match="it lies") as caught:
        any_set.read(point, 1)
    message = str(caught.value)
    assert "\n" not in message
    assert len(message) < 250
    told = float(message.split("it lies ")[1].split(" outside")[0])
    assert abs(told - distance) <= 1e-5 * distance


@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf])
def test_numbers_that_are_not_finite_are_refused(any_set, bad):
    point = any_set.argmax(directions(any_set.dim, 3, seed=15))
    point[1, -1] = bad
    with pytest.raises(ValueError, match="of replicate 1 is not finite") as caught:
        any_set.read(point, 3)
    assert "\n" not in str(caught.value)


def test_huge_points_are_refused_and_not_called_infinite(any_set):
    point = np.full((1, any_set.dim), 1e200)
    if any_set.longest < 1e120:
        with pytest.raises(ValueError, match="is not .* ball|sphere|ellipsoid"):
            any_set.read(point, 1)


@pytest.mark.parametrize(
    "points",
    [
        [[0.6, 0.8], [0, -1]],
        ((0.6, 0.8), (0.0, -1.0)),
        np.array([[0.6, 0.8], [0, -1]], order="F"),
        np.array([[0.6, 0.8], [0, -1]], ">f8"),
        np.array([[0.6, 0.8], [0, -1]], np.longdouble),
        [np.array([0.6, 0.8]), [np.int8(0), -1]],
    ],
)
@pytest.mark.parametrize("measured", [Ball(2), Sphere(2), Ellipsoid(np.eye(2)), LpBall(2, 2.0)])
def test_points_of_any_kind_are_read_as_float64(points, measured):
    read = measured.read(points, 2)
    assert read.dtype == np.float64
    assert read.flags.c_contiguous
    assert not read.flags.writeable
    np.testing.assert_array_equal(read, [[0.6, 0.8], [0.0, -1.0]])


SHAPES = [
    ([[0.0], [0.0]], r"expected 2 points of 2 numbers, got \[\[0.0\], \[0.0\]\] of shape"),
    ([[0.0, 0.0]], "expected 2 points of 2 numbers"),
    ([[0.0, 0.0]] * 3, "expected 2 points of 2 numbers"),
    ([0.0, 0.0], "expected 2 points of 2 numbers"),
    ([[0.0, 0.0], [0.0]], "expected 2 points of 2 numbers"),
    ([[True, True], [False, False]], "expected 2 points of 2 numbers"),
    ([["0", "0"], ["0", "0"]], "expected 2 points of 2 numbers"),
    ([[0j, 0j], [0j, 0j]], "expected 2 points of 2 numbers"),
    ([[2**70, 0], [0, 0]], "expected 2 points of 2 numbers"),
    (None, "expected 2 points of 2 numbers, got None"),
    (np.zeros((2, 300)), "expected 2 points of 2 numbers"),
    ([[0.0, 0.0], [0.0, np.nan]], r"point array\(\[ 0., nan\]\) of replicate 1 is not finite"),
    ([[-np.inf, 0.0], [0.0, np.nan]], "of replicate 0 is not finite"),
    (np.array([[0, 0], ["1e4000", 0]], np.longdouble), "of replicate 1 is not finite"),
]


@pytest.mark.parametrize(("points", "message"), SHAPES)
@pytest.mark.parametrize("measured", [Ball(2), Ellipsoid(np.eye(2)), LpBall(2, 1.5)], ids=repr)
def test_what_are_no_points_is_refused_in_a_line(points, message, measured):
    for read in (measured.read, lambda points, n: read_points(points, n, 2)):
        with pytest.raises(ValueError, match=message) as caught:
            read(points, 2)
        assert "\n" not in str(caught.value)
        assert len(str(caught.value)) < 250


def test_points_are_read_wherever_they_lie():
    far = np.array([[1e300, -3.0]])
    read = read_points(far, 1, 2)
    np.testing.assert_array_equal(read, far)
    assert np.shares_memory(read, far)
    assert not read.flags.writeable


def test_kernels_get_one_layout_and_no_copy_where_none_is_needed():
    points = np.ones((3, 2))
    view = for_kernels(points)
    assert np.shares_memory(view, points)
    assert (view.flags.writeable, points.flags.writeable) == (False, True)
    for other in (points.T, points.astype(np.float32), points[::2], points.astype(">f8")):
        given = for_kernels(other)
        assert given.flags.c_contiguous
        assert given.dtype == np.float64
        np.testing.assert_array_equal(given, other)


def test_lengths_at_all_sizes():
    points = np.array([[3.0, 4.0], [3e200, 4e200], [3e-200, -4e-200], [0.0, 0.0]])
    np.testing.assert_allclose(lengths(for_kernels(points)), [5, 5e200, 5e-200, 0], rtol=1e-15)


def test_sets_are_values(any_set):
    for other in (copy.deepcopy(any_set), pickle.loads(pickle.dumps(any_set))):
        assert other == any_set
        assert hash(other) == hash(any_set)
        points = directions(any_set.dim, 5, seed=16)
        np.testing.assert_array_equal(other.project(points), any_set.project(points))
        for value in vars(other).values():
            assert not isinstance(value, np.ndarray) or not value.flags.writeable
    assert "\n" not in repr(any_set)
    others = [Sphere(2, 7.0), Ball(2, 7.0), Ellipsoid(7.0 * np.eye(2)), LpBall(2, 1.9, 7.0)]
    assert all(any_set != other for other in others)


def test_one_point_is_read_as_a_batch_of_one(any_set):
    dim = any_set.dim
    inside = any_set.sample(np.random.default_rng(0), 1)[0]
    strided = np.repeat(inside, 2)[::2]
    for point in (inside, strided, inside.tolist(), inside[::-1].copy()[::-1]):
        found, expected = any_set.read_one(point), any_set.read([point], 1)
        np.testing.assert_array_equal(found, expected, strict=True)
        assert found.flags.c_contiguous
        assert not found.flags.writeable
    assert inside.flags.writeable
    far = 2.0 * any_set.extent
    for other in (far, np.full(dim, np.nan), inside[None], np.append(inside, 0.0), None, "x"):
        with pytest.raises(ValueError, match=".") as one:
            any_set.read_one(other)
        with pytest.raises(ValueError, match=".") as batch:
            any_set.read([other], 1)
        assert str(one.value) == str(batch.value)
