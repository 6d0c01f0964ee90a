"""Which tasks agents that find the best arm refuse, and how often they err."""

import gymnasium
import numpy as np
import pytest
from scipy import stats

import agents

CONFIDENT = ("LUCB", "TTUCB", "TopTwoThompson", "TrackAndStop")
BUDGET = ("SuccessiveRejects", "SequentialHalving")
RUNS, DELTA = 400, 0.1


def task(**settings):
    return gymnasium.make("ArmedBandit-v0", **settings).unwrapped.task


@pytest.mark.parametrize("name", [*CONFIDENT, *BUDGET])
def test_tasks_of_another_kind_are_refused_in_one_line(name):
    agent, best = getattr(agents, name)(), {"objective": "best_arm", "n_arms": 4}
    assert agent.refuses(task()) == "it finds the best arm, and this task is about regret"
    given, sure = task(**best), task(**best, delta=0.1)
    if name in CONFIDENT:
        expected = "it decides when to stop, by a delta that this task does not have"
        assert (agent.refuses(given), agent.refuses(sure)) == (expected, None)
        noiseless = task(**best, delta=0.1, noise="gaussian", noise_std=0.0)
        assert agent.refuses(noiseless) == "it needs noise, and this task has none"
    else:
        assert agent.refuses(given) is None
        assert agent.refuses(sure) == (
            "it plays a given number of rounds, and in this task it would decide when to stop"
        )
        few = {"SuccessiveRejects": 4, "SequentialHalving": 7}[name]
        assert f"and there are {few}" in agent.refuses(task(**best, horizon=few))
        assert agent.refuses(task(**best, horizon=few + 1)) is None


@pytest.mark.parametrize("name", CONFIDENT)
@pytest.mark.parametrize(
    "settings",
    [
        {"means": [0.7, 0.4, 0.3]},
        {"means": [0.6, 0.2, 0.1, 0.0], "noise": "gaussian", "noise_std": 0.5},
    ],
)
def test_at_most_delta_of_the_runs_err(name, settings):
    """A rate of delta has more errors than the band with a probability of one in ten thousand."""
    envs = gymnasium.make_vec(
        "ArmedBandit-v0", num_envs=RUNS, horizon=20_000, objective="best_arm", delta=DELTA,
        shuffled=True, **settings,
    )  # fmt: skip
    trace = agents.play(envs, getattr(agents, name)(), seed=1, rounds=[20_000])
    assert trace.measures["error"][:, -1].sum() <= stats.binom.isf(1e-4, RUNS, DELTA)
    assert trace.stopped is not None
    assert (trace.stopped < 20_000).all()


@pytest.mark.parametrize("name", BUDGET)
def test_more_rounds_have_fewer_errors(name):
    """Of four arms a random one is wrong in 3/4 of the runs."""
    rates = []
    for horizon in (40, 800):
        envs = gymnasium.make_vec(
            "ArmedBandit-v0", num_envs=RUNS, horizon=horizon, objective="best_arm",
            means=[0.6, 0.4, 0.4, 0.4], shuffled=True,
        )  # fmt: skip
        trace = agents.play(envs, getattr(agents, name)(), seed=1)
        rates.append(trace.measures["error"][:, -1].mean())
        assert trace.pulls is not None
        assert (trace.pulls.sum(axis=1) == horizon).all()
        assert trace.recommended is not None
    # Four deviations of 400 runs are at most 0.1.
    assert rates[0] < 0.75 - 0.1
    assert rates[1] < rates[0] - 0.1


def test_while_no_arm_has_a_reward_the_first_is_recommended_and_then_the_best_of_those_that_have():
    agent = agents.LUCB().reset(task(objective="best_arm", delta=0.1, n_arms=3), n=2)
    np.testing.assert_array_equal(agent.recommend(np.zeros(2)), [0, 0])
    agent.act(np.zeros(2))
    agent.observe(np.zeros(2), [2, 1], [0.0, 1.0])
    np.testing.assert_array_equal(agent.recommend(np.zeros(2)), [2, 1])


@pytest.mark.parametrize("name", BUDGET)
def test_one_arm_needs_one_round_and_two_arms_more(name):
    agent = getattr(agents, name)()
    assert agent.refuses(task(objective="best_arm", n_arms=1, horizon=1)) is None
    few = {"SuccessiveRejects": 2, "SequentialHalving": 1}[name]
    assert f"and there are {few}" in agent.refuses(
        task(objective="best_arm", n_arms=2, horizon=few)
    )


@pytest.mark.parametrize("name", BUDGET)
def test_of_arms_that_look_the_same_the_last_ones_are_rejected_first(name):
    agent = getattr(agents, name)().reset(task(objective="best_arm", n_arms=3, horizon=12), n=1)
    for _ in range(12):
        agent.observe([0], agent.act([0]), [0.0])
    np.testing.assert_array_equal(agent.still, [[True, False, False]])
