"""What RFF-UCB refuses."""

import pytest

import agents
from banditgym.functions.covariances import Linear


@pytest.mark.parametrize(
    ("given", "named"),
    [
        ({"size": 0}, "size"),
        ({"size": 7}, "size"),
        ({"radius": -0.5}, "radius"),
    ],
)
def test_bad_hyperparameters_are_named_with_their_value(given, named):
    with pytest.raises(ValueError, match=f"{named}.*{next(iter(given.values()))}"):
        agents.RFFUCB(**given)


def test_a_kernel_of_no_differences_is_refused(make_kernel_env):
    task = make_kernel_env("rbf").unwrapped.task
    with pytest.raises(ValueError, match="RFFUCB.*Linear"):
        agents.RFFUCB(covariance=Linear()).reset(task)
