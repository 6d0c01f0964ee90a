"""BallOFUL against the definition of optimism: by duality, and by trying many points."""

import math

import numpy as np
import pytest
from scipy.optimize import minimize_scalar

import agents
from banditgym.action_sets import Ball, Ellipsoid, LpBall, Sphere

ROUND = ["sphere-d1", "sphere-d2", "sphere-d5", "ball-d3", "ball-d1", "steep-d4", "upright-d2"]
RIDGE, DELTA, NOISE, NORM = 0.7, 0.03, 0.25, 1.1


def inverse_shape(points):
    """Q^-1 of x^T Q x <= 1."""
    if isinstance(points, Ellipsoid):
        return np.linalg.inv(points.matrix)
    return points.radius**2 * np.eye(points.dim)


def most_by_duality(points, theta, gram, radius):
    r"""The largest x.theta + radius ‖x‖_{V^-1} of the set.

    It is the largest root of theta'^T Q^-1 theta' with ‖theta' - theta‖_V <= radius. Of a quadratic
    form under a quadratic constraint the Lagrangian's bound is tight, convex or not: with Q^-1 = P
    and M = mu V - P > 0, the least over mu of
    theta^T P theta + (P theta)^T M^-1 P theta + mu radius².
    """
    shape = inverse_shape(points)
    pull = shape @ theta
    least = 1.0 / np.linalg.eigvals(np.linalg.solve(shape, gram)).real.min()

    def bound(log_excess):
        mu = least * (1.0 + math.exp(log_excess))
        slack = pull @ np.linalg.solve(mu * gram - shape, pull)
        return theta @ pull + slack + mu * radius**2

    # Near its pole the matrix is singular to rounding: an excess of 1e-9 costs as much, relative.
    found = minimize_scalar(bound, bounds=(math.log(1e-9), math.log(1e9)), method="bounded",
                            options={"xatol": 1e-6, "maxiter": 200})  # fmt: skip
    return math.sqrt(found.fun)


def optimism(x, theta, gram, radius):
    return x @ theta + radius * math.sqrt(x @ np.linalg.solve(gram, x))


def on_the_boundary(points, count, seed=0):
    theta = np.random.default_rng(seed).standard_normal((count, points.dim))
    return points.argmax(theta)


@pytest.mark.parametrize("points", ROUND, indirect=True)
@pytest.mark.parametrize("radius", ["theory", 0.8])
def test_plays_the_point_of_largest_optimism(points, radius, follow):
    """Relative to 1e-6, which the minimum over mu is found to; no other point has more."""
    agent = agents.BallOFUL(
        ridge=RIDGE, delta=DELTA, noise_std=NOISE, param_norm=NORM, radius=radius
    )
    dim = points.dim
    others = on_the_boundary(points, 300)

    def check(past, i, x):
        gram = RIDGE * np.eye(dim) + past.points.T @ past.points
        theta = np.linalg.solve(gram, past.points.T @ past.rewards)
        np.testing.assert_allclose(agent.theta[i], theta, rtol=1e-9, atol=1e-9)
        rho = radius
        if radius == "theory":
            growth = np.linalg.slogdet(gram / RIDGE)[1]
            rho = math.sqrt(RIDGE) * NORM + NOISE * math.sqrt(2 * math.log(1 / DELTA) + growth)
        np.testing.assert_allclose(agent.radii()[i], rho, rtol=1e-10)
        value = optimism(x, theta, gram, rho)
        np.testing.assert_allclose(value, most_by_duality(points, theta, gram, rho), rtol=1e-6)
        widths = np.sqrt(np.einsum("ij,ji->i", others, np.linalg.solve(gram, others.T)))
        assert value >= (others @ theta + rho * widths).max() * (1 - 1e-12)

    follow(agent, points, check, rounds=50)


def test_on_a_circle_no_point_of_a_fine_grid_is_better(task_of):
    """A million points: the best of them is within 1e-11 of the best of all."""
    angles = np.linspace(0, 2 * np.pi, 1_000_001)
    grid = np.stack([np.cos(angles), np.sin(angles)], axis=1)
    agent = agents.BallOFUL(radius=1.3, ridge=0.5).reset(task_of(Sphere(2)))
    rng = np.random.default_rng(2)
    gram, moment = 0.5 * np.eye(2), np.zeros(2)
    for _ in range(12):
        x = agent.act(0)
        theta = np.linalg.solve(gram, moment)
        widths = np.sqrt(np.einsum("ij,jk,ik->i", grid, np.linalg.inv(gram), grid))
        values = grid @ theta + 1.3 * widths
        value = optimism(x, theta, gram, 1.3)
        assert values.max() - 1e-12 <= value <= values.max() + 1e-10
        reward = float(x @ [0.4, -0.9] + 0.3 * rng.standard_normal())
        agent.observe(0, x, reward)
        gram += np.outer(x, x)
        moment += reward * x


@pytest.mark.parametrize("dim", [2, 3, 6])
@pytest.mark.parametrize("small", [0.0, 1e-310, 1e-300, 1e-17, 1e-9, 1e-3])
@pytest.mark.parametrize("several", [1, 2])
def test_where_the_estimate_has_next_to_no_part_along_the_least_known_direction(
    task_of, dim, small, several
):
    """The hard case, in which the sum stays below the squared radius, and its neighbourhood."""
    ball = Ball(dim)
    rng = np.random.default_rng([dim, several])
    turned = np.linalg.qr(rng.standard_normal((dim, dim)))[0]
    for radius in (1e-3, 0.5, 40.0):
        agent = agents.BallOFUL(radius=radius, ridge=0.5).reset(task_of(ball))
        values = 0.5 + np.concatenate([np.zeros(several), 1 + 9 * rng.random(dim)])[:dim]
        f = rng.standard_normal(dim)
        f[:several] = small
        for axes in (np.eye(dim), turned):
            gram, theta = (axes.T * values) @ axes, axes.T @ f
            agent.gram[0], agent.moment[0] = gram, gram @ theta
            x = agent.act(0)
            np.testing.assert_allclose(np.linalg.norm(x), 1.0, rtol=1e-12)
            np.testing.assert_allclose(
                optimism(x, theta, gram, radius),
                most_by_duality(ball, theta, gram, radius),
                rtol=1e-6,
            )


@pytest.mark.parametrize("radius", [0.0, 1e-310, 1e-18])
def test_without_a_width_it_is_greedy(task_of, best_point, radius):
    agent = agents.BallOFUL(radius=radius).reset(task_of(Ball(3)))
    first = [0.0, 0.0, 0.0] if radius == 0 else [1.0, 0.0, 0.0]  # the set's own for a direction 0
    np.testing.assert_array_equal(agent.act(0), first)
    agent.observe(0, np.array([1.0, 0.0, 0.0]), 0.3)
    agent.observe(0, np.array([0.0, 0.6, 0.8]), -0.4)
    np.testing.assert_allclose(agent.act(0), best_point(Ball(3), agent.theta[0]), atol=1e-14)


def test_a_ridge_that_rounding_hides_still_counts(task_of):
    """Least eigenvalues of 1e-20 are computed as anything within 1e-16 of 0, negative ones too."""
    rng = np.random.default_rng(3)
    for _ in range(5):
        agent = agents.BallOFUL(ridge=1e-20).reset(task_of(Ball(4)))
        past = np.linalg.qr(rng.standard_normal((4, 3)))[0].T
        for k in range(3):
            agent.observe(0, past[k], 0.3)
            radius = 0.3 * math.sqrt(2 * math.log(10) + (k + 1) * math.log(1e20))
            # One found at 1e-16 adds log 1e4 = 9.2, three at most 28 to 51: 1.25 times the root.
            np.testing.assert_allclose(agent.radii()[0], radius, rtol=0.3)
            x = agent.act(0)
            np.testing.assert_allclose(np.linalg.norm(x), 1.0, rtol=1e-12)
            np.testing.assert_allclose(past[: k + 1] @ x, 0.0, atol=1e-8)


def test_first_it_plays_the_longest_semi_axis(task_of):
    ellipsoid = Ellipsoid.of_axes([0.5, 3.0, 1.0])
    agent = agents.BallOFUL().reset(task_of(ellipsoid))
    np.testing.assert_allclose(np.abs(agent.act(0)), [0.0, 3.0, 0.0], atol=1e-15)


def test_the_true_parameter_stays_within_its_confidence_set(task_of):
    """40 replicates, 60 rounds: at delta = 0.1 at most 4 failures are expected, fewer in truth.

    More than 11 have a probability below 1e-3, by the binomial law, if the theorem holds.
    """
    n, dim = 40, 3
    rng = np.random.default_rng(6)
    theta = rng.standard_normal((n, dim))
    theta /= np.linalg.norm(theta, axis=1, keepdims=True)
    agent = agents.BallOFUL(noise_std=0.5, param_norm=1.0).reset(task_of(Ball(dim)), n=n)
    failed = np.zeros(n, bool)
    for _ in range(60):
        points = agent.act(np.zeros(n, int))
        off = agent.theta - theta
        distance = np.sqrt(np.einsum("ij,ijk,ik->i", off, agent.gram, off))
        failed |= distance > agent.radii()
        paid = (points * theta).sum(axis=1) + 0.5 * rng.standard_normal(n)
        agent.observe(np.zeros(n, int), points, paid)
    assert failed.sum() <= 11


def test_other_norms_are_refused(task_of):
    with pytest.raises(ValueError, match="it plays balls, spheres and ellipsoids.*LpBall"):
        agents.BallOFUL().reset(task_of(LpBall(2, 1.5)))


@pytest.mark.parametrize(
    ("given", "named"),
    [
        ({"ridge": 0.0}, "ridge"),
        ({"delta": 1.0}, "delta"),
        ({"noise_std": -0.1}, "noise_std"),
        ({"param_norm": float("nan")}, "param_norm"),
        ({"radius": "closed"}, "radius"),
        ({"radius": -1.0}, "radius"),
        ({"radius": float("nan")}, "radius"),
    ],
)
def test_bad_hyperparameters_are_named_with_their_value(given, named):
    with pytest.raises(ValueError, match=f"{named}.*{next(iter(given.values()))}"):
        agents.BallOFUL(**given)
