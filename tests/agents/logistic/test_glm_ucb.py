"""GLMUCB: the contract, what is refused, and its width."""

import dataclasses

import gymnasium
import numpy as np
import pytest

import agents
from agents.logistic.glm_ucb import GLMUCB


def test_it_keeps_the_contract():
    agents.check_agent(GLMUCB)


@pytest.mark.parametrize(
    ("name", "value"),
    [("ridge", 0.0), ("param_norm", -1.0), ("delta", 1.5), ("refit_every", 0), ("radius", -1.0)],
)
def test_bad_hyperparameters_are_refused(name, value):
    with pytest.raises(ValueError, match=f"{name}.*{value}"):
        GLMUCB(**{name: value})


def test_its_theory_needs_a_bound_on_features():
    task = gymnasium.make("LogisticBandit-v0", contexts="gaussian").unwrapped.task
    with pytest.raises(ValueError, match="needs a bound on the features' norm"):
        GLMUCB().reset(task)
    GLMUCB(radius=0.5).reset(task)


def test_refitting_seldom_changes_little_and_fits_the_same_samples_in_the_end():
    """20 seeds; the last reward is a multiple of 20."""
    env = gymnasium.make_vec("LogisticBandit-v0", num_envs=20, param_norm=3.0, horizon=400)
    every, seldom = GLMUCB(radius=0.5), GLMUCB(radius=0.5, refit_every=20)
    regrets = [agents.play(env, agent).regret[:, -1].mean() for agent in (every, seldom)]
    assert abs(regrets[0] - regrets[1]) < 0.5 * regrets[0]
    away = seldom.model.theta - every.model.theta
    assert np.abs(away).max() < 1.5  # other arms were played


def test_rewards_may_lie_between_zero_and_one():
    task = gymnasium.make("LogisticBandit-v0", n_arms=2, dim=1).unwrapped.task
    agent = GLMUCB().reset(task)
    agent.observe([[0.5], [1.0]], 0, 0.25)
    with pytest.raises(ValueError, match="1.5"):
        agent.observe([[0.5], [1.0]], 0, 1.5)


@pytest.mark.parametrize(("norm", "fits"), [(0.0, False), (0.5, True), (1.0, True)])
def test_the_norm_of_the_parameter_is_above_zero(norm, fits):
    task = gymnasium.make("LogisticBandit-v0", n_arms=2, dim=1).unwrapped.task
    reason = GLMUCB().refusal(dataclasses.replace(task, param_norm=norm))
    assert (reason is None) == fits
    assert fits or "param_norm > 0" in str(reason)
