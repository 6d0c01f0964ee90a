"""PolyakRegression against its formula, from the first round on."""

import numpy as np
import pytest

from agents.regression.polyak_regression import PolyakRegression
from banditgym.streams import AGENT, Stream


def test_predicts_by_the_mean_of_the_iterates(data, play):
    rows, y = data("random", 3)

    def inspect(t, i, past, outcomes, predicted):
        theta, total, longest = np.zeros(3), np.zeros(3), 0.0
        for n in range(1, len(past) + 1):
            longest = max(longest, past[n - 1] @ past[n - 1])
            drawn = int(Stream([3 + i], AGENT, 9, 0).uniform(n)[0] * n)
            x, gamma = past[drawn], min(0.5 * n**-0.7, 1 / longest)
            theta = theta - gamma * ((x @ theta - outcomes[drawn]) * x + 0.6 / n * theta)
            total += theta
        assert abs(predicted - rows[t, i] @ total / max(len(past), 1)) <= 1e-12

    agent = PolyakRegression(step=0.5, exponent=0.7, ridge=0.6)
    play(agent, rows, y, hide=0.3, inspect=inspect)


@pytest.mark.parametrize("setting", [{"step": 0.0}, {"exponent": 1.0}, {"ridge": -1.0}])
def test_settings_are_checked(setting):
    name, value = next(iter(setting.items()))
    with pytest.raises(ValueError, match=f"{name}.*{value}"):
        PolyakRegression(**setting)
