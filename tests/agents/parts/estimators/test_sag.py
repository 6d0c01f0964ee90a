"""SAG against its definition, sample by sample."""

import numpy as np
import pytest

from agents.parts.estimators import SAG


@pytest.mark.parametrize("form", ["fresh", "fixed", "rows", "known"])
@pytest.mark.parametrize("kind", ["random", "long", "short", "zero", "some zero"])
@pytest.mark.parametrize("dim", [1, 3, 21])
def test_makes_the_steps_of_the_definition(follow, form, kind, dim):
    follow(SAG(learning_rate=0.3, ridge=0.4), form, kind, dim)


@pytest.mark.parametrize("ridge", [0.0, 900.0])
@pytest.mark.parametrize("kind", ["random", "short", "zero"])
def test_without_a_ridge_and_with_a_large_one(follow, kind, ridge):
    follow(SAG(ridge=ridge), "fresh", kind, 5)


@pytest.mark.parametrize(
    "setting", [{"learning_rate": 0.0}, {"learning_rate": 1.1}, {"ridge": -1.0}, {"ridge": np.inf}]
)
def test_settings_are_checked(setting):
    name, value = next(iter(setting.items()))
    with pytest.raises(ValueError, match=f"{name}.*{value}"):
        SAG(**setting)
