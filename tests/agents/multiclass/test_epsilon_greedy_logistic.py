"""Epsilon-greedy logistic regressions against their definition."""

import math

import numpy as np
import pytest

from agents.multiclass.epsilon_greedy_logistic import EpsilonGreedyLogistic

EPSILON, RATE = 0.3, 0.7
K, D = 5, 7


@pytest.mark.parametrize("sparse", [False, True])
def test_follows_the_definition_on_logged_labels(sparse, replay):
    def choose(reference, x, u):
        guess = int(np.argmax(reference["state"][0] @ x))
        return min(int(u / EPSILON * K), K - 1) if u < EPSILON else guess

    def learn(reference, x, played, reward):
        weights = reference["state"][0]
        weights[played] += RATE * (reward - 1 / (1 + math.exp(-weights[played] @ x))) * x

    replay(
        EpsilonGreedyLogistic(epsilon=EPSILON, learning_rate=RATE),
        start=lambda: {"state": [np.zeros((K, D))]}, choose=choose, learn=learn,
        state=lambda agent, i: [agent.weights[i].T], sparse=sparse,
    )  # fmt: skip


def test_a_score_far_below_zero_is_a_probability_of_zero(task, in_pairs):
    agent = EpsilonGreedyLogistic(learning_rate=0.5).reset(task(2, 1), n=1)
    agent.weights[0, 0] = [-1e4, 0.0]
    agent._learn(in_pairs([[1.0]]), np.array([0]), np.array([1.0]), np.ones(1, bool))
    assert agent.weights[0, 0, 0] == -1e4 + 0.5


@pytest.mark.parametrize(
    ("given", "named"),
    [
        ({"epsilon": 0.0}, "epsilon"),
        ({"epsilon": float("nan")}, "epsilon"),
        ({"learning_rate": 0.0}, "learning_rate"),
        ({"learning_rate": float("inf")}, "learning_rate"),
    ],
)
def test_bad_hyperparameters_are_named_with_their_value(given, named):
    with pytest.raises(ValueError, match=f"{named}.*{next(iter(given.values()))}"):
        EpsilonGreedyLogistic(**given)


def test_refuses_slots(task):
    with pytest.raises(ValueError, match="one label"):
        EpsilonGreedyLogistic().reset(task(slots=1))
