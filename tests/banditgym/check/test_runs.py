"""Runs are copies of what an environment returned, compared bit for bit."""

import gymnasium
import numpy as np
import pytest

from banditgym.check.runs import expect_same, legal_actions, returned, rows_of, simulate


def test_a_run_is_what_the_environment_returns():
    envs = gymnasium.make_vec("ArmedBandit-v0", num_envs=3, n_arms=4, horizon=5)
    actions = legal_actions(envs, 4)
    assert actions.shape == (4, 3)
    assert (legal_actions(envs, 4, seed=1) != actions).any()
    first, *steps = simulate(envs, range(7, 10), actions)
    expected = [envs.reset(seed=[7, 8, 9]), *(envs.step(action) for action in actions)]
    assert first.keys() == {"observation", "info"}
    for step, (_, reward, _, truncated, info) in zip(steps, expected[1:], strict=True):
        np.testing.assert_array_equal(step["reward"], reward)
        np.testing.assert_array_equal(step["truncated"], truncated)
        np.testing.assert_array_equal(step["info"]["regret"], info["regret"])


def test_what_was_returned_is_copied():
    observation, info = np.zeros(2), {"feedback": {"loss": np.zeros(2)}}
    copied = returned((observation, info))
    observation[:], info["feedback"]["loss"][:] = 1, 1
    assert not copied["observation"].any()
    assert not copied["info"]["feedback"]["loss"].any()


def test_rows_of_a_batch():
    batch = {"reward": np.arange(4.0), "info": {"gradient": np.arange(8).reshape(4, 2)}}
    rows = rows_of(batch, [2, 0])
    np.testing.assert_array_equal(rows["reward"], [2, 0])
    np.testing.assert_array_equal(rows["info"]["gradient"], [[4, 5], [0, 1]])


def test_the_same_is_the_same_to_the_bit():
    run = [{"reward": np.array([0.0, 1.0]), "info": {"arm": np.array([1, 2])}}] * 2
    expect_same(run, [run[0], {"reward": run[0]["reward"].copy(), "info": run[0]["info"]}], "other")
    for reward in (np.array([-0.0, 1.0]), np.array([0.0, 1.0 + 2**-52]), np.array([[0.0, 1.0]])):
        with pytest.raises(AssertionError, match="other, first after 1 steps"):
            expect_same(run, [run[0], run[1] | {"reward": reward}], "other")
    with pytest.raises(AssertionError, match="other"):
        expect_same(run, run[:1], "other")
