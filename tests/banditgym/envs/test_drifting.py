"""DriftingLinearBandit against a plain recomputation, and the laws of its drift. 8 seconds."""

import itertools
import tracemalloc
import warnings

import gymnasium
import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env as gymnasiums_check_env
from scipy import stats
from scipy.linalg import expm

import banditgym  # noqa: F401 (registers the environments)
from banditgym.check import check_env
from banditgym.envs.drifting import CHANGES
from banditgym.envs.noise import Noise, unit_noise
from banditgym.streams import ENVIRONMENT, Stream
from banditgym.tasks import BEST_ARM
from banditgym.vector_env import ARMS, CONTEXTS, NOISE, THETA

THREE = np.array([[1.0, 0.0, 0.0], [0.0, -3.0, 4.0], [0.0, 0.0, 0.0]])


def make(n=3, env_id="DriftingLinearBandit-v0", **settings):
    return gymnasium.make_vec(env_id, num_envs=n, **settings)


def plain_changes(changes, seed, episode, horizon):
    """The rounds after which one replicate's parameter jumps."""
    if not isinstance(changes, int):
        return list(changes)
    uniforms = Stream([seed], ENVIRONMENT, CHANGES, episode).uniform(0, (changes,))[0]
    rounds = []
    for i in range(changes):
        last = horizon - changes + i
        drawn = int(np.floor(uniforms[i] * last)) + 1
        rounds.append(last if drawn in rounds else drawn)
    return sorted(rounds)


def plain_theta(settings, seed, episode, t, task):
    """One replicate's parameter (d,) in round t, from 0, by a rotation matrix."""
    changes, rate = settings["changes"], settings.get("rate", 0.0)
    starts = [0, *plain_changes(changes, seed, episode, task.horizon)]
    segment = max(s for s, start in enumerate(starts) if start <= t)
    origin, other = Stream([seed], ENVIRONMENT, THETA, episode).normal(segment, (2, task.dim))[0]
    origin *= task.param_norm / np.linalg.norm(origin)
    if "theta" in settings:
        origin = np.atleast_2d(settings["theta"])[segment]
    if not rate or not origin.any():
        return origin
    u = origin / np.linalg.norm(origin)
    v = other - (other @ u) * u
    v /= np.linalg.norm(v)
    return expm(rate * (t - starts[segment]) * (np.outer(v, u) - np.outer(u, v))) @ origin


@pytest.mark.parametrize(
    "settings",
    [
        {"changes": [1, 4, 5], "dim": 3, "param_norm": 2.0},
        {"changes": 3, "dim": 1, "noise": "rademacher"},
        {"changes": 7, "dim": 9, "fixed_arms": True, "noise": "uniform"},
        {"changes": 0, "rate": 0.7, "dim": 2, "noise_std": 0.0},
        {"changes": 0, "rate": np.pi, "dim": 5, "fixed_arms": True},
        {"changes": 2, "rate": 0.3, "dim": 4, "param_norm": 0.5, "contexts": "ball"},
        {"changes": (2, 6), "theta": THREE, "dim": 3, "fixed_arms": True, "noise": "student_t"},
        {"changes": 2, "theta": THREE, "dim": 3, "rate": 1.1, "param_norm": 7.0},
        {"changes": 0, "theta": THREE[1], "dim": 3, "rate": 0.01, "contexts": "cube"},
    ],
)
def test_rewards_and_regret_are_those_of_the_definition(settings):
    seeds, horizon = [3, 2**70, 0], 8
    envs = make(horizon=horizon, n_arms=6, **settings)
    task = envs.unwrapped.task
    rng = np.random.default_rng(0)
    law = Noise(settings.get("noise", "gaussian"), settings.get("noise_std", 0.1), 3.0)
    purpose = ARMS if task.fixed_arms else CONTEXTS
    observation, _ = envs.reset(seed=seeds)
    for episode in range(3):
        if episode:
            observation, *_ = envs.step([0, 0, 0])
        features = Stream(seeds, ENVIRONMENT, purpose, episode)
        keys = Stream(seeds, ENVIRONMENT, NOISE, episode).keys
        for t in range(horizon):
            if settings.get("contexts", "sphere") == "sphere":
                plain = features.normal(0 if task.fixed_arms else t, (task.dim, 6))
                plain /= np.linalg.norm(plain, axis=1, keepdims=True)
                np.testing.assert_allclose(observation, plain.transpose(0, 2, 1), rtol=1e-12)
            theta = np.array([plain_theta(settings, s, episode, t, task) for s in seeds])
            means = np.einsum("nkd,nd->nk", observation, theta)
            arms = rng.integers(6, size=3)
            chosen = means[range(3), arms]
            noise = np.empty(3)
            unit_noise(law.code, law.df, keys, t, noise)
            observation, reward, _, _, info = envs.step(arms)
            np.testing.assert_allclose(reward, chosen + law.scale * noise, rtol=0, atol=1e-12)
            np.testing.assert_allclose(info["regret"], means.max(axis=1) - chosen, atol=1e-12)


def path(n, dim, rounds, seeds=None, **settings):
    """The parameters (rounds, n, d) as the arms e_1, .., e_d pay them."""
    settings = {"horizon": rounds, "noise_std": 0.0} | settings
    envs = make(n * dim, arms=np.eye(dim), **settings)
    envs.reset(seed=np.repeat(np.arange(n) if seeds is None else seeds, dim))
    arms = np.tile(np.arange(dim), n)
    return np.array([envs.step(arms)[1].reshape(n, dim) for _ in range(rounds)])


def jumps(theta):
    """Whether a replicate's parameter (rounds, n, d) jumps after a round: (rounds - 1, n)."""
    return (np.diff(theta, axis=0) != 0).any(axis=2)


def test_random_rounds_of_change_are_a_uniform_set():
    jumped = jumps(path(5000, 2, 6, changes=2))
    assert (jumped.sum(axis=0) == 2).all()
    sets = [tuple(np.flatnonzero(column)) for column in jumped.T]
    counts = [sets.count(pair) for pair in itertools.combinations(range(5), 2)]
    assert sum(counts) == 5000
    assert stats.chisquare(counts).pvalue > 1e-4
    assert jumps(path(10, 2, 6, changes=5)).all()
    # One of many rounds: uniform on 1 .. 999, so within a Kolmogorov-Smirnov band of its cdf.
    late = 1 + jumps(path(400, 1, 1000, changes=1, param_norm=2.0)).argmax(axis=0)
    assert late.max() <= 999
    # In one dimension theta is ±2, and half of the changes are none: argmax then finds round 1.
    assert stats.kstest(late[late > 1], stats.randint(2, 1000).cdf).pvalue > 1e-4


def test_random_rounds_are_a_replicates_and_an_episodes_own():
    envs = make(50, arms=np.eye(2), noise_std=0.0, changes=3, horizon=40)
    envs.reset(seed=0)
    seen = set()
    for _ in range(2):
        reward = np.array([envs.step(np.zeros(50, int))[1] for _ in range(40)])
        seen |= {column.tobytes() for column in (np.diff(reward, axis=0) != 0).T}
        envs.step(np.zeros(50, int))
    assert len(seen) > 95  # of 100: some 9000 sets of rounds can be drawn


def test_given_rounds_are_those_of_all_replicates_and_episodes():
    for changes in ([1, 4], (1, 4), np.array([1, 4]), range(1, 5, 3)):
        envs = make(20, arms=np.eye(2), noise_std=0.0, changes=changes, horizon=7)
        envs.reset(seed=0)
        for _ in range(3):
            reward = np.array([envs.step(np.zeros(20, int))[1] for _ in range(7)])
            jumped = np.diff(reward, axis=0) != 0
            np.testing.assert_array_equal(np.flatnonzero(jumped.all(axis=1)), [0, 3])
            np.testing.assert_array_equal(np.flatnonzero(jumped.any(axis=1)), [0, 3])
            envs.step(np.zeros(20, int))


def test_the_parameter_is_uniform_on_its_sphere_after_every_change():
    theta = path(4000, 3, 3, changes=[1, 2], param_norm=2.0)
    np.testing.assert_allclose(np.linalg.norm(theta, axis=2), 2.0, rtol=1e-14)
    coordinates = theta.transpose(1, 0, 2).reshape(4000, 9)
    for coordinate in coordinates.T:
        # On the sphere of R^3 every coordinate is uniform (Archimedes).
        assert stats.kstest(coordinate, stats.uniform(-2, 4).cdf).pvalue > 1e-4
    # 36 correlations of 4000 draws, each within 5 standard errors.
    assert np.abs(np.corrcoef(coordinates.T) - np.eye(9)).max() < 5 / 4000**0.5


def test_rotation_keeps_its_plane_its_rate_and_the_norm():
    rate, rounds = 0.3, 3000
    theta = path(5, 4, rounds, rate=rate, param_norm=1.5)
    np.testing.assert_allclose(np.linalg.norm(theta, axis=2), 1.5, rtol=1e-14)
    cosines = (theta[1:] * theta[:-1]).sum(axis=2) / 1.5**2
    np.testing.assert_allclose(cosines, np.cos(rate), rtol=0, atol=1e-12)
    # A sequence of this recurrence never leaves the plane of its first two members.
    np.testing.assert_allclose(
        theta[2:] + theta[:-2], 2 * np.cos(rate) * theta[1:-1], rtol=0, atol=1e-12
    )
    assert (np.linalg.matrix_rank(theta.transpose(1, 0, 2)) == 2).all()


def test_planes_of_rotation_are_uniform_and_a_replicates_and_a_segments_own():
    # A quarter turn shows the second direction of the plane.
    first, side, second, other = path(
        4000, 3, 4, rate=np.pi / 2, theta=[[0.0, 0.0, 2.0]] * 2, changes=[2]
    )
    np.testing.assert_array_equal(first, second)
    for turned in (side, other):
        np.testing.assert_allclose(turned[:, 2], 0.0, atol=1e-15)
        np.testing.assert_allclose(np.linalg.norm(turned, axis=1), 2.0, rtol=1e-14)
    angles = np.arctan2([side[:, 1], other[:, 1]], [side[:, 0], other[:, 0]])
    for angle in (*angles, (angles[1] - angles[0]) % (2 * np.pi) - np.pi):
        assert stats.kstest(angle, stats.uniform(-np.pi, 2 * np.pi).cdf).pvalue > 1e-4
    # From a drawn parameter the turned one is uniform on the sphere too.
    drawn, turned = path(4000, 3, 2, rate=np.pi / 2)
    np.testing.assert_allclose((drawn * turned).sum(axis=1), 0.0, atol=1e-15)
    for coordinate in turned.T:
        assert stats.kstest(coordinate, stats.uniform(-1, 2).cdf).pvalue > 1e-4


def test_the_norm_is_kept_in_planes_drawn_from_nearly_parallel_directions():
    # Of 5000 pairs of directions in the plane the nearest are some 1e-4 apart.
    theta = path(5000, 2, 4, rate=0.8)
    np.testing.assert_allclose(np.linalg.norm(theta, axis=2), 1.0, rtol=1e-14)


@pytest.mark.parametrize("scale", [1e-300, 1e-160, 1e150])
def test_tiny_and_huge_parameters_turn(scale):
    theta = path(4, 2, 50, rate=0.2, theta=[3.0 * scale, -4.0 * scale]) / scale
    np.testing.assert_allclose(np.hypot(*theta.transpose(2, 0, 1)), 5.0, rtol=1e-12)
    assert np.ptp(theta, axis=0).min() > 1.0


def test_a_parameter_of_zero_stays():
    assert not path(4, 2, 5, rate=0.2, theta=[0.0, 0.0]).any()
    assert not path(4, 2, 5, rate=0.2, param_norm=0.0).any()


def run(envs, arms):
    envs.reset(seed=7)
    steps = []
    for t in range(arms.shape[0]):
        observation, reward, _, _, info = envs.step(arms[t])
        steps.append((observation.copy(), reward, info.get("regret", np.zeros(3))))
    return [np.array(column) for column in zip(*steps, strict=True)]


@pytest.mark.parametrize("settings", [{}, {"fixed_arms": True}, {"theta": np.ones(5) / 3}])
def test_without_drift_it_is_the_linear_bandit(settings):
    arms = np.random.default_rng(0).integers(10, size=(20, 3))
    plain = run(make(env_id="LinearBandit-v0", horizon=9, **settings), arms)
    for still in ({"changes": 0}, {"changes": []}):
        for one, two in zip(plain, run(make(horizon=9, **still, **settings), arms), strict=True):
            assert one.tobytes() == two.tobytes()


@pytest.mark.parametrize("fixed_arms", [False, True])
def test_environments_that_differ_in_their_drift_alone_are_paired(fixed_arms):
    arms = np.random.default_rng(0).integers(10, size=(30, 3))
    settings = {"horizon": 30, "fixed_arms": fixed_arms, "noise_std": 1.0}
    features, rewards, regrets = run(make(env_id="LinearBandit-v0", **settings), arms)
    for drift in ({"changes": [12]}, {"changes": [12, 20]}, {"rate": 0.1}):
        same, reward, regret = run(make(**settings, **drift), arms)
        assert features.tobytes() == same.tobytes()
        common = 1 if "rate" in drift else 12  # rounds before anything moved
        assert reward[:common].tobytes() == rewards[:common].tobytes()
        assert regret[:common].tobytes() == regrets[:common].tobytes()
        assert (regret[common] != regrets[common]).any()
        assert (reward[common] != rewards[common]).all()
        quiet = run(make(**(settings | {"noise_std": 0.0}), **drift), arms)[1]
        still = run(make(env_id="LinearBandit-v0", **(settings | {"noise_std": 0.0})), arms)[1]
        np.testing.assert_allclose(reward - quiet, rewards - still, rtol=0, atol=1e-12)


def test_regret_is_against_the_best_arm_of_the_round():
    envs = make(2, arms=np.eye(2), theta=[[1.0, 0.25], [0.0, 0.5]], changes=[2], horizon=4)
    envs.reset(seed=0)
    regret = [envs.step([0, 1])[-1]["regret"].tolist() for _ in range(4)]
    assert regret == [[0.0, 0.75], [0.0, 0.75], [0.5, 0.0], [0.5, 0.0]]
    assert envs.unwrapped.task.regret == BEST_ARM


def test_fixed_arms_stay_while_their_rewards_change():
    envs = make(fixed_arms=True, changes=[2], noise_std=0.0, horizon=5)
    first, _ = envs.reset(seed=0)
    rewards = []
    for _ in range(5):
        observation, reward, *_ = envs.step([0, 1, 2])
        assert np.array_equal(observation, first)
        rewards.append(reward)
    jumped = np.diff(rewards, axis=0) != 0
    assert jumped[1].all()
    assert jumped.sum() == 3
    assert envs.step([0, 0, 0])[0] is not first


def test_rounds_of_fixed_arms_take_little_memory():
    envs = make(10, fixed_arms=True, n_arms=100, dim=20, horizon=6000).unwrapped
    envs.reset(seed=0)
    tracemalloc.start()
    assert envs.block(6000) is None
    envs._block = None  # as in a copy
    for _ in range(20):
        envs.step(np.zeros(10, int))
    assert envs.block(6000) is None
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 1 << 20  # fewer than 7 copies of the arms


def test_agents_know_nothing_of_the_drift():
    plain = vars(make(env_id="LinearBandit-v0", dim=3, param_norm=5.0).unwrapped.task)
    for drift in ({}, {"changes": 9}, {"rate": 0.1}, {"theta": THREE}):
        assert vars(make(dim=3, param_norm=5.0, **drift).unwrapped.task) == plain
    # The bound holds for the parameters of all rounds.
    assert make(dim=3, theta=THREE).unwrapped.task.param_norm == 5.0


def test_how_often_it_changes_by_default():
    def count(**settings):
        return int(jumps(path(1, 2, 200, **settings)).sum())

    assert count() == 1
    assert count(rate=1e-3) == 199
    assert count(theta=[1.0, 2.0]) == 0
    assert count(theta=[[1.0, 2.0], [0.0, 1.0], [1.0, 0.0], [1.0, 2.0]]) == 3
    make(horizon=1).reset(seed=0)


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"changes": -1}, "changes, where .*, must be an integer >= 0, got -1"),
        ({"changes": 2.0}, "changes, where .*, must be an integer >= 0, got 2.0"),
        ({"changes": True}, "changes, where .*, must be an integer >= 0, got True"),
        ({"changes": "often"}, "changes, where .*, must be an integer >= 0, got 'often'"),
        ({"changes": {3}}, r"changes, where .*, must be an integer >= 0, got \{3\}"),
        ({"changes": 1000}, "changes must be <= horizon - 1 = 999, got 1000"),
        ({"changes": 1, "horizon": 1}, "changes must be <= horizon - 1 = 0, got 1"),
        ({"changes": [0, 3]}, "each round of changes must be an integer >= 1, got 0"),
        ({"changes": [1.5]}, "each round of changes must be an integer >= 1, got 1.5"),
        ({"changes": [[1], [2, 3]]}, r"each round of changes must be .*got \[1\]"),
        ({"changes": np.ones((2, 2), int)}, r"each round of changes must be .*got \[1, 1\]"),
        ({"changes": [np.nan]}, "each round of changes must be .*got nan"),
        ({"changes": [5, 3]}, r"changes must be increasing rounds, got \[5, 3\]"),
        ({"changes": [5, 5]}, r"changes must be increasing rounds, got \[5, 5\]"),
        ({"changes": [5, 1000]}, "changes must be rounds <= horizon - 1 = 999, got 1000"),
        ({"rate": -0.1}, "rate must lie within 0 .. pi radians per round, got -0.1"),
        ({"rate": 3.2}, "rate must lie within 0 .. pi .*got 3.2"),
        ({"rate": np.nan}, "rate must lie within 0 .. pi .*got nan"),
        ({"rate": "slow"}, "rate must be a number, got 'slow'"),
        ({"rate": None}, "rate must be a number, got None"),
        ({"rate": 0.1, "dim": 1}, "rate must be 0 where dim is 1, .*got 0.1"),
        ({"theta": THREE}, r"theta must be of shape \(S \+ 1, 5\) or \(5,\), got \(3, 3\)"),
        ({"theta": 3.0, "dim": 1}, r"theta must be of shape \(S \+ 1, 1\) or \(1,\), got \(\)"),
        ({"theta": np.empty((0, 5))}, r"theta must be of shape .* got \(0, 5\)"),
        ({"theta": np.ones((1, 1, 5))}, r"theta must be of shape .* got \(1, 1, 5\)"),
        ({"theta": [[np.nan] * 5]}, r"theta must be finite, got nan at \(0, 0\)"),
        ({"theta": THREE, "dim": 3, "param_norm": 1}, "theta has norm 5.0, above param_norm 1"),
        (
            {"theta": THREE, "dim": 3, "changes": 1},
            "theta must have a row for each of 2 segments, got 3: one more than there are changes",
        ),
        ({"theta": np.ones(5), "changes": [7]}, "a row for each of 2 segments, got 1"),
        ({"theta": THREE, "dim": 3, "horizon": 2}, "changes must be <= horizon - 1 = 1, got 2"),
        ({"n_arms": 0}, "n_arms must be an integer >= 1, got 0"),
    ],
)
def test_bad_settings_are_refused_in_a_line(settings, message):
    with pytest.raises(ValueError, match=message) as caught:
        make(**settings)
    assert "\n" not in str(caught.value)


SETTINGS = [
    {"changes": 3},
    {"changes": [2, 4], "fixed_arms": True},
    {"changes": 4, "n_arms": 40, "dim": 1, "contexts": "gaussian", "noise": "student_t"},
    {"rate": 0.4},
    {"rate": 0.4, "changes": 2, "fixed_arms": True, "noise": "uniform"},
    {"theta": THREE, "arms": np.eye(3), "rate": 1.0},
    {"changes": 0},
]


@pytest.mark.parametrize("settings", SETTINGS)
def test_the_checkers_pass(settings):
    check_env("DriftingLinearBandit-v0", **settings)
    env = gymnasium.make("DriftingLinearBandit-v0", horizon=20, **settings).unwrapped
    with warnings.catch_warnings():
        # Gaussian features have no bounds, of which it warns.
        warnings.filterwarnings("ignore", message=".*A Box observation space.*infinity")
        gymnasiums_check_env(env)
