"""Posteriors and linear algebra against their definitions by numpy."""

import numpy as np
import pytest

from banditgym.functions.covariances import RBF
from leaderboards.papers.calandriello2019 import definitions
from leaderboards.papers.calandriello2019.plain_gp import refit


def starved_variance(gram, dictionary, counts, ridge):
    return definitions.posterior(gram, dictionary, counts, np.zeros(len(gram)), ridge)[2]


def test_sor_is_regression_on_its_features():
    rng = np.random.default_rng(0)
    arms, ridge = rng.random((9, 2)), 0.3
    arms[4] = arms[1] + 1e-9  # an inducing point twice
    gram, counts = RBF(length_scale=0.5, variance=2.0)(arms, arms), rng.integers(0, 4, 9)
    dictionary = np.array([1, 2, 4, 7])
    inside = gram[np.ix_(dictionary, dictionary)]
    projected = gram[:, dictionary] @ np.linalg.pinv(inside, rcond=1e-12) @ gram[dictionary]
    pulled = np.repeat(np.arange(9), counts)
    between = projected[np.ix_(pulled, pulled)] + ridge * np.eye(len(pulled))
    explained = projected[:, pulled] @ np.linalg.solve(between, projected[pulled])
    expected = (projected - explained).diagonal() / ridge
    found = definitions.posterior(gram, dictionary, counts, np.zeros(9), ridge)[2]
    np.testing.assert_allclose(found, expected, rtol=1e-6)


def test_inducing_points_that_are_there_already_add_nothing():
    rng = np.random.default_rng(0)
    arms = np.concatenate([np.repeat(rng.random((3, 2)), 3, axis=0), rng.random((4, 2))])
    gram, counts = RBF(length_scale=0.5)(arms, arms), rng.integers(0, 3, 13)
    every = starved_variance(gram, np.arange(9), counts, 0.01)
    once = starved_variance(gram, np.array([0, 3, 6]), counts, 0.01)
    np.testing.assert_allclose(every, once, rtol=1e-11)


def test_sor_with_all_arms_is_exact_and_far_away_it_is_nothing():
    arms = np.array([[0.0], [0.1], [9.0]])
    gram, counts = RBF(length_scale=0.2)(arms, arms), np.array([2, 0, 3])
    everything = starved_variance(gram, np.arange(3), counts, 0.1)
    pulled = np.repeat(np.arange(3), counts)
    _, exact = refit(RBF(length_scale=0.2), arms, pulled, np.zeros(5), 0.1)
    np.testing.assert_allclose(everything, exact, rtol=1e-9)
    starved = starved_variance(gram, np.array([0]), counts, 0.1)
    assert starved[2] == 0
    assert exact[2] > 0.3


def test_linear_algebra_is_numpys():
    rng = np.random.default_rng(3)
    rows, right = rng.standard_normal((7, 5)), rng.standard_normal((5, 2))
    definite = rows.T @ rows
    np.testing.assert_allclose(definitions.solve(definite, right), np.linalg.solve(definite, right))
    assert definitions.log_det(definite) == pytest.approx(np.linalg.slogdet(definite)[1])
    np.testing.assert_allclose(definitions.eigenvalues(definite), np.linalg.eigvalsh(definite))
    with pytest.raises(ValueError, match="must be positive definite, and fails in row 0"):
        definitions.factor(-definite)


def test_the_posterior_is_the_papers():
    rng = np.random.default_rng(0)
    arms, ridge, dictionary = rng.random((8, 2)), 0.3, np.array([1, 5, 6])
    gram = RBF(length_scale=0.5, variance=2.0)(arms, arms)
    pulled, rewards = rng.integers(8, size=20), rng.standard_normal(20)
    values, vectors = np.linalg.eigh(gram[np.ix_(dictionary, dictionary)])
    z = gram[:, dictionary] @ vectors / np.sqrt(values)
    own = z[pulled]
    inverse = np.linalg.inv(own.T @ own + ridge * np.eye(3))
    mean = z @ inverse @ own.T @ rewards
    explained = (z @ own.T @ own @ inverse * z).sum(axis=1)  # as the paper prints it
    counts = np.bincount(pulled, minlength=8)
    totals = np.bincount(pulled, weights=rewards, minlength=8)
    found = definitions.posterior(gram, dictionary, counts, totals, ridge)
    np.testing.assert_allclose(found[0], mean)
    np.testing.assert_allclose(found[1], (gram.diagonal() - explained) / ridge)
    np.testing.assert_allclose(found[2], (z @ inverse * z).sum(axis=1))


def test_an_empty_dictionary_leaves_the_prior():
    gram = RBF(length_scale=0.5, variance=2.0)(np.eye(3), np.eye(3))
    mean, variance, starved = definitions.posterior(
        gram, np.zeros(0, int), np.ones(3), np.ones(3), 0.5
    )
    assert mean.tolist() == starved.tolist() == [0, 0, 0]
    assert variance.tolist() == [4, 4, 4]
