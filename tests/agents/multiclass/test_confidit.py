"""Confidit against its definition."""

import numpy as np
import pytest

from agents.multiclass.confidit import Confidit

ALPHA, RIDGE = 0.8, 2.5
K, D = 5, 7


@pytest.mark.parametrize("sparse", [False, True])
def test_follows_the_definition_on_logged_labels(sparse, replay):
    """The diagonal of each A from all rounds of its label, and w by the recursion with matrices."""

    def choose(reference, x, u):
        weights, gram = reference["state"]
        bonus = [ALPHA * np.sqrt(x @ np.linalg.inv(np.diag(gram[r])) @ x) for r in range(K)]
        return int(np.argmax(weights @ x + bonus))

    def learn(reference, x, played, reward):
        weights, gram = reference["state"]
        sign = 1 if reward == 1 else -1
        before = np.diag(gram[played])
        after = before + np.diag(x**2)
        weights[played] = np.linalg.solve(after, before @ weights[played] + sign * x)
        gram[played] = np.diag(after)

    replay(
        Confidit(alpha=ALPHA, ridge=RIDGE),
        start=lambda: {"state": [np.zeros((K, D)), np.full((K, D), RIDGE)]}, choose=choose,
        learn=learn, state=lambda agent, i: [agent.weights[i].T, agent.gram[i].T], sparse=sparse,
    )  # fmt: skip


@pytest.mark.parametrize(
    ("given", "named"),
    [
        ({"alpha": -1.0}, "alpha"),
        ({"alpha": float("nan")}, "alpha"),
        ({"ridge": 0.0}, "ridge"),
    ],
)
def test_bad_hyperparameters_are_named_with_their_value(given, named):
    with pytest.raises(ValueError, match=f"{named}.*{next(iter(given.values()))}"):
        Confidit(**given)


def test_refuses_slots(task):
    with pytest.raises(ValueError, match="one label"):
        Confidit().reset(task(slots=1))
