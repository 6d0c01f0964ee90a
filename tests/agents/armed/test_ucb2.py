"""UCB2 against its definition, with every epoch of the paper."""

import math

import gymnasium
import numpy as np
import pytest

from agents.armed.ucb2 import UCB2

ENVIRONMENTS = {
    "one-arm": {"n_arms": 1},
    "bernoulli-3": {"n_arms": 3},
    "bernoulli-7": {"n_arms": 7},
    "gaussian-4": {"n_arms": 4, "noise": "gaussian", "noise_std": 0.5},
}


class Reference:
    """One replicate of Figure 2, epoch by epoch."""

    def __init__(self, n_arms, alpha, scale):
        self.epochs, self.alpha, self.scale = [0] * n_arms, alpha, scale
        self.arm, self.left = None, 0

    def plays(self, epoch):
        return math.ceil((1 + self.alpha) ** epoch)

    def bounds(self, past):
        bounds = []
        for arm, epoch in enumerate(self.epochs):
            rewards = past.of_arm(arm).rewards
            if not rewards:
                return np.eye(len(self.epochs))[arm]
            tau = self.plays(epoch)
            growth = max(math.log(math.e * len(past) / tau), 0)
            bonus = math.sqrt((1 + self.alpha) * growth / (2 * tau))
            bounds.append(np.mean(rewards) + 2 * self.scale * bonus)
        return np.array(bounds)

    def values(self, past):
        """1 for the arm of the epoch; epochs without a play are gone through one by one."""
        first = any(not past.of_arm(arm).rewards for arm in range(len(self.epochs)))
        while self.left == 0:
            bounds = self.bounds(past)
            if first:
                return bounds
            self.arm = int(np.argmax(bounds))
            before = self.plays(self.epochs[self.arm])
            self.epochs[self.arm] += 1
            self.left = self.plays(self.epochs[self.arm]) - before
        self.left -= 1
        return np.eye(len(self.epochs))[self.arm]


@pytest.mark.parametrize(("alpha", "noise_std"), [(0.001, None), (0.3, None), (0.9, 0.13)])
def test_begins_the_epoch_of_the_largest_upper_bound_in_any_state(alpha, noise_std, play_states):
    """After r epochs an arm has tau(r) pulls; some rewards were hidden, so that log may be < 0."""
    agent = UCB2(alpha=alpha, noise_std=noise_std)
    scale = 0.5 if noise_std is None else noise_std

    def index(mean, pulls, t):
        agent.epochs[:] = np.log(4.3 * pulls) / math.log1p(alpha)
        tau = np.ceil((1 + alpha) ** agent.epochs)
        growth = np.maximum(np.log(math.e * t / tau), 0)
        return mean + 2 * scale * np.sqrt((1 + alpha) * growth / (2 * tau))

    *_, played = play_states(agent, index)
    rows = np.arange(len(played))
    pulls = agent.pulls[rows, played]
    before, after = np.floor(np.log(4.3 * pulls) / math.log1p(alpha)), agent.epochs[rows, played]
    assert (after > before).all()
    tau = [np.ceil((1 + alpha) ** epochs) for epochs in (before, after - 1, after)]
    np.testing.assert_array_equal(tau[0], tau[1])  # only epochs without a play were skipped
    np.testing.assert_array_equal(agent._left, tau[2] - tau[0] - 1)
    agent.act(np.zeros(len(played), int))
    going_on = agent._left < tau[2] - tau[0] - 1
    np.testing.assert_array_equal(going_on, tau[2] - tau[0] > 1)


def test_the_default_of_alpha():
    assert UCB2().alpha == 0.001


@pytest.mark.parametrize("settings", ENVIRONMENTS.values(), ids=ENVIRONMENTS)
@pytest.mark.parametrize(("alpha", "noise_std"), [(0.001, None), (0.1, None), (0.9, 0.13)])
def test_plays_epochs_of_the_largest_upper_bound(settings, alpha, noise_std, follow):
    agent = UCB2(alpha=alpha, noise_std=noise_std)
    env = gymnasium.make_vec("ArmedBandit-v0", num_envs=3, horizon=150, **settings)
    scale = settings.get("noise_std", 0.5) if noise_std is None else noise_std
    references = [Reference(settings["n_arms"], alpha, scale) for _ in range(3)]
    wanted = {}

    def compare(past, _, i):
        for arm in range(settings["n_arms"]):
            assert agent.pulls[i, arm] == len(past.of_arm(arm).rewards)
        wanted[i] = references[i].values(past)
        assert agent.epochs[i].tolist() == references[i].epochs

    follow(agent, env, values=lambda past, _, i: wanted[i], compare=compare)


@pytest.mark.parametrize("alpha", [0.0, 1.0, -0.1, float("nan")])
def test_alpha_lies_between_0_and_1(alpha):
    with pytest.raises(ValueError, match=f"alpha.*{alpha}"):
        UCB2(alpha=alpha)


def test_noise_std_is_not_negative():
    with pytest.raises(ValueError, match=r"noise_std.*-0\.1"):
        UCB2(noise_std=-0.1)
