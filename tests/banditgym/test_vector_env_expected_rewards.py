"""The mean rewards of the arms in the coming round, which environments know and hide."""

import gymnasium
import numpy as np
import pytest

import banditgym  # noqa: F401 (registers the environments)

N = 3
DRAWN = {"kind": "drawn", "mean_life": 3.0}


def made(name, **settings):
    env = gymnasium.make_vec(name, num_envs=N, horizon=9, **settings)
    return env.unwrapped, env.reset(seed=5)[0]


def step(env):
    return env.step(env.action_space.sample())[0]


def test_linear_means_are_products():
    env, x = made("LinearBandit-v0", n_arms=4, dim=2)
    for _ in range(5):
        expected = np.einsum("nkd,nd->nk", x, env._theta)
        np.testing.assert_allclose(env.expected_rewards(), expected, rtol=1e-12)
        x = step(env)


def test_arms_that_are_not_available_have_none():
    plain, _ = made("ArmedBandit-v0", n_arms=4)
    env, seen = made("ArmedBandit-v0", n_arms=4, available=DRAWN)
    for _ in range(5):
        there = seen["action_mask"] == 1
        expected = np.where(there, plain.expected_rewards(), np.nan)
        np.testing.assert_array_equal(env.expected_rewards(), expected)
        seen = step(env)
    assert not there.all()


def test_labels_have_one_reward():
    env, _ = made("MulticlassBandit-v0", data="iris")
    means = env.expected_rewards()
    assert means.shape == (N, 3)
    *_, info = env.step([0] * N)
    np.testing.assert_array_equal(means, np.eye(3)[info["label"]])


def test_environments_without_arms_know_none():
    for name in ("OnlineRegression-v0", "SphereBandit-v0", "NewsReplay-v0"):
        assert made(name)[0].expected_rewards() is None


@pytest.mark.parametrize("name", ["LinearBandit-v0", "ArmedBandit-v0"])
def test_a_single_environment_has_those_of_a_replicate(name):
    env, _ = made(name)
    single = gymnasium.make(name, horizon=9)
    single.reset(seed=6)
    for _ in range(4):
        found = single.unwrapped.expected_rewards()
        np.testing.assert_array_equal(found, env.expected_rewards()[1])
        env.step([0] * N)
        single.step(0)
    regression = gymnasium.make("OnlineRegression-v0")
    regression.reset(seed=1)
    assert regression.unwrapped.expected_rewards() is None


def test_to_know_them_changes_nothing():
    (env, _), (other, _) = made("LinearBandit-v0"), made("LinearBandit-v0")
    for _ in range(8):
        env.expected_rewards()[:] = np.nan
        one, two = env.step([1] * N), other.step([1] * N)
        np.testing.assert_array_equal(one[0], two[0])
        np.testing.assert_array_equal(one[1], two[1])
