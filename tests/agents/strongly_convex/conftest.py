"""What the tests of agents on sets of points share: sets, their best points, plain histories."""

import numpy as np
import pytest

from banditgym.action_sets import Ball, Ellipsoid, LpBall, Sphere
from banditgym.tasks import ConvexSetTask

_TURNED = np.linalg.qr(np.random.default_rng(8).standard_normal((4, 4)))[0]

SETS = {
    "sphere-d1": Sphere(1, 2.0),
    "sphere-d2": Sphere(2),
    "sphere-d5": Sphere(5, 0.7),
    "ball-d3": Ball(3, 1.5),
    "ball-d1": Ball(1, 0.5),
    "steep-d4": Ellipsoid.of_axes([1.0, 0.01, 0.1, 0.5], _TURNED),  # condition 1e4
    "upright-d2": Ellipsoid.of_axes([0.5, 3.0]),
    "lp-d3": LpBall(3, 1.2, 2.0),
    "lp-d2": LpBall(2, 1.8),
}


def task_of(points, horizon=200, noise_std=0.3):
    return ConvexSetTask(
        dim=points.dim, horizon=horizon, noise_std=noise_std, subgaussian=noise_std,
        feature_norm=points.longest, param_norm=1.5, action_set=points,
    )  # fmt: skip


def best_point(points, theta):
    """The best point of a set in the direction theta (d,) other than 0, by its formula."""
    if isinstance(points, Ellipsoid):
        pull = np.linalg.solve(points.matrix, theta)
        return pull / np.sqrt(theta @ pull)
    p = points.p if isinstance(points, LpBall) else 2.0
    q = p / (p - 1)
    size = np.abs(theta) / np.abs(theta).max()
    return points.radius * np.sign(theta) * size ** (q - 1) / (size**q).sum() ** ((q - 1) / q)


class Past:
    """All that one replicate has observed, kept plainly."""

    def __init__(self, dim):
        self.points = np.empty((0, dim))
        self.rewards = np.empty(0)
        self.decisions = 0  # observed or not

    def __len__(self):
        return len(self.rewards)

    def add(self, point, reward):
        self.points = np.vstack([self.points, point])
        self.rewards = np.append(self.rewards, reward)


def _follow(agent, points, check, *, n=3, rounds=150, noise_std=0.3, seed=4):
    """Play by hand; ``check(past, i, x)`` sees each replicate's history and the point it plays.

    Rewards are linear with Gaussian noise, those of the first third of a replicate's rounds 0 for
    the last replicate. A round in five is hidden, and its reward NaN.
    """
    rng = np.random.default_rng([points.dim, 9])
    theta = rng.standard_normal((n, points.dim))
    agent.reset(task_of(points), n=n, seed=seed)
    pasts = [Past(points.dim) for _ in range(n)]
    for t in range(rounds):
        played = agent.act(np.zeros(n, int))
        assert played.shape == (n, points.dim)
        assert played.dtype == np.float64
        points.read(played, n)
        for i, past in enumerate(pasts):
            check(past, i, played[i].copy())
            past.decisions += 1
        reward = (played * theta).sum(axis=1) + noise_std * rng.standard_normal(n)
        if t < rounds // 3:
            reward[-1] = 0.0
        seen = rng.random(n) < 0.8
        paid = np.where(seen, reward, np.nan)
        agent.observe(np.zeros(n, int), played.copy(), paid, observed=seen)
        for i in np.flatnonzero(seen):
            pasts[i].add(played[i], reward[i])


def phase(t, dim):
    """Cycle, from 1, and round within it, from 0, of the t-th observed round of PEGE, from 0."""
    cycle = 1
    while t >= dim + cycle:
        t -= dim + cycle
        cycle += 1
    return cycle, t


@pytest.fixture(params=list(SETS), name="points")
def _points(request):
    return SETS[request.param]


@pytest.fixture
def follow():
    return _follow


@pytest.fixture(name="best_point")
def _best_point():
    return best_point


@pytest.fixture(name="phase")
def _phase():
    return phase


@pytest.fixture(name="task_of")
def _task_of():
    return task_of


@pytest.fixture
def cycle_regret():
    """Regret of cycles, explored and exploited: two arrays (n, cycles)."""
    import gymnasium

    import agents

    def run(agent, *, theta, noise_std, cycles, n, env="SphereBandit-v0", **settings):
        dim = len(theta)
        ends = np.cumsum([dim + m for m in range(1, cycles + 1)])
        kept = np.concatenate([ends, ends[:-1] + dim, [dim]])
        envs = gymnasium.make_vec(
            env, num_envs=n, theta=theta, noise_std=noise_std, horizon=int(ends[-1]), **settings
        )
        trace = agents.play(envs, agent, seed=100, rounds=kept)
        total = dict(zip(trace.rounds.tolist(), trace.regret.T, strict=True)) | {0: np.zeros(n)}
        starts = np.concatenate([[0], ends[:-1]])
        explored = [total[s + dim] - total[s] for s in starts.tolist()]
        exploited = [
            total[e] - total[s + dim] for s, e in zip(starts.tolist(), ends.tolist(), strict=True)
        ]
        return np.array(explored).T, np.array(exploited).T

    return run
