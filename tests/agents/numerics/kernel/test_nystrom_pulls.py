"""The law by which inducing points are drawn; their use is tested beside the Nyström posterior."""

import numpy as np
import pytest

from agents.numerics.kernel.nystrom_pulls import NystromPulls, draw_arms, draw_pulls, inclusion_keys

N = 20_000
KEYS = inclusion_keys(range(N))
COUNTS = np.tile([1, 3, 0, 10, 7], (N, 1))
VARIANCE = np.tile([0.04, 0.04, 0.9, 0.013, 0.3], (N, 1))
PULLED = np.tile([3, 0, 1, 4, 0], (N, 1))  # arm 2 never; the last column is room
LAW = 1 - (1 - np.minimum(1, 4.0 * VARIANCE[0])) ** COUNTS[0]
# A frequency of N draws errs by 4.5 standard deviations once in 150,000 times.
BAND = 4.5 * np.sqrt(0.25 / N)


def draw(keys, pulls, qbar, variance, counts, seen, distinct, inducing, size, ended):
    """``draw_arms`` for a state of which it uses these."""
    given = {
        "keys": keys, "pulls": pulls, "qbar": qbar, "start_variance": variance,
        "counts": counts, "seen": seen, "distinct": distinct, "inducing": inducing, "count": size,
    }  # fmt: skip
    draw_arms(NystromPulls(**dict.fromkeys(NystromPulls._fields) | given), ended)


def drawn(t):
    """Whether each arm is in the dictionary after pull t, (N, 5)."""
    inducing, size = np.full((N, 5), -1), np.zeros(N, np.int64)
    draw(
        KEYS, np.full(N, t), 4.0, VARIANCE, COUNTS, PULLED, np.full(N, 4), inducing, size,
        np.ones(N, bool),
    )  # fmt: skip
    inducing[np.arange(5) >= size[:, None]] = -1
    return (inducing[:, :, None] == np.arange(5)).any(axis=1)


def test_an_arm_is_in_by_one_chance_for_each_of_its_pulls():
    included = drawn(21)
    assert np.all(np.abs(included.mean(axis=0) - LAW) <= BAND)
    assert included[:, 4].all()
    assert not included[:, 2].any()
    # The law of the released code, min(1, n p), would be another.
    assert abs(included[:, 3].mean() - min(1, 10 * 4.0 * 0.013)) > 5 * BAND


def test_arms_and_rounds_are_drawn_independently():
    first, second = drawn(21), drawn(22)
    assert np.all(np.abs((first & second).mean(axis=0) - LAW**2) <= BAND)
    assert abs((first[:, 1] & first[:, 3]).mean() - LAW[1] * LAW[3]) <= BAND
    assert abs((first[:, 0] & first[:, 1]).mean() - LAW[0] * LAW[1]) <= BAND


def test_the_first_pull_is_drawn_for_certain():
    assert drawn(1)[:, [0, 1, 3, 4]].all()


def test_pulls_are_drawn_one_by_one():
    inducing, size = np.full((N, 4), -1), np.zeros(N, np.int64)
    variance = np.tile([0.04, 0.04, 0.3, 0.1], (N, 1))
    ended = np.arange(N) > 0
    draw_pulls(KEYS, np.full(N, 3), 4.0, variance, inducing, size, ended)
    assert size[0] == 0
    inducing[np.arange(4) >= size[:, None]] = -1
    included = (inducing[:, :, None] == np.arange(4)).any(axis=1)
    np.testing.assert_array_equal(size, included.sum(axis=1))
    law = [0.16, 0.16, 1.0, 0.0]  # the fourth is not there yet
    assert np.all(np.abs(included.mean(axis=0) - law) <= BAND)
    assert abs((included[:, 0] & included[:, 1]).mean() - 0.16**2) <= BAND


def test_a_batch_that_goes_on_keeps_its_dictionary():
    inducing, size = np.array([[7, 8], [7, 8]]), np.array([1, 2])
    draw(
        KEYS[:2], np.full(2, 9), 4.0, np.full((2, 9), 5.0), np.ones((2, 9), np.int64),
        np.array([[3, 4], [3, 4]]), np.array([2, 2]), inducing, size, np.array([False, True]),
    )  # fmt: skip
    assert inducing.tolist() == [[7, 8], [3, 4]]
    assert size.tolist() == [1, 2]


def test_a_chance_beyond_one_is_one():
    inducing, size = np.zeros((50, 1), np.int64), np.zeros(50, np.int64)
    draw(
        KEYS[:50], np.full(50, 2), 1e300, np.full((50, 1), 1e10), np.ones((50, 1), np.int64),
        np.zeros((50, 1), np.int64), np.ones(50, np.int64), inducing, size, np.ones(50, bool),
    )  # fmt: skip
    assert size.tolist() == [1] * 50
    assert inclusion_keys([3, 4]).shape == (2, 2)
    with pytest.raises(ValueError, match="seed"):
        inclusion_keys([-1])
