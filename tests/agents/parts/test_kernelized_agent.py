"""The round that kernelized agents share: estimates, propensities, and first points."""

import gymnasium
import numpy as np
import pytest

import agents
from agents.parts.decision_rules import ThompsonSampling
from agents.parts.posteriors import RandomFourier


def task(**settings):
    return gymnasium.make("KernelBandit-v0", **settings).unwrapped.task


@pytest.mark.parametrize("n", [1, 3])
def test_a_uniform_first_arm_has_uniform_propensities(n):
    agent, nothing = agents.BKB().reset(task(n_arms=5), n=n, seed=2), np.zeros(n, int)
    np.testing.assert_array_equal(agent.propensities(nothing), np.full((n, 5), 0.2))
    arms = agent.act(nothing)
    agent.observe(nothing, arms, np.ones(n))
    later = agent.propensities(nothing)
    np.testing.assert_array_equal(later.argmax(axis=1), agent.act(nothing))
    assert np.sort(later, axis=1).tolist() == [[0.0, 0.0, 0.0, 0.0, 1.0]] * n


def test_it_estimates_the_posterior_mean():
    agent, nothing = agents.GPUCB().reset(task(n_arms=5), n=2), np.zeros(2, int)
    for _ in range(4):
        agent.observe(nothing, agent.act(nothing), np.array([1.0, -2.0]))
    for arm in range(5):
        expected = agent.model.mean[:, arm]
        assert np.abs(expected).min() > 0
        np.testing.assert_array_equal(agent.estimate(nothing, np.full(2, arm)), expected)


def test_on_a_box_only_a_rule_that_says_so_begins_with_a_uniform_point():
    box = task(arms="box", function="branin")
    drawn = agents.GPBandit(posterior=RandomFourier(), rule=ThompsonSampling()).reset(box, n=2)
    assert len(drawn.box.keys) == 0
    assert len(agents.BKB().reset(box, n=2).box.keys) == 2
