"""GLMUCB: the contract, what is refused, and its width."""

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
