"""Agents for rewards of a known range, on rewards that are not Bernoulli."""

import numpy as np
import pytest

import agents
from banditgym.tasks import ArmedTask
from tests.agents.comparison import Draws, definition_of, known

BOUNDED = ("UCBV(c=0.1)", "KLUCBSwitch")
FACTS = {"n_arms": 3, "horizon": 10**4, "noise_std": 1.0, "subgaussian": 2.0, "bernoulli": False}
TASK = ArmedTask(**FACTS, bounds=(-1.0, 3.0))
_RNG = np.random.default_rng(5)
# A reward is often the least or the largest, and of the last arm the same for many rounds.
REWARDS = np.clip(np.array([1.0, 1.5, 2.0]) + 2.0 * _RNG.standard_normal((300, 3)), -1.0, 3.0)
REWARDS[:9, 2] = 2.2


def play(agent, task, rewards, rounds=300):
    agent.reset(task)
    arms = []
    for t in range(rounds):
        arms.append(agent.act(0))
        agent.observe(0, arms[-1], rewards[t, arms[-1]])
    return arms


@pytest.mark.parametrize("name", BOUNDED)
def test_plays_bounded_rewards_by_its_definition(name):
    agent = agents.resolve(name)
    kind = definition_of(type(agent).__name__)
    definition = kind(TASK, Draws(0), **known(agent, TASK))
    for t, arm in enumerate(play(agent, TASK, REWARDS)):
        values = definition.choose(None, t, np.ones(3, bool))
        if isinstance(values, int):
            assert arm == values
        else:
            assert values[arm] >= values.max() - 1e-9
        definition.learn(None, arm, REWARDS[t, arm], t)
    assert agent.pulls[0].min() > 5  # those of KLUCBSwitch have all switched


@pytest.mark.parametrize("name", BOUNDED)
def test_shifted_and_multiplied_rewards_are_played_alike(name):
    """By powers of two, which round nothing."""
    agent = agents.resolve(name)
    unit = ArmedTask(**FACTS, bounds=(0.0, 1.0))
    rewards = np.round(REWARDS * 1024) / 1024
    assert play(agent, TASK, rewards) == play(agent, unit, (rewards + 1.0) / 4.0)


@pytest.mark.parametrize("name", BOUNDED)
def test_rewards_outside_of_the_range_are_refused(name):
    agent = agents.resolve(name).reset(TASK, n=2)
    shown = np.zeros(2, int)
    arms = agent.act(shown)
    for reward in (-1.0 - 1e-15, 3.1):
        with pytest.raises(ValueError, match=r"^rewards must be in \[-1.0, 3.0\], .*replicate 1$"):
            agent.observe(shown, arms, [0.0, reward])
        agent.observe(shown, arms, [-1.0, reward], observed=[True, False])
    assert agent.pulls.sum() == 2


@pytest.mark.parametrize("name", BOUNDED)
def test_unbounded_rewards_are_refused(name):
    with pytest.raises(ValueError, match="cannot play this task: .*a known range.*unbounded"):
        agents.resolve(name).reset(ArmedTask(**FACTS))


@pytest.mark.parametrize(
    ("horizon", "kept"), [(2, 0), (3, 1), (95, 1), (96, 2), (728, 2), (729, 3), (10**9, 50)]
)
def test_the_rewards_that_klucb_switch_keeps_of_an_arm(horizon, kept):
    """The floor of (T / 3)^(1/5): 96 = 3 * 2^5, 729 = 3 * 3^5, and 3 * 50^5 < 1e9 < 3 * 51^5."""
    agent = agents.KLUCBSwitch(horizon=horizon).reset(TASK)
    assert agent.samples.shape == (1, 3, kept)
