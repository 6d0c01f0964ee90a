"""Long samples after short ones: what an update subtracts is many times what it leaves.

On one line V is a number, and everything is known in closed form.
"""

import numpy as np
import pytest

from agents.parts.estimators import ForwardRidge, Ridge
from banditgym.tasks import LinearTask


def _reset(dim, n_arms, fixed, ridge, part=Ridge):
    task = LinearTask(
        n_arms=n_arms, dim=dim, horizon=99, noise_std=0.1, subgaussian=0.1, feature_norm=None,
        param_norm=1.0, fixed_arms=fixed,
    )  # fmt: skip
    return part(ridge=ridge).reset(task, 1)


def _learn(model, contexts, arm, reward):
    contexts.flags.writeable = False
    model.update(contexts, np.array([arm]), np.array([reward]), np.ones(1, bool))


@pytest.mark.parametrize(("short", "long"), [(1.0, 1e2), (1e-2, 1e3), (3e-3, 1e3)])
@pytest.mark.parametrize("form", ["fresh", "fixed", "kernel", "dependent"])
def test_a_long_sample_after_a_short_one(form, short, long):
    """The condition number is 1, so relative errors are some hundred eps, 1e-13. Lengths on a line
    in R^2, so that the three forms of fixed arms come to it; ``kernel`` has its arms at an angle.
    """
    ridge, rounds = 1e-6, 300
    arms = np.array([[short, 0.0], [long, 0.0], [0.7 * long, 0.0], [0.0, long]])
    if form == "kernel":
        arms = np.array([[long, 0.0], [short, long]])
    if form == "dependent":
        arms = arms[:2]
    model = _reset(2, len(arms), form != "fresh", ridge)
    played = np.array([0] + [1] * rounds)
    reward = np.random.default_rng(0).standard_normal(len(played))
    contexts = arms.T[None].copy()
    for a, r in zip(played, reward, strict=True):
        _learn(model, contexts, a, r)
        assert (model.predict(contexts)[1] > 0).all()
    gram = ridge * np.eye(2) + arms[played].T @ arms[played]
    mean, variance = model.predict(contexts)
    exact = np.linalg.solve(gram, arms.T)
    np.testing.assert_allclose(variance[0], (arms.T * exact).sum(axis=0), rtol=1e-10)
    np.testing.assert_allclose(mean[0], exact.T @ (reward @ arms[played]), atol=1e-9)
    log_det = np.log(gram.diagonal() / ridge).sum()
    if form != "kernel":
        np.testing.assert_allclose(model.log_det[0], log_det, rtol=1e-13)


def test_variances_stay_positive():
    """Lengths 3e-3 and 1e3 at ridge 1e-6: a difference leaves 1e-5 of rounding, more than 1/n."""
    model = _reset(1, 3, True, 1e-6)
    arms = np.array([[[3e-3, 1e3, 7e2]]])
    for t in range(60_000):
        _learn(model, arms, min(t, 1), 1.0)
    mean, variance = model.predict(arms)
    expected = arms[0, 0] ** 2 / (1e-6 + 9e-6 + 59_999 * 1e6)
    np.testing.assert_allclose(variance[0], expected, rtol=1e-9)
    np.testing.assert_allclose(mean[0], arms[0, 0] / 1e3, rtol=1e-6)


@pytest.mark.parametrize("length", [1e-162, 3e-162, 1e-160, 1e-158, 1e-150])
def test_a_square_too_small_for_its_digits_is_no_direction(length):
    model, long = _reset(2, 2, False, 0.5), np.array([[[3.0, 0.0], [4.0, 0.0]]])
    _learn(model, np.array([[[length, 0.0], [0.0, 0.0]]]), 0, 1.0)
    long.flags.writeable = False
    _, variance = model.predict(long)
    assert variance[0, 0] == pytest.approx(50.0, rel=1e-14)


@pytest.mark.parametrize("part", [Ridge, ForwardRidge])
def test_a_variance_that_overflows_is_refused(part):
    """Finite features, nothing learned yet: x^T x / ridge is not finite."""
    model = _reset(2, 2, False, 1e-6, part)
    long, one = np.array([[[1e152, 1.0], [0.0, 0.0]]]), np.array([[[1.0, 1.0], [0.0, 0.0]]])
    for contexts in (long, one):
        contexts.flags.writeable = False
    with pytest.raises(ValueError, match="too long for the ridge"):
        model.predict(long)
    with pytest.raises(ValueError, match="too long for the ridge"):
        _learn(model, long, 0, 1.0)
    assert model.log_det[0] == 0.0
    assert model.predict(one)[0][0, 0] == 0.0
