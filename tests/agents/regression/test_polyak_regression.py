"""What PolyakRegression refuses."""

import pytest

from agents.regression.polyak_regression import PolyakRegression


@pytest.mark.parametrize("setting", [{"step": 0.0}, {"exponent": 1.0}, {"ridge": -1.0}])
def test_settings_are_checked(setting):
    name, value = next(iter(setting.items()))
    with pytest.raises(ValueError, match=f"{name}.*{value}"):
        PolyakRegression(**setting)
