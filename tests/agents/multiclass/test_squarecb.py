"""SquareCB: its step as a minimum, and the law of what it plays."""

import numpy as np
import pytest
from scipy import optimize, stats

from agents.multiclass.squarecb import SquareCB

SCALE, EXPONENT, RATE = 3.0, 0.4, 0.6
K, D = 5, 7


def probabilities(weights, x, t):
    """Inverse gap weighting in round t, counted from 1."""
    predicted = np.clip(weights @ x, 0, 1)
    best = int(np.argmax(predicted))
    p = 1 / (K + SCALE * t**EXPONENT * (predicted[best] - predicted))
    p[best] = 0.0
    p[best] = 1 - p.sum()
    return p, best


def test_the_step_is_the_implicit_one(task, in_pairs):
    rng = np.random.default_rng(0)
    x, weights, reward = rng.normal(size=D), rng.normal(size=(K, D)), 1.0
    agent = SquareCB(learning_rate=RATE).reset(task(K, D), n=1)
    agent.weights[0] = weights.T
    contexts = in_pairs(x[None])
    agent._learn(contexts, np.array([2]), np.array([reward]), np.ones(1, bool))
    least = optimize.minimize(
        lambda w: (reward - w @ x) ** 2 / 2 + np.sum((w - weights[2]) ** 2) / (2 * RATE),
        weights[2], tol=1e-12,
    )  # fmt: skip
    np.testing.assert_allclose(agent.weights[0, :, 2], least.x, atol=1e-6)


@pytest.mark.parametrize("t", [1, 50])
def test_labels_follow_inverse_gap_weighting(t, task, in_pairs):
    """Chi-square over 20 000 replicates at level 1e-5.

    Power: the second best label has probability about 0.1; without the gap it would be 0.2:
    noncentrality 20 000 * 0.01 / 0.1 = 2000.
    """
    rng = np.random.default_rng(t)
    n = 20_000
    x, weights = rng.normal(size=D) / 3, rng.normal(size=(K, D))
    agent = SquareCB(gamma_scale=SCALE, gamma_exponent=EXPONENT).reset(task(K, D), n=n, seed=3)
    agent.weights[:] = weights.T
    agent._t[:] = t - 1
    labels = agent._choose(in_pairs(np.tile(x, (n, 1))))
    p, _ = probabilities(weights, x, t)
    assert p.min() * n > 50
    assert stats.chisquare(np.bincount(labels, minlength=K), n * p).pvalue > 1e-5


@pytest.mark.parametrize("t", [1, 50])
def test_propensities_are_inverse_gap_weights(t, task, in_pairs):
    rng = np.random.default_rng(t)
    x, weights = rng.normal(size=(2, D)) / 3, rng.normal(size=(K, D))
    agent = SquareCB(gamma_scale=SCALE, gamma_exponent=EXPONENT).reset(task(K, D), n=2)
    agent.weights[:] = weights.T
    agent._t[:] = t - 1, t + 4
    expected = [probabilities(weights, x[0], t)[0], probabilities(weights, x[1], t + 5)[0]]
    np.testing.assert_allclose(agent._propensities(in_pairs(x)), expected, atol=1e-12)


@pytest.mark.parametrize(
    ("given", "named"),
    [
        ({"gamma_scale": 0.0}, "gamma_scale"),
        ({"gamma_exponent": -0.5}, "gamma_exponent"),
        ({"gamma_exponent": float("nan")}, "gamma_exponent"),
        ({"learning_rate": -1.0}, "learning_rate"),
    ],
)
def test_bad_hyperparameters_are_named_with_their_value(given, named):
    with pytest.raises(ValueError, match=f"{named}.*{next(iter(given.values()))}"):
        SquareCB(**given)


def test_refuses_slots(task):
    with pytest.raises(ValueError, match="one label"):
        SquareCB().reset(task(slots=1))
