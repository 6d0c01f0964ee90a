"""SlidingWindowRidge against the regression of what it last observed."""

import numpy as np
import pytest

from agents.regression.sliding_window_ridge import SlidingWindowRidge


@pytest.mark.parametrize("bound", [None, 0.2])
@pytest.mark.parametrize("window", [1, 7, 100])
def test_predicts_by_the_regression_of_the_window(follow, window, bound):
    def prediction(past, outcomes, x):
        last, outcomes = past[-window:], outcomes[-window:]
        gram = 0.7 * np.eye(3) + last.T @ last
        return x @ np.linalg.solve(gram, last.T @ outcomes)

    follow(SlidingWindowRidge(window=window, ridge=0.7), prediction, bound=bound)


@pytest.mark.parametrize("setting", [{"window": 0}, {"ridge": 0.0}])
def test_settings_are_checked(setting):
    name, value = next(iter(setting.items()))
    with pytest.raises(ValueError, match=f"{name}.*{value}"):
        SlidingWindowRidge(**setting)
