"""UCB1 in states that few rounds do not reach, and the noise that it takes."""

import numpy as np
import pytest

import agents
from banditgym.tasks import ArmedTask


@pytest.mark.parametrize(
    ("given", "width"),
    [({}, 0.5), ({"scale": "theory"}, 1.0), ({"noise_std": 0.2, "scale": 0.7}, 0.14)],
    ids=["default", "theory", "given"],
)
def test_plays_the_largest_upper_bound_in_any_state(given, width, play_states):
    def index(mean, pulls, t):
        return mean + width * np.sqrt(2 * np.log(t) / pulls)

    play_states(agents.UCB1(**given), index)


def test_an_arm_whose_reward_was_hidden_is_still_to_be_played():
    task = ArmedTask(n_arms=3, horizon=9, noise_std=None, subgaussian=0.5, bernoulli=True)
    agent = agents.UCB1().reset(task)
    assert agent.act(0) == 0
    agent.observe(0, 0, 1.0, observed=False)
    assert agent.act(0) == 0
    agent.observe(0, 0, 1.0)
    assert agent.act(0) == 1


def test_noise_without_a_constant_takes_its_standard_deviation():
    task = ArmedTask(n_arms=2, horizon=9, noise_std=0.7, subgaussian=None, bernoulli=False)
    taken, given = agents.UCB1().reset(task), agents.UCB1(noise_std=0.7).reset(task)
    for arm, reward in [(0, 1.0), (1, 0.2), (0, 0.1), (0, 2.0)]:
        taken.observe(0, arm, reward)
        given.observe(0, arm, reward)
        assert taken.act(0) == given.act(0)


@pytest.mark.parametrize("noise_std", [-0.1, float("nan")])
def test_noise_std_is_not_negative(noise_std):
    with pytest.raises(ValueError, match=f"noise_std.*{noise_std}"):
        agents.UCB1(noise_std=noise_std)


@pytest.mark.parametrize("scale", [-0.1, float("nan"), "theorem"])
def test_scale_is_theorys_or_a_number(scale):
    with pytest.raises(ValueError, match=f"scale must be .*{scale}"):
        agents.UCB1(scale=scale)
