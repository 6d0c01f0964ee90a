"""The ranking Banditron in expectation and in law; with one slot it is the Banditron."""

import itertools

import numpy as np
import pytest
from scipy import stats

from agents.multiclass.banditron import Banditron
from agents.multiclass.ranking_banditron import RankingBanditron

GAMMA = 0.3
K, D = 6, 4


def best(weights, x, r):
    """S: the r labels with the largest scores, the first of equals."""
    return sorted(range(len(weights)), key=lambda label: (-(weights @ x)[label], label))[:r]


@pytest.mark.parametrize("r", [1, 2, 4])
def test_in_expectation_it_moves_from_the_top_to_the_label_that_was_missed(r, task, in_pairs):
    """By enumeration of the labels shown, with the probabilities that the next test measures."""
    rng = np.random.default_rng(9)
    x, weights = rng.normal(size=D), rng.normal(size=(K, D))
    top = best(weights, x, r)
    below = [label for label in range(K) if label not in top]
    for y in range(K):
        mean = np.zeros((K, D))
        for slot, other in [(0, None), *itertools.product(range(r), below)]:
            shown = list(top)
            p = 1 - GAMMA
            if other is not None:
                shown[slot], p = other, GAMMA / (r * len(below))
            agent = RankingBanditron(gamma=GAMMA).reset(task(K, D, slots=r), n=1)
            agent.weights[0] = weights.T
            contexts = in_pairs(x[None])
            click = np.array([y if y in shown else -1])
            agent._choose(contexts)
            agent.decisions += 1
            agent._learn(contexts, np.array([shown]), click, np.ones(1, bool))
            mean += p * (agent.weights[0].T - weights)
        expected = np.zeros((K, D))
        if y not in top:
            expected[y] += x
            expected[top] -= x / r
        np.testing.assert_allclose(mean, expected, rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize("r", [1, 2, 4])
def test_one_uniform_label_from_below_takes_a_uniform_slot(r, task, in_pairs):
    """Chi-square over 40 000 replicates at level 1e-5; each outcome is expected 300 times or more.

    Power: probabilities of the outcomes off by 10 % of themselves, up and down in halves, have
    noncentrality 40 000 * 0.3 * 0.01 = 120.
    """
    n = 40_000
    rng = np.random.default_rng(2)
    x, weights = rng.normal(size=D), rng.normal(size=(K, D))
    top = best(weights, x, r)
    below = [label for label in range(K) if label not in top]
    agent = RankingBanditron(gamma=GAMMA).reset(task(K, D, slots=r), n=n, seed=5)
    agent.weights[:] = weights.T
    shown = agent._choose(in_pairs(np.tile(x, (n, 1))))
    outcomes = {tuple(top): 0}
    for slot, other in itertools.product(range(r), below):
        outcomes[(*top[:slot], other, *top[slot + 1 :])] = 0
    for labels in shown:
        outcomes[tuple(labels)] += 1
    each = GAMMA / (r * len(below))
    expected = n * np.array([1 - GAMMA] + [each] * (len(outcomes) - 1))
    assert expected.min() > 300
    assert stats.chisquare(list(outcomes.values()), expected).pvalue > 1e-5


def test_with_one_slot_it_is_the_banditron(task, pairs):
    """gamma (k - 1) / k in place of gamma: the same update, and the law of the test above."""
    rng = np.random.default_rng(4)
    one = Banditron(gamma=GAMMA).reset(task(K, D), n=5)
    other = RankingBanditron(gamma=GAMMA * (K - 1) / K).reset(task(K, D, slots=1), n=5)
    truth = rng.normal(size=(K, D))
    for _ in range(200):
        contexts, rows = pairs(rng, 5, D, False)
        own = one._choose(contexts)
        other._choose(contexts)
        for agent in (one, other):
            agent.decisions += 1
        played = np.where(rng.random(5) < 0.5, own, rng.integers(K, size=5))
        right = played == (rows @ truth.T).argmax(axis=1)
        one._learn(contexts, played, right.astype(float), np.ones(5, bool))
        other._learn(contexts, played[:, None], np.where(right, played, -1), np.ones(5, bool))
        np.testing.assert_allclose(other.weights, one.weights, rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize("gamma", [0.0, 1.0, float("nan")])
def test_gamma_outside_its_range_is_refused(gamma):
    with pytest.raises(ValueError, match=f"gamma.*{gamma}"):
        RankingBanditron(gamma=gamma)


def test_refuses_one_label_and_as_many_slots_as_labels(task):
    with pytest.raises(ValueError, match="RankingBanditron cannot play this task: it fills slots"):
        RankingBanditron().reset(task())
    with pytest.raises(ValueError, match="fewer slots than labels, got 4, 4"):
        RankingBanditron().reset(task(4, slots=4))
