"""Gymnasium's modes of beginning the next episode."""

import gymnasium
import numpy as np
import pytest
from gymnasium.error import ResetNeeded
from gymnasium.utils.env_checker import data_equivalence
from gymnasium.vector import AutoresetMode, SyncVectorEnv

import banditgym  # noqa: F401 (registers the environments)

ENVIRONMENTS = [
    ("LinearBandit-v0", {"n_arms": 3, "dim": 2}),
    ("NewsReplay-v0", {"keep": 1.0}),
    ("ArmedBandit-v0", {}),
    ("BallBandit-v0", {}),
    ("OnlineConvex-v0", {}),
    ("KernelBandit-v0", {}),
]


def same(a, b):
    if isinstance(a, dict):
        return a.keys() == b.keys() and all(same(a[key], b[key]) for key in a)
    return np.array_equal(a, b)


@pytest.mark.parametrize(("env_id", "settings"), ENVIRONMENTS)
def test_same_step_is_what_gymnasiums_own_vector_does(env_id, settings):
    mode = AutoresetMode.SAME_STEP
    ours = gymnasium.make_vec(env_id, num_envs=2, horizon=3, autoreset_mode=mode, **settings)
    theirs = SyncVectorEnv(
        [lambda: gymnasium.make(env_id, horizon=3, **settings)] * 2, autoreset_mode=mode
    )
    assert ours.metadata["autoreset_mode"] is mode
    shown, other = ours.reset(seed=[4, 5])[0], theirs.reset(seed=[4, 5])[0]
    for t in range(8):
        assert same(shown, other)
        actions = np.zeros(ours.action_space.shape, ours.action_space.dtype)
        shown, reward, _, truncated, info = ours.step(actions)
        other, their_reward, _, their_truncated, their_info = theirs.step(actions)
        np.testing.assert_array_equal(reward, their_reward)
        np.testing.assert_array_equal(truncated, their_truncated)
        assert truncated.all() == (t % 3 == 2)
        assert info.keys() == their_info.keys()
        if truncated.all():
            assert same(info["final_info"], their_info["final_info"])
            for name in ("final_obs", "final_info"):
                assert data_equivalence(info[name], their_info[name], exact=True)
            for last, their_last in zip(info["final_obs"], their_info["final_obs"], strict=True):
                assert type(last) is type(their_last)
                assert same(last, their_last)


def test_a_final_observation_outlives_the_next_episode():
    envs = gymnasium.make_vec(
        "LinearBandit-v0", num_envs=2, horizon=1, autoreset_mode=AutoresetMode.SAME_STEP
    )
    envs.reset(seed=0)
    final = envs.step([0, 0])[-1]["final_obs"]
    kept = [one.copy() for one in final]
    for _ in range(4):
        envs.step([0, 0])
    assert same(list(final), kept)


def test_disabled_waits_for_a_reset():
    mode = AutoresetMode.DISABLED
    envs = gymnasium.make_vec("ArmedBandit-v0", num_envs=2, horizon=1, autoreset_mode=mode)
    plain = gymnasium.make_vec("ArmedBandit-v0", num_envs=2, horizon=1)
    envs.reset(seed=3)
    plain.reset(seed=3)
    envs.step([0, 1])
    plain.step([0, 1])
    with pytest.raises(ResetNeeded, match="the episode is over"):
        envs.step([0, 1])
    with pytest.raises(ValueError, match="replicates share their round"):
        envs.reset(options={"reset_mask": np.array([True, False])})
    envs.reset(options={"reset_mask": np.array([True, True])})
    plain.step([0, 1])
    np.testing.assert_array_equal(envs.step([1, 0])[1], plain.step([1, 0])[1])


def test_a_block_to_the_end_begins_the_next_episode_too():
    env = gymnasium.make_vec(
        "LinearBandit-v0", num_envs=1, horizon=4, autoreset_mode=AutoresetMode.SAME_STEP
    ).unwrapped
    plain = gymnasium.make_vec("LinearBandit-v0", num_envs=1, horizon=4).unwrapped
    for each in (env, plain):
        each.reset(seed=1)
    block = env.block(4)
    first, *_ = env.step_block(block, np.zeros((4, 1), int))
    np.testing.assert_array_equal(first, plain.reset()[0])
    assert env.episode == 1


def test_modes_are_gymnasiums_and_a_single_environment_has_none():
    with pytest.raises(ValueError, match=r"one of gymnasium.vector.AutoresetMode, got 'same'"):
        gymnasium.make_vec("ArmedBandit-v0", autoreset_mode="same")
    with pytest.raises(TypeError, match="a setting of make_vec alone"):
        gymnasium.make("ArmedBandit-v0", autoreset_mode=AutoresetMode.SAME_STEP)
