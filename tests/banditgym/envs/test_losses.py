"""OnlineConvex against a plain recomputation, the laws of its losses, and what it refuses."""

import math
import warnings

import gymnasium
import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env as gymnasiums_check_env
from gymnasium.utils.env_checker import data_equivalence
from gymnasium.vector import SyncVectorEnv
from scipy import optimize, stats

import banditgym  # noqa: F401 (registers the environments)
from banditgym.action_sets import Ball
from banditgym.spaces import Points
from banditgym.streams import ENVIRONMENT, Stream
from banditgym.tasks import BEST_POINT
from banditgym.vector_env import NOISE, THETA

SEEDS = [3, 2**70, 0]
SETTINGS = [
    {"losses": "curved", "dim": 3, "radius": 0.7, "curvature": 2.5},
    {"losses": "curved", "dim": 1, "radius": 3.0},
    {"losses": "alternating", "dim": 4, "radius": 2.0, "curvature": 0.3},
    {"losses": "alternating", "dim": 1},
    {"losses": "sign", "dim": 3, "radius": 1.5},
    {"losses": "sign", "dim": 1},
    {"losses": "random", "dim": 2, "radius": 0.4},
    {"losses": "switch", "dim": 2, "radius": 2.0, "curvature": 0.2, "curved_rounds": 3},
    {"losses": "switch", "dim": 3, "radius": 0.5, "curved_rounds": 0},
    {"losses": "switch", "dim": 3, "curvature": 4.0, "curved_rounds": 50},
    {"losses": "decaying", "dim": 2, "radius": 1.3, "curvature": 1.7, "decay": 0.8},
    {"losses": "decaying", "dim": 5, "decay": 0},
]


def make(n=3, **settings):
    return gymnasium.make_vec("OnlineConvex-v0", num_envs=n, **settings)


def env(
    seed,
    episode,
    t,
    point,
    *,
    losses,
    dim=5,
    radius=1.0,
    curvature=1.0,
    curved_rounds=10,
    decay=0.5,
):
    """Loss of round t, counted from 0, as a function; its gradient at ``point``; its curvature."""
    noise = Stream([seed], ENVIRONMENT, NOISE, episode)
    if losses == "switch":
        losses = "alternating" if t < curved_rounds else "sign"
    if losses in ("sign", "random"):
        if losses == "sign":
            signs = [1.0 if x >= 0 else -1.0 for x in point]
        else:
            signs = [1.0 if u < 0.5 else -1.0 for u in noise.uniform(t, (dim,))[0]]
        slope = np.array(signs) / math.sqrt(dim)
        return (lambda x: float(slope @ x)), slope, 0.0
    if losses == "alternating":
        u = Stream([seed], ENVIRONMENT, THETA, episode).normal(0, (dim,))[0]
        centre = radius * u / np.linalg.norm(u) * (-1) ** t
    else:
        draws = noise.normal(t, (dim + 2,))[0]
        centre = radius * draws[:dim] / np.linalg.norm(draws)
    if losses == "decaying":
        curvature = curvature / (t + 1) ** decay
    loss = lambda x: curvature / 2 * float(np.sum((np.asarray(x) - centre) ** 2))  # noqa: E731
    return loss, curvature * (np.asarray(point) - centre), curvature


def least(losses, dim, radius):
    """The least value of a sum of convex functions over the ball, by a general solver."""
    total = lambda u: sum(loss(u) for loss in losses)  # noqa: E731
    ball = {"type": "ineq", "fun": lambda u: radius**2 - u @ u, "jac": lambda u: -2 * u}
    start = radius * np.linspace(0.1, 0.2, dim) / math.sqrt(dim)
    found = optimize.minimize(
        total, start, method="SLSQP", constraints=[ball], options={"ftol": 1e-13, "maxiter": 300}
    )
    return total(found.x * min(1.0, radius / np.linalg.norm(found.x)))


@pytest.mark.parametrize("project", [False, True])
@pytest.mark.parametrize("settings", SETTINGS)
def test_losses_gradients_and_regret_are_those_of_the_definition(settings, project):
    horizon = 6
    envs = make(horizon=horizon, project=project, **settings)
    dim, radius = settings["dim"], settings.get("radius", 1.0)
    envs.action_space.seed(1)
    envs.reset(seed=SEEDS)
    for episode in range(2):
        if episode:
            observation, reward, *_, info = envs.step(None)
            assert (observation.any(), reward.any(), info) == (False, False, {})
        seen, paid, regret = [[], [], []], np.zeros(3), np.zeros(3)
        for t in range(horizon):
            actions = envs.action_space.sample() * (1 if t != 2 else 0)
            points = actions
            if project:
                norms = np.linalg.norm(actions, axis=1, keepdims=True)
                points = actions / np.maximum(1.0, norms / radius)
            observation, reward, _, _, info = envs.step(actions)
            assert (observation.shape, observation.dtype) == ((3,), np.int64)
            assert not observation.any()
            told = info["feedback"]
            for i, seed in enumerate(SEEDS):
                loss, gradient, curvature = env(seed, episode, t, points[i], **settings)
                size = 1e-14 * (1 + radius * (1 + curvature * radius))
                assert abs(told["loss"][i] - loss(points[i])) < size
                np.testing.assert_allclose(told["gradient"][i], gradient, rtol=1e-12, atol=size)
                np.testing.assert_allclose(told["curvature"][i], curvature, rtol=1e-14)
                seen[i].append(loss)
                paid[i] += loss(points[i])
            np.testing.assert_array_equal(reward, -told["loss"])
            regret += info["regret"]
            expected = paid - [least(losses, dim, radius) for losses in seen]
            # The solver's error, which can only make the regret smaller.
            assert (regret > expected - 1e-12).all()
            np.testing.assert_allclose(regret, expected, rtol=0, atol=1e-6 * radius)


@pytest.mark.parametrize("settings", SETTINGS)
def test_no_fixed_point_does_better_and_one_does_as_well(settings):
    # In dimensions 1 and 2 the ball is searched throughout, after each of 40 rounds.
    horizon, radius = 40, settings.get("radius", 1.0)
    settings = {**settings, "dim": min(settings["dim"], 2)}
    envs = make(1, horizon=horizon, **settings)
    envs.action_space.seed(0)
    envs.reset(seed=9)
    angle, length = np.meshgrid(np.linspace(0, 2 * math.pi, 721), np.linspace(0, radius, 301))
    grid = np.stack([length * np.cos(angle), length * np.sin(angle)])[: settings["dim"]]
    total, paid, regret = np.zeros(angle.shape), 0.0, 0.0
    for t in range(horizon):
        point = envs.action_space.sample()
        _, reward, _, _, info = envs.step(point)
        told = info["feedback"]
        # All losses are l(x) + <gradient, u - x> + (curvature / 2) ‖u - x‖², with equality.
        away = grid - point[0][:, None, None]
        total += told["loss"] + np.tensordot(told["gradient"][0], away, 1)
        total += told["curvature"] / 2 * (away**2).sum(axis=0)
        paid -= reward[0]
        regret += info["regret"][0]
        found = paid - total.min()
        assert regret >= found - 1e-12 * (t + 1)
        # Steps of the grid are radius / 300, and angles pi / 360: the distance of a best point to
        # the grid is at most h = radius * hypot(1 / 600, pi / 720), and costs a gradient of the sum
        # times it. At a minimum within the ball that is (A / 2) h², on the sphere it is as much as
        # the norm of the tangential gradient, 0, and the second order: at most G t h² / radius.
        steep = envs.unwrapped.task.gradient_norm * (t + 1)
        assert regret <= found + steep * radius * (1 / 600**2 + math.pi**2 / 720**2)


@pytest.mark.parametrize("settings", [s for s in SETTINGS if s["losses"] != "switch"])
def test_gradients_are_finite_differences_and_curvature_bounds_from_below(settings):
    adaptive = settings["losses"] == "sign"
    n, dim, radius = 40, settings["dim"], settings.get("radius", 1.0)
    envs = make(n, horizon=5, **settings)
    envs.action_space.seed(2)
    envs.reset(seed=[5] * n)
    for _ in range(5):
        points = 0.9 * envs.action_space.sample()
        if not adaptive:  # replicates 0 .. 2 d are pairs around one point
            step = 1e-5 * radius
            for j in range(min(dim, n // 2)):
                points[2 * j] = points[2 * j + 1] = points[-1]
                points[2 * j, j] += step
                points[2 * j + 1, j] -= step
        told = envs.step(points)[4]["feedback"]
        loss, gradient, curvature = told["loss"], told["gradient"], told["curvature"]
        if adaptive:
            loss = np.abs(points).sum(axis=1) / math.sqrt(dim)
            np.testing.assert_allclose(told["loss"], loss, rtol=1e-13)
        else:
            differences = (loss[: 2 * dim : 2] - loss[1 : 2 * dim : 2]) / (2 * step)
            np.testing.assert_allclose(gradient[-1], differences, rtol=1e-7, atol=1e-9)
        away = points - points[:, None]
        bound = loss[:, None] + (gradient[:, None] * away).sum(axis=2)
        bound += curvature[:, None] / 2 * (away**2).sum(axis=2)
        assert (loss >= bound - 1e-12).all()
        if not adaptive:  # these losses have no more curvature than they say
            np.testing.assert_allclose(np.broadcast_to(loss, (n, n)), bound, rtol=0, atol=1e-12)


def centres(losses, n, rounds, **settings):
    """The centres (rounds, n, d), seen from the point 0."""
    envs = make(n, losses=losses, horizon=rounds, **settings)
    envs.reset(seed=0)
    nothing = np.zeros((n, envs.unwrapped.task.dim))
    seen = []
    for _ in range(rounds):
        told = envs.step(nothing)[4]["feedback"]
        seen.append(-told["gradient"] / told["curvature"][:, None])
    return np.array(seen)


@pytest.mark.parametrize("losses", ["curved", "decaying"])
@pytest.mark.parametrize("dim", [1, 3])
def test_centres_are_independent_and_uniform_in_the_ball(losses, dim):
    z = centres(losses, 500, 8, dim=dim, radius=2.0)
    length = np.linalg.norm(z, axis=2)
    assert (length <= 2.0 * (1 + 1e-14)).all()
    assert stats.kstest((length / 2.0).ravel() ** dim, "uniform").pvalue > 1e-4
    if dim == 3:  # a coordinate of a direction in space is uniform
        for j in range(3):
            assert stats.kstest((z[..., j] / length).ravel(), "uniform", (-1, 2)).pvalue > 1e-4
    else:
        assert abs((z > 0).sum() - 2000) < 5 * 4000**0.5 / 2
    # Correlations of 4000 pairs, between coordinates, rounds and replicates: deviation 4000^-1/2.
    one, later, beside = z[:-1].ravel(), z[1:].ravel(), np.roll(z, 1, axis=1)
    assert abs(np.corrcoef(one, later)[0, 1]) < 5 / one.size**0.5
    assert abs(np.corrcoef(z.ravel(), beside.ravel())[0, 1]) < 5 / z.size**0.5


@pytest.mark.parametrize("losses", ["alternating", "switch"])
def test_alternating_centres_are_opposite_ends_in_a_direction_of_the_episode(losses):
    z = centres(losses, 1500, 4, dim=3, radius=2.0)
    np.testing.assert_allclose(np.linalg.norm(z, axis=2), 2.0, rtol=1e-14)
    np.testing.assert_array_equal(z, z[0] * np.array([1, -1, 1, -1])[:, None, None])
    for j in range(3):
        assert stats.kstest(z[0, :, j] / 2.0, "uniform", (-1, 2)).pvalue > 1e-4
    envs = make(2, losses=losses, horizon=1)
    envs.reset(seed=0)
    nothing = np.zeros((2, 5))
    first, _, second = [envs.step(nothing)[4] for _ in range(3)]
    assert (first["feedback"]["gradient"] != second["feedback"]["gradient"]).all()


def test_coins_are_fair_and_independent():
    envs = make(500, losses="random", dim=4, horizon=5)
    envs.reset(seed=0)
    told = [envs.step(np.zeros((500, 4)))[4]["feedback"] for _ in range(5)]
    coins = 2.0 * np.array([each["gradient"] for each in told])  # (5, 500, 4), +-1
    assert set(coins.ravel()) == {-1.0, 1.0}
    # Means of 2500 coins and of products: deviation 1 / 50; 10 000 coins: 1 / 100.
    assert abs(coins.mean()) < 5 / 100
    by_coordinate = coins.reshape(-1, 4)
    assert np.abs(by_coordinate.T @ by_coordinate / 2500 - np.eye(4)).max() < 5 / 50
    by_round = coins.reshape(5, -1)
    assert np.abs(by_round @ by_round.T / 2000 - np.eye(5)).max() < 5 / 2000**0.5


def test_centres_and_coins_do_not_depend_on_points_and_are_shared_by_settings():
    for losses, other in (("curved", {"losses": "decaying", "decay": 0.0}), ("random", {})):
        envs, twin = (
            make(losses=losses, horizon=9),
            make(**{"losses": losses, "horizon": 3} | other),
        )
        envs.reset(seed=4)
        twin.reset(seed=4)
        envs.action_space.seed(0)
        for _ in range(3):
            here = envs.action_space.sample()
            one, two = envs.step(here)[4]["feedback"], twin.step(0.0 * here)[4]["feedback"]
            slope, centred = one["gradient"], one["curvature"][:, None] * here
            np.testing.assert_allclose(slope - centred, two["gradient"], rtol=0, atol=1e-14)


@pytest.mark.parametrize("project", [False, True])
@pytest.mark.parametrize("settings", SETTINGS)
def test_equal_to_gymnasiums_own_vector_environment(settings, project):
    settings = settings | {"horizon": 5, "project": project}
    native = make(**settings)
    one = lambda: gymnasium.make("OnlineConvex-v0", disable_env_checker=True, **settings)  # noqa: E731
    sync = SyncVectorEnv([one] * 3)
    assert native.action_space == sync.action_space
    assert native.single_observation_space == sync.single_observation_space
    native.action_space.seed(0)
    assert data_equivalence(native.reset(seed=SEEDS), sync.reset(seed=SEEDS), exact=True)
    for _ in range(13):
        actions = native.action_space.sample()
        ours, theirs = native.step(actions), sync.step(actions)
        assert data_equivalence(ours, theirs, exact=True)
    assert set(ours[4]) == {"regret", "_regret", "feedback", "_feedback"}
    names = {"loss", "gradient", "curvature"}
    assert set(ours[4]["feedback"]) == names | {f"_{name}" for name in names}


def test_infos_are_the_receivers_to_keep():
    envs = make(horizon=4)
    envs.reset(seed=0)
    kept = []
    for _ in range(4):
        point = np.full((3, 5), 0.1)
        told = envs.step(point)[4]["feedback"]
        arrays = [told[name] for name in ("loss", "gradient", "curvature")]
        kept.append((arrays, [array.copy() for array in arrays]))
        point[:] = 7.0  # nor does the environment look at actions later
    for arrays, copies in kept:
        for array, copy in zip(arrays, copies, strict=True):
            np.testing.assert_array_equal(array, copy)
            array[:] = 0.0


@pytest.mark.parametrize("settings", SETTINGS)
def test_what_agents_may_know(settings):
    task = make(horizon=9, **settings).unwrapped.task
    curvature, radius = settings.get("curvature", 1.0), settings.get("radius", 1.0)
    across = 2 * curvature * radius
    bounds = {"sign": 1.0, "random": 1.0, "switch": max(across, 1.0)}
    assert vars(task) == {
        "feedback": None,
        "arms_vary": None,
        "dim": settings["dim"],
        "horizon": 9,
        "action_set": Ball(settings["dim"], radius),
        "gradient_norm": bounds.get(settings["losses"], across),
        "adaptive": settings["losses"] in ("sign", "switch"),
    }
    assert task.regret == BEST_POINT


def test_the_defaults():
    default = make().unwrapped
    assert vars(default.task) == {
        "feedback": None,
        "arms_vary": None,
        "dim": 5, "horizon": 1000, "action_set": Ball(5, 1.0), "gradient_norm": 2.0,
        "adaptive": False,
    }  # fmt: skip
    assert default.single_action_space == Points(Ball(5, 1.0))
    for settings, given in (
        ({"losses": "curved"}, {}),
        ({"losses": "curved"}, {"curvature": 1.0}),
        ({"losses": "switch"}, {"curved_rounds": 10, "curvature": 1}),
        ({"losses": "decaying"}, {"decay": 0.5, "curvature": 1.0}),
    ):
        one, two = make(**settings), make(**settings, **given)
        for envs in (one, two):
            envs.reset(seed=0)
            envs.action_space.seed(0)
        for _ in range(12):
            actions = one.action_space.sample()
            assert data_equivalence(one.step(actions), two.step(actions), exact=True)


def test_regret_stays_exact_over_many_rounds():
    # The regret against the best point is that of the mean of the centres, where it is inside.
    n, rounds = 2, 20_000
    envs = make(n, dim=2, horizon=rounds, radius=3.0, curvature=0.5)
    envs.reset(seed=1)
    regret, centre = np.zeros(n), np.zeros((rounds, n, 2))
    point = np.array([[0.1, 0.2], [0.3, -2.0]])
    for t in range(rounds):
        info = envs.step(point)[4]
        regret += info["regret"]
        centre[t] = point - info["feedback"]["gradient"] / 0.5
    away = ((point - centre.mean(axis=0)) ** 2).sum(axis=1)
    np.testing.assert_allclose(regret, 0.25 * rounds * away, rtol=1e-9, atol=1e-7)


def test_projected_actions_are_played_at_the_nearest_point():
    settings = {"losses": "curved", "dim": 2, "radius": 2.0, "horizon": 5}
    loose, strict = make(project=True, **settings), make(**settings)
    loose.reset(seed=0)
    strict.reset(seed=0)
    box = gymnasium.spaces.Box(-2.0, 2.0, (2,), np.float64)
    assert loose.single_action_space == box
    largest = np.finfo(float).max
    for far, near in (
        ([[3.0, 4.0], [0.5, 0.0], [0.0, -2.0]], [[1.2, 1.6], [0.5, 0.0], [0.0, -2.0]]),
        ([[1e200, -1e200], [largest, 0], [0.0, 5e-324]], [[2**0.5, -(2**0.5)], [2, 0], [0, 0]]),
        (
            np.float32([[2.0, 2.0], [-2.0, 2.0], [0.25, 0.0]]),
            2**0.5 * np.array([[1, 1], [-1, 1], [2**-2.5, 0]]),
        ),
    ):
        ours, theirs = loose.step(far), strict.step(near)
        for name in ("loss", "gradient"):
            np.testing.assert_allclose(
                ours[4]["feedback"][name], theirs[4]["feedback"][name], rtol=0, atol=1e-14
            )
        np.testing.assert_allclose(ours[4]["regret"], theirs[4]["regret"], rtol=0, atol=1e-14)


@pytest.mark.parametrize(
    ("action", "message"),
    [
        ([[0.0, 0.0], [3.0, 4.0]], r"replicate 1 is not in the ball of radius 2.0: it lies 3 out"),
        ([[2.0 * (1 + 2e-9), 0.0], [0.0, 0.0]], "replicate 0 is not in the ball"),
        ([[0.0, 0.0], [np.nan, 0.0]], "replicate 1 is not finite"),
        ([[0.0, 0.0]], "expected 2 points of 2 numbers"),
        ([[0.0], [0.0]], "expected 2 points of 2 numbers"),
        ([0, 1], "expected 2 points of 2 numbers"),
    ],
)
@pytest.mark.parametrize("project", [False, True])
def test_bad_points_are_refused_before_anything_changes(action, message, project):
    settings = {"losses": "switch", "curved_rounds": 1, "dim": 2, "radius": 2.0, "horizon": 3}
    envs, twin = (make(2, project=project, **settings) for _ in range(2))
    envs.reset(seed=0)
    twin.reset(seed=0)
    point = np.array([[0.3, -0.2], [2.0 * (1 + 9e-10), 0.0]])
    for _ in range(3):
        if not (project and "ball" in message):
            with pytest.raises(ValueError, match=message) as caught:
                envs.step(action)
            assert "\n" not in str(caught.value)
        assert data_equivalence(envs.step(point), twin.step(point), exact=True)
    envs.step(action)  # this one only resets


@pytest.mark.parametrize(
    "settings", [*SETTINGS, {"project": True}, {"project": True, "radius": 0.5}]
)
def test_gymnasiums_checker_passes(settings):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        gymnasiums_check_env(gymnasium.make("OnlineConvex-v0", horizon=20, **settings).unwrapped)


@pytest.mark.parametrize("losses", ["curved", "switch"])
def test_stable_baselines3s_checker_passes(losses):
    checker = pytest.importorskip(
        "stable_baselines3.common.env_checker", reason="needs stable-baselines3"
    )
    env = gymnasium.make("OnlineConvex-v0", horizon=20, losses=losses, project=True)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        checker.check_env(env)
    # It recommends actions of float32, which are projected like any others. Nothing else.
    messages = [str(warning.message) for warning in caught]
    assert len(messages) == 1, messages
    assert "recommend using np.float32" in messages[0]
    env.reset(seed=0)
    env.step(np.full(5, 0.9, np.float32))


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"losses": "hinge"}, "losses must be one of curved, alternating, sign, random, switch"),
        ({"losses": None}, "losses must be one of .*, got None"),
        ({"losses": np.array(["sign", "random"])}, "losses must be one of"),
        ({"dim": 0}, "dim must be an integer >= 1, got 0"),
        ({"dim": 2.0}, "dim must be an integer >= 1, got 2.0"),
        ({"radius": 0.0}, "radius must be finite and > 0, got 0"),
        ({"radius": np.nan}, "radius must be finite and > 0, got nan"),
        ({"radius": np.inf}, "radius must be finite and > 0, got inf"),
        ({"radius": "1"}, "radius must be a number, got '1'"),
        ({"curvature": 0.0}, "curvature must be finite and > 0, got 0"),
        ({"curvature": -1.0}, "curvature must be finite and > 0, got -1"),
        ({"curvature": np.nan}, "curvature must be finite and > 0, got nan"),
        ({"curvature": np.inf}, "curvature must be finite and > 0, got inf"),
        ({"curvature": [1.0]}, r"curvature must be a number, got \[1.0\]"),
        ({"losses": "sign", "curvature": 1.0}, "curvature is a setting of losses cur"),
        ({"losses": "random", "curvature": 1.0}, "leave it out where losses is random, got 1.0"),
        ({"curved_rounds": 10}, "curved_rounds is a setting of losses switch; leave"),
        ({"losses": "switch", "curved_rounds": -1}, "curved_rounds must be an integer >= 0"),
        ({"losses": "switch", "curved_rounds": 2.5}, "curved_rounds must be an integer >= 0"),
        ({"decay": 0.5}, "decay is a setting of losses decaying; leave it out where"),
        ({"losses": "decaying", "decay": -0.1}, r"decay must lie within 0 \.\. 1, got -0.1"),
        ({"losses": "decaying", "decay": 1.1}, r"decay must lie within 0 \.\. 1, got 1.1"),
        ({"losses": "decaying", "decay": np.nan}, r"decay must lie within 0 \.\. 1, got nan"),
        ({"losses": "decaying", "decay": "1"}, "decay must be a number, got '1'"),
        ({"project": 1}, "project must be true or false, got 1"),
        ({"project": "yes"}, "project must be true or false, got 'yes'"),
        ({"radius": 1e151}, "sums of losses would not be finite: horizon"),
        ({"curvature": 1e80, "radius": 1e80}, "sums of losses would not be finite: horizon"),
        ({"n_arms": 2}, "OnlineConvex has no setting 'n_arms'"),
    ],
)
def test_bad_settings_are_refused_in_a_line(settings, message):
    with pytest.raises(ValueError, match=message) as caught:
        make(**settings)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("losses", ["curved", "switch"])
def test_the_largest_allowed_settings_stay_finite(losses):
    curvature, radius = 1e75, 1e75
    envs = make(2, losses=losses, curvature=curvature, radius=radius, horizon=4, dim=2)
    envs.reset(seed=0)
    envs.action_space.seed(0)
    for _ in range(4):
        _, reward, _, _, info = envs.step(envs.action_space.sample())
        assert np.isfinite(reward).all()
        assert np.isfinite(info["regret"]).all()
