"""What DiscountedRidge refuses."""

import pytest

from agents.regression.discounted_ridge import DiscountedRidge


@pytest.mark.parametrize("setting", [{"discount": 0.0}, {"discount": 1.1}, {"ridge": 0.0}])
def test_settings_are_checked(setting):
    name, value = next(iter(setting.items()))
    with pytest.raises(ValueError, match=f"{name}.*{value}"):
        DiscountedRidge(**setting)
