"""What all regression agents share: the contract, by check_agent and by hand."""

import gymnasium
import numpy as np
import pytest

import agents
import banditgym  # noqa: F401 (registers the environments)
from agents.check import check_agent
from agents.regression.discounted_ridge import DiscountedRidge
from agents.regression.forward import Forward
from agents.regression.online_ridge import OnlineRidge
from agents.regression.predict_zero import PredictZero
from agents.regression.sliding_window_ridge import SlidingWindowRidge
from agents.regression.unregularized_forward import UnregularizedForward

AGENTS = [
    OnlineRidge(ridge=0.5), Forward(ridge=0.5), UnregularizedForward(),
    DiscountedRidge(discount=0.9, ridge=0.5), SlidingWindowRidge(window=9, ridge=0.5),
    PredictZero(),
]  # fmt: skip


@pytest.mark.parametrize("agent", AGENTS, ids=lambda agent: type(agent).__name__)
def test_keeps_the_contract(agent):
    check_agent(agent)


@pytest.mark.parametrize("agent", AGENTS, ids=lambda agent: type(agent).__name__)
def test_solo_is_a_replicate_of_a_batch(agent):
    settings = {"dim": 3, "horizon": 50, "bound": 0.4, "noise_std": 0.5}
    envs = gymnasium.make_vec("OnlineRegression-v0", num_envs=5, **settings)
    batched = agents.play(envs, agent, seed=4)
    env = gymnasium.make("OnlineRegression-v0", **settings)
    for i in (0, 4):
        solo = agents.play(env, agent, seed=4 + i)
        for name, curve in batched.measures.items():
            np.testing.assert_array_equal(solo.measures[name][0], curve[i])


@pytest.mark.parametrize("bound", [None, 5.0])
@pytest.mark.parametrize("agent", AGENTS[:5], ids=lambda agent: type(agent).__name__)
def test_predictions_are_the_callers(agent, task, bound):
    agent.reset(task(2, bound), n=2)
    row, y = np.ones((2, 2)), np.array([1.0, 2.0])
    for _ in range(3):
        played = agent.act(row)
        kept = played.copy()
        agent.observe(row, played, y, feedback=y)
        agent.act(2 * row)
        np.testing.assert_array_equal(played, kept)


@pytest.mark.parametrize("agent", AGENTS[:5], ids=lambda agent: type(agent).__name__)
def test_features_that_are_not_finite_are_named(agent, task):
    agent.reset(task(2), n=3)
    rows = np.ones((3, 2))
    rows[1, 0] = np.nan
    with pytest.raises(ValueError, match=r"replicate 1 is not finite"):
        agent.act(rows)
