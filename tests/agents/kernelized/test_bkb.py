"""BKB against GP-UCB, which it is with the theorem's qbar."""

import gymnasium
import numpy as np
import pytest

import agents
from agents.parts.confidence import oversampling


def test_the_first_arm_is_uniform():
    """Of 4 arms over 4000 seeds: each count within 5 standard deviations, 137, of 1000."""
    env = gymnasium.make_vec("KernelBandit-v0", num_envs=1, n_arms=4)
    agent = agents.BKB().reset(env.unwrapped.task, n=4000, seed=0)
    played = np.bincount(agent.act(np.zeros(4000, int)), minlength=4)
    assert np.abs(played - 1000).max() < 137
    agent.observe(np.zeros(4000, int), np.zeros(4000, int), np.zeros(4000))
    assert len(np.unique(agent.act(np.zeros(4000, int)))) == 1  # now all know the same


@pytest.mark.parametrize(
    ("radius", "horizon", "settings"),
    [
        ("released", 500, {"n_arms": 60, "arms_seed": 4}),
        (0.5, 500, {"n_arms": 60, "arms_seed": 4}),
        ("released", 150, {"n_arms": 20, "function": "branin", "fixed_arms": False}),
    ],
    ids=["released", "constant", "changing"],
)
def test_with_the_theorem_s_qbar_it_is_gpucb(radius, horizon, settings):
    """While qbar >= t + ridge every pull enters for certain, and all is exact: with the first arm
    imposed the two decide alike in all rounds, also where the arms change in each."""
    env = gymnasium.make_vec("KernelBandit-v0", num_envs=2, dim=2, horizon=horizon, **settings)
    task = env.unwrapped.task
    assert oversampling(horizon) >= horizon + task.noise_std**2
    exact = agents.GPUCB(radius=radius).reset(task, n=2, seed=1)
    budgeted = agents.BKB(qbar=oversampling(horizon), radius=radius).reset(task, n=2, seed=1)
    observation, _ = env.reset(seed=1)
    pulls = np.zeros((horizon, 2), int)
    for t in range(horizon):
        pulls[t] = exact.act(observation)
        if t:
            np.testing.assert_array_equal(budgeted.act(observation), pulls[t])
        following, reward, *_ = env.step(pulls[t])
        for agent in (exact, budgeted):
            agent.observe(observation, pulls[t], reward)
        observation = following
    assert all(len(np.unique(own)) > 15 for own in pulls.T)


@pytest.mark.parametrize(
    ("given", "named"),
    [
        ({"qbar": 0.0}, "qbar"),
        ({"qbar": float("nan")}, "qbar"),
        ({"accuracy": 1.0}, "accuracy"),
        ({"accuracy": float("nan")}, "accuracy"),
        ({"radius": "printed"}, "radius"),
        ({"radius": -1.0}, "radius"),
        ({"delta": 1.0}, "delta"),
    ],
)
def test_bad_hyperparameters_are_named_with_their_value(given, named):
    with pytest.raises(ValueError, match=f"{named}.*{next(iter(given.values()))}"):
        agents.BKB(**given)
