"""BBKB with a threshold of one is BKB; its hyperparameters."""

import numpy as np
import pytest

import agents


def test_a_threshold_of_one_is_bkb(make_kernel_env):
    """Every pull with a variance ends its batch: with one constant radius the two are one."""
    env = make_kernel_env("rbf", horizon=100)
    batched = agents.play(env, agents.BBKB(threshold=1.0, radius=0.5), seed=3)
    every = agents.play(env, agents.BKB(radius=0.5), seed=3)
    np.testing.assert_array_equal(batched.regret, every.regret)


@pytest.mark.parametrize(
    ("given", "named"),
    [
        ({"threshold": 0.9}, "threshold"),
        ({"threshold": float("nan")}, "threshold"),
        ({"qbar": -1.0}, "qbar"),
        ({"radius": float("nan")}, "radius"),
    ],
)
def test_bad_hyperparameters_are_named_with_their_value(given, named):
    with pytest.raises(ValueError, match=f"{named}.*{next(iter(given.values()))}"):
        agents.BBKB(**given)
