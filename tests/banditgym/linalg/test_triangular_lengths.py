import numpy as np
import pytest

from banditgym.linalg.triangular import absorb_row, initial_factor, predict_row

TOLERANCE = 1e-10


@pytest.mark.parametrize("ratio", [1.0, 1e8, 1e11, 1e14])
def test_a_short_row_keeps_its_direction_when_a_long_one_follows(ratio):
    # By hand, s = 1/ratio: rows s (1, 1), (1, 2), s (0, 1) with outcomes 1, 1, 1. The first two are
    # independent, so no sum of squares is left, and (0, 1) s = s (1, 2) - s (1, 1): its prediction
    # is s - 1 and its leverage s^2 + 1.
    rows = np.array([[1.0 / ratio, 1.0 / ratio], [1.0, 2.0], [0.0, 1.0 / ratio]])
    factor, one, residual = initial_factor(1, 2), np.ones(1), np.zeros(1)
    mean, leverage = np.empty((1, 1)), np.empty((1, 1))
    rows.flags.writeable = False
    for row in rows[:2]:
        assert predict_row(factor, row.reshape(1, 2, 1), TOLERANCE, mean, leverage) == -1
        assert leverage[0, 0] == np.inf
        absorb_row(factor, row.reshape(1, 2, 1), one, one > 0, TOLERANCE, residual)
        assert residual[0] == 0.0
    predict_row(factor, rows[2].reshape(1, 2, 1), TOLERANCE, mean, leverage)
    np.testing.assert_allclose(mean[0, 0], 1 / ratio - 1, rtol=1e-14, atol=1e-14)
    np.testing.assert_allclose(leverage[0, 0], 1 + ratio**-2, rtol=1e-14)


def test_rows_of_a_plane_and_of_all_lengths_stay_in_it():
    # Integers times powers of 2: exactly of rank 2, lengths over 16 orders of magnitude.
    rng = np.random.default_rng(3)
    n, rounds = 100, 30
    pairs = rng.integers(-3, 4, size=(rounds, n, 2)).astype(float)
    plane = np.array([[1.0, 0.0, 1.0, 2.0], [0.0, 1.0, 1.0, -1.0]])
    rows = pairs @ plane * 2.0 ** rng.integers(-27, 28, size=(rounds, n, 1))
    rows.flags.writeable = False
    factor, residual, yes = initial_factor(n, 4), np.zeros(n), np.ones(n, bool)
    mean, leverage = np.empty((n, 1)), np.empty((n, 1))
    rank = np.zeros(n, int)
    for t in range(rounds):
        predict_row(factor, rows[t].reshape(n, 4, 1), TOLERANCE, mean, leverage)
        after = np.array([np.linalg.matrix_rank(pairs[: t + 1, i]) for i in range(n)])
        np.testing.assert_array_equal(np.isinf(leverage[:, 0]), after > rank)
        absorb_row(factor, rows[t].reshape(n, 4, 1), np.ones(n), yes, TOLERANCE, residual)
        rank = after
