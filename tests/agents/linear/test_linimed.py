"""LinIMED: its variants, and what it refuses."""

import gymnasium
import numpy as np
import pytest

import agents


@pytest.mark.parametrize("variant", [1, 3])
def test_the_first_arm_is_the_least_known(variant):
    task = gymnasium.make("LinearBandit-v0", n_arms=3, dim=2).unwrapped.task
    x = np.array([[[0.3, 0.0], [0.0, 0.9], [0.5, 0.0]]])
    assert agents.LinIMED(variant=variant).reset(task, n=1).act(x) == [1]


@pytest.mark.parametrize(("index_cap", "played"), [(30.0, 1), (0.001, 0)])
def test_a_small_cap_plays_the_arm_of_the_largest_bound(index_cap, played):
    """Bounds 0.545 and 0.5: indices min(log(index_cap / 0.002), 6.2) and 1.4."""
    task = gymnasium.make("LinearBandit-v0", n_arms=2, dim=2).unwrapped.task
    x = np.array([[[1.0, 0.0], [0.0, 0.5]]])
    agent = agents.LinIMED(index_cap=index_cap, radius=1.0).reset(task, n=1)
    for _ in range(500):
        agent.observe(x, [0], [0.5])
    assert agent.act(x) == [played]


@pytest.mark.parametrize("variant", [1, 3])
def test_an_arm_without_features_is_not_played_though_its_mean_is_the_largest(variant):
    task = gymnasium.make("LinearBandit-v0", n_arms=2, dim=2).unwrapped.task
    agent, x = agents.LinIMED(variant=variant, radius=0.01).reset(task, n=1), np.zeros((1, 2, 2))
    x[0, 1, 0] = 1.0
    agent.observe(x, [1], [-1.0])
    assert agent.act(x) == [1 if variant == 1 else 0]  # the third plays the best that is known


def test_arms_without_features_are_played_if_there_are_no_others():
    task = gymnasium.make("LinearBandit-v0", n_arms=2, dim=2).unwrapped.task
    assert agents.LinIMED().reset(task, n=1).act(np.zeros((1, 2, 2))) == [0]


@pytest.mark.parametrize(
    ("given", "named"),
    [
        ({"variant": 2}, "variant"),
        ({"variant": True}, "variant"),
        ({"variant": "3"}, "variant"),
        ({"index_cap": 0.0}, "index_cap"),
        ({"index_cap": float("nan")}, "index_cap"),
        ({"ridge": 0.0}, "ridge"),
        ({"delta": 1.0}, "delta"),
        ({"radius": 0.0}, "radius"),
        ({"radius": "closed"}, "radius"),
    ],
)
def test_bad_hyperparameters_are_named_with_their_value(given, named):
    with pytest.raises(ValueError, match=f"{named}.*{next(iter(given.values()))}"):
        agents.LinIMED(**given)
