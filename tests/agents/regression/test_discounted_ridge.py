"""DiscountedRidge against weighted least squares of all it observed."""

import numpy as np
import pytest

from agents.regression.discounted_ridge import DiscountedRidge


@pytest.mark.parametrize("bound", [None, 0.2])
def test_predicts_by_the_weighted_regression(follow, bound):
    def prediction(past, outcomes, x):
        weight = 0.9 ** np.arange(len(past))[::-1]
        gram = 0.7 * np.eye(3) + (weight[:, None] * past).T @ past
        return x @ np.linalg.solve(gram, past.T @ (weight * outcomes))

    follow(DiscountedRidge(discount=0.9, ridge=0.7), prediction, bound=bound)


@pytest.mark.parametrize("setting", [{"discount": 0.0}, {"discount": 1.1}, {"ridge": 0.0}])
def test_settings_are_checked(setting):
    name, value = next(iter(setting.items()))
    with pytest.raises(ValueError, match=f"{name}.*{value}"):
        DiscountedRidge(**setting)
