"""The ridge regression as a part: plain solving, early updates, masks, bad input."""

import copy

import numpy as np
import pytest

from agents.estimators import Ridge
from banditgym.tasks import LinearTask

RIDGE = 0.3


def _task(dim, n_arms, fixed):
    return LinearTask(
        n_arms=n_arms, dim=dim, horizon=99, noise_std=0.1, subgaussian=0.1, feature_norm=None,
        param_norm=1.0, fixed_arms=fixed,
    )  # fmt: skip


def _contexts(rng, n, dim, n_arms):
    x = rng.standard_normal((n, dim, n_arms))
    x.flags.writeable = False
    return x


def _stored(model):
    return {k: v.copy() for k, v in vars(model).items() if isinstance(v, np.ndarray)}


SHAPES = [(3, 5, False), (5, 3, True), (3, 5, True), (4, 4, True)]


@pytest.mark.parametrize("rounds", [0, 1, 60])
@pytest.mark.parametrize(("dim", "n_arms", "fixed"), SHAPES)
def test_predicts_what_solving_afresh_predicts(dim, n_arms, fixed, rounds):
    """Updates come before the first prediction too: data may be older than the first decision."""
    n, rng = 4, np.random.default_rng(0)
    model = Ridge(ridge=RIDGE).reset(_task(dim, n_arms, fixed), n)
    gram = np.tile(RIDGE * np.eye(dim), (n, 1, 1))
    moment = np.zeros((n, dim))
    contexts = _contexts(rng, n, dim, n_arms)
    for _ in range(rounds):
        if not fixed:
            contexts = _contexts(rng, n, dim, n_arms)
        arms, reward = rng.integers(n_arms, size=n), rng.standard_normal(n)
        observed = rng.random(n) < 0.7
        model.update(contexts, arms, reward, observed)
        for i in np.flatnonzero(observed):
            x = contexts[i, :, arms[i]]
            gram[i] += np.outer(x, x)
            moment[i] += reward[i] * x
    mean, variance = model.predict(contexts)
    for i in range(n):
        x = contexts[i]
        # 60 updates at condition 1e3: 1e-11 at worst
        near = {"rtol": 1e-10, "atol": 1e-10}
        np.testing.assert_allclose(mean[i], x.T @ np.linalg.solve(gram[i], moment[i]), **near)
        plain = np.diag(x.T @ np.linalg.solve(gram[i], x))
        np.testing.assert_allclose(variance[i], plain, **near)
        log_det = np.linalg.slogdet(gram[i] / RIDGE)[1]
        np.testing.assert_allclose(model.log_det[i], log_det, **near)


@pytest.mark.parametrize(("dim", "n_arms", "fixed"), SHAPES)
def test_a_hidden_reward_leaves_its_replicate_bit_for_bit(dim, n_arms, fixed):
    rng = np.random.default_rng(1)
    model = Ridge(ridge=RIDGE).reset(_task(dim, n_arms, fixed), 3)
    contexts = _contexts(rng, 3, dim, n_arms)
    model.predict(contexts)
    model.update(contexts, np.array([0, 1, 2]), np.ones(3), np.ones(3, bool))
    before = _stored(model)
    hidden = np.array([np.nan, 1.0, np.inf])
    model.update(contexts, np.array([2, 0, 1]), hidden, np.array([False, True, False]))
    after = _stored(model)
    for name, values in before.items():
        if values.size:
            assert values[[0, 2]].tobytes() == after[name][[0, 2]].tobytes(), name
    assert after["log_det"][1] > before["log_det"][1]


@pytest.mark.parametrize("bad", [np.nan, np.inf])
@pytest.mark.parametrize("fixed", [False, True])
def test_features_that_are_not_finite_raise_and_change_nothing(bad, fixed):
    rng = np.random.default_rng(2)
    model = Ridge().reset(_task(3, 5, fixed), 3)
    good = _contexts(rng, 3, 3, 5)
    if not fixed:
        model.update(good, np.zeros(3, int), np.ones(3), np.ones(3, bool))
    before = _stored(model)
    wrong = good.copy()
    wrong[1, 2, 4] = bad
    wrong.flags.writeable = False
    with pytest.raises(ValueError, match="replicate 1 .*finite"):
        model.update(wrong, np.full(3, 4), np.ones(3), np.ones(3, bool))
    with pytest.raises(ValueError, match="replicate 1 .*finite"):
        model.predict(wrong)
    for name in ("inverse_gram", "log_det", "theta"):
        if name in before:
            np.testing.assert_array_equal(before[name], getattr(model, name))


def test_memory_is_what_the_docstring_says():
    """n (d^2 + 2 K) numbers fresh, n (min(d, K)^2 + K d + 2 K) fixed; d + 1 more are theta's."""
    n, dim, n_arms = 5, 7, 4

    def numbers(model):
        return sum(v.size for v in _stored(model).values())

    fresh = Ridge().reset(_task(dim, n_arms, False), n)
    assert numbers(fresh) == n * (dim**2 + 2 * n_arms + dim + 1)
    small = Ridge().reset(_task(dim, n_arms, True), n)
    large = Ridge().reset(_task(n_arms, dim, True), n)
    rng = np.random.default_rng(0)
    small.predict(_contexts(rng, n, dim, n_arms))
    large.predict(_contexts(rng, n, n_arms, dim))
    assert numbers(small) == n * (n_arms**2 + n_arms * dim + 2 * n_arms + 1)
    assert numbers(large) == n * (n_arms**2 + n_arms * dim + 2 * dim + 1)


def test_a_part_is_frozen_plain_data_and_holds_no_state():
    part = Ridge(ridge=2.0)
    kept = copy.deepcopy(part)
    one, other = (part.reset(_task(2, 2, False), 2) for _ in range(2))
    rng = np.random.default_rng(3)
    one.update(_contexts(rng, 2, 2, 2), np.zeros(2, int), np.ones(2), np.ones(2, bool))
    assert part == kept
    np.testing.assert_array_equal(other.inverse_gram, np.tile(np.eye(2) / 2, (2, 1, 1)))
    with pytest.raises(AttributeError):
        part.ridge = 1.0  # type: ignore[misc]


@pytest.mark.parametrize("ridge", [0.0, -1.0, float("nan")])
def test_ridge_is_positive(ridge):
    with pytest.raises(ValueError, match=f"ridge.*{ridge}"):
        Ridge(ridge=ridge)
