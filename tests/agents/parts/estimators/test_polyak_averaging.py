"""PolyakAveraging against its definition, sample by sample."""

import numpy as np
import pytest

from agents.parts.estimators import PolyakAveraging


@pytest.mark.parametrize("form", ["fresh", "fixed", "rows", "known"])
@pytest.mark.parametrize("kind", ["random", "long", "zero", "some zero"])
@pytest.mark.parametrize("dim", [1, 4])
def test_is_the_mean_of_the_iterates(follow, form, kind, dim):
    part = PolyakAveraging(step=0.6, exponent=0.65, ridge=0.2)
    follow(part, form, kind, dim)


def test_averages_from_the_first_sample_on(task):
    model, iterates = PolyakAveraging(step=0.5).reset(task(1), 1, [0]), []
    for _ in range(3):
        model.learn(np.ones((1, 1)), np.ones(1), np.ones(1, bool))
        iterates.append(model.steps.iterate[0, 0])
        assert model.theta[0, 0] == pytest.approx(np.mean(iterates), rel=1e-14)
    assert iterates[0] == 0.5


@pytest.mark.parametrize(
    "setting",
    [{"step": 0.0}, {"exponent": 0.5}, {"exponent": 1.0}, {"exponent": np.nan}, {"ridge": -1.0}],
)
def test_settings_are_checked(setting):
    name, value = next(iter(setting.items()))
    with pytest.raises(ValueError, match=f"{name}.*{value}"):
        PolyakAveraging(**setting)
