"""SAGRegression against its formula, from the first round on."""

import numpy as np
import pytest

from agents.regression.sag_regression import SAGRegression
from banditgym.streams import AGENT, Stream


def test_predicts_by_one_step_a_round(data, play):
    rows, y = data("random", 3)

    def inspect(t, i, past, outcomes, predicted):
        theta, residuals = np.zeros(3), np.zeros(len(past))
        for n in range(1, len(past) + 1):
            seen = past[:n]
            drawn = int(Stream([3 + i], AGENT, 9, 0).uniform(n)[0] * n)
            for j in (n - 1, drawn):
                residuals[j] = seen[j] @ theta - outcomes[j]
            longest = (seen**2).sum(axis=1).max()
            eta = min(0.3 / longest, 2 * 3 / (longest * n), n / 0.6)
            theta = theta - eta * (seen.T @ residuals[:n] / n + 0.6 / n * theta)
        assert abs(predicted - rows[t, i] @ theta) <= 1e-12

    play(SAGRegression(learning_rate=0.3, ridge=0.6), rows, y, hide=0.3, inspect=inspect)


@pytest.mark.parametrize("setting", [{"learning_rate": 0.0}, {"ridge": -1.0}])
def test_settings_are_checked(setting):
    name, value = next(iter(setting.items()))
    with pytest.raises(ValueError, match=f"{name}.*{value}"):
        SAGRegression(**setting)
