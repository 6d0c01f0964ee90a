"""The Banditron against its formulas, by three checks that every wrong variant fails."""

import itertools
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest
from scipy import stats

from agents.multiclass.banditron import Banditron

GAMMA = 0.3
K, D = 5, 7


def first_best(weights, x):
    return int(np.argmax(weights @ x))


def probabilities(guess, gamma, k=K):
    """P of Algorithm 1."""
    return np.array([(1 - gamma) * (r == guess) + gamma / k for r in range(k)])


def estimate(weights, x, played, right, gamma):
    """The update matrix (k, d), row by row as in the proof of Lemma 4."""
    k = len(weights)
    guess = first_best(weights, x)
    p = probabilities(guess, gamma, k)
    return np.array(
        [x * (right * (played == r) / p[r] - (guess == r)) for r in range(k)]
    )  # fmt: skip


def drawn(guess, gamma, k, u):
    """A uniform label where u < gamma, from what is left of u; else the guess."""
    return min(int(u / gamma * k), k - 1) if u < gamma else guess


@pytest.mark.parametrize("k", [1, 2, 3, 4, 8, 9, 17])
def test_any_number_of_labels(k, task, pairs):
    rng = np.random.default_rng(k)
    agent = Banditron(gamma=GAMMA).reset(task(k, 13), n=4)
    weights = rng.normal(size=(4, k, 13))
    agent.weights[:] = weights.transpose(0, 2, 1)
    contexts, rows = pairs(rng, 4, 13, False)
    played = rng.integers(k, size=4)
    right = rng.random(4) < 0.5
    agent._choose(contexts)
    agent.decisions += 1
    agent._learn(contexts, played, right.astype(float), np.ones(4, bool))
    for i in range(4):
        expected = weights[i] + estimate(weights[i], rows[i], played[i], right[i], GAMMA)
        np.testing.assert_allclose(agent.weights[i].T, expected, rtol=1e-12, atol=1e-12)


# -- the three checks, and wrong variants that they must catch ------------------------------------


class Ours:
    """The agent, as the checks take an implementation."""

    def __init__(self, task, in_pairs):
        self._task, self._in_pairs = task, in_pairs

    def updated(self, weights, x, played, right):
        agent = Banditron(gamma=GAMMA).reset(self._task(K, D), n=1)
        agent.weights[0] = weights.T
        contexts, right = self._in_pairs(x[None]), np.array([float(right)])
        agent._choose(contexts)
        agent.decisions += 1
        agent._learn(contexts, np.array([played]), right, np.ones(1, bool))
        return agent.weights[0].T

    def labels(self, weights, x, n):
        """What n replicates of the same weights play on the same row."""
        agent = Banditron(gamma=GAMMA).reset(self._task(K, D), n=n, seed=7)
        agent.weights[:] = weights.T
        return agent._choose(self._in_pairs(np.tile(x, (n, 1))))


@dataclass
class Plain:
    """A plain implementation with one thing wrong, or none."""

    wrong: str = "nothing"

    def updated(self, weights, x, played, right):
        guess, p = first_best(weights, x), probabilities(first_best(weights, x), GAMMA)
        update = np.zeros_like(weights)
        if right:
            raised = guess if self.wrong == "printed typo" else played
            update[raised] += x * (1 if self.wrong == "no importance weight" else 1 / p[raised])
            if self.wrong == "no update on exploit-correct" and played == guess:
                return weights
        lowers = not (
            self.wrong == "no decrease after failed exploration" and not right and played != guess
        )
        if lowers:
            update[guess] -= x
        return weights + update

    def labels(self, weights, x, n):
        rng, guess = np.random.default_rng(11), first_best(weights, x)
        others = np.array([r for r in range(K) if r != guess])
        never = self.wrong == "exploration never draws the guess"
        explored = rng.choice(others, n) if never else rng.integers(K, size=n)
        return np.where(rng.random(n) < GAMMA, explored, guess)


def check_replay(implementation: Any) -> None:
    """Logged labels, half of them right: W after every round is the definition's."""
    rng = np.random.default_rng(0)
    weights = np.zeros((K, D))
    for _ in range(60):
        x, played = rng.normal(size=D), int(rng.integers(K))
        if rng.random() < 0.4:
            played = first_best(weights, x)
        right = bool(rng.random() < 0.5)
        expected = weights + estimate(weights, x, played, right, GAMMA)
        got = implementation.updated(weights, x, played, right)
        np.testing.assert_allclose(got, expected, rtol=1e-9, atol=1e-9)
        weights = expected


def check_lemmas(implementation: Any) -> None:
    """Lemmas 4 and 5 by enumeration of the label played.

    Lemma 5's first case lost a square in print: there it is ``‖x‖² (1/P(y)² + 1)``.
    """
    rng = np.random.default_rng(1)
    for y in range(K):
        x, weights = rng.normal(size=D), rng.normal(size=(K, D))
        guess, square = first_best(weights, x), x @ x
        p = probabilities(guess, GAMMA)
        updates = [implementation.updated(weights, x, r, r == y) - weights for r in range(K)]
        expected = np.zeros((K, D))
        expected[y] += x
        expected[guess] -= x
        np.testing.assert_allclose(
            np.einsum("r,rkd->kd", p, updates), expected, rtol=1e-9, atol=1e-9
        )
        for r in range(K):
            norm = 1.0
            if r == y != guess:
                norm = 1 / p[y] ** 2 + 1
            elif r == y:
                norm = (1 / p[y] - 1) ** 2
            assert np.sum(updates[r] ** 2) == pytest.approx(square * norm)
        second_moment = sum(p[r] * np.sum(updates[r] ** 2) for r in range(K))
        exact = 1 + K / GAMMA if y != guess else 1 / p[y] - 1
        assert second_moment == pytest.approx(square * exact)
        assert second_moment <= 2 * square * (K / GAMMA if y != guess else GAMMA)


def check_law(implementation: Any) -> None:
    """What is played given the guess: chi-square over 20 000 replicates at level 1e-5.

    Power: exploring over the other labels alone moves 0.06 from the guess, of probability 0.76; the
    noncentrality is 20 000 (0.06² / 0.76 + 4 * 0.015² / 0.06) = 395, where 30 would do.
    """
    rng = np.random.default_rng(2)
    for _ in range(3):
        x, weights = rng.normal(size=D), rng.normal(size=(K, D))
        labels = implementation.labels(weights, x, 20_000)
        p = probabilities(first_best(weights, x), GAMMA)
        counts = np.bincount(labels, minlength=K)
        assert stats.chisquare(counts, 20_000 * p).pvalue > 1e-5


CHECKS = {"replay": check_replay, "lemmas": check_lemmas, "law": check_law}


@pytest.mark.parametrize("check", CHECKS.values(), ids=CHECKS)
def test_passes_all_three_checks(check, task, in_pairs):
    check(Ours(task, in_pairs))
    check(Plain())


CAUGHT_BY = {
    "printed typo": {"replay", "lemmas"},
    "no importance weight": {"replay", "lemmas"},
    "exploration never draws the guess": {"law"},
    "no update on exploit-correct": {"replay", "lemmas"},
    "no decrease after failed exploration": {"replay", "lemmas"},
}


@pytest.mark.parametrize(("wrong", "caught"), CAUGHT_BY.items(), ids=CAUGHT_BY)
def test_every_wrong_variant_is_caught(wrong, caught):
    failed = set()
    for name, check in CHECKS.items():
        try:
            check(Plain(wrong))
        except AssertionError:
            failed.add(name)
    assert failed == caught


# -- the contract ---------------------------------------------------------------------------------


def test_every_decision_draws_anew_whatever_was_observed(task, in_pairs):
    agent = Banditron(gamma=1.0).reset(task(50, 3, sparse=True, width=3), n=200, seed=1)
    indices, values = in_pairs(np.random.default_rng(0).normal(size=(200, 3)))
    row = {"indices": indices, "values": values}
    first, second = agent.act(row), agent.act(row)
    agent.observe(row, first, np.zeros(200), observed=np.zeros(200, bool), decision=0)
    third = agent.act(row)
    agent.observe(row, first, np.zeros(200), decision=0)
    drawn = [first, second, third, agent.act(row)]
    # Uniform over 50 labels: equal with probability 1/50, so 4 of 200 expected.
    for one, other in itertools.combinations(drawn, 2):
        assert np.sum(one == other) < 20


@pytest.mark.parametrize("gamma", [0.0, -0.1, 1.01, float("nan"), "often"])
def test_gamma_outside_its_range_is_refused(gamma):
    with pytest.raises(ValueError, match=f"gamma.*{gamma}"):
        Banditron(gamma=gamma)


def test_rewards_are_right_or_wrong(task, pairs):
    agent = Banditron().reset(task(), n=3)
    contexts, _ = pairs(np.random.default_rng(0), 3, 7, False)
    agent._choose(contexts)
    agent.decisions += 1
    with pytest.raises(ValueError, match="rewards must be 0 or 1, got 0.5 of replicate 1"):
        agent._learn(contexts, np.zeros(3, int), np.array([0, 0.5, 1]), np.ones(3, bool))
    assert not agent.weights.any()
    assert agent.open.count.tolist() == [1, 1, 1]


def test_refuses_slots(task):
    with pytest.raises(
        ValueError, match="Banditron cannot play this task: .*one label.* 2 in slots"
    ):
        Banditron().reset(task(slots=2))
