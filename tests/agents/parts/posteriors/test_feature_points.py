"""Regression on features of points against its definition, and features against their kernels."""

from types import SimpleNamespace

import numpy as np
import pytest

from agents.parts.posteriors import FixedNystrom, QuadratureFourier, RandomFourier
from agents.parts.posteriors.feature_points import FeaturePoints
from banditgym.functions.covariances import RBF, Matern
from banditgym.streams import AGENT, Stream

SEEDS, RIDGE = [4, 5, 6], 0.07
TASK = SimpleNamespace(on_box=True, dim=2, n_arms=None, arms=None, fixed_arms=True)
RNG = np.random.default_rng(0)
POINTS = RNG.random((40, 3, 2))
REWARDS = RNG.standard_normal((40, 3))
PARTS = {
    "random": (RandomFourier(size=30), Matern(nu=1.5, length_scale=0.3, variance=2.0)),
    "quadrature": (QuadratureFourier(nodes=7), RBF(length_scale=0.5, variance=3.0)),
    "sor": (FixedNystrom(size=15, variance="sor"), RBF(length_scale=0.3, variance=2.0)),
    "dtc": (FixedNystrom(size=15), Matern(nu=2.5, length_scale=0.3, variance=2.0)),
}


def started(name):
    part, covariance = PARTS[name]
    return part.reset(TASK, n=3, seeds=SEEDS, covariance=covariance, ridge=RIDGE), covariance


def features(model, i, x):
    """The features (m, D) of points (m, 2)."""
    return model.features.of(i, np.ascontiguousarray(x.T)).T


@pytest.mark.parametrize("name", PARTS)
def test_states_are_those_of_a_fresh_solve(name):
    model, covariance = started(name)
    x = RNG.random((30, 2))
    columns = np.repeat(x.T[None], 3, axis=0)
    learned = [[], [], []]
    for t in range(40):
        observed = RNG.random(3) < 0.8
        model.update(POINTS[t][:, :, None], np.zeros(3, int), REWARDS[t], observed)
        for i in np.flatnonzero(observed):
            learned[i].append(t)
    mean, variance = model.predict(columns)
    for i, rounds in enumerate(learned):
        both = np.concatenate([x, POINTS[rounds, i]])
        z = features(model, i, both)
        left = np.zeros(len(both))
        if name == "dtc":
            left = np.maximum(covariance.diagonal(both) - (z * z).sum(axis=1), 0) / RIDGE
        played = z[30:]
        gram = played.T @ played + RIDGE * np.eye(z.shape[1])
        expected = z @ np.linalg.solve(gram, played.T @ REWARDS[rounds, i])
        spread = (z * np.linalg.solve(gram, z.T).T).sum(axis=1) + left
        np.testing.assert_allclose(mean[i], expected[:30], rtol=0, atol=1e-8)
        np.testing.assert_allclose(variance[i], spread[:30], rtol=1e-8, atol=1e-8)
        assert model.effective_dimension()[i] == pytest.approx(spread[30:].sum(), rel=1e-8)
        assert model.pulls[i] == len(rounds)


@pytest.mark.parametrize("name", ["random", "quadrature", "sor"])
def test_draws_are_the_posteriors_linear_maps_of_their_normals(name):
    model, _ = started(name)
    for t in range(12):
        model.update(POINTS[t][:, :, None], np.zeros(3, int), REWARDS[t], np.ones(3, bool))
    stream, scale = Stream(SEEDS, AGENT, 0, 0), np.array([0.5, 0.0, 2.0])
    t = np.array([3, 9, 4])
    x = RNG.random((20, 2))
    drawn = model.draw(stream.keys, t, scale)(np.repeat(x.T[None], 3, axis=0))
    for i in range(3):
        z, played = features(model, i, x), features(model, i, POINTS[:12, i])
        gram = played.T @ played + RIDGE * np.eye(z.shape[1])
        normals = stream.normal(t, (z.shape[1],))[i]
        theta = np.linalg.solve(gram, played.T @ REWARDS[:12, i])
        # V = L L^T, and L^-T g has the covariance V^-1.
        theta += scale[i] * np.linalg.solve(np.linalg.cholesky(gram).T, normals)
        np.testing.assert_allclose(drawn[i], z @ theta, rtol=0, atol=1e-8)


def test_features_have_the_kernels_values():
    x = RNG.random((25, 2))
    covariance = RBF(length_scale=0.5, variance=3.0)
    model = QuadratureFourier().reset(TASK, n=1, seeds=[0], covariance=covariance, ridge=RIDGE)
    z = features(model, 0, x)
    np.testing.assert_allclose(z @ z.T, covariance(x, x), rtol=0, atol=1e-6)
    many = RandomFourier(size=2_000)
    model = many.reset(TASK, n=1, seeds=[0], covariance=covariance, ridge=1.0)
    z = features(model, 0, x[:5])
    # A value errs by s sqrt(1 / D) in standard deviation at most, 0.067; 15 values are compared.
    np.testing.assert_allclose(z @ z.T, covariance(x[:5], x[:5]), rtol=0, atol=4.5 * 0.0671)
    model, covariance = started("sor")
    points = model.features.dictionary[0]
    z = features(model, 0, np.concatenate([points, x]))
    np.testing.assert_allclose(
        z @ z[:15].T, covariance(np.concatenate([points, x]), points), rtol=0, atol=1e-6
    )


def test_a_point_that_is_not_finite_is_refused_before_anything_is_learned():
    model, _ = started("sor")
    bad = POINTS[0][:, :, None].copy()
    bad[1, 0, 0] = np.nan
    with pytest.raises(ValueError, match="a point of replicate 1 is not finite"):
        model.update(bad, np.zeros(3, int), REWARDS[0], np.ones(3, bool))
    assert not model.pulls.any()


def test_by_default_the_variance_is_that_of_the_features_alone():
    assert not FeaturePoints(None, 3, n=1, covariance=RBF(), ridge=0.1).corrected
