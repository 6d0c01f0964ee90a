"""LaplaceThompson: the contract, what is refused, its draws, and its regret."""

import gymnasium
import numpy as np
import pytest

import agents
from agents.logistic.laplace_thompson import LaplaceThompson


def test_it_keeps_the_contract():
    agents.check_agent(LaplaceThompson)


@pytest.mark.parametrize(("name", "value"), [("ridge", 0.0), ("scale", -1.0), ("scale", np.nan)])
def test_bad_hyperparameters_are_refused(name, value):
    with pytest.raises(ValueError, match=f"{name}.*{value}"):
        LaplaceThompson(**{name: value})


def test_its_mean_approaches_the_parameter():
    """20 seeds: the error of each coordinate is about 0.1 after 3000 rewards."""
    theta = np.array([2.0, -1.0, 1.5])
    settings = {"n_arms": 2, "dim": 3, "theta": theta, "horizon": 3000}
    env = gymnasium.make_vec("LogisticBandit-v0", num_envs=20, **settings)
    agent = LaplaceThompson()
    agents.play(env, agent)
    away = agent.model.theta - theta
    assert np.abs(away.mean(axis=0)).max() < 0.2  # and a bias of the prior
    spread = np.sqrt(np.einsum("ni,nij,nj->n", away, agent.model.gram, away))
    assert spread.mean() < 2 * 3**0.5  # that of a standard normal in three dimensions is 1.6


def test_a_smaller_scale_explores_less():
    env = gymnasium.make_vec("LogisticBandit-v0", num_envs=20, param_norm=6.0, horizon=2000)
    wide, narrow = (
        agents.play(env, LaplaceThompson(scale=scale), rounds=[2000]).regret[:, -1].mean()
        for scale in (3.0, 0.5)
    )
    assert narrow < wide


def test_one_feature_that_is_not_finite_is_refused():
    task = gymnasium.make("LogisticBandit-v0", n_arms=3, dim=2).unwrapped.task
    agent, x = agents.LaplaceThompson().reset(task, n=2), np.ones((2, 3, 2))
    x[1, 2, 0] = np.inf
    with pytest.raises(ValueError, match="a feature of replicate 1 is not finite"):
        agent.act(x)
