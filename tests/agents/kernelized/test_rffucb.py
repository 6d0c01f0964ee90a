"""RFF-UCB against its formula."""

import numpy as np
import pytest

import agents
from banditgym.functions.covariances import Linear


@pytest.mark.parametrize("radius", ["released", 0.6])
@pytest.mark.parametrize("name", ["rbf", "rough"])
def test_it_plays_by_its_formula(make_kernel_env, follow_features, name, radius):
    env = make_kernel_env(name)
    task = env.unwrapped.task
    agent = agents.RFFUCB(size=12, delta=0.03, ridge=0.3, radius=radius)
    agent.reset(task, n=3, seed=11)
    z = agent.model.features.copy()  # (n, D, K)
    assert z.shape == (3, 12, task.n_arms)
    assert (z[0] != z[1]).any()

    def features(agent, i):
        return z[i].T, np.zeros(task.n_arms)

    follow_features(agent, env, features, 0.3)


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
