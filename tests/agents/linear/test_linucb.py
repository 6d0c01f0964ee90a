"""LinUCB: ties, a bonus of width zero, and what it refuses."""

import numpy as np
import pytest

import agents
from banditgym.tasks import LinearTask

RIDGE = 0.7


@pytest.mark.parametrize("fixed", [False, True])
def test_equal_arms_are_a_tie_and_go_to_the_lowest(fixed):
    arms = np.array([[0.3, 0.1], [0.0, 2.0], [0.0, 2.0], [0.3, 0.1]])
    task = LinearTask(
        n_arms=4, dim=2, horizon=9, noise_std=1.0, subgaussian=1.0, feature_norm=2.0,
        param_norm=1.0, fixed_arms=fixed,
    )  # fmt: skip
    agent = agents.LinUCB(alpha=0.5).reset(task)
    for reward in (1.0, 0.3, -0.2):
        assert agent.act(arms) == 1
        agent.observe(arms, 2, reward)


def test_a_bonus_of_width_zero_is_greedy(linear_env):
    a = agents.play(linear_env, agents.LinUCB(alpha=0.0, ridge=RIDGE), horizon=100)
    b = agents.play(linear_env, agents.Greedy(ridge=RIDGE), horizon=100)
    np.testing.assert_array_equal(a.regret, b.regret)


@pytest.mark.parametrize(
    ("given", "named"),
    [
        ({"alpha": -0.1}, "alpha"),
        ({"alpha": float("nan")}, "alpha"),
        ({"ridge": 0.0}, "ridge"),
        ({"ridge": -1.0}, "ridge"),
        ({"ridge": float("nan")}, "ridge"),
    ],
)
def test_bad_hyperparameters_are_named_with_their_value(given, named):
    with pytest.raises(ValueError, match=f"{named}.*{next(iter(given.values()))}"):
        agents.LinUCB(**given)


def test_refuses_a_task_without_features():
    from banditgym.tasks import ArmedTask

    task = ArmedTask(n_arms=3, horizon=5, noise_std=None, subgaussian=0.5, bernoulli=True)
    with pytest.raises(ValueError, match="LinUCB cannot play this task: .*linear.*armed"):
        agents.LinUCB().reset(task)
