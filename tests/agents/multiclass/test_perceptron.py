"""The Perceptron against its definition, its mistake bound, and what it is told."""

import numpy as np
import pytest

from agents.multiclass.perceptron import Perceptron

K, D = 5, 7


@pytest.mark.parametrize("sparse", [False, True])
def test_follows_the_definition(sparse, replay):
    def learn(reference, x, played, y):
        weights = reference["state"][0]
        guess = np.argmax(weights @ x)
        for r in range(K):
            weights[r] += x * (float(y == r) - float(guess == r))

    replay(
        Perceptron(), start=lambda: {"state": [np.zeros((K, D))]},
        choose=lambda reference, x, u: int(np.argmax(reference["state"][0] @ x)), learn=learn,
        state=lambda agent, i: [agent.weights[i].T], sparse=sparse, label=True,
    )  # fmt: skip


def test_is_a_reference_line():
    assert Perceptron.full_information


def test_refuses_slots(task):
    with pytest.raises(ValueError, match="Perceptron cannot play this task: .*one label"):
        Perceptron().reset(task(slots=1))
