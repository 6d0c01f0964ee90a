"""PEGE: its points, replicates out of step, and its regret per cycle."""

import math

import numpy as np
import pytest

import agents
from banditgym.action_sets import Ball, LpBall, Sphere


def test_without_a_direction_the_point_is_the_set_s(task_of):
    for points, point in (
        (Sphere(3, 2.0), [2.0, 0.0, 0.0]), (Ball(2), [0.0, 0.0]), (LpBall(2, 1.5), [0.0, 0.0]),
    ):  # fmt: skip
        agent = agents.PEGE().reset(task_of(points))
        for _ in range(points.dim):
            agent.observe(0, agent.act(0), 0.0)
        np.testing.assert_array_equal(agent.act(0), point)


def test_points_handed_out_are_the_callers_own(task_of):
    agent = agents.PEGE().reset(task_of(Sphere(2)), n=2)
    zeros = np.zeros(2, int)
    for t in range(60):
        points = agent.act(zeros)
        kept = points.copy()
        points[:] = np.nan
        np.testing.assert_array_equal(agent.act(zeros), kept)
        agent.observe(zeros, kept, np.array([math.sin(t), math.cos(t)]))


def test_points_too_small_for_single_precision_are_still_the_next_ones(task_of):
    agent = agents.PEGE().reset(task_of(Sphere(2, 1e-43)))
    point = agent.act(0)
    rounded = point.astype(np.float32)
    assert abs(rounded[0] - point[0]) > 1e-3 * point[0]
    agent.observe(0, rounded, 1.0)
    assert agent.mean[0, 0] == 1.0


def test_a_replicate_out_of_step_does_as_it_does_alone(task_of):
    """One of three misses rounds; it then explores where the others exploit."""
    rng = np.random.default_rng(0)
    together = agents.PEGE().reset(task_of(Ball(3)), n=3)
    alone = agents.PEGE().reset(task_of(Ball(3)), n=1)
    for t in range(80):
        points = together.act(np.zeros(3, int))
        rewards = rng.standard_normal(3)
        observed = np.array([True, t % 4 != 3, True])
        np.testing.assert_array_equal(points[1:2], alone.act([0]))
        together.observe(np.zeros(3, int), points, rewards, observed=observed)
        alone.observe([0], points[1:2], rewards[1:2], observed=observed[1:2])


def test_regret_per_cycle_is_that_of_exploration_and_of_exploitation(cycle_regret):
    """theta of length 1.5, sigma = 0.6, d = 4, 400 seeds, cycles 41 to 160.

    Exploration costs d‖theta‖ - sum theta_i exactly. Exploitation in cycle m costs in expectation
    m (‖theta‖ - theta.G) = (d - 1) sigma² / (2‖theta‖) (1 + r_m), where r_m is of the order of
    d sigma² / (m ‖theta‖²) <= 0.016, and below 0.006 on the average over these cycles: 1 % is
    allowed. The mean over the cycles has a standard error, estimated from the seeds, of about 3 %;
    a sound agent fails beyond 4.5 of them with probability 7e-6. Using the wrong estimate, or of
    the wrong samples, at least doubles it.
    """
    theta, sigma = 1.5 * np.array([0.1, -0.7, 0.5, 0.5]), 0.6
    explored, exploited = cycle_regret(
        agents.PEGE(), theta=theta, noise_std=sigma, cycles=160, n=400
    )
    norm = np.linalg.norm(theta)
    np.testing.assert_allclose(norm, 1.5)
    np.testing.assert_allclose(explored, 4 * norm - theta.sum(), rtol=1e-9)
    late = exploited[:, 40:].mean(axis=1)
    expected = 3 * sigma**2 / (2 * norm)
    error = late.std(ddof=1) / math.sqrt(len(late))
    assert error < 0.05 * expected
    assert abs(late.mean() - expected) < 4.5 * error + 0.01 * expected


@pytest.mark.parametrize("dim", [1, 3])
def test_without_noise_one_cycle_finds_the_best_point(cycle_regret, dim):
    theta = [-0.8, 0.5, 0.2][:dim]
    for env, settings in (
        ("SphereBandit-v0", {"radius": 2.0}),
        ("LpBallBandit-v0", {"p": 1.2}),
        ("EllipsoidBandit-v0", {"axes": [1.0, 0.1, 0.03][:dim]}),
    ):
        _, exploited = cycle_regret(
            agents.PEGE(), theta=theta, noise_std=0.0, cycles=5, n=2, env=env, **settings
        )
        assert np.abs(exploited).max() < 1e-12


@pytest.mark.parametrize(
    "agent",
    [agents.PEGE(), agents.FastPEGE(rho=1.1), agents.ExploreThenCommit(cycles=4)],
    ids=["PEGE", "FastPEGE", "ExploreThenCommit"],
)
def test_only_the_reward_of_the_point_that_comes_next_is_taken(agent, points, task_of):
    """Batches of six acts, then their rewards: as on time with the first reward of each point."""
    rng, dim = np.random.default_rng(2), points.dim
    theta = rng.standard_normal(dim)
    late = agent.reset(task_of(points))
    prompt = type(agent)(**agent.hyperparameters()).reset(task_of(points))
    taken = 0
    for _ in range(40):
        before = late.act(0)
        played = [before] + [late.act(0) for _ in range(5)]
        assert all(np.array_equal(x, before) for x in played)
        for k, x in enumerate(played):
            reward = float(x @ theta + 0.3 * rng.standard_normal())
            following = prompt.act(0)
            # In single precision, as a service may have kept it.
            late.observe(0, x.astype(np.float32), reward, decision=late.decisions[0] - 6 + k)
            if np.array_equal(x, following):
                prompt.observe(0, x, reward)
                taken += 1
            np.testing.assert_array_equal(late.theta, prompt.theta)
            np.testing.assert_array_equal(late.act(0), prompt.act(0))
            late.decisions -= 1  # that look was none
    assert taken >= 40
