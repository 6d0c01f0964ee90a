"""``play`` on Gymnasium's own vectors of single environments, and in every mode of autoreset."""

import gymnasium
import numpy as np
import pytest
from gymnasium.vector import AsyncVectorEnv, AutoresetMode, SyncVectorEnv

import agents
import banditgym  # noqa: F401 (registers the environments)

PLAYED = [
    ("LinearBandit-v0", {"n_arms": 3, "dim": 2}, agents.LinUCB()),
    ("BallBandit-v0", {"dim": 2}, agents.BallTS()),
    ("OnlineRegression-v0", {"dim": 2}, agents.OnlineRidge()),
    ("OnlineConvex-v0", {"dim": 2}, agents.OnlineGradientDescent()),
    ("NewsReplay-v0", {}, agents.LinUCB()),
    ("SynSep-v0", {"slots": 2}, agents.RankingBanditron()),
]


def same(a, b):
    assert a.measures.keys() == b.measures.keys()
    for name, values in a.measures.items():
        np.testing.assert_array_equal(values, b.measures[name])
    assert (a.pulls is None) == (b.pulls is None)
    assert a.pulls is None or (a.pulls == b.pulls).all()


@pytest.mark.parametrize(("env_id", "settings", "agent"), PLAYED)
@pytest.mark.parametrize("mode", AutoresetMode)
def test_a_sync_vector_is_the_batch(env_id, settings, agent, mode):
    whole = gymnasium.make_vec(env_id, num_envs=2, horizon=12, **settings)
    batch = gymnasium.make_vec(env_id, num_envs=2, horizon=12, autoreset_mode=mode, **settings)
    envs = SyncVectorEnv(
        [lambda: gymnasium.make(env_id, horizon=12, **settings)] * 2, autoreset_mode=mode
    )
    trace = agents.play(whole, agent, seed=3)
    same(trace, agents.play(batch, agent, seed=3))
    same(trace, agents.play(envs, agent, seed=3))


def test_an_async_vector_is_the_batch():
    settings = {"n_arms": 3, "dim": 2, "horizon": 6}
    envs = AsyncVectorEnv([lambda: gymnasium.make("LinearBandit-v0", **settings)] * 2)
    try:
        trace = agents.play(envs, agents.LinUCB(), seed=3)
    finally:
        envs.close()
    batch = gymnasium.make_vec("LinearBandit-v0", num_envs=2, **settings)
    same(trace, agents.play(batch, agents.LinUCB(), seed=3))


def test_make_vec_in_sync_mode_is_the_batch():
    settings = {"n_arms": 3, "horizon": 6}
    envs = gymnasium.make_vec("ArmedBandit-v0", num_envs=2, vectorization_mode="sync", **settings)
    batch = gymnasium.make_vec("ArmedBandit-v0", num_envs=2, **settings)
    same(agents.play(envs, agents.UCB1()), agents.play(batch, agents.UCB1()))


def test_environments_of_different_tasks_and_of_others_are_refused():
    envs = SyncVectorEnv(
        [lambda k=k: gymnasium.make("ArmedBandit-v0", means=[0.1] * 3, horizon=k) for k in (5, 6)]
    )
    with pytest.raises(ValueError, match="must have one task"):
        agents.play(envs, agents.UCB1())
    others = gymnasium.make_vec("CartPole-v1", num_envs=2, vectorization_mode="sync")
    with pytest.raises(ValueError, match="has no task"):
        agents.play(others, agents.UCB1())
