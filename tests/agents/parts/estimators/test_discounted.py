"""Discounted regression against sums over the whole past, random and awkward."""

import numpy as np
import pytest

from agents.parts.estimators import Discounted, Ridge
from banditgym.tasks import LinearTask

DISCOUNT, RIDGE = 0.9, 0.3


def _task(dim, n_arms, fixed=False):
    return LinearTask(
        n_arms=n_arms, dim=dim, horizon=99, noise_std=0.1, subgaussian=0.1, feature_norm=None,
        param_norm=1.0, fixed_arms=fixed,
    )  # fmt: skip


def _features(kind, rng, n, dim, n_arms):
    x = {"large": 3e3, "small": 1e-6}.get(kind, 1.0) * rng.standard_normal((n, dim, n_arms))
    if kind == "deficient":
        x = np.outer(np.arange(1.0, dim + 1), rng.standard_normal(n_arms)) * np.ones((n, 1, 1))
    if kind == "repeated":
        x[:] = np.arange(1.0, dim + 1)[:, None]
    x.flags.writeable = False
    return x


@pytest.mark.parametrize("forward", [False, True])
@pytest.mark.parametrize("kind", ["random", "repeated", "deficient", "large", "small"])
@pytest.mark.parametrize(("dim", "n_arms"), [(1, 1), (2, 5), (5, 3), (9, 8), (26, 7)])
def test_is_the_weighed_least_squares_solution(kind, dim, n_arms, forward):
    """50 rounds, a fifth of the rewards hidden. A backward stable solve errs by a few d eps times
    V's condition number; the sums differ from the recursion by 50 eps: 100 d in all. Means are
    relative to the sum of the terms' absolute values."""
    n, rng = 3, np.random.default_rng(dim)
    part = Discounted(discount=DISCOUNT, ridge=RIDGE, forward=forward)
    model = part.reset(_task(dim, n_arms), n)
    past = [[] for _ in range(n)]
    for _ in range(50):
        x = _features(kind, rng, n, dim, n_arms)
        arms, reward = rng.integers(n_arms, size=n), rng.standard_normal(n)
        observed = rng.random(n) < 0.8
        model.update(x, arms, np.where(observed, reward, np.nan), observed)
        for i in np.flatnonzero(observed):
            past[i].append((x[i, :, arms[i]], reward[i]))
    x = _features(kind, rng, n, dim, n_arms)
    mean, variance = model.predict(x)
    for i in range(n):
        weight = DISCOUNT ** np.arange(len(past[i]))[::-1]
        rows = np.array([row for row, _ in past[i]])
        gram = RIDGE * np.eye(dim) + (weight[:, None] * rows).T @ rows
        squared = RIDGE * np.eye(dim) + (weight[:, None] ** 2 * rows).T @ rows
        moment = (weight * np.array([paid for _, paid in past[i]])) @ rows
        for k in range(n_arms):
            v, g, s = x[i, :, k], gram, squared
            if forward:
                g, s = gram + np.outer(v, v), squared + np.outer(v, v)
            room = 100 * dim * 2.2e-16 * np.linalg.cond(g)
            u, theta = np.linalg.solve(g, v), np.linalg.solve(g, moment)
            terms = weight @ [abs(r) * np.linalg.norm(row) for row, r in past[i]]
            terms *= np.linalg.norm(v) / np.linalg.eigvalsh(g)[0]
            assert abs(mean[i, k] - v @ theta) <= room * terms
            assert abs(variance[i, k] - u @ s @ u) <= room * (u @ s @ u)


@pytest.mark.parametrize("fixed", [False, True])
def test_without_discount_it_is_ridge_regression(fixed):
    """V2 = V, so x^T V^-1 V2 V^-1 x = x^T V^-1 x; 60 rounds, 1e-10 as for Ridge."""
    rng = np.random.default_rng(0)
    task = _task(4, 6, fixed)
    one = Discounted(discount=1.0, ridge=RIDGE).reset(task, 2)
    other = Ridge(ridge=RIDGE).reset(task, 2)
    x = _features("random", rng, 2, 4, 6)
    for _ in range(60):
        x = x if fixed else _features("random", rng, 2, 4, 6)
        for got, expected in zip(one.predict(x), other.predict(x), strict=True):
            np.testing.assert_allclose(got, expected, rtol=1e-10, atol=1e-10)
        arms, reward = rng.integers(6, size=2), rng.standard_normal(2)
        for model in (one, other):
            model.update(x, arms, reward, np.ones(2, bool))


def test_a_hidden_reward_ages_nothing():
    rng = np.random.default_rng(1)
    model = Discounted().reset(_task(3, 4), 2)
    x = _features("random", rng, 2, 3, 4)
    model.update(x, np.array([0, 1]), np.ones(2), np.ones(2, bool))
    before = {k: v.copy() for k, v in model._asdict().items() if isinstance(v, np.ndarray)}
    model.update(x, np.array([2, 2]), np.array([np.nan, 1.0]), np.array([False, True]))
    for name in ("gram", "squared_gram", "moment"):
        assert before[name][0].tobytes() == getattr(model, name)[0].tobytes()
        assert before[name][1].tobytes() != getattr(model, name)[1].tobytes()


@pytest.mark.parametrize("bad", [np.nan, np.inf])
def test_features_that_are_not_finite_raise_and_change_nothing(bad):
    rng = np.random.default_rng(2)
    model = Discounted().reset(_task(3, 4), 3)
    x = _features("random", rng, 3, 3, 4).copy()
    x[1, 2, 3] = bad
    x.flags.writeable = False
    with pytest.raises(ValueError, match="replicate 1 .*finite"):
        model.predict(x)
    with pytest.raises(ValueError, match="replicate 1 .*finite"):
        model.update(x, np.full(3, 3), np.ones(3), np.ones(3, bool))
    np.testing.assert_array_equal(model.gram, np.tile(np.eye(3), (3, 1, 1)))


@pytest.mark.parametrize(
    ("given", "named"),
    [
        ({"discount": 0.0}, "discount"),
        ({"discount": 1.01}, "discount"),
        ({"discount": float("nan")}, "discount"),
        ({"ridge": 0.0}, "ridge"),
    ],
)
def test_bad_settings_are_named_with_their_value(given, named):
    with pytest.raises(ValueError, match=f"{named}.*{next(iter(given.values()))}"):
        Discounted(**given)


def test_features_whose_squares_overflow_raise_and_change_nothing():
    model = Discounted().reset(_task(2, 1), 2)
    x = np.ones((2, 2, 1))
    x[1] = 1e200
    x.flags.writeable = False
    with pytest.raises(ValueError, match="replicate 1 .*too long"):
        model.update(x, np.zeros(2, int), np.ones(2), np.ones(2, bool))
    np.testing.assert_array_equal(model.gram, np.tile(np.eye(2), (2, 1, 1)))
