"""The plain GP-UCB is the formula."""

import numpy as np
import pytest

from banditgym.functions.covariances import RBF, Linear, Matern
from leaderboards.papers.calandriello2019.plain_gp import plain_gpucb, refit


@pytest.mark.parametrize("covariance", [RBF(variance=3.0), Matern(nu=0.5), Linear()])
def test_a_refit_is_the_posterior_by_the_inverse(covariance):
    rng = np.random.default_rng(1)
    arms, rewards, ridge = rng.random((7, 2)), rng.standard_normal(5), 0.3
    pulled = np.array([3, 0, 3, 6, 3])
    inverse = np.linalg.inv(covariance(arms[pulled], arms[pulled]) + ridge * np.eye(5))
    across = covariance(arms, arms[pulled])
    mean, variance = refit(covariance, arms, pulled, rewards, ridge)
    np.testing.assert_allclose(mean, across @ inverse @ rewards, rtol=1e-12, atol=1e-12)
    exact = (covariance.diagonal(arms) - np.diag(across @ inverse @ across.T)) / ridge
    np.testing.assert_allclose(variance, exact, rtol=1e-12, atol=1e-12)


def test_before_any_pull_it_is_the_prior():
    arms = np.random.default_rng(2).random((4, 3))
    mean, variance = refit(RBF(), arms, np.empty(0, np.int64), np.empty(0), 0.5)
    assert mean.tolist() == [0.0] * 4
    assert variance.tolist() == [2.0] * 4


def test_the_loop_learns():
    # f has range at least 1, its largest value minus a mean that is near 0 over the square or its
    # opposite: uniform play loses above 0.5 a round.
    assert 0 < plain_gpucb(150, 2, 300) < 0.25 * 150
