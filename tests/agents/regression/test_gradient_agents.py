"""Agents by gradient steps: each predicts by its estimator, with its seed, within the bound."""

import numpy as np
import pytest

import agents
from agents.parts.estimators import SAG, SVRG, GradientDescent, PolyakAveraging

PAIRS = [
    (
        agents.GradientDescentRegression(step=9.0, ridge=0.3),
        GradientDescent(step=9.0, ridge=0.3),
    ),
    (agents.GradientDescentRegression(rho=0.8), GradientDescent(rho=0.8)),
    (
        agents.PolyakRegression(step=0.3, exponent=0.6, ridge=0.2),
        PolyakAveraging(step=0.3, exponent=0.6, ridge=0.2),
    ),
    (agents.SVRGRegression(learning_rate=0.2, ridge=0.3), SVRG(learning_rate=0.2, ridge=0.3)),
    (agents.SAGRegression(learning_rate=0.1, ridge=0.3), SAG(learning_rate=0.1, ridge=0.3)),
]


@pytest.mark.parametrize("bound", [None, 0.2])
@pytest.mark.parametrize(("agent", "part"), PAIRS, ids=lambda value: type(value).__name__)
def test_predicts_by_its_estimator(data, play, task, agent, part, bound):
    """``play`` gives seeds 3, 4, 5 to three replicates."""
    rows, y = data("random", 4)
    states = [part.reset(task(4), 1, [3 + i]) for i in range(3)]
    clipped = []

    def inspect(t, i, past, outcomes, predicted):
        for s in range(int(states[i].count[0]), len(past)):
            states[i].learn(past[s : s + 1], outcomes[s : s + 1], np.ones(1, bool))
        expected = rows[t, i] @ states[i].theta[0]
        clipped.append(bound is not None and abs(expected) > bound)
        if bound is not None:
            expected = np.clip(expected, -bound, bound)
        assert abs(predicted - expected) <= 1e-12

    play(agent, rows, y, bound, 0.2, inspect)
    assert 0 < sum(clipped) < len(clipped) or bound is None
