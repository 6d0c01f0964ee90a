"""UniformRandom in law."""

import gymnasium
import numpy as np
import pytest
from scipy import stats

import agents
from banditgym.action_sets import Ball, Ellipsoid, LpBall, Sphere
from banditgym.streams import AGENT, Stream
from banditgym.tasks import ConvexSetTask, LossTask


@pytest.mark.parametrize("n_arms", [1, 2, 3, 10, 97])
def test_every_arm_is_as_likely_in_every_round(n_arms):
    """Chi-square over 50 seeds x 400 rounds, level 1e-5; pairs of successive rounds for n_arms <=
    10, at the same level, so that a run of equal arms would show."""
    env = gymnasium.make_vec("ArmedBandit-v0", num_envs=50, n_arms=n_arms, horizon=400)
    agent = agents.UniformRandom().reset(env.unwrapped.task, n=50, seed=0)
    nothing = np.zeros(50, int)
    played = []
    for _ in range(400):
        arms = agent.act(nothing)
        agent.observe(nothing, arms, np.zeros(50))
        played.append(arms)
    arms = np.array(played)
    assert arms.min() >= 0
    assert arms.max() < n_arms
    if n_arms == 1:
        return
    assert stats.chisquare(np.bincount(arms.ravel(), minlength=n_arms)).pvalue > 1e-5
    if n_arms <= 10:
        pairs = arms[::2] * n_arms + arms[1::2]
        assert stats.chisquare(np.bincount(pairs.ravel(), minlength=n_arms**2)).pvalue > 1e-5


def test_a_hidden_reward_changes_nothing():
    env = gymnasium.make_vec("LinearBandit-v0", num_envs=3, n_arms=1000, horizon=50)
    features, _ = env.reset(seed=0)
    agent = agents.UniformRandom().reset(env.unwrapped.task, n=3, seed=4)
    first = agent.act(features)
    agent.observe(features, first, np.zeros(3), observed=np.array([True, False, True]))
    second = agent.act(features)
    assert (second != first).all()
    again = agents.UniformRandom().reset(env.unwrapped.task, n=3, seed=4)
    np.testing.assert_array_equal([again.act(features) for _ in range(2)], [first, second])


def test_rewards_change_nothing():
    env = gymnasium.make_vec("ArmedBandit-v0", num_envs=4, horizon=60)
    runs = []
    for reward in (0.0, 1.0):
        agent = agents.UniformRandom().reset(env.unwrapped.task, n=4, seed=9)
        nothing, arms = np.zeros(4, int), []
        for _ in range(60):
            arms.append(agent.act(nothing))
            agent.observe(nothing, arms[-1], np.full(4, reward))
        runs.append(np.array(arms))
    np.testing.assert_array_equal(*runs)


def ball_points(dim, radius, n, rounds, seed=0):
    task = LossTask(dim=dim, horizon=rounds, action_set=Ball(dim, radius), gradient_norm=1.0)
    agent = agents.UniformRandom().reset(task, n=n, seed=seed)
    nothing, ones = np.zeros(n, int), np.ones(n)
    played = []
    for _ in range(rounds):
        points = agent.act(nothing)
        feedback = {"loss": ones, "gradient": np.ones((n, dim)), "curvature": ones}
        agent.observe(nothing, points, -ones, feedback=feedback)
        played.append(points)
    return np.array(played)  # (rounds, n, d)


@pytest.mark.parametrize("dim", [1, 2, 3, 7])
def test_points_are_uniform_in_the_ball(dim):
    """Of 20 seeds x 300 rounds, at level 1e-5 each: (‖x‖ / r)^d is uniform; the first and last
    coordinates fall as by rejection from the cube; signs of the first and last are independent."""
    radius = 2.5
    points = ball_points(dim, radius, 20, 300).reshape(-1, dim)
    lengths = np.linalg.norm(points, axis=1)
    assert lengths.max() <= radius
    assert stats.kstest((lengths / radius) ** dim, "uniform").pvalue > 1e-5
    rng = np.random.default_rng(dim)
    cube = rng.uniform(-radius, radius, (200_000, dim))
    other = cube[np.linalg.norm(cube, axis=1) <= radius]
    for j in {0, dim - 1}:
        assert stats.ks_2samp(points[:, j], other[:, j]).pvalue > 1e-5
    if dim > 1:
        quadrants = 2 * (points[:, 0] > 0) + (points[:, -1] > 0)
        assert stats.chisquare(np.bincount(quadrants, minlength=4)).pvalue > 1e-5


def test_a_point_is_a_function_of_seed_and_round():
    """The first d of d + 2 normals of that round, over the length of all."""
    dim, radius = 3, 0.5
    points = ball_points(dim, radius, 4, 20, seed=6)
    stream = Stream([6, 7, 8, 9], AGENT, 0, 0)
    for t in range(20):
        normals = stream.normal(t, (dim + 2,))
        length = np.linalg.norm(normals, axis=1, keepdims=True)
        np.testing.assert_allclose(points[t], radius * (normals / length)[:, :dim], rtol=1e-13)
    np.testing.assert_array_equal(ball_points(dim, radius, 1, 20, seed=8)[:, 0], points[:, 2])


@pytest.mark.parametrize(
    "action_set",
    [
        Sphere(3, 2.0),
        Ball(2, 0.5),
        Ellipsoid([[2.0, 0.9], [0.9, 0.5]]),
        Ellipsoid.of_axes([3.0, 0.1]),
        LpBall(3, 1.2, 2.0),
    ],
    ids=repr,
)
def test_points_of_a_set_are_its_draws_of_the_decision(action_set):
    # The law of draws is tested where they are made.
    dim = action_set.dim
    task = ConvexSetTask(
        dim=dim, horizon=9, noise_std=1.0, subgaussian=1.0, feature_norm=action_set.longest,
        param_norm=1.0, action_set=action_set,
    )  # fmt: skip
    agent = agents.UniformRandom().reset(task, n=3, seed=6)
    keys, t, nothing = Stream([6, 7, 8], AGENT, 0, 0).keys, np.zeros(3, int), np.zeros(3, int)
    for seen in ([True, True, True], [True, False, True], [False, True, True]):
        points = agent.act(nothing)
        np.testing.assert_array_equal(points, action_set.draw(keys, t))
        action_set.read(points, 3)
        agent.observe(nothing, points, np.ones(3), observed=np.array(seen))
        t += 1
    np.testing.assert_array_equal(agent.act(nothing), action_set.draw(keys, t))
    solo = agents.UniformRandom().reset(task, seed=8)
    point = solo.act(0)
    assert point.shape == (dim,)
    np.testing.assert_array_equal(point, action_set.draw(keys, 0 * t)[2])


def test_a_hidden_loss_changes_nothing():
    task = LossTask(dim=2, horizon=9, action_set=Ball(2), gradient_norm=1.0)
    agent = agents.UniformRandom().reset(task, n=2, seed=4)
    nothing, ones = np.zeros(2, int), np.ones(2)
    first = agent.act(nothing)
    feedback = {"loss": ones, "gradient": np.ones((2, 2)), "curvature": ones}
    seen = np.array([True, False])
    agent.observe(nothing, first, -ones, feedback=feedback, observed=seen)
    second = agent.act(nothing)
    assert (second != first).all()
    again = agents.UniformRandom().reset(task, n=2, seed=4)
    np.testing.assert_array_equal([again.act(nothing) for _ in range(2)], [first, second])
