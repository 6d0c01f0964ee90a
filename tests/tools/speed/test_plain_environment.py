"""The plain environment that ours is compared with is its model."""

import gymnasium
import numpy as np
from gymnasium.utils.env_checker import check_env

import banditgym  # noqa: F401 (registers the environments)
from tools.speed.plain_environment import plain_beside


def test_the_plain_environment_is_the_model_of_ours():
    env = plain_beside(gymnasium.make("LinearBandit-v0", horizon=2000)).unwrapped
    check_env(env, skip_render_check=True)
    observation, _ = env.reset(seed=3)
    theta = env._theta
    assert abs(theta @ theta - 1.0) < 1e-12
    noise = []
    for t in range(2000):
        np.testing.assert_allclose((observation**2).sum(axis=1), 1.0)
        means = observation @ theta
        observation, reward, terminated, truncated, info = env.step(t % 10)
        assert info["regret"] == means.max() - means[t % 10]
        assert (terminated, truncated) == (False, t == 1999)
        noise.append(reward - means[t % 10])
    # Noise of deviation 0.1: the mean of 2000 has one of 0.0022, and the deviation of 0.0016.
    assert abs(np.mean(noise)) < 0.011
    assert abs(np.std(noise) - 0.1) < 0.008
