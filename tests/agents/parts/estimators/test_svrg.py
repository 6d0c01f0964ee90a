"""SVRG against its definition, sample by sample, and against the ridge solution."""

import numpy as np
import pytest

from agents.parts.estimators import SVRG


@pytest.mark.parametrize("form", ["fresh", "fixed", "rows", "known"])
@pytest.mark.parametrize("kind", ["random", "long", "short", "zero", "some zero"])
@pytest.mark.parametrize("dim", [1, 3, 21])
def test_makes_the_steps_of_the_definition(follow, form, kind, dim):
    follow(SVRG(learning_rate=0.3, ridge=0.4), form, kind, dim)


@pytest.mark.parametrize("ridge", [0.0, 900.0])
@pytest.mark.parametrize("kind", ["random", "short", "zero"])
def test_without_a_ridge_and_with_a_large_one(follow, kind, ridge):
    follow(SVRG(learning_rate=0.2, ridge=ridge), "fresh", kind, 5)


def test_anchors_when_samples_have_grown_by_half(task):
    model, anchors = SVRG().reset(task(1), 1, [0]), []
    for _ in range(80):
        model.learn(np.ones((1, 1)), np.ones(1), np.ones(1, bool))
        anchors.append(int(model.steps.anchored[0]))
    assert list(dict.fromkeys(anchors)) == [0, 2, 3, 5, 8, 12, 18, 27, 41, 62]


def test_tracks_the_ridge_solution_in_a_weak_direction(task):
    """Second moments 1/2 and 1/200, so a step of 0.1 / L takes the weak error by 1 - 5e-4 / L.

    L is 1, and 8,000 samples are four times what that needs; the ridge solution moves by some
    sigma / sqrt(l n) = 0.05 meanwhile, and half of that is asked for.
    """
    n, t = 20, 8_000
    rng = np.random.default_rng(1)
    rows = np.array([[1.0, 0.0], [0.0, 0.1]])
    model = SVRG(ridge=1.0).reset(task(2), n, range(n), rows=rows)
    which = rng.integers(2, size=(t, n))
    y = rows[which] @ np.array([1.0, -1.0]) + 0.3 * rng.standard_normal((t, n))
    for s in range(t):
        model.learn(which[s], y[s], np.ones(n, bool))
    for i in range(n):
        x = rows[which[:, i]]
        exact = np.linalg.solve(np.eye(2) + x.T @ x, x.T @ y[:, i])
        np.testing.assert_allclose(model.theta[i], exact, atol=0.05)


@pytest.mark.parametrize(
    "setting", [{"learning_rate": 0.0}, {"learning_rate": 1.1}, {"ridge": -1.0}, {"ridge": np.inf}]
)
def test_settings_are_checked(setting):
    name, value = next(iter(setting.items()))
    with pytest.raises(ValueError, match=f"{name}.*{value}"):
        SVRG(**setting)
