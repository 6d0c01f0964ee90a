"""The Nyström embedding against pseudo-inverses and fresh solves."""

import numpy as np
import pytest

from agents.numerics.kernel.nystrom_embedding import Embedding, embed, score
from agents.numerics.kernel.nystrom_pulls import NystromPulls, rebuild, shrink
from banditgym.functions.covariances import RBF, Linear
from banditgym.linalg.symmetric import eigensystem

RIDGE = 0.3


def plain(inner, across, at, prior, weights, totals, ridge, decompose=np.linalg.eigh):
    """Mean, variance and V^-1 in one embedding, by the symmetric root of K_SS."""
    values, vectors = decompose(inner)
    kept = values > len(values) * np.finfo(float).eps * values.max()
    root = (vectors[:, kept] / np.sqrt(values[kept])) @ vectors[:, kept].T
    z, past = root @ at, root @ across
    inverse = np.linalg.inv((past * weights) @ past.T + ridge * np.eye(len(values)))
    mean = z.T @ inverse @ past @ totals
    rest = np.maximum(prior - (z * z).sum(axis=0), 0) / ridge
    return mean, rest + np.einsum("ja,jl,la->a", z, inverse, z), rest, z, past


def room(m):
    # One more than needed, and full of what must not be read.
    return np.full((m + 1, m + 1), np.nan), np.full((m + 1, m + 1), np.nan), np.full(m + 1, np.nan)


def fitted(covariance, points, seen, at, weights, totals, ridge):
    m = len(points)
    whitening, solver, coefficients = room(m)
    rank, triangular = embed(
        covariance(points, points), covariance(points, seen), weights, totals, ridge, whitening,
        solver, coefficients,
    )  # fmt: skip
    mean, variance = np.full(len(at), np.nan), np.full(len(at), np.nan)
    # Rows of a larger kernel matrix, in another order.
    kernel = np.vstack([np.full((1, len(at)), np.nan), covariance(points, at)[::-1]])
    embedding = Embedding(whitening, solver, coefficients, rank, triangular)
    prior = covariance.diagonal(at)
    score(kernel, np.arange(m, 0, -1), prior, ridge, embedding, mean, variance)
    return mean, variance, rank, triangular


@pytest.mark.parametrize("m", [1, 2, 3, 4, 5, 7, 8, 9, 30])
@pytest.mark.parametrize("n_points", [1, 255, 257, 600])
def test_scores_are_those_of_the_definition(m, n_points):
    """Well apart: condition below 1e5, so that either way errs by 1e-11 at most."""
    rng = np.random.default_rng(m)
    covariance = RBF(length_scale=0.3, variance=2.0)
    grid = np.stack(np.meshgrid(np.arange(6.0), np.arange(6.0)), axis=-1).reshape(-1, 2) / 5
    points = rng.permutation(grid)[:m]
    seen = np.vstack([points, rng.random((6, 2))])
    at = np.vstack([points, rng.random((n_points, 2))])
    weights, totals = rng.integers(1, 9, size=m + 6).astype(float), rng.standard_normal(m + 6)
    mean, variance, rank, triangular = fitted(covariance, points, seen, at, weights, totals, RIDGE)
    assert (rank, triangular) == (m, True)
    expected = plain(
        covariance(points, points), covariance(points, seen), covariance(points, at),
        covariance.diagonal(at), weights, totals, RIDGE,
    )  # fmt: skip
    np.testing.assert_allclose(mean, expected[0], rtol=0, atol=1e-10)
    np.testing.assert_allclose(variance, expected[1], rtol=0, atol=1e-10)


@pytest.mark.parametrize(
    ("covariance", "points", "rank"),
    [
        (Linear(variance=2.0), np.random.default_rng(0).standard_normal((9, 3)), 3),
        (Linear(), np.zeros((3, 2)), 0),
        (RBF(), np.repeat([[0.1, 0.2], [0.7, 0.4], [0.9, 0.9]], 3, axis=0), 3),
        (RBF(), np.vstack([np.eye(2), np.eye(2) + 1e-9, [[0.3, 0.3]]]), 3),
        (RBF(), np.vstack([np.eye(2), np.eye(2) + 1e-6, [[0.3, 0.3]]]), 5),  # by eigenvalues too
    ],
)
def test_dependent_points_embed_what_they_span(covariance, points, rank):
    rng = np.random.default_rng(1)
    dim = points.shape[1]
    seen = np.vstack([points, rng.random((4, dim))])
    at = np.vstack([points, rng.random((30, dim))])
    weights, totals = np.full(len(seen), 2.0), rng.standard_normal(len(seen))
    mean, variance, found, triangular = fitted(covariance, points, seen, at, weights, totals, RIDGE)
    assert found == rank
    assert triangular == (rank == 0)
    if rank == 0:
        np.testing.assert_array_equal(mean, 0.0)
        np.testing.assert_array_equal(variance, covariance.diagonal(at) / RIDGE)
        return
    # The least eigenvalue kept is 1e-11 of the largest: it errs by eps / 1e-11 of itself, and its
    # coordinate by as much, however it was found. Given one decomposition coordinates err by 1e-10,
    # as long as they are not mixed, but in ``plain`` they are.
    values = np.linalg.eigvalsh(covariance(points, points))
    by_value = len(points) * np.finfo(float).eps * values[-1] / values[-rank]
    for decompose, error in ((eigensystem, 1e-8), (np.linalg.eigh, max(1e-8, by_value))):
        expected = plain(
            covariance(points, points), covariance(points, seen), covariance(points, at),
            covariance.diagonal(at), weights, totals, RIDGE, decompose,
        )  # fmt: skip
        np.testing.assert_allclose(mean, expected[0], rtol=0, atol=error)
        np.testing.assert_allclose(variance, expected[1], rtol=0, atol=error)


def test_explained_variance_is_exact_at_inducing_points_however_close():
    """Pairs 1e-7 apart, at ridge 1e-6: the coordinates that tell them apart err by 1e-9, and
    mixed into the others would show in the variance divided by the ridge."""
    covariance, ridge = RBF(), 1e-6
    points = np.array([[0.1, 0.1], [0.1, 0.1 + 1e-7], [0.5, 0.6], [0.5 + 1e-7, 0.6]])
    counts = np.array([3.0, 5.0, 2.0, 9.0])
    _, variance, rank, _ = fitted(covariance, points, points, points, counts, counts, ridge)
    assert rank == 4
    # The exact posterior of points that coincide is that of one point with their pulls together;
    # apart by r they differ by r^2 / (2 l^2) n / ridge, relative, some 1e-6.
    together = np.array([1 / 8, 1 / 8, 1 / 11, 1 / 11])
    np.testing.assert_allclose(variance, together, rtol=1e-5)


def test_no_variance_is_negative():
    """Of points seen 1e15 times 1e-15 is left; the rounding of |z|² over the ridge is more."""
    covariance, points = RBF(), np.random.default_rng(5).random((20, 2))
    weights = np.full(20, 1e15)
    _, variance, rank, _ = fitted(covariance, points, points, points, weights, weights, 1e-6)
    assert rank == 20
    assert np.all(variance >= 0)
    assert variance.min() < 1e-14  # so that the rounding of others was clipped
    assert variance.max() < 1e-7


def batch_state(covariance, arms, inducing, pulled, paid, ridge):
    """What ``rebuild`` needs for two replicates, of which the second is not ended."""
    m, k, n = len(inducing), len(arms), 2
    counts = np.tile(np.bincount(pulled, minlength=k), (n, 1))
    totals = np.tile(np.bincount(pulled, paid, minlength=k), (n, 1))
    distinct = list(dict.fromkeys(pulled))
    order = np.random.default_rng(0).permutation(k)
    state = {
        "rows": covariance(arms[order], arms), "row_of": np.argsort(order),
        "prior": covariance.diagonal(arms), "ridge": ridge, "seen": np.tile(distinct, (n, 1)),
        "distinct": np.full(n, len(distinct)), "counts": counts, "totals": totals,
        "inducing": np.tile(inducing, (n, 1)), "count": np.full(n, m),
        "rank": np.zeros(n, np.int64), "coefficients": np.full((n, m + 2), 7.0),
        "whitening": np.full((n, m + 2, m + 2), 7.0), "solver": np.full((n, m + 2, m + 2), 7.0),
        "within": np.full((n, m + 2, m + 2), 7.0),
        "mean": np.full((n, k), 7.0), "variance": np.full((n, k), 7.0),
        "start_variance": np.full((n, k), 7.0),
    }  # fmt: skip
    state |= {"qbar": 1.0, "keys": np.zeros((n, 2), np.uint32), "pulls": np.full(n, len(pulled))}
    rebuild(NystromPulls(**state), np.array([True, False]))
    return state


@pytest.mark.parametrize("repeated", [False, True])
def test_pulls_of_a_batch_shrink_the_variance_as_a_fresh_solve_does(repeated):
    covariance, rng = RBF(length_scale=0.3), np.random.default_rng(3)
    arms = rng.random((23, 2))
    if repeated:
        arms[1] = arms[0]
    inducing = [0, 1, 5, 9, 11, 2]
    pulled = [0, 5, 5, 9, 7, 3, 11, 0, 2, 1]
    paid = rng.standard_normal(10)
    state = batch_state(covariance, arms, inducing, pulled, paid, RIDGE)
    for name in ("mean", "variance", "start_variance", "whitening", "solver", "within"):
        assert np.all(state[name][1] == 7.0), name
    inner, across = (covariance(arms[inducing], arms[x]) for x in (inducing, pulled))
    at = covariance(arms[inducing], arms)
    prior = covariance.diagonal(arms)
    mean, variance, *_ = plain(inner, across, at, prior, np.ones(10), paid, RIDGE)
    assert state["rank"][0] == 6 - repeated
    np.testing.assert_allclose(state["mean"][0], mean, rtol=0, atol=1e-9)
    np.testing.assert_allclose(state["variance"][0], variance, rtol=0, atol=1e-9)
    ended = state["start_variance"].copy()
    for arm in (4, 4, 9, 0, 17):
        shrink(NystromPulls(**state), np.array([arm, arm]), np.array([True, False]))
        pulled.append(arm)
        across = covariance(arms[inducing], arms[pulled])
        many = np.ones(len(pulled))
        variance = plain(inner, across, at, prior, many, many, RIDGE)[1]
        np.testing.assert_allclose(state["variance"][0], variance, rtol=0, atol=1e-9)
        np.testing.assert_allclose(state["mean"][0], mean, rtol=0, atol=1e-9)
        assert np.all(state["variance"][1] == 7.0)
    np.testing.assert_array_equal(state["start_variance"], ended)
