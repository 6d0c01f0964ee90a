"""SoRUCB against its formula, and against GP-UCB, which it is with all arms."""

import numpy as np
import pytest

import agents

SIZE = 5


@pytest.mark.parametrize("radius", ["released", 0.6])
def test_it_plays_by_its_formula(make_kernel_env, follow_features, nystrom, radius):
    """Its dictionary, one of a replicate's own, is where features explain all variance."""
    env = make_kernel_env("rbf")
    task = env.unwrapped.task
    agent = agents.SoRUCB(size=SIZE, delta=0.03, ridge=0.3, radius=radius).reset(task, n=3, seed=11)
    explained = (agent.model.features**2).sum(axis=1)  # (n, K)
    inducing = [np.argsort(-own)[:SIZE] for own in explained]
    assert len({tuple(sorted(own)) for own in inducing}) == 3

    def features(agent, i):
        z, left = nystrom(task.arms, inducing[i], task.covariance)
        return z, 0 * left

    follow_features(agent, env, features, 0.3)


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
