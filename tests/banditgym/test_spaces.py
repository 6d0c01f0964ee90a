"""Points are those of their set, batched as Gymnasium's vector environments need them."""

import copy
import pickle
import warnings

import gymnasium
import numpy as np
import pytest
from gymnasium.vector.utils import (
    batch_differing_spaces,
    batch_space,
    concatenate,
    create_empty_array,
    iterate,
)
from scipy import stats

from banditgym.action_sets import Ball, Ellipsoid, FiniteArms, LpBall, Sphere
from banditgym.spaces import EachMaskedArms, MaskedArms, Points, Ranking

BALL = Ball(3, radius=2.0)
OTHERS = [
    Sphere(3, 2.0),
    Ellipsoid.of_axes([1.0, 0.1, 2.0]),
    Ellipsoid([[2.0, 0.9, 0.0], [0.9, 0.5, 0.0], [0.0, 0.0, 1.0]]),
    LpBall(3, 1.5, 2.0),
]


def test_samples_are_uniform_in_the_set():
    points = Points(BALL, n=4000, seed=0).sample()
    assert (points.shape, points.dtype) == ((4000, 3), np.float64)
    # The volume within a radius is uniform, and so is a coordinate of the direction in space.
    length = np.linalg.norm(points, axis=1)
    assert stats.kstest((length / 2.0) ** 3, "uniform").pvalue > 1e-4
    for axis in range(3):
        assert stats.kstest(points[:, axis] / length, "uniform", (-1, 2)).pvalue > 1e-4


def test_n_points_take_what_n_single_ones_would():
    many, one = Points(BALL, n=5, seed=7), Points(BALL, seed=7)
    together = many.sample()
    np.testing.assert_array_equal(together, [one.sample() for _ in range(5)])
    many.seed(7)
    np.testing.assert_array_equal(many.sample(), together)
    assert (many.sample() != together).all()


@pytest.mark.parametrize(
    "point",
    [
        np.zeros(3),
        [2.0, 0.0, 0.0],
        (0, -2, 0),
        np.array([1.0, 1.0, 1.0], np.float32),
        np.array([0.0, 2.0 * (1 + 9e-10), 0.0]),
    ],
)
def test_points_of_the_set_are_of_the_space(point):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert point in Points(BALL)
        assert [point, point] in Points(BALL, n=2)


@pytest.mark.parametrize(
    "point",
    [
        np.array([0.0, 2.0 * (1 + 2e-9), 0.0]),
        [1.9, 1.9, 0.0],
        [0.0, np.nan, 0.0],
        [np.inf, 0.0, 0.0],
        [1e200, 1e200, 0.0],
        [0.0, 0.0],
        [0.0, 0.0, 0.0, 0.0],
        [[0.0, 0.0, 0.0]],
        0.0,
        None,
        "abc",
        ["0", "0", "0"],
        [True, False, True],
        [0j, 0j, 0j],
        [0.0, [0.0], 0.0],
        {},
        object(),
    ],
)
def test_anything_else_is_not(point):
    assert point not in Points(BALL)
    assert [point, point] not in Points(BALL, n=2)


def test_the_number_of_points_counts():
    point = np.zeros(3)
    assert point not in Points(BALL, n=1)
    assert [point] in Points(BALL, n=1)
    assert [point] not in Points(BALL, n=2)
    assert [point] not in Points(BALL)


def test_equality_is_that_of_set_and_shape():
    space = Points(BALL, seed=3)
    assert space == Points(Ball(3, radius=2.0))
    assert space == copy.deepcopy(space) == pickle.loads(pickle.dumps(space))
    assert Points(BALL, n=2) == Points(BALL, n=2)
    others = [
        Points(Ball(3, radius=2.5)),
        Points(Ball(4, radius=2.0)),
        Points(BALL, n=1),
        gymnasium.spaces.Box(-2.0, 2.0, (3,), np.float64),
        FiniteArms(3),
    ]
    assert all(space != other for other in others)


def test_sets_of_different_kinds_differ():
    class Sphere(Ball):
        def __eq__(self, other):
            return vars(self) == vars(other)

    assert Points(Sphere(3, radius=2.0)) != Points(BALL)
    assert Points(BALL) != Points(Sphere(3, radius=2.0))


@pytest.mark.parametrize("action_set", OTHERS, ids=repr)
def test_spaces_of_other_sets(action_set):
    space, many = Points(action_set, seed=7), Points(action_set, n=5, seed=7)
    points = many.sample()
    np.testing.assert_array_equal(points, [space.sample() for _ in range(5)])
    assert points in many
    boundary = action_set.argmax(points)
    for factor, inside in ((1 + 9e-10, True), (1 + 1e-7, False), (np.nan, False)):
        for point in factor * boundary:
            assert (point in space) == inside
            try:
                action_set.read(point[None], 1)
            except ValueError:
                assert not inside
    assert (0.5 * boundary in many) == (not isinstance(action_set, Sphere))
    twin = pickle.loads(pickle.dumps(space))
    assert space == copy.deepcopy(space) == twin
    assert batch_space(space, 5) == many
    np.testing.assert_array_equal(twin.sample(), space.sample())
    assert all((space == Points(other)) == (other is action_set) for other in [*OTHERS, BALL])


def test_repr():
    assert repr(Points(BALL)) == "Points(Ball(dim=3, radius=2.0))"
    assert repr(Points(BALL, n=4)) == "Points(Ball(dim=3, radius=2.0), n=4)"


def test_copies_sample_alike():
    space = Points(BALL, seed=1)
    space.sample()
    twin = pickle.loads(pickle.dumps(space))
    np.testing.assert_array_equal(twin.sample(), space.sample())


@pytest.mark.parametrize("argument", ["mask", "probability"])
def test_samples_take_no_mask(argument):
    with pytest.raises(gymnasium.error.Error, match=f"takes no {argument}, got"):
        Points(BALL).sample(**{argument: np.ones(3, np.int8)})


@pytest.mark.parametrize("n", [0, -1, 2.0, True, "2"])
def test_how_many_points_is_checked(n):
    with pytest.raises(ValueError, match="n must be an integer >= 1"):
        Points(BALL, n=n)


def test_batched_iterated_concatenated():
    space = Points(BALL, seed=5)
    batched = batch_space(space, 4)
    assert batched == Points(BALL, n=4)
    expected = [copy.deepcopy(space).sample()]
    points = batched.sample()  # Gymnasium's own spaces hand the generator's state on as well
    np.testing.assert_array_equal(points[:1], expected)
    np.testing.assert_array_equal(space.sample(), expected[0])  # which is not shared
    rows = list(iterate(batched, points))
    assert [row.shape for row in rows] == [(3,)] * 4
    out = create_empty_array(space, 4)
    assert (out.shape, out.dtype, out.any()) == ((4, 3), np.float64, False)
    assert concatenate(space, rows, out) is out
    np.testing.assert_array_equal(out, points)
    assert create_empty_array(batched, 2, np.empty).shape == (2, 4, 3)
    with pytest.raises(ValueError, match="only a space of single .* can be batched"):
        batch_space(batched, 2)
    assert batch_differing_spaces([space] * 4) == batched
    with pytest.raises(TypeError, match="only equal spaces .* can be batched, got"):
        batch_differing_spaces([space, Points(Ball(3))])


def test_within_gymnasiums_composite_spaces():
    both = gymnasium.spaces.Dict({"arm": gymnasium.spaces.Discrete(2), "point": Points(BALL)})
    batched = batch_space(both, 3)
    batched.seed(0)
    items = batched.sample()
    assert items in batched
    rows = list(iterate(batched, items))
    again = concatenate(both, rows, create_empty_array(both, 3))
    np.testing.assert_array_equal(again["point"], items["point"])
    assert not both.is_np_flattenable


def test_json():
    space = Points(BALL, n=2, seed=0)
    samples = [space.sample() for _ in range(3)]
    stored = space.to_jsonable(samples)
    assert isinstance(stored[0][0][0], float)
    np.testing.assert_array_equal(space.from_jsonable(stored), samples)


class Play(gymnasium.Env):
    """Shows back the point played."""

    def __init__(self, radius=2.0):
        self.observation_space = Points(Ball(3, radius))
        self.action_space = Points(Ball(3, radius))

    def reset(self, *, seed=None, options=None):
        return np.zeros(3), {}

    def step(self, action):
        return np.array(action), 0.0, False, False, {}


def test_sync_vector_env_hands_points_on():
    envs = gymnasium.vector.SyncVectorEnv([Play] * 3)
    assert envs.action_space == envs.observation_space == Points(BALL, n=3)
    envs.reset()
    points = envs.action_space.sample()
    np.testing.assert_array_equal(envs.step(points)[0], points)
    with pytest.raises((AssertionError, RuntimeError)):  # the first before Gymnasium 1.4
        gymnasium.vector.SyncVectorEnv([Play, lambda: Play(2.5)])


def test_rankings_are_uniform_over_arrays_of_distinct_labels():
    rankings = Ranking(4, 2, n=6000, seed=0).sample()
    assert (rankings.shape, rankings.dtype) == ((6000, 2), np.int64)
    counts = np.bincount(rankings[:, 0] * 4 + rankings[:, 1], minlength=16).reshape(4, 4)
    assert not np.diag(counts).any()
    # 12 ordered pairs; a p-value below 1e-4 has probability 1e-4, and the seed is fixed.
    assert stats.chisquare(counts[~np.eye(4, dtype=bool)]).pvalue > 1e-4


def test_n_rankings_take_what_n_single_ones_would():
    many, one = Ranking(9, 3, n=5, seed=7), Ranking(9, 3, seed=7)
    np.testing.assert_array_equal(many.sample(), [one.sample() for _ in range(5)])
    assert one.sample().shape == (3,)


@pytest.mark.parametrize("ranking", [[0, 8], (8, 3), np.array([1, 2], np.uint8), [5, 4]])
def test_what_is_a_ranking(ranking):
    assert ranking in Ranking(9, 2)


@pytest.mark.parametrize(
    "other",
    [[3, 3], [0, 9], [-1, 0], [0], [0, 1, 2], 0, [0.0, 1.0], [True, False], "01", None, [[0, 1]]],
)
def test_what_is_none(other):
    assert other not in Ranking(9, 2)
    assert other not in Ranking(9, 2, n=2)


def test_rankings_are_batched_and_compared():
    space = Ranking(9, 1, seed=5)
    batched = batch_space(space, 4)
    assert batched == Ranking(9, 1, n=4) == batch_differing_spaces([space] * 4)
    assert batched.shape == (4, 1)
    assert space != Ranking(9, 2) != Ranking(8, 2) != Points(BALL)
    assert Ranking(3, 3) != Points(BALL)
    labels = batched.sample()
    rows = list(iterate(batched, labels))
    out = create_empty_array(space, 4)
    assert (out.shape, out.dtype) == ((4, 1), np.int64)
    np.testing.assert_array_equal(concatenate(space, rows, out), labels)
    assert repr(batched) == "Ranking(9, slots=1, n=4)"
    stored = space.to_jsonable([np.array([3])])
    assert stored == [[3]]
    assert space.from_jsonable(stored)[0].dtype == np.int64
    with pytest.raises(ValueError, match="slots must be at most the number of labels, 3, got 4"):
        Ranking(3, 4)
    with pytest.raises(gymnasium.error.Error, match="Ranking.sample takes no mask"):
        space.sample(mask=np.ones(9))


MASK = np.array([0, 1, 0, 1, 1], np.int8)


def test_samples_are_uniform_among_the_arms_of_a_mask():
    space = MaskedArms(5, seed=0)
    space.mask = MASK
    counts = np.bincount([space.sample() for _ in range(3000)], minlength=5)
    assert not counts[MASK == 0].any()
    # 1000 each, of standard deviation 26.
    assert np.abs(counts[MASK == 1] - 1000).max() < 120
    # A mask of the caller's own takes its place, and so do probabilities.
    assert space.sample(mask=np.array([1, 0, 0, 0, 0], np.int8)) == 0
    assert space.sample(probability=np.array([0.0, 0, 1, 0, 0])) == 2
    # Nothing is left of choice before the first round and after the last.
    for mask in (None, np.zeros(5, np.int8)):
        space.mask = mask
        assert {int(space.sample()) for _ in range(100)} == set(range(5))


@pytest.mark.parametrize("arm", [1, 3, np.int64(4), np.int32(1)])
def test_arms_of_the_mask_are_of_the_space(arm):
    space = MaskedArms(5)
    space.mask = MASK
    assert arm in space
    assert np.int64(arm) in space


@pytest.mark.parametrize("arm", [0, 2, -1, 5, 1.5, "1", None])
def test_other_arms_are_not(arm):
    space = MaskedArms(5)
    space.mask = MASK
    assert arm not in space


def test_a_batch_has_a_mask_a_replicate():
    space = batch_space(MaskedArms(5, seed=1), 3)
    assert isinstance(space, EachMaskedArms)
    assert (space.shape, space.dtype) == ((3,), np.int64)
    assert {int(arm) for _ in range(50) for arm in space.sample()} == set(range(5))
    space.mask = np.array([MASK, 1 - MASK, 0 * MASK])
    samples = np.array([space.sample() for _ in range(200)])
    assert set(samples[:, 0].tolist()) == {1, 3, 4}
    assert set(samples[:, 1].tolist()) == {0, 2}
    assert set(samples[:, 2].tolist()) == set(range(5))
    assert all(sample in space for sample in samples)
    assert np.array([0, 0, 0]) not in space
    assert np.array([1, 0, 5]) not in space
    assert list(iterate(space, samples[0])) == samples[0].tolist()
    chosen = space.sample(mask=tuple(np.eye(5, dtype=np.int8)[j] for j in (2, 0, 4)))
    assert chosen.tolist() == [2, 0, 4]


def test_spaces_are_equal_if_their_numbers_of_arms_are():
    space = MaskedArms(5)
    space.mask = MASK
    assert space == MaskedArms(5) == copy.deepcopy(space)
    assert space != MaskedArms(4)
    assert space != gymnasium.spaces.Discrete(5)
    batched = batch_space(space, 2)
    assert batched == EachMaskedArms(5, 2)
    assert batched != EachMaskedArms(5, 3)
    assert batched != gymnasium.spaces.MultiDiscrete([5, 5])
    assert (repr(space), repr(batched)) == ("MaskedArms(5)", "EachMaskedArms(5, n=2)")
    np.testing.assert_array_equal(copy.deepcopy(space).mask, MASK)
