"""What GradientDescentRegression refuses."""

import pytest

from agents.regression.gradient_descent_regression import GradientDescentRegression


@pytest.mark.parametrize("setting", [{"step": 0.0}, {"rho": 0.5}, {"ridge": -1.0}])
def test_settings_are_checked(setting):
    name, value = next(iter(setting.items()))
    with pytest.raises(ValueError, match=f"{name}.*{value}"):
        GradientDescentRegression(**setting)
