"""The Banditron with multiplicative updates: its limit, and where it clips."""

import numpy as np
import pytest

from agents.multiclass.banditron import Banditron
from agents.multiclass.multiplicative_banditron import MultiplicativeBanditron

GAMMA = 0.3


def test_with_a_vanishing_eta_it_decides_as_the_banditron(task, pairs):
    """sinh(eta theta) is eta theta to eta² theta² / 6: 1e-11 at exponents of 1e-5.

    The scores of real rows differ by far more, unless they are equal: those of labels that were
    never learned of, which are exactly 0 in both.
    """
    rng = np.random.default_rng(4)
    one = Banditron(gamma=GAMMA).reset(task(), n=5, seed=2)
    other = MultiplicativeBanditron(gamma=GAMMA, learning_rate=1e-8).reset(task(), n=5, seed=2)
    truth = rng.normal(size=(4, 7))
    for _ in range(400):
        contexts, rows = pairs(rng, 5, 7, True)
        labels = one._choose(contexts)
        np.testing.assert_array_equal(labels, other._choose(contexts))
        for agent in (one, other):
            agent.decisions += 1
        reward = (labels == (rows @ truth.T).argmax(axis=1)).astype(float)
        for agent in (one, other):
            agent._learn(contexts, labels, reward, np.ones(5, bool))
    np.testing.assert_allclose(other.weights, 1e-8 * one.weights, rtol=1e-8)


def test_exponents_are_clipped_where_scores_would_overflow(task, in_pairs):
    agent = MultiplicativeBanditron(gamma=0.01, learning_rate=50.0).reset(task(3, 2), n=1)
    contexts = in_pairs([[30.0, -40.0]])
    for reward in (1.0, 0.0, 1.0, 1.0):
        label = agent._choose(contexts)
        agent.decisions += 1
        agent._learn(contexts, (label + 1) % 3, np.array([reward]), np.ones(1, bool))
        assert np.isfinite(agent.weights).all()
    assert np.abs(agent.weights).max() == np.sinh(350.0)
    assert np.isfinite(agent.weights[0].T @ contexts[1][0]).all()


@pytest.mark.parametrize(
    ("given", "named"),
    [
        ({"learning_rate": 0.0}, "learning_rate"),
        ({"learning_rate": float("nan")}, "learning_rate"),
        ({"gamma": 2.0}, "gamma"),
    ],
)
def test_bad_hyperparameters_are_named_with_their_value(given, named):
    with pytest.raises(ValueError, match=f"{named}.*{next(iter(given.values()))}"):
        MultiplicativeBanditron(**given)


def test_refuses_slots(task):
    with pytest.raises(ValueError, match="cannot play this task: .*one label"):
        MultiplicativeBanditron().reset(task(slots=1))
