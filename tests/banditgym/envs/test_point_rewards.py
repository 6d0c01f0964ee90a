"""Expected rewards, rewards and regrets of points against their definitions."""

import numpy as np
import pytest

from banditgym.envs.point_rewards import (
    expected_of_others,
    expected_of_rows,
    expected_rewards,
    reward_played_points,
    reward_points,
)

# Two sums of seven products below 4, each of which rounds seven times by half an eps.
NEAR = {"rtol": 0, "atol": 7 * 28 * 2.2e-16}


@pytest.fixture(params=[(1, 1), (3, 2), (5, 7)], ids=str)
def problem(request):
    """Points (n, d), others (2, n, d), a basis (d, d) and parameters (n, d)."""
    n, dim = request.param
    rng = np.random.default_rng(n)
    return [rng.uniform(-2, 2, shape) for shape in ((n, dim), (2, n, dim), (dim, dim), (n, dim))]


def test_expected_rewards_are_inner_products(problem):
    points, others, basis, theta = problem
    out, of_rows, of_others = (
        np.empty(len(points)),
        np.empty(theta.shape),
        np.empty((2, len(theta))),
    )
    expected_rewards(points, theta, out)
    expected_of_rows(basis, theta, of_rows)
    expected_of_others(others, theta, of_others)
    np.testing.assert_allclose(out, (points * theta).sum(axis=1), **NEAR)
    np.testing.assert_allclose(of_rows, theta @ basis.T, **NEAR)
    np.testing.assert_allclose(of_others, (others * theta).sum(axis=2), **NEAR)
    # To the same bits, wherever a point is.
    alone = np.empty(len(points))
    expected_rewards(np.repeat(basis[-1:], len(points), axis=0), theta, alone)
    np.testing.assert_array_equal(of_rows[:, -1], alone)
    expected_rewards(others[1], theta, alone)
    np.testing.assert_array_equal(of_others[1], alone)


@pytest.mark.parametrize("alike", [True, False])
def test_rewards_of_rounds_follow_the_numbers_of_their_points(alike):
    rng, dim, others, rounds, n = np.random.default_rng(0), 3, 2, 40, 5
    means = rng.standard_normal((dim + others, n))
    best, noise = rng.standard_normal(n), rng.standard_normal((rounds, n))
    which = rng.integers(dim + others, size=(rounds, 1 if alike else n))
    reward, regret = np.empty((2, rounds, n))
    reward_played_points((means[:dim], means[dim:]), best, noise, which, reward, regret)
    expected = means[np.broadcast_to(which, noise.shape), np.arange(n)]
    np.testing.assert_array_equal(reward, expected + noise)
    np.testing.assert_array_equal(regret, best - expected)


def test_a_reward_has_the_noise_of_its_round(problem):
    points, _, _, theta = problem
    n = len(points)
    noise = np.random.default_rng(0).standard_normal((6, n))
    best, means = np.arange(n) + 30.0, np.empty(n)
    places, reward, regret = np.array([4, 2]), *np.empty((2, 2, n))
    reward_points(theta, best, noise, places, np.stack([points, points[::-1]]), reward, regret)
    for j, of_round in enumerate((points, points[::-1].copy())):
        expected_rewards(of_round, theta, means)
        np.testing.assert_array_equal(reward[j], means + noise[places[j]])
        np.testing.assert_array_equal(regret[j], best - means)
