"""OFUGLBe: the contract, what is refused, and its estimates within the ball."""

import gymnasium
import numpy as np
import pytest

import agents
from agents.logistic.ofuglb_e import OFUGLBe


def test_it_keeps_the_contract():
    agents.check_agent(OFUGLBe)


@pytest.mark.parametrize(
    ("name", "value"),
    [("param_norm", 0.0), ("delta", 0.0), ("refit_every", 1.5), ("radius", -1.0)],
)
def test_bad_hyperparameters_are_refused(name, value):
    with pytest.raises(ValueError, match=f"{name}.*{value}"):
        OFUGLBe(**{name: value})


def test_its_ridge_is_that_of_the_bound():
    with pytest.raises(TypeError, match="ridge"):
        OFUGLBe(ridge=1.0)
    task = gymnasium.make("LogisticBandit-v0", param_norm=3.0).unwrapped.task
    gram = OFUGLBe().reset(task).model.gram[0]
    np.testing.assert_allclose(gram, np.eye(5) / (8 * 9 * 4), rtol=1e-12)


def test_estimates_stay_in_the_ball_and_the_parameter_in_the_ellipsoid():
    """20 seeds at delta = 0.05, which the theorem allows to fail in one of 20; it is wide."""
    theta = np.array([2.0, -1.0, 1.5])
    settings = {"n_arms": 6, "dim": 3, "theta": theta, "horizon": 600}
    env = gymnasium.make_vec("LogisticBandit-v0", num_envs=20, **settings)
    agent = OFUGLBe(param_norm=3.0)
    agents.play(env, agent)
    assert (np.linalg.norm(agent.model.theta, axis=1) <= 3.0 + 1e-9).all()
    away, gram = agent.model.theta - theta, agent.model.gram
    square = np.einsum("ni,nij,nj->n", away, gram, away)
    beta = np.log(20) + 3 * np.log(2 * np.e * 3 * (2.5 * 599) / 3)
    assert (square <= 2 * 4 * (1 + beta)).all()


def test_a_radius_of_0_is_greedy():
    task = gymnasium.make("LogisticBandit-v0", n_arms=3, dim=2).unwrapped.task
    agent = agents.OFUGLBe(radius=0.0).reset(task, n=2)
    agent.act(np.ones((2, 3, 2)))
    np.testing.assert_array_equal(agent._radii, 0.0)
