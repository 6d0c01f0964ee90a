"""The optimistic arm of logistic rewards, by its formula."""

import numpy as np
import pytest

from agents.numerics.logistic.largest_bound import optimistic_arm
from agents.numerics.ridge.factor_predictions import prediction_scratch
from agents.parts.estimators.ridge import FreshArms
from banditgym.compiled import compiled


@compiled
def _optimistic_arm(model, contexts, mask, bound, choosing):
    return optimistic_arm(model, 0, contexts, mask, bound, choosing)


@pytest.mark.parametrize("of_rewards", [False, True])
@pytest.mark.parametrize("masked", [False, True])
def test_it_is_the_first_arm_of_the_largest_bound(of_rewards, masked):
    rng, played = np.random.default_rng(0), set()
    for _ in range(20):
        model = FreshArms.initial(1, 3, 6, 0.7)
        for _ in range(8):
            x = rng.standard_normal((1, 3, 6))
            model.update(x, np.array([0]), 3.0 * rng.standard_normal(1), np.ones(1, bool))
        x, mask = rng.standard_normal((1, 3, 6)), rng.random((1, 6)) < 0.5
        mask[0, 2] = True
        choosing = np.zeros(1), np.empty(6), prediction_scratch(x)
        there = mask if masked else None
        arm = _optimistic_arm(model, x, there, (0.8, of_rewards), choosing)
        middle = model.theta[0] @ x[0]
        if of_rewards:
            middle = 1 / (1 + np.exp(-middle))
        bound = middle + 0.8 * np.sqrt(np.sum(x[0] * np.linalg.solve(model.gram[0], x[0]), axis=0))
        assert arm == np.argmax(np.where(mask[0] | (not masked), bound, -np.inf))
        assert choosing[0] == [0.8]
        played.add(arm)
    assert len(played) > 2


def test_features_that_are_not_finite_are_refused_and_the_radius_stays():
    model, x = FreshArms.initial(1, 2, 3, 1.0), np.ones((1, 2, 3))
    x[0, 1, 2] = np.nan
    choosing = np.full(1, 5.0), np.empty(3), prediction_scratch(x)
    assert _optimistic_arm(model, x, None, (0.8, True), choosing) == -1
    assert choosing[0] == [5.0]
