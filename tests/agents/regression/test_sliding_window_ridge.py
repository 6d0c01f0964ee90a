"""What SlidingWindowRidge refuses."""

import pytest

from agents.regression.sliding_window_ridge import SlidingWindowRidge


@pytest.mark.parametrize("setting", [{"window": 0}, {"ridge": 0.0}])
def test_settings_are_checked(setting):
    name, value = next(iter(setting.items()))
    with pytest.raises(ValueError, match=f"{name}.*{value}"):
        SlidingWindowRidge(**setting)
