"""SVRGRegression against its formula, from the first round on."""

import numpy as np
import pytest

from agents.regression.svrg_regression import SVRGRegression
from banditgym.streams import AGENT, Stream


def test_predicts_by_one_step_a_round(data, play):
    rows, y = data("random", 3)

    def inspect(t, i, past, outcomes, predicted):
        theta, w, anchored = np.zeros(3), np.zeros(3), 0
        for n in range(1, len(past) + 1):
            seen = past[:n]
            if n >= max(2, 1.5 * anchored):
                w, anchored = theta, n
            gradient = seen.T @ (seen @ w - outcomes[:n]) / n + 0.6 / n * theta
            x = seen[int(Stream([3 + i], AGENT, 9, 0).uniform(n)[0] * n)]
            eta = 0.3 / (seen**2).sum(axis=1).max()
            theta = theta - min(eta, n / 0.6) * (x * (x @ (theta - w)) + gradient)
        assert abs(predicted - rows[t, i] @ theta) <= 1e-12

    play(SVRGRegression(learning_rate=0.3, ridge=0.6), rows, y, hide=0.3, inspect=inspect)


@pytest.mark.parametrize("setting", [{"learning_rate": 0.0}, {"ridge": -1.0}])
def test_settings_are_checked(setting):
    name, value = next(iter(setting.items()))
    with pytest.raises(ValueError, match=f"{name}.*{value}"):
        SVRGRegression(**setting)
