"""SoRUCB with all arms as inducing points plays as GP-UCB does."""

import numpy as np
import pytest

import agents


def test_of_all_arms_it_is_gpucb(make_kernel_env):
    """The same decisions, but for rounding: rough arms, whose scores are well apart."""
    env = make_kernel_env("rough", horizon=100)
    dictionary = agents.play(env, agents.SoRUCB(size=30), seed=3)
    exact = agents.play(env, agents.GPUCB(), seed=3)
    np.testing.assert_array_equal(dictionary.pulls, exact.pulls)


@pytest.mark.parametrize(
    ("given", "named"), [({"size": 0}, "size"), ({"size": 2.5}, "size"), ({"delta": 2.0}, "delta")]
)
def test_bad_hyperparameters_are_named_with_their_value(given, named):
    with pytest.raises(ValueError, match=f"{named}.*{next(iter(given.values()))}"):
        agents.SoRUCB(**given)
