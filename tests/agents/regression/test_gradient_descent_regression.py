"""GradientDescentRegression against its formula, from the first round on."""

import numpy as np
import pytest

from agents.regression.gradient_descent_regression import GradientDescentRegression
from banditgym.streams import AGENT, Stream


@pytest.mark.parametrize("ridge", [0.0, 0.6])
def test_predicts_by_one_step_a_round(data, play, ridge):
    rows, y = data("random", 3)

    def inspect(t, i, past, outcomes, predicted):
        theta, longest = np.zeros(3), 0.0
        for n in range(1, len(past) + 1):
            longest = max(longest, past[n - 1] @ past[n - 1])
            gamma = min(11.0 / (4 * (11.0 + n)), 1 / longest)
            drawn = int(Stream([3 + i], AGENT, 9, 0).uniform(n)[0] * n)
            x, outcome = past[drawn], outcomes[drawn]
            theta = theta - gamma * ((x @ theta - outcome) * x + ridge / n * theta)
        assert abs(predicted - rows[t, i] @ theta) <= 1e-12

    play(GradientDescentRegression(step=11.0, ridge=ridge), rows, y, hide=0.3, inspect=inspect)


@pytest.mark.parametrize("setting", [{"step": 0.0}, {"rho": 0.5}, {"ridge": -1.0}])
def test_settings_are_checked(setting):
    name, value = next(iter(setting.items()))
    with pytest.raises(ValueError, match=f"{name}.*{value}"):
        GradientDescentRegression(**setting)
