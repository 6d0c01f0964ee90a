"""SlidingWindowUCB in states that few rounds do not reach, its defaults, and what it refuses."""

import numpy as np
import pytest

import agents
from banditgym.tasks import ArmedTask


def task(horizon):
    return ArmedTask(n_arms=2, horizon=horizon, noise_std=None, subgaussian=0.5, bernoulli=True)


def test_it_keeps_the_contract():
    agents.check_agent(agents.SlidingWindowUCB(window=7))


@pytest.mark.parametrize("noise_std", [None, 0.2])
def test_plays_the_largest_upper_bound_in_any_state(noise_std, play_states):
    scale = 0.5 if noise_std is None else noise_std

    def index(mean, pulls, t):
        return mean + 2 * scale * np.sqrt(0.3 * np.log(np.minimum(t, 100)) / pulls)

    play_states(agents.SlidingWindowUCB(window=100, xi=0.3, noise_std=noise_std), index)


def test_it_plays_every_arm_in_a_block(play_block):
    pulls = play_block(agents.SlidingWindowUCB(window=30))
    assert pulls.sum() == 2 * 60
    assert pulls.min() >= 5


def test_the_default_window():
    """2 sqrt(T log T) is 429.2, and 0 for a single round."""
    agent = agents.SlidingWindowUCB().reset(task(6000))
    assert agent.known("window") == 456
    assert agents.SlidingWindowUCB().reset(task(1)).known("window") == 1


def test_counts_and_sums_are_of_the_last_rewards():
    agent = agents.SlidingWindowUCB(window=3).reset(task(None))
    for arm, reward, pulls, sums in (
        (0, 0.5, [1, 0], [0.5, 0.0]),
        (1, 0.25, [1, 1], [0.5, 0.25]),
        (1, 1.0, [1, 2], [0.5, 1.25]),
        (1, 0.0, [0, 3], [0.0, 1.25]),
        (0, 2.0, [1, 2], [2.0, 1.0]),
    ):
        agent.observe(0, arm, reward)
        np.testing.assert_array_equal(agent.pulls[0], pulls)
        np.testing.assert_array_equal(agent.sums[0], sums)
    agent.observe(0, 0, 2.0)
    assert agent.act(0) == 0
    agent.observe(0, 0, 2.0)
    assert agent.act(0) == 1  # which has left the window


def test_a_rounding_error_leaves_with_the_window():
    """The sum of 1e17 and 1 loses the 1, until the window is summed anew."""
    agent = agents.SlidingWindowUCB(window=4).reset(task(None))
    for reward in (1e17, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0):
        agent.observe(0, 0, reward)
    assert agent.sums[0, 0] == 4.0


@pytest.mark.parametrize("window", [2**40, 2**70])
def test_a_window_that_no_memory_holds_is_refused(window):
    with pytest.raises(ValueError, match=f"more memory.*a window of {window} rewards"):
        agents.SlidingWindowUCB(window=window).reset(task(None))


def test_the_memory_counted_is_that_of_the_window(monkeypatch):
    monkeypatch.setattr("agents.armed.sliding_window_ucb.memory", lambda: 3 * 5 * 16)
    agents.SlidingWindowUCB(window=5).reset(task(None), n=3)
    with pytest.raises(ValueError, match="more memory"):
        agents.SlidingWindowUCB(window=6).reset(task(None), n=3)


def test_an_unknown_horizon_is_refused_unless_the_window_is_given():
    with pytest.raises(ValueError, match=r"needs window, which this task does not have: give it"):
        agents.SlidingWindowUCB().reset(task(None))


@pytest.mark.parametrize(
    ("name", "value"),
    [
        *[("window", value) for value in (0, -3, 2.5)],
        *[("xi", value) for value in (0.0, -0.1, float("nan"))],
        ("noise_std", -0.1),
    ],
)
def test_bad_hyperparameters_are_named_with_their_value(name, value):
    with pytest.raises(ValueError, match=f"{name}.*{value}"):
        agents.SlidingWindowUCB(**{name: value})


def test_of_arms_without_a_finite_index_the_first_is_played():
    agent = agents.SlidingWindowUCB(window=9).reset(task(None))
    for arm in (0, 1, 0, 1, 0, 1):
        agent.observe(0, arm, -1.7e308)
    assert agent.act(0) == 0
