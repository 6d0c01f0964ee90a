"""AdaOFUECOLog: the contract, what is refused, and regret beside that of a linear model."""

import gymnasium
import numpy as np
import pytest

import agents
from agents.logistic.ada_ofu_ecolog import AdaOFUECOLog


def test_it_keeps_the_contract():
    agents.check_agent(AdaOFUECOLog)


@pytest.mark.parametrize("name", ["ridge", "param_norm"])
@pytest.mark.parametrize("value", [0.0, -1.0, float("nan")])
def test_hyperparameters_are_positive(name, value):
    with pytest.raises(ValueError, match=f"{name}.*{value}"):
        AdaOFUECOLog(**{name: value})


def test_other_bad_hyperparameters_are_refused():
    with pytest.raises(ValueError, match="radius must be faury, lee or a number, got 'theory'"):
        AdaOFUECOLog(radius="theory")
    with pytest.raises(ValueError, match="delta .*1.5"):
        AdaOFUECOLog(delta=1.5)


def test_a_task_without_a_parameter_is_refused_unless_a_bound_is_given():
    task = gymnasium.make("LogisticBandit-v0", param_norm=0.0).unwrapped.task
    with pytest.raises(ValueError, match="needs param_norm > 0, and the task's is 0"):
        AdaOFUECOLog().reset(task)
    assert AdaOFUECOLog(param_norm=1.0).reset(task).known("param_norm") == 1.0


@pytest.mark.parametrize("radius", ["faury", "lee"])
def test_the_true_parameter_stays_within_the_ellipsoid(radius):
    """20 seeds at delta = 0.05; the first radius has a theorem only as the paper states it."""
    theta = np.array([2.0, -1.0, 1.5])
    settings = {"n_arms": 6, "dim": 3, "theta": theta, "horizon": 1500}
    env = gymnasium.make_vec("LogisticBandit-v0", num_envs=20, **settings)
    agent = AdaOFUECOLog(radius=radius, param_norm=3.0)
    agents.play(env, agent)
    assert (np.linalg.norm(agent.model.theta, axis=1) <= 3.0 + 1e-9).all()
    away = agent.model.theta - theta
    square = np.einsum("ni,nij,nj->n", away, agent.model.gram, away)
    assert (square <= 5.0**2).all()  # far below 2 ridge S^2 = 18 and the terms that grow
    assert np.linalg.norm(away, axis=1).max() < 1.5


def test_play_with_a_small_constant_radius_beats_a_linear_model():
    """Steep means: 20 paired seeds; it had 14, LinUCB of the same width 25 (measured)."""
    env = gymnasium.make_vec(
        "LogisticBandit-v0", num_envs=20, n_arms=10, dim=4, param_norm=8.0, horizon=3000
    )
    ours, linear = (
        agents.play(env, agent, rounds=[3000]).regret[:, -1].mean()
        for agent in (AdaOFUECOLog(radius=0.5), agents.LinUCB(alpha=0.5))
    )
    assert ours < linear


def test_a_radius_whose_square_would_be_negative_is_0():
    task = gymnasium.make("LogisticBandit-v0", n_arms=3, dim=2).unwrapped.task
    agent = agents.AdaOFUECOLog().reset(task, n=2)
    agent.moved[0] = 1e9
    agent.act(np.ones((2, 3, 2)))
    assert agent._radii[0] == 0 < agent._radii[1]
