"""The sketched regression as a part: what it is to the ridge regression, masks, bad input."""

import copy
import dataclasses

import numpy as np
import pytest

from agents.parts.estimators import FrequentDirections, Ridge
from banditgym.tasks import LinearTask

RIDGE = 0.3


def _read_only(x):
    x.flags.writeable = False
    return x


def _task(dim, n_arms, fixed=False):
    return LinearTask(
        n_arms=n_arms, dim=dim, horizon=99, noise_std=0.1, subgaussian=0.1, feature_norm=None,
        param_norm=1.0, fixed_arms=fixed,
    )  # fmt: skip


@pytest.mark.parametrize("fixed", [False, True])
@pytest.mark.parametrize("extra", [1, 2, 30])
@pytest.mark.parametrize(("dim", "n_arms"), [(1, 4), (5, 3), (3, 8), (26, 7)])
def test_with_more_rows_than_features_it_is_ridge_regression(dim, n_arms, extra, fixed):
    """Both err by some hundred eps times a condition number of 1e3, far below 1e-8."""
    n, rng = 3, np.random.default_rng(dim)
    task = _task(dim, n_arms, fixed)
    sketched = FrequentDirections(size=dim + extra, ridge=RIDGE).reset(task, n)
    plain = Ridge(ridge=RIDGE).reset(task, n)
    x = _read_only(rng.standard_normal((n, dim, n_arms)))
    for _ in range(150):
        if not fixed:
            lengths = 10.0 ** rng.uniform(-1, 1, n_arms)
            x = _read_only(rng.standard_normal((n, dim, n_arms)) * lengths)
        for one, other in zip(sketched.predict(x), plain.predict(x), strict=True):
            np.testing.assert_allclose(one, other, rtol=1e-8, atol=1e-8)
        np.testing.assert_allclose(sketched.log_det, plain.log_det, rtol=1e-8)
        arms, reward = rng.integers(n_arms, size=n), rng.standard_normal(n)
        observed = rng.random(n) < 0.7
        for model in (sketched, plain):
            model.update(x, arms, np.where(observed, reward, np.nan), observed)
    assert np.all(sketched.shrinkage == 0)


def test_with_as_many_rows_as_features_it_is_not():
    """The last row must be free for the next sample: m = d + 1 is what nothing less can do."""
    rng = np.random.default_rng(0)
    model = FrequentDirections(size=4).reset(_task(4, 3), 1)
    for _ in range(5):
        x = _read_only(rng.standard_normal((1, 4, 3)))
        model.update(x, np.zeros(1, np.int64), np.ones(1), np.ones(1, bool))
    assert model.shrinkage[0] > 0.01


def test_nothing_is_lost_while_features_span_less_than_the_sketch():
    rng = np.random.default_rng(1)
    plane = rng.standard_normal((30, 4))
    task = _task(30, 3)
    sketched, plain = FrequentDirections(size=5).reset(task, 1), Ridge().reset(task, 1)
    for _ in range(100):
        x = _read_only(np.ascontiguousarray((plane @ rng.standard_normal((4, 3)))[None]))
        for one, other in zip(sketched.predict(x), plain.predict(x), strict=True):
            np.testing.assert_allclose(one, other, rtol=1e-8, atol=1e-8)
        arms, reward = rng.integers(3, size=1), rng.standard_normal(1)
        for model in (sketched, plain):
            model.update(x, arms, reward, np.ones(1, bool))
    # rounding may leave directions of its own size, which are what is dropped
    assert sketched.shrinkage[0] < 1e-20


@pytest.mark.parametrize("fixed", [False, True])
@pytest.mark.parametrize("dim", [2, 5, 8, 13])
def test_before_any_data_arms_of_one_length_tie_as_in_ridge_regression(dim, fixed):
    """To the last bit: else the first arm played would be another."""
    x = np.random.default_rng(dim).standard_normal((2, dim, 9))
    x = _read_only(x / np.linalg.norm(x, axis=1, keepdims=True))
    task = _task(dim, 9, fixed)
    _, one = FrequentDirections(size=20, ridge=RIDGE).reset(task, 2).predict(x)
    _, other = Ridge(ridge=RIDGE).reset(task, 2).predict(x)
    np.testing.assert_array_equal(one, other)


@pytest.mark.parametrize("wrong", [np.nan, np.inf, 1e200])
def test_bad_features_are_refused_and_change_nothing(wrong):
    model = FrequentDirections(size=3).reset(_task(4, 2), 3)
    x = np.random.default_rng(2).standard_normal((3, 4, 2))
    given = np.array([0, 1, 0]), np.ones(3), np.ones(3, bool)
    model.update(_read_only(x.copy()), *given)
    before = copy.deepcopy(model._asdict())
    x[1, 2, 1] = wrong
    _read_only(x)
    with pytest.raises(ValueError, match="replicate 1 "):
        model.predict(x)
    with pytest.raises(ValueError, match="replicate 1 "):
        model.update(x, *given)
    for name in ("basis", "energy", "along", "across", "theta", "log_det", "shrinkage", "rank"):
        np.testing.assert_array_equal(before[name], getattr(model, name))


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"size": 0}, "size.*0"),
        ({"size": 2.5}, "size.*2.5"),
        ({"size": float("nan")}, "size.*nan"),
        ({"ridge": 0.0}, "ridge.*0.0"),
        ({"ridge": float("nan")}, "ridge.*nan"),
    ],
)
def test_bad_hyperparameters_are_named_with_their_value(given, message):
    with pytest.raises(ValueError, match=message):
        FrequentDirections(**given)


@pytest.mark.parametrize("ridge", [0.01, 1.0, 4.0])
def test_how_long_features_may_be(ridge):
    """Neither a square nor its ratio to the ridge may exceed 1e250."""
    longest = 1e250 * min(ridge, 1.0)
    part = FrequentDirections(ridge=ridge)
    for factor, fits in [(0.999, True), (1.001, False)]:
        task = dataclasses.replace(_task(3, 2), feature_norm=factor * longest**0.5)
        if fits:
            part.reset(task, 1)
        else:
            with pytest.raises(ValueError, match="which is too long for a ridge of"):
                part.reset(task, 1)


@pytest.mark.parametrize(("size", "dim", "rows"), [(5, 3, 3), (3, 5, 3)])
def test_no_more_directions_are_kept_than_there_are(size, dim, rows):
    assert FrequentDirections().size == 20
    state = FrequentDirections(size=size).reset(_task(dim, 2), 2)
    assert state.basis.shape == (2, rows, dim)
    most = type(state).loadable["rank"].most(state)
    assert most == min(rows, size - 1)
    rng = np.random.default_rng(0)
    for _ in range(9):
        x = _read_only(rng.standard_normal((2, dim, 2)))
        state.update(x, np.zeros(2, int), np.ones(2), np.ones(2, bool))
    assert state.rank.tolist() == [most] * 2
