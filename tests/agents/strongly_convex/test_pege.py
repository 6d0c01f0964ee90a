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
        np.testing.assert_array_equal(agent._basis[0], [1.0, 1.0])
        assert np.isfinite(agent._best).all()
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
def test_it_plays_on_while_rewards_are_open(agent, points, task_of):
    """Without a reward it plays all points in turn; rewards in any order, in batches of six, in
    single precision and some never, give the estimate of the rewards that came."""
    rng, dim = np.random.default_rng(2), points.dim
    theta = rng.standard_normal(dim)
    agent.reset(task_of(points))
    silent = [agent.act(0) for _ in range(2 * dim + 1)]
    np.testing.assert_array_equal(silent[:dim], points.basis)
    again = (
        slice(dim, 2 * dim) if isinstance(agent, agents.ExploreThenCommit) else slice(dim + 1, None)
    )
    np.testing.assert_array_equal(silent[again], points.basis)
    agent.reset(task_of(points))
    rewards = [[] for _ in range(dim)]
    for batch in range(20):
        played = {6 * batch + k: agent.act(0) for k in range(6)}
        for t in rng.permutation([*played]):
            reward = float(played[t] @ theta + 0.3 * rng.standard_normal())
            place = place_of(agent, int(t), dim)
            if rng.random() < 0.8:
                agent.observe(0, played[t].astype(np.float32), reward, decision=int(t))
                if place < dim:
                    rewards[place].append(reward)
    if not isinstance(agent, agents.FastPEGE):
        agent._renew_best(np.ones(1, bool))
        means = [np.mean(own) if own else 0.0 for own in rewards]
        np.testing.assert_allclose(agent.mean[0], means)
        np.testing.assert_allclose(agent.theta[0], np.linalg.solve(points.basis, means), rtol=1e-7)
    assert len(rewards[0]) >= 2


def place_of(agent, t, dim):
    """The place of a decision in its cycle."""
    if isinstance(agent, agents.ExploreThenCommit):
        return t % dim if t < 4 * dim else dim
    cycle = 1
    while t >= dim + cycle:
        t, cycle = t - dim - cycle, cycle + 1
    return t
