"""RarelySwitchingOFUL: how often it switches, OFUL as its limit, and what it refuses."""

import gymnasium
import numpy as np
import pytest

import agents


@pytest.mark.parametrize("fixed", [False, True])
@pytest.mark.parametrize("growth", [0.1, 0.5, 3.0])
def test_it_switches_rarely(fixed, growth):
    """By Lemma 10 det V <= det(lambda I) (1 + T L^2 / (lambda d))^d, so that there are at most
    1 + d log(1 + T L^2 / (lambda d)) / log(1 + C) switches."""
    rounds, dim = 1500, 4
    settings = {"n_arms": 6, "dim": dim, "fixed_arms": fixed, "horizon": rounds}
    env = gymnasium.make_vec("LinearBandit-v0", num_envs=5, **settings)
    agent = agents.RarelySwitchingOFUL(growth=growth)
    agents.play(env, agent)
    most = 1 + dim * np.log(1 + rounds / dim) / np.log(1 + growth)
    assert (agent.switches <= most).all()
    assert (agent.switches >= 3).all()


@pytest.mark.parametrize("fixed", [False, True])
def test_where_it_switches_in_every_round_it_is_oful(fixed):
    settings = {"n_arms": 6, "dim": 4, "fixed_arms": fixed, "horizon": 200, "contexts": "ball"}
    env = gymnasium.make_vec("LinearBandit-v0", num_envs=5, **settings)
    often = agents.RarelySwitchingOFUL(growth=1e-9)
    one, other = (agents.play(env, agent, seed=2) for agent in (often, agents.OFUL()))
    assert (often.switches == 200).all()
    np.testing.assert_array_equal(one.pulls, other.pulls)


def test_a_fixed_arm_is_played_until_the_next_switch():
    settings = {"n_arms": 9, "dim": 3, "fixed_arms": True, "horizon": 300}
    env = gymnasium.make_vec("LinearBandit-v0", num_envs=1, **settings)
    agent = agents.RarelySwitchingOFUL().reset(env.unwrapped.task, n=1)
    shown, _ = env.reset(seed=1)
    played, switches = [], []
    for _ in range(300):
        arms = agent.act(shown)
        played.append(arms[0])
        switches.append(int(agent.switches[0]))
        following, reward, *_ = env.step(arms)
        agent.observe(shown, arms, reward)
        shown = following
    changes = np.flatnonzero(np.diff(played))
    assert len(changes) > 2
    assert all(switches[t] < switches[t + 1] for t in changes)


@pytest.mark.parametrize(
    ("given", "named"),
    [
        ({"growth": 0.0}, "growth"),
        ({"growth": float("nan")}, "growth"),
        ({"ridge": 0.0}, "ridge"),
        ({"delta": 1.0}, "delta"),
        ({"radius": -1.0}, "radius"),
    ],
)
def test_bad_hyperparameters_are_named_with_their_value(given, named):
    with pytest.raises(ValueError, match=f"{named}.*{next(iter(given.values()))}"):
        agents.RarelySwitchingOFUL(**given)


def test_arms_without_features_are_played_if_there_are_no_others():
    task = gymnasium.make("LinearBandit-v0", n_arms=2, dim=2).unwrapped.task
    assert agents.RarelySwitchingOFUL().reset(task, n=1).act(np.zeros((1, 2, 2))) == [0]
