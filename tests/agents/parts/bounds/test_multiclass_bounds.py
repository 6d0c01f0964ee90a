"""The bounds on mistakes: their numbers, and that agents keep them."""

import math

import numpy as np
import pytest

from agents.multiclass.banditron import Banditron
from agents.multiclass.perceptron import Perceptron
from agents.parts.bounds import banditron_mistakes, halving_mistakes, perceptron_mistakes
from banditgym.tasks import MulticlassTask

K, D = 3, 6


def test_numbers():
    assert perceptron_mistakes(hinge_loss=4, complexity=9) == 4 + 9 + 6
    given = {"n_labels": 4, "gamma": 0.25, "complexity": 0.5}
    # k D / gamma = 8 against sqrt(D gamma t), 3.5 at t = 100 and 10 at t = 800
    bound = banditron_mistakes([100, 800], hinge_loss=[2, 4.5], **given)
    np.testing.assert_allclose(bound, [2 + 25 + 24 + 4, 4.5 + 200 + 30 + 6])
    assert halving_mistakes(n_labels=3, hypotheses=8) == pytest.approx(3 * math.log(8))


def _sequence(rng, rounds, noise):
    """Rows (T, d) of norm 1 and labels (T,), of a random W up to uniform labels now and then."""
    truth = rng.normal(size=(K, D))
    rows = rng.normal(size=(4 * rounds, D))
    rows /= np.linalg.norm(rows, axis=1, keepdims=True)
    scores = np.sort(rows @ truth.T)
    rows = rows[scores[:, -1] - scores[:, -2] > 0.8][:rounds]
    labels = (rows @ truth.T).argmax(axis=1)
    return (
        rows,
        np.where(rng.random(len(rows)) < noise, rng.integers(K, size=len(rows)), labels),
        truth,
    )


def _hinge(w, rows, labels):
    """The hinge loss of W on every row."""
    scores = rows @ w.T
    own = scores[np.arange(len(rows)), labels]
    scores[np.arange(len(rows)), labels] = -np.inf
    return np.maximum(0, 1 - own + scores.max(axis=1))


def _mistakes(agent, in_pairs, rows, labels, n):
    """Mistakes (T, n), cumulative, of n replicates on the same rows."""
    agent.reset(MulticlassTask(n_labels=K, dim=D, horizon=len(rows), width=D), n=n, seed=1)
    wrong = []
    for x, y in zip(rows, labels, strict=True):
        contexts, true = in_pairs(np.tile(x, (n, 1))), np.full(n, y)
        played = agent._choose(contexts)
        agent.decisions += 1
        wrong.append(played != true)
        outcome = true if agent.full_information else (played == true).astype(float)
        agent._learn(contexts, played, outcome, np.ones(n, bool))
    return np.cumsum(wrong, axis=0)


@pytest.mark.parametrize("noise", [0.0, 0.1])
def test_the_perceptron_keeps_its_bound_in_every_round_against_any_matrix(noise, in_pairs):
    rng = np.random.default_rng(2)
    for _ in range(5):
        rows, labels, truth = _sequence(rng, 300, noise)
        mistakes = _mistakes(Perceptron(), in_pairs, rows, labels, 1)[:, 0]
        for scale in (0.3, 1.0, 1.25, 3.0):
            w = scale * truth
            loss = np.cumsum(_hinge(w, rows, labels))
            bound = perceptron_mistakes(hinge_loss=loss, complexity=2 * np.sum(w**2))
            assert (mistakes <= bound).all()
            if noise == 0 and scale == 1.25:  # the margin is 1: the bound is D whatever the rounds
                assert bound[-1] == 2 * np.sum(w**2)
        assert mistakes[-1] > 0


@pytest.mark.parametrize("noise", [0.0, 0.1])
def test_the_banditron_keeps_its_bound_on_average(noise, in_pairs):
    """Means of 200 runs, whose error is some percent of the bound's slack."""
    rng = np.random.default_rng(3)
    rows, labels, truth = _sequence(rng, 1500, noise)
    t = np.arange(1, len(rows) + 1)
    for gamma in (0.05, 0.5):
        mistakes = _mistakes(Banditron(gamma=gamma), in_pairs, rows, labels, 200).mean(axis=1)
        for scale in (0.3, 1.25):
            w = scale * truth
            bound = banditron_mistakes(
                t, n_labels=K, gamma=gamma, complexity=2 * np.sum(w**2),
                hinge_loss=np.cumsum(_hinge(w, rows, labels)),
            )  # fmt: skip
            assert (mistakes <= bound).all()
    # exploration alone costs gamma (k-1)/k a round
    assert mistakes[-1] >= 0.9 * 0.5 * (K - 1) / K * len(rows)
