"""Epsilon-greedy logistic regressions far from zero, and what they refuse."""

import numpy as np
import pytest

from agents.multiclass.epsilon_greedy_logistic import EpsilonGreedyLogistic


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
