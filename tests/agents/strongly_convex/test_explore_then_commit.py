"""ExploreThenCommit: its choice of cycles, and what it commits to without noise."""

import dataclasses

import gymnasium
import numpy as np
import pytest

import agents
from banditgym.action_sets import Ball, Ellipsoid
from banditgym.tasks import ArmedTask


@pytest.mark.parametrize(
    ("task", "cycles"),
    [
        # 0.4 / (1.5 * 2) * sqrt(10_000 * 3 / 8) = 8.16
        ({"dim": 4, "horizon": 10_000, "subgaussian": 0.4}, 8),
        ({"dim": 4, "horizon": 10_000, "subgaussian": None, "noise_std": 0.8}, 16),
        ({"dim": 1, "horizon": 10_000}, 1),
        ({"dim": 1, "horizon": 80, "param_norm": 1e-312}, 1),
        ({"dim": 4, "horizon": 10_000, "subgaussian": 0.0}, 1),
        ({"dim": 4, "horizon": 3}, 1),
        ({"dim": 4, "horizon": 80, "subgaussian": 90.0}, 10),
        ({"dim": 4, "horizon": 80, "param_norm": 0.0}, 1),
        ({"dim": 4, "horizon": 80, "param_norm": 1e-312}, 10),
    ],
)
def test_cycles_by_the_horizon(task_of, task, cycles):
    dim = task["dim"]
    task = dataclasses.replace(task_of(Ball(dim, 2.0)), **task)
    agent = agents.ExploreThenCommit().reset(task)
    explored = 0
    for t in range(20 * cycles * dim):
        point = agent.act(0)
        if not np.array_equal(point, 2.0 * np.eye(dim)[t % dim]):
            break
        agent.observe(0, point, -1.0)  # so that the best point is none of the basis
        explored += 1
    assert explored == cycles * dim


def test_it_needs_a_horizon_or_the_cycles(task_of):
    task = dataclasses.replace(task_of(Ball(2)), horizon=None)
    with pytest.raises(ValueError, match="it needs cycles, which this task does not have"):
        agents.ExploreThenCommit().reset(task)
    agents.ExploreThenCommit(cycles=2).reset(task)


def test_without_noise_it_commits_to_the_best_point(task_of):
    ellipsoid, theta = Ellipsoid.of_axes([2.0, 0.1, 0.5]), np.array([0.1, -3.0, 1.0])
    agent = agents.ExploreThenCommit(cycles=1).reset(task_of(ellipsoid))
    for _ in range(3):
        point = agent.act(0)
        agent.observe(0, point, float(point @ theta))
    np.testing.assert_allclose(agent.act(0), ellipsoid.argmax(theta[None])[0], rtol=1e-12)


@pytest.mark.parametrize("cycles", [0, -1, 1.5])
def test_cycles_are_a_number_of_times(cycles):
    with pytest.raises(ValueError, match=f"cycles must be an integer >= 1, got {cycles}"):
        agents.ExploreThenCommit(cycles=cycles)


def test_an_arm_is_expected_to_give_the_mean_of_its_exploration():
    """Its later rewards are not learned, and an arm without rewards has no estimate."""
    task = ArmedTask(n_arms=3, horizon=99, noise_std=1.0, subgaussian=1.0, bernoulli=False)
    agent = agents.ExploreThenCommit(cycles=2).reset(task)
    for arm, reward in [(1, 0.5), (1, 0.7), (1, 9.0), (0, -1.0)]:
        agent.observe(0, arm, reward)
    assert agent.estimate(0, 1) == pytest.approx(0.6)
    assert agent.estimate(0, 0) == -1.0
    assert np.isnan(agent.estimate(0, 2))


def test_a_point_is_expected_to_give_its_product_with_theta(task_of):
    agent = agents.ExploreThenCommit(cycles=1).reset(task_of(Ball(3)))
    for t in range(3):
        point = agent.act(0)
        agent.observe(0, point, 0.3 * t + point[0])
    point = np.array([0.2, -0.4, 0.1])
    assert agent.estimate(0, point) == pytest.approx(agent.theta[0] @ point)
    assert agent.theta[0] @ point != 0


def test_of_arms_in_few_rounds_there_is_one_cycle():
    task = gymnasium.make("ArmedBandit-v0", n_arms=10, horizon=15).unwrapped.task
    assert agents.ExploreThenCommit().reset(task, n=1).known("cycles") == 1
