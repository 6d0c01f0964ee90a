"""What SVRGRegression refuses."""

import pytest

from agents.regression.svrg_regression import SVRGRegression


@pytest.mark.parametrize("setting", [{"learning_rate": 0.0}, {"ridge": -1.0}])
def test_settings_are_checked(setting):
    name, value = next(iter(setting.items()))
    with pytest.raises(ValueError, match=f"{name}.*{value}"):
        SVRGRegression(**setting)
