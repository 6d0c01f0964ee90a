"""The loop around one environment, and the plain environment that it is compared on."""

import gymnasium
import numpy as np
from gymnasium.utils.env_checker import check_env

import agents
import banditgym  # noqa: F401 (registers the environments)
from tools.speed.by_hand import plain_beside, play_by_hand


def _made(horizon=40):
    return gymnasium.make("LinearBandit-v0", horizon=horizon)


def test_the_plain_environment_is_the_model_of_ours():
    env = plain_beside(_made(2000)).unwrapped
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


def test_arms_are_stepped_in_turn():
    env, batch = _made(), gymnasium.make_vec("LinearBandit-v0", num_envs=1, horizon=40)
    batch.reset(seed=0)
    expected = sum(float(batch.step([t % 10])[4]["regret"][0]) for t in range(40))
    assert play_by_hand(env, None, 40) == expected


def test_an_agent_acts_and_observes_in_every_round():
    class Noted(agents.LinUCB):
        def _learn(self, contexts, actions, reward, observed):
            learned.append((contexts[0].T.copy(), int(actions[0]), float(reward[0])))
            super()._learn(contexts, actions, reward, observed)

    learned, env = [], _made()
    play_by_hand(env, Noted(), 40)
    again = _made()
    observation, _ = again.reset(seed=0)
    assert len(learned) == 40
    for shown, arm, reward in learned:
        np.testing.assert_array_equal(shown, observation)
        observation, paid, *_ = again.step(arm)
        assert paid == reward
