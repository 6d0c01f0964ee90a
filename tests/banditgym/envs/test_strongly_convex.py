"""ConvexSetBandit against a plain recomputation, the laws of what is drawn, what it refuses."""

import math
import warnings

import gymnasium
import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env as gymnasiums_check_env
from gymnasium.utils.env_checker import data_equivalence
from gymnasium.vector import SyncVectorEnv
from scipy import stats

import banditgym  # noqa: F401 (registers the environments)
from banditgym.action_sets import Ball, Ellipsoid, LpBall, Sphere
from banditgym.envs.noise import Noise, unit_noise
from banditgym.rounds.kinds import NOTHING, POINT, REWARD
from banditgym.spaces import Points
from banditgym.streams import ENVIRONMENT, Stream
from banditgym.tasks import BEST_ACTION
from banditgym.vector_env import ARMS, NOISE, THETA

SEEDS = [3, 2**70, 0]
SKEW = np.array([[2.0, 0.9], [0.9, 0.5]])
ENVIRONMENTS = [
    ("SphereBandit-v0", {"dim": 3, "radius": 2.0, "noise_std": 0.5}),
    ("SphereBandit-v0", {"dim": 1, "param_norm": 3.0, "noise": "uniform"}),
    ("BallBandit-v0", {"dim": 4, "radius": 0.3, "noise": "rademacher", "noise_std": 0.2}),
    ("BallBandit-v0", {"theta": [0.6, -0.8, 0.1], "param_norm": 2.0}),
    ("EllipsoidBandit-v0", {"dim": 5, "condition": 50.0, "noise": "student_t", "noise_df": 5.0}),
    ("EllipsoidBandit-v0", {"axes": [0.5, 2.0, 1.0], "axes_seed": 4, "param_norm": 0.5}),
    ("EllipsoidBandit-v0", {"axes": [0.5, 2.0], "orientation": "identity", "noise_std": 0.0}),
    ("EllipsoidBandit-v0", {"matrix": SKEW, "theta": [0.0, 0.1]}),
    ("LpBallBandit-v0", {"dim": 3, "p": 1.3, "radius": 2.0}),
    ("LpBallBandit-v0", {"dim": 2, "p": 2}),
]


def make(env_id, n=3, **settings):
    return gymnasium.make_vec(env_id, num_envs=n, **settings)


def gauge(action_set, points):
    """By which factor the set must be stretched to have each of ``points`` (.., d) in it."""
    if isinstance(action_set, Ellipsoid):
        return np.sqrt(np.einsum("...i,ij,...j->...", points, action_set.matrix, points))
    p = getattr(action_set, "p", 2)
    return (np.abs(points) ** p).sum(axis=-1) ** (1 / p) / action_set.radius


def support(action_set, theta):
    """The largest inner product of a point of the set with theta, by duality of norms."""
    if isinstance(action_set, Ellipsoid):
        return math.sqrt(theta @ np.linalg.solve(action_set.matrix, theta))
    p = getattr(action_set, "p", 2)
    return action_set.radius * np.linalg.norm(theta, ord=p / (p - 1))


@pytest.mark.parametrize("project", [False, True])
@pytest.mark.parametrize(("env_id", "settings"), ENVIRONMENTS)
def test_rewards_and_regret_are_those_of_the_definition(env_id, settings, project):
    horizon = 5
    envs = make(env_id, horizon=horizon, project=project, **settings)
    task = envs.unwrapped.task
    dim, points_set = task.dim, task.action_set
    law = Noise(settings.get("noise", "gaussian"), task.noise_std, settings.get("noise_df", 3.0))
    rng = np.random.default_rng(0)
    observation, info = envs.reset(seed=SEEDS)
    for episode in range(2):
        if episode:
            observation, reward, *_, info = envs.step(None)
            assert (reward.any(), info) == (False, {})
        if "theta" in settings:
            theta = np.tile(settings["theta"], (3, 1))
        else:
            u = Stream(SEEDS, ENVIRONMENT, THETA, episode).normal(0, (dim,))
            theta = task.param_norm * u / np.linalg.norm(u, axis=1, keepdims=True)
        keys = Stream(SEEDS, ENVIRONMENT, NOISE, episode).keys
        for t in range(horizon):
            assert (observation.shape, observation.dtype) == ((3,), np.int64)
            assert not observation.any()
            points = rng.standard_normal((3, dim))
            points /= gauge(points_set, points)[:, None]
            played = points
            if project:  # what lies out along a normal of the boundary is played at its foot
                played = points_set.argmax(points)
                points = played + points
            observation, reward, _, truncated, info = envs.step(points)
            noise = np.empty(3)
            unit_noise(law.code, law.df, keys, t, noise)
            worth = (played * theta).sum(axis=1)
            best = np.array([support(points_set, one) for one in theta])
            np.testing.assert_allclose(reward, worth + law.scale * noise, rtol=1e-11, atol=1e-12)
            np.testing.assert_allclose(info["regret"], best - worth, rtol=1e-11, atol=1e-12)
            assert set(info) == {"regret", "_regret"}
            assert info["_regret"].all()
            assert truncated.all() == (t == horizon - 1)


@pytest.mark.parametrize(("env_id", "settings"), ENVIRONMENTS)
def test_the_best_point_has_no_regret_and_no_point_has_less(env_id, settings):
    envs = make(env_id, n=200, horizon=3, **settings)
    task = envs.unwrapped.task
    envs.reset(seed=0)
    dim = task.dim
    if "theta" in settings:
        theta = np.tile(np.array(settings["theta"], float), (200, 1))
    else:
        u = Stream(range(200), ENVIRONMENT, THETA, 0).normal(0, (dim,))
        theta = task.param_norm * u / np.linalg.norm(u, axis=1, keepdims=True)
    regret = envs.step(task.action_set.argmax(theta))[4]["regret"]
    np.testing.assert_allclose(regret, 0.0, rtol=0, atol=1e-14 * task.feature_norm)
    envs.action_space.seed(0)
    for _ in range(2):
        assert envs.step(envs.action_space.sample())[4]["regret"].min() > -1e-14


def test_the_worst_point_costs_twice_the_best():
    envs = make("SphereBandit-v0", n=2, theta=[0.6, 0.8], radius=3.0, noise_std=0.0)
    envs.reset(seed=0)
    reward, _, _, info = envs.step([[1.8, 2.4], [-1.8, -2.4]])[1:]
    np.testing.assert_allclose(reward, [3.0, -3.0], rtol=1e-15)
    np.testing.assert_allclose(info["regret"], [0.0, 6.0], rtol=1e-15, atol=1e-15)


@pytest.mark.parametrize("scale", [0.0, 1e-200, 1e200])
def test_parameters_of_any_size(scale):
    for env_id in ("SphereBandit-v0", "EllipsoidBandit-v0", "LpBallBandit-v0"):
        envs = make(env_id, n=4, dim=3, param_norm=scale, noise_std=0.0)
        envs.reset(seed=0)
        envs.action_space.seed(0)
        _, reward, _, _, info = envs.step(envs.action_space.sample())
        assert np.isfinite(reward).all()
        assert (info["regret"] >= 0).all()
        assert (info["regret"].max() > 0) == (scale > 0)
        best = envs.unwrapped.task.action_set.argmax(np.zeros((4, 3)))
        envs.step(best)


def test_noise_is_paired_and_does_not_depend_on_points():
    one, two = (make("BallBandit-v0", noise="student_t", horizon=9) for _ in range(2))
    other = make("LpBallBandit-v0", noise="student_t", horizon=9)
    for envs in (one, two, other):
        envs.reset(seed=5)
        envs.action_space.seed(1)
    for _ in range(9):
        here = one.action_space.sample()
        shared = []
        for envs, points in ((one, here), (two, 0 * here), (other, 0 * here)):
            _, reward, _, _, info = envs.step(points)
            shared.append(reward + info["regret"])
        np.testing.assert_allclose(shared[0], shared[1], rtol=0, atol=1e-14)
        noise = shared[1] - 1.0  # the best point of the ball is worth 1, the played one 0
        np.testing.assert_allclose(
            noise, shared[2] - np.linalg.norm(other.unwrapped._theta, ord=3, axis=1), atol=1e-13
        )


def test_hidden_parameters_are_uniform_on_their_sphere():
    envs = make("SphereBandit-v0", n=3000, dim=3, param_norm=2.0)
    envs.reset(seed=0)
    theta = envs.unwrapped._theta
    np.testing.assert_allclose(np.linalg.norm(theta, axis=1), 2.0, rtol=1e-14)
    for j in range(3):  # a coordinate of a direction in space is uniform
        assert stats.kstest(theta[:, j] / 2.0, "uniform", (-1, 2)).pvalue > 1e-4
    envs.reset()
    assert (envs.unwrapped._theta != theta).all()


def test_drawn_ellipsoids_are_those_of_their_law():
    for dim, condition, radius in ((1, 10.0, 1.0), (2, 1.0, 3.0), (2, 1e10, 1.0), (6, 400.0, 0.5)):
        envs = make("EllipsoidBandit-v0", dim=dim, condition=condition, radius=radius, axes_seed=9)
        shape = envs.unwrapped.task.action_set
        draws = Stream([9], ENVIRONMENT, ARMS, 0)
        exponents = draws.uniform(0, (dim,))[0]
        exponents[0] = 0.0
        if dim > 1:
            exponents[1] = 1.0
        np.testing.assert_allclose(shape.axes, radius * condition ** (-exponents / 2), rtol=1e-13)
        assert shape.longest == radius
        if dim > 1:
            np.testing.assert_allclose(
                (shape.axes.max() / shape.axes.min()) ** 2, condition, rtol=1e-12
            )
            np.testing.assert_allclose(
                shape.directions @ shape.directions.T, np.eye(dim), atol=1e-14
            )
            # Rows of directions are the orthonormalised columns of a matrix of normals.
            normals = draws.normal(1, (dim, dim))[0]
            triangle = shape.directions @ normals
            np.testing.assert_allclose(np.tril(triangle, -1), 0.0, atol=1e-13)
            assert (triangle.diagonal() > 0).all()
    default = make("EllipsoidBandit-v0").unwrapped.task.action_set
    np.testing.assert_allclose(default.longest / default.axes.min(), 10**0.5, rtol=1e-13)
    assert default.longest == 1.0


def test_drawn_directions_are_uniform():
    # Of 2000 seeds: coordinates of the first and the last axis in space, uniform on (-1, 1).
    shapes = [
        make("EllipsoidBandit-v0", n=1, axes=[3.0, 2.0, 1.0], axes_seed=s).unwrapped.task.action_set
        for s in range(2000)
    ]
    directions = np.array([shape.directions for shape in shapes])
    for k in (0, 2):
        for j in range(3):
            assert stats.kstest(directions[:, k, j], "uniform", (-1, 2)).pvalue > 1e-5
    # Determinants of both signs are as likely: 2000 fair coins have a deviation of 22.4.
    assert abs((np.linalg.det(directions) > 0).sum() - 1000) < 5 * 22.4


def test_the_ellipsoid_is_a_setting_that_seeds_do_not_change():
    one, two = make("EllipsoidBandit-v0"), make("EllipsoidBandit-v0", n=2)
    before = one.unwrapped.task.action_set
    one.reset(seed=7)
    assert one.unwrapped.task.action_set is before
    assert two.unwrapped.task.action_set == before
    assert make("EllipsoidBandit-v0", axes_seed=0).unwrapped.task.action_set == before
    for other in ({"axes_seed": 1}, {"condition": 11.0}, {"radius": 2.0}):
        assert make("EllipsoidBandit-v0", **other).unwrapped.task.action_set != before


def test_given_ellipsoids():
    def shape(**settings):
        return make("EllipsoidBandit-v0", **settings).unwrapped.task.action_set

    assert shape(matrix=SKEW) == Ellipsoid(SKEW)
    assert shape(matrix=SKEW.tolist(), dim=2) == Ellipsoid(SKEW)
    upright = shape(axes=[0.5, 2.0], orientation="identity")
    assert upright == Ellipsoid.of_axes([0.5, 2.0])
    turned = shape(axes=[0.5, 2.0])
    np.testing.assert_array_equal(turned.axes, [0.5, 2.0])
    assert turned != upright
    assert turned != shape(axes=[0.5, 2.0], axes_seed=1)
    drawn = shape(dim=4, orientation="identity", condition=100.0)
    np.testing.assert_array_equal(drawn.directions, np.eye(4))
    assert drawn.axes.tolist() == shape(dim=4, condition=100.0).axes.tolist()
    assert shape(axes=[2.0]) == Ellipsoid.of_axes([2.0])


@pytest.mark.parametrize(
    ("env_id", "settings", "expected"),
    [
        ("SphereBandit-v0", {}, Sphere(5)),
        ("SphereBandit-v0", {"dim": 2, "radius": 3}, Sphere(2, 3.0)),
        ("BallBandit-v0", {"theta": [0.3, 0.4]}, Ball(2)),
        ("LpBallBandit-v0", {}, LpBall(5, 1.5)),
        ("LpBallBandit-v0", {"p": 2, "radius": 0.5}, LpBall(5, 2.0, 0.5)),
        ("EllipsoidBandit-v0", {"matrix": 4.0 * np.eye(3)}, Ellipsoid(4.0 * np.eye(3))),
    ],
)
def test_what_agents_may_know(env_id, settings, expected):
    task = make(env_id, horizon=9, noise_std=0.3, **settings).unwrapped.task
    assert vars(task) == {
        "feedback": None,
        "arms_vary": None,
        "dim": expected.dim,
        "horizon": 9,
        "noise_std": 0.3,
        "subgaussian": 0.3,
        "feature_norm": expected.longest,
        "param_norm": 0.5 if "theta" in settings else 1.0,
        "action_set": expected,
    }
    assert (task.family, task.observes, task.plays, task.reveals) == (
        "strongly_convex", NOTHING, POINT, REWARD,
    )  # fmt: skip
    assert task.regret == BEST_ACTION
    assert make(env_id, noise="student_t", **settings).unwrapped.task.subgaussian is None


@pytest.mark.parametrize(("env_id", "settings"), ENVIRONMENTS)
def test_spaces(env_id, settings):
    envs = make(env_id, **settings)
    shape = envs.unwrapped.task.action_set
    assert envs.single_action_space == Points(shape)
    assert envs.action_space == Points(shape, n=3)
    assert envs.single_observation_space == gymnasium.spaces.Discrete(1)
    box = make(env_id, project=True, **settings).single_action_space
    assert box == gymnasium.spaces.Box(-shape.extent, shape.extent, dtype=np.float64)
    boundary = shape.argmax(np.random.default_rng(0).standard_normal((2000, shape.dim)))
    assert (np.abs(boundary) <= box.high * (1 + 1e-14)).all()
    assert (np.abs(boundary).max(axis=0) >= 0.8 * box.high).all()


@pytest.mark.parametrize("project", [False, True])
@pytest.mark.parametrize(("env_id", "settings"), ENVIRONMENTS)
def test_equal_to_gymnasiums_own_vector_environment(env_id, settings, project):
    settings = settings | {"horizon": 4, "project": project}
    native = make(env_id, **settings)
    one = lambda: gymnasium.make(env_id, disable_env_checker=True, **settings)  # noqa: E731
    sync = SyncVectorEnv([one] * 3)
    assert native.action_space == sync.action_space
    native.action_space.seed(0)
    assert data_equivalence(native.reset(seed=SEEDS), sync.reset(seed=SEEDS), exact=True)
    for _ in range(11):
        actions = native.action_space.sample()
        assert data_equivalence(native.step(actions), sync.step(actions), exact=True)


@pytest.mark.parametrize(("env_id", "settings"), ENVIRONMENTS)
def test_projected_actions_are_played_at_the_nearest_point(env_id, settings):
    loose, strict = make(env_id, project=True, **settings), make(env_id, **settings)
    shape = loose.unwrapped.task.action_set
    loose.reset(seed=0)
    strict.reset(seed=0)
    rng = np.random.default_rng(0)
    for size in (0.0, 1e-3, 0.7, 5.0, 1e200):
        points = size * rng.standard_normal((3, shape.dim))
        ours, theirs = loose.step(points), strict.step(shape.project(points))
        assert data_equivalence(ours, theirs, exact=True)
    single = np.float32(rng.standard_normal((3, shape.dim)))
    ours = loose.step(single)
    assert data_equivalence(ours, strict.step(shape.project(single.astype(float))), exact=True)


@pytest.mark.parametrize(
    ("env_id", "settings", "message"),
    [
        ("SphereBandit-v0", {}, r"replicate 1 is not on the sphere of radius 1.0: it lies"),
        ("BallBandit-v0", {}, r"replicate 1 is not in the ball of radius 1.0: it lies"),
        (
            "EllipsoidBandit-v0",
            {"axes": [1.0, 2.0], "orientation": "identity"},
            r"replicate 1 is not in the ellipsoid of semi-axes 1 .. 2: it lies",
        ),
        ("LpBallBandit-v0", {}, r"replicate 1 is not in the l_1.5 ball of radius 1.0: it lies"),
    ],
)
@pytest.mark.parametrize("project", [False, True])
def test_bad_points_are_refused_before_anything_changes(env_id, settings, message, project):
    settings = {"horizon": 3, "project": project, **({} if "axes" in settings else {"dim": 2})} | (
        settings
    )
    envs, twin = make(env_id, 2, **settings), make(env_id, 2, **settings)
    envs.reset(seed=0)
    twin.reset(seed=0)
    fine = np.array([[1.0, 0.0], [-1.0 - 9e-10, 0.0]])
    bad = {
        "1 is not finite": [[1.0, 0.0], [np.nan, 0.0]],
        "0 is not finite": [[0.0, -np.inf], [0.0, 1.0]],
        "expected 2 points of 2 numbers, got": [[1.0, 0.0]],
        "expected 2 points of 2": [[1.0], [1.0]],
        "expected 2 points of": [1, 0],
        "expected 2": [[1.0, 0.0, 0.0]] * 2,
    }
    if not project:
        bad[f"{message} 1e-07 outside"] = [[1.0, 0.0], [1.0 + 1e-7, 0.0]]
        bad[f"{message} 2 outside"] = [[1.0, 0.0], [3.0, 0.0]]
        if env_id == "SphereBandit-v0":
            bad[f"{message} 1e-07 inside"] = [[1.0, 0.0], [1.0 - 1e-7, 0.0]]
            bad[f"{message} 1 inside"] = [[1.0, 0.0], [0.0, 0.0]]
    for _ in range(3):
        for told, actions in bad.items():
            with pytest.raises(ValueError, match=told) as caught:
                envs.step(actions)
            assert "\n" not in str(caught.value)
        assert data_equivalence(envs.step(fine), twin.step(fine), exact=True)
    envs.step([[np.nan]])  # this one only resets


def test_infos_are_the_receivers_to_keep():
    envs = make("BallBandit-v0", horizon=4)
    envs.reset(seed=0)
    kept = []
    for t in range(4):
        point = np.full((3, 5), 0.1 * t)
        _, reward, _, _, info = envs.step(point)
        kept += [(array, array.copy()) for array in (reward, info["regret"])]
        point[:] = 7.0
    for array, copy in kept:
        np.testing.assert_array_equal(array, copy)
        array[:] = 0.0


@pytest.mark.parametrize("project", [False, True])
@pytest.mark.parametrize(("env_id", "settings"), ENVIRONMENTS)
def test_gymnasiums_checker_passes(env_id, settings, project):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        # It recommends boxes of bounds -1 and 1, which not every set has around it.
        warnings.filterwarnings("ignore", message=".*symmetric and normalized space")
        env = gymnasium.make(env_id, horizon=20, project=project, **settings)
        gymnasiums_check_env(env.unwrapped)


@pytest.mark.parametrize(
    "env_id", ["SphereBandit-v0", "BallBandit-v0", "EllipsoidBandit-v0", "LpBallBandit-v0"]
)
def test_stable_baselines3s_checker_passes(env_id):
    checker = pytest.importorskip(
        "stable_baselines3.common.env_checker", reason="needs stable-baselines3"
    )
    env = gymnasium.make(env_id, horizon=20, project=True)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        checker.check_env(env)
    # It recommends actions of float32, which are projected like any others, and boxes of bounds
    # -1 and 1, which an ellipsoid has not. Nothing else.
    messages = [str(warning.message) for warning in caught]
    known = ("recommend using np.float32", "symmetric and normalized Box")
    assert all(any(words in message for words in known) for message in messages), messages
    assert len(messages) == 1 + (env_id == "EllipsoidBandit-v0")
    env.reset(seed=0)
    env.step(np.full(5, 0.9, np.float32))


@pytest.mark.parametrize(
    ("env_id", "settings", "message"),
    [
        ("BallBandit-v0", {"action_set": "cube"}, "action_set must be one of sphere, ball, elli"),
        ("BallBandit-v0", {"action_set": None}, "action_set must be one of .*, got None"),
        ("BallBandit-v0", {"dim": 0}, "dim must be an integer >= 1, got 0"),
        ("BallBandit-v0", {"dim": 2.0}, "dim must be an integer >= 1, got 2.0"),
        ("BallBandit-v0", {"radius": 0}, "radius must be finite and > 0, got 0"),
        ("BallBandit-v0", {"radius": np.nan}, "radius must be finite and > 0, got nan"),
        ("SphereBandit-v0", {"p": 1.5}, "p is a setting of lp_ball alone; leave it out where acti"),
        ("SphereBandit-v0", {"axes": [1.0]}, "axes is a setting of ellipsoid alone; leave it out"),
        ("LpBallBandit-v0", {"p": 1.0}, "p must be > 1 and <= 2, got 1.0"),
        ("LpBallBandit-v0", {"p": "x"}, "p must be a number, got 'x'"),
        ("LpBallBandit-v0", {"condition": 2.0}, "condition is a setting of ellipsoid alone"),
        ("EllipsoidBandit-v0", {"p": 1.5}, "p is a setting of lp_ball alone"),
        ("EllipsoidBandit-v0", {"condition": 0.5}, r"condition must lie within 1 \.\. 1e10, got 0"),
        ("EllipsoidBandit-v0", {"condition": 2e10}, "condition must lie within"),
        ("EllipsoidBandit-v0", {"condition": np.nan}, "condition must lie within .*, got nan"),
        ("EllipsoidBandit-v0", {"condition": "x"}, "condition must be a number, got 'x'"),
        ("EllipsoidBandit-v0", {"orientation": "up"}, "orientation must be one of drawn, identity"),
        ("EllipsoidBandit-v0", {"axes_seed": -1}, "axes_seed must be an integer >= 0, got -1"),
        ("EllipsoidBandit-v0", {"axes": [1.0, -1.0]}, "axes must lie within 1e-150"),
        ("EllipsoidBandit-v0", {"axes": []}, r"axes must be of shape \(d,\), got \(0,\)"),
        ("EllipsoidBandit-v0", {"axes": [[1.0, 2.0]]}, r"axes must be of shape \(d,\), got \(1, "),
        ("EllipsoidBandit-v0", {"axes": [1, 2], "dim": 3}, "dim is 3, but the ellipsoid's is 2"),
        ("EllipsoidBandit-v0", {"axes": [1, 2], "radius": 3.0}, "radius has no meaning where axes"),
        ("EllipsoidBandit-v0", {"axes": [1, 2], "condition": 3}, "condition has no meaning where"),
        ("EllipsoidBandit-v0", {"matrix": SKEW, "axes": [1, 2]}, "axes has no meaning where matr"),
        ("EllipsoidBandit-v0", {"matrix": SKEW, "axes_seed": 1}, "axes_seed has no meaning where"),
        ("EllipsoidBandit-v0", {"matrix": SKEW, "orientation": "drawn"}, "orientation has no mean"),
        ("EllipsoidBandit-v0", {"matrix": -SKEW}, "matrix must be positive definite"),
        ("EllipsoidBandit-v0", {"matrix": SKEW, "dim": 3}, "dim is 3, but the ellipsoid's is 2"),
        ("BallBandit-v0", {"noise": "bernoulli"}, "noise must be one of gaussian, uniform, rad"),
        ("BallBandit-v0", {"noise_std": -1.0}, "noise_std is a standard deviation and must be"),
        ("BallBandit-v0", {"noise_std": "1"}, "noise_std must be a number, got '1'"),
        ("BallBandit-v0", {"noise_df": 2.0}, "noise_df must be finite, and > 2"),
        ("BallBandit-v0", {"theta": [[1.0]]}, r"theta must be of shape \(5,\), got \(1, 1\)"),
        ("BallBandit-v0", {"theta": [1.0], "dim": 2}, r"theta must be of shape \(2,\), got \(1,\)"),
        ("BallBandit-v0", {"theta": [np.inf]}, "theta must be finite, got inf"),
        ("BallBandit-v0", {"theta": [3.0, 4.0], "param_norm": 1.0}, "theta has norm 5.0, above pa"),
        ("EllipsoidBandit-v0", {"matrix": SKEW, "theta": [1.0]}, r"theta must be of shape \(2,\)"),
        ("BallBandit-v0", {"param_norm": -1.0}, "param_norm must be finite and >= 0, got -1"),
        (
            "BallBandit-v0",
            {"radius": 1e160, "param_norm": 1e150},
            "rewards would not be finite: th",
        ),
        ("BallBandit-v0", {"project": 1}, "project must be true or false, got 1"),
        ("BallBandit-v0", {"horizon": 0}, "horizon must be an integer >= 1, got 0"),
        ("BallBandit-v0", {"n_arms": 2}, "ConvexSetBandit has no setting 'n_arms'"),
    ],
)
def test_bad_settings_are_refused_in_a_line(env_id, settings, message):
    with pytest.raises(ValueError, match=message) as caught:
        make(env_id, **settings)
    assert "\n" not in str(caught.value)
