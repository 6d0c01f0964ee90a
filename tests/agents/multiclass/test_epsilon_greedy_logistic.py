"""Epsilon-greedy logistic regressions far from zero, on arms, and what they refuse."""

import gymnasium
import numpy as np
import pytest

import agents
from agents.multiclass.epsilon_greedy_logistic import EpsilonGreedyLogistic
from banditgym.rounds.blocks import ArmsBlock


@pytest.mark.parametrize("rate", [0.5, 1.0])
def test_a_score_far_below_zero_is_a_probability_of_zero(rate, task, in_pairs):
    agent = EpsilonGreedyLogistic(learning_rate=rate).reset(task(2, 1), n=1)
    agent.weights[0, 0] = [-1e4, 0.0]
    agent._learn(in_pairs([[1.0]]), np.array([0]), np.array([1.0]), np.ones(1, bool))
    assert agent.weights[0, 0, 0] == -1e4 + rate


@pytest.mark.parametrize(
    ("given", "named"),
    [
        ({"epsilon": 0.0}, "epsilon"),
        ({"epsilon": float("nan")}, "epsilon"),
        ({"learning_rate": 0.0}, "learning_rate"),
        ({"learning_rate": float("inf")}, "learning_rate"),
    ],
)
def test_bad_hyperparameters_are_named_with_their_value(given, named):
    with pytest.raises(ValueError, match=f"{named}.*{next(iter(given.values()))}"):
        EpsilonGreedyLogistic(**given)


def test_it_keeps_the_contract():
    agents.check_agent(EpsilonGreedyLogistic)


def test_arms_share_one_regression_whose_weights_approach_the_parameter():
    """40 seeds: a step of 0.1 leaves weights a deviation of about 0.3, and their mean of 0.05."""
    theta = np.array([2.0, -1.0, 1.5])
    settings = {"n_arms": 2, "dim": 3, "theta": theta, "horizon": 3000}
    env = gymnasium.make_vec("LogisticBandit-v0", num_envs=40, **settings)
    agent = EpsilonGreedyLogistic(epsilon=0.5)
    agents.play(env, agent)
    assert agent.weights.shape == (40, 3)
    assert np.abs((agent.weights - theta).mean(axis=0)).max() < 0.2


def test_features_of_length_zero_change_no_weight():
    task = gymnasium.make("LogisticBandit-v0", n_arms=2, dim=1).unwrapped.task
    agent = EpsilonGreedyLogistic().reset(task)
    agent.observe([[0.0], [1.0]], 0, 1.0)
    assert (agent.weights == 0.0).all()


def test_refuses_features_that_are_too_long_or_not_finite():
    task = gymnasium.make("LogisticBandit-v0", n_arms=2, dim=1).unwrapped.task
    agent = EpsilonGreedyLogistic().reset(task)
    for feature, reason in ((1e20, "too long"), (np.nan, "not finite")):
        with pytest.raises(ValueError, match=reason):
            agent.observe([[feature], [1.0]], 0, 1.0)
    with pytest.raises(ValueError, match="not finite"):
        agent.act([[1.0], [np.inf]])
    assert not agent.weights.any()


def test_refuses_slots(task):
    with pytest.raises(ValueError, match="one label"):
        EpsilonGreedyLogistic().reset(task(slots=1))


def test_how_long_features_may_be():
    """Their squares are at most 1e25, in single rounds and in blocks."""
    task = gymnasium.make("LogisticBandit-v0", n_arms=2, dim=1).unwrapped.task
    for feature, fits in ((3.1e12, True), (3.3e12, False)):
        alone, together = (EpsilonGreedyLogistic().reset(task, n=1) for _ in range(2))
        features = np.full((1, 1, 1, 2), feature)
        features.flags.writeable = False
        means = np.full((1, 1, 2), 0.5)
        block = ArmsBlock(
            start=0, bernoulli=True, features=features, means=means, best=means.max(axis=2),
            noise=np.full((1, 1), 0.4),
        )  # fmt: skip
        if fits:
            alone.observe([[[feature], [feature]]], [0], [1.0])
            together._play_block(block)
            continue
        with pytest.raises(ValueError, match="too long"):
            alone.observe([[[feature], [feature]]], [0], [1.0])
        with pytest.raises(ValueError, match="too long"):
            together._play_block(block)
