"""UCB2 in states that few rounds do not reach, and its hyperparameters."""

import math

import numpy as np
import pytest

from agents.armed.ucb2 import UCB2


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


@pytest.mark.parametrize("alpha", [0.0, 1.0, -0.1, float("nan")])
def test_alpha_lies_between_0_and_1(alpha):
    with pytest.raises(ValueError, match=f"alpha.*{alpha}"):
        UCB2(alpha=alpha)


def test_noise_std_is_not_negative():
    with pytest.raises(ValueError, match=r"noise_std.*-0\.1"):
        UCB2(noise_std=-0.1)
