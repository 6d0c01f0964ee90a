"""The Banditron with a margin in expectation; without one it is the Banditron."""

import numpy as np
import pytest

from agents.multiclass.banditron import Banditron
from agents.multiclass.margin_banditron import MarginBanditron

GAMMA, MARGIN = 0.3, 4.0
K, D = 5, 7


def test_in_expectation_it_is_the_full_information_update(task, in_pairs):
    """By enumeration of the label played; the margin's part where the prediction is right."""
    rng = np.random.default_rng(3)
    seen = set()
    for y in [*range(K)] * 4:
        x, weights = rng.normal(size=D) / 3, rng.normal(size=(K, D))
        order = np.argsort(weights @ x)
        guess, second, gap = order[-1], order[-2], np.diff(np.sort(weights @ x))[-1]
        expected = np.zeros((K, D))
        expected[y] += x
        expected[guess] -= x
        if guess == y and gap < MARGIN:
            expected[guess] += x
            expected[second] -= x
        mean = np.zeros((K, D))
        for r in range(K):
            agent = MarginBanditron(gamma=GAMMA, margin=MARGIN).reset(task(K, D), n=1)
            agent.weights[0] = weights.T
            contexts = in_pairs(x[None])
            agent._choose(contexts)
            agent.decisions += 1
            agent._learn(contexts, np.array([r]), np.array([float(r == y)]), np.ones(1, bool))
            p = (1 - GAMMA) * (r == guess) + GAMMA / K
            mean += p * (agent.weights[0].T - weights)
        np.testing.assert_allclose(mean, expected, rtol=1e-9, atol=1e-9)
        seen.add((guess == y, gap < MARGIN))
    assert (True, True) in seen
    assert (False, True) in seen


def test_without_a_margin_it_is_the_banditron_bit_for_bit(task, pairs):
    rng = np.random.default_rng(4)
    one = Banditron(gamma=GAMMA).reset(task(), n=5, seed=2)
    other = MarginBanditron(gamma=GAMMA, margin=0.0).reset(task(), n=5, seed=2)
    truth = rng.normal(size=(4, 7))
    for _ in range(200):
        contexts, rows = pairs(rng, 5, 7, False)
        labels = one._choose(contexts)
        np.testing.assert_array_equal(labels, other._choose(contexts))
        for agent in (one, other):
            agent.decisions += 1
        reward = (labels == (rows @ truth.T).argmax(axis=1)).astype(float)
        for agent in (one, other):
            agent._learn(contexts, labels, reward, np.ones(5, bool))
        assert one.weights.tobytes() == other.weights.tobytes()


@pytest.mark.parametrize(
    ("given", "named"),
    [({"margin": -1.0}, "margin"), ({"margin": float("nan")}, "margin"), ({"gamma": 0.0}, "gamma")],
)
def test_bad_hyperparameters_are_named_with_their_value(given, named):
    with pytest.raises(ValueError, match=f"{named}.*{next(iter(given.values()))}"):
        MarginBanditron(**given)


def test_refuses_slots(task):
    with pytest.raises(ValueError, match="cannot play this task: .*one label"):
        MarginBanditron().reset(task(slots=1))
