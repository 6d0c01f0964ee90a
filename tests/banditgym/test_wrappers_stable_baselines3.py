"""A library's DQN on rewards that come late."""

import gymnasium
import numpy as np
import pytest

from banditgym.wrappers import LateReplay, LateReward


@pytest.fixture
def buffers():
    pytest.importorskip("stable_baselines3", reason="needs stable-baselines3")
    from stable_baselines3.common.buffers import ReplayBuffer

    class LateReplayBuffer(LateReplay, ReplayBuffer):
        pass

    return ReplayBuffer, LateReplayBuffer


def dqn(env, buffer, **settings):
    from stable_baselines3 import DQN

    given = {"learning_starts": 100, "buffer_size": 400, "gamma": 0.0, "seed": 0, "device": "cpu"}
    return DQN("MlpPolicy", env, replay_buffer_class=buffer, **given, **settings)


@pytest.mark.parametrize("n_envs", [1, 3])
def test_the_library_stores_each_transition_with_its_reward(buffers, n_envs):
    from stable_baselines3.common.env_util import make_vec_env

    rows = {}
    for buffer, late in zip(buffers, ({}, {"delay": 2, "at_end": "delivered"}), strict=True):
        settings = {"n_arms": 3, "dim": 2, "horizon": 12}
        envs = make_vec_env("LinearBandit-v0", n_envs=n_envs, seed=0, env_kwargs=settings | late)
        model = dqn(envs, buffer, exploration_fraction=1.0, exploration_initial_eps=1.0,
                    exploration_final_eps=1.0, train_freq=24)  # fmt: skip
        model.learn(24 * n_envs)
        kept = model.replay_buffer
        rows[buffer] = [
            getattr(kept, name)[: kept.pos]
            for name in ("observations", "next_observations", "actions", "rewards", "dones")
        ]
        assert kept.pos == 24
    for at_once, credited in zip(*rows.values(), strict=True):
        np.testing.assert_array_equal(credited, at_once)


def test_the_library_learns_from_late_rewards(buffers):
    def regret(buffer):
        env = gymnasium.make("ArmedBandit-v0", means=[0.0, 1.0], shuffled=True, horizon=400)
        regrets = []

        class Counted(gymnasium.Wrapper):
            def step(self, action):
                result = self.env.step(action)
                regrets.append(result[4]["regret"])
                return result

        late = LateReward(Counted(env), delay=1)
        dqn(late, buffer, learning_rate=0.01, train_freq=1).learn(400)
        return sum(regrets[200:])

    # With two certain arms, what was learned is plain: 200 rounds cost nothing but exploration,
    # of which there is 0.05; four standard deviations above 5 are 14. Rewards that are credited to
    # the next action say the same of both arms.
    assert regret(buffers[1]) <= 14
