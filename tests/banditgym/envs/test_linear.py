"""LinearBandit against a plain recomputation, and the settings that it refuses."""

import gymnasium
import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env as gymnasiums_check_env
from scipy import stats

import banditgym  # noqa: F401 (registers the environments)
from banditgym.check import check_env
from banditgym.envs.noise import Noise, unit_noise
from banditgym.streams import ENVIRONMENT, Stream
from banditgym.tasks import BEST_ARM
from banditgym.vector_env import ARMS, CONTEXTS, NOISE, THETA

ROWS = np.array([[1.0, -2.0], [0.5, 1e-3], [3.0, 4.0]])


def make(n=3, **settings):
    return gymnasium.make_vec("LinearBandit-v0", num_envs=n, **settings)


def plain_features(settings, seeds, episode, t, n_arms, dim):
    """Features (n, K, d) by numpy, from the draws that belong to them."""
    if "arms" in settings:
        return np.tile(settings["arms"], (len(seeds), 1, 1))
    fixed = settings.get("fixed_arms", False)
    stream = Stream(seeds, ENVIRONMENT, ARMS if fixed else CONTEXTS, episode)
    t = 0 if fixed else t
    kind, norm = settings.get("contexts", "sphere"), settings.get("feature_norm", 1.0)
    if isinstance(kind, np.ndarray):
        return kind[(stream.uniform(t, (n_arms,)) * len(kind)).astype(int)]
    if kind == "cube":
        points = stream.uniform(t, (dim, n_arms)) * norm / dim**0.5
    elif kind == "gaussian":
        points = stream.normal(t, (dim, n_arms)) * norm / dim**0.5
    else:
        points = stream.normal(t, (dim + 2 * (kind == "ball"), n_arms))
        points = norm * points / np.linalg.norm(points, axis=1, keepdims=True)
    return points[:, :dim].transpose(0, 2, 1)


@pytest.mark.parametrize(
    "settings",
    [
        {"n_arms": 4, "dim": 3, "noise_std": 0.5},
        {"n_arms": 4, "dim": 3, "contexts": "ball", "feature_norm": 3.0, "param_norm": 2.0},
        {"n_arms": 20, "dim": 1, "contexts": "cube", "feature_norm": 2.0, "noise": "uniform"},
        {"n_arms": 2, "dim": 9, "contexts": "gaussian", "noise": "student_t", "noise_df": 5.0},
        {"n_arms": 5, "contexts": ROWS, "noise": "rademacher", "noise_std": 0.3},
        {"n_arms": 4, "dim": 3, "fixed_arms": True},
        {"arms": ROWS, "param_norm": 0.5},
        {"arms": ROWS, "theta": np.array([0.1, -0.2])},
        {"dim": 2, "theta": [1.0, 1.0], "param_norm": 5.0, "noise_std": 0.0},
    ],
)
def test_rewards_and_regret_are_those_of_the_definition(settings):
    seeds, horizon = [3, 2**70, 0], 5
    envs = make(horizon=horizon, **settings)
    task = envs.unwrapped.task
    rng = np.random.default_rng(0)
    law = Noise(
        settings.get("noise", "gaussian"),
        settings.get("noise_std", 0.1),
        settings.get("noise_df", 3.0),
    )
    observation, _ = envs.reset(seed=seeds)
    for episode in range(3):
        if episode:
            observation, *_ = envs.step([0, 0, 0])
        theta = Stream(seeds, ENVIRONMENT, THETA, episode).normal(0, (task.dim,))
        theta *= settings.get("param_norm", 1.0) / np.linalg.norm(theta, axis=1, keepdims=True)
        if "theta" in settings:
            theta = np.tile(settings["theta"], (3, 1))
        keys = Stream(seeds, ENVIRONMENT, NOISE, episode).keys
        for t in range(horizon):
            plain = plain_features(settings, seeds, episode, t, task.n_arms, task.dim)
            np.testing.assert_allclose(observation, plain, rtol=1e-12, atol=1e-15)
            means = np.einsum("nkd,nd->nk", plain, theta)
            arms = rng.integers(task.n_arms, size=3)
            chosen = means[range(3), arms]
            noise = np.empty(3)
            unit_noise(law.code, law.df, keys, t, noise)
            observation, reward, _, _, info = envs.step(arms)
            np.testing.assert_allclose(reward, chosen + law.scale * noise, rtol=0, atol=1e-12)
            np.testing.assert_allclose(info["regret"], means.max(axis=1) - chosen, atol=1e-12)
            assert (info["regret"][arms == means.argmax(axis=1)] == 0.0).all()


def test_hidden_parameters_are_uniform_on_their_sphere():
    # Arms e_1, .., e_d pay theta's coordinates.
    envs = make(4000, arms=np.eye(3), param_norm=2.0, noise_std=0.0)
    envs.reset(seed=0)
    theta = np.array([envs.step(np.full(4000, j))[1] for j in range(3)])
    np.testing.assert_allclose(np.linalg.norm(theta, axis=0), 2.0, rtol=1e-14)
    for coordinate in theta:
        # On the sphere of R^3 every coordinate is uniform (Archimedes).
        assert stats.kstest(coordinate, stats.uniform(-2, 4).cdf).pvalue > 1e-4
    assert np.abs(np.corrcoef(theta) - np.eye(3)).max() < 5 / 4000**0.5


def test_hidden_parameters_do_not_share_numbers_with_features_or_noise():
    envs = make(4000, n_arms=1, dim=2, contexts="gaussian", noise_std=1.0)
    features, _ = envs.reset(seed=0)
    theta = Stream(range(4000), ENVIRONMENT, THETA, 0).normal(0, (2,))
    theta /= np.linalg.norm(theta, axis=1, keepdims=True)
    later, reward, *_ = envs.step(np.zeros(4000, int))
    noise = reward - (features[:, 0] * theta).sum(axis=1)
    columns = np.column_stack([theta, features[:, 0], later[:, 0], noise])
    assert np.abs(np.corrcoef(columns.T) - np.eye(7)).max() < 5 / 4000**0.5


def test_a_given_theta_serves_all_replicates_and_episodes():
    theta = np.array([1.0, 0.5, 0.0])
    envs = make(arms=np.eye(3), theta=theta, noise_std=0.0, horizon=1)
    theta[:] = 7.0  # the environment has its own
    envs.reset(seed=0)
    for _ in range(3):
        _, reward, *_, info = envs.step([0, 1, 2])
        np.testing.assert_array_equal(reward, [1.0, 0.5, 0.0])
        np.testing.assert_array_equal(info["regret"], [0.0, 0.5, 1.0])
        envs.step([0, 0, 0])


def test_fixed_arms_stay_through_an_episode_and_change_with_it():
    envs = make(fixed_arms=True, horizon=3)
    first, _ = envs.reset(seed=0)
    kept = first.copy()
    for _ in range(3):
        assert np.array_equal(envs.step([0, 1, 2])[0], first)
    second, *_ = envs.step([0, 0, 0])
    assert not (second == first).any()
    np.testing.assert_array_equal(first, kept)
    assert len({row.tobytes() for row in first}) == 3


def test_fresh_arms_change_every_round():
    envs = make(horizon=3)
    shown = [envs.reset(seed=0)[0].copy()] + [envs.step([0, 0, 0])[0].copy() for _ in range(3)]
    assert len({observation.tobytes() for observation in shown}) == 4


def test_given_arms_come_from_arrays_and_files(tmp_path):
    np.save(tmp_path / "arms.npy", ROWS)
    np.savetxt(tmp_path / "arms.csv", ROWS, delimiter=",")
    for given in (ROWS, ROWS.tolist(), tmp_path / "arms.npy", str(tmp_path / "arms.csv")):
        for name in ("arms", "contexts"):
            envs = make(**{name: given}, n_arms=3, dim=2)
            observation, _ = envs.reset(seed=0)
            rows = {tuple(row) for row in observation.reshape(-1, 2)}
            assert rows <= {tuple(row) for row in ROWS}
            assert envs.unwrapped.task.feature_norm == 5.0
            if name == "arms":
                np.testing.assert_array_equal(observation, np.tile(ROWS, (3, 1, 1)))


def test_given_arms_cannot_be_changed_from_outside():
    given = ROWS.copy()
    envs = make(arms=given, noise_std=0.0, theta=[1.0, 0.0])
    given[:] = 0.0
    arms = envs.unwrapped.task.arms
    with pytest.raises(ValueError, match="read-only"):
        arms[0] = 7.0
    observation, _ = envs.reset(seed=0)
    np.testing.assert_array_equal(observation[1], ROWS)


def test_what_agents_may_know():
    assert vars(make().unwrapped.task) == {
        "feedback": None,
        "arms_vary": None,
        "n_arms": 10, "dim": 5, "horizon": 1000, "noise_std": 0.1, "subgaussian": 0.1,
        "feature_norm": 1.0, "param_norm": 1.0, "fixed_arms": False, "arms": None,
        "context_dim": None,
    }  # fmt: skip
    task = make(
        n_arms=4, dim=2, horizon=7, noise="student_t", noise_std=2, contexts="gaussian",
        theta=[3.0, 4.0], fixed_arms=True,
    ).unwrapped.task  # fmt: skip
    assert vars(task) == {
        "feedback": None,
        "arms_vary": None,
        "n_arms": 4, "dim": 2, "horizon": 7, "noise_std": 2.0, "subgaussian": None,
        "feature_norm": None, "param_norm": 5.0, "fixed_arms": True, "arms": None,
        "context_dim": None,
    }  # fmt: skip
    assert task.regret == BEST_ARM
    given = make(arms=ROWS).unwrapped.task
    assert (given.n_arms, given.dim, given.feature_norm, given.fixed_arms) == (3, 2, 5.0, True)


def test_the_norm_of_a_given_theta_is_known_unless_a_bound_is_given():
    assert make(theta=[3.0, 4.0], dim=2).unwrapped.task.param_norm == 5.0
    assert make(theta=[3.0, 4.0], dim=2, param_norm=6).unwrapped.task.param_norm == 6.0
    # A bound that equals the norm but for rounding is kept.
    theta = np.full(3, 1 / 3**0.5)
    assert make(theta=theta, dim=3, param_norm=np.float64(1.0)).unwrapped.task.param_norm == 1.0


@pytest.mark.parametrize(
    ("contexts", "low", "high"),
    [("sphere", -2, 2), ("ball", -2, 2), ("cube", 0, 1), ("gaussian", -np.inf, np.inf)],
)
def test_spaces(contexts, low, high):
    envs = make(n_arms=3, dim=4, contexts=contexts, feature_norm=2.0, horizon=300)
    box = gymnasium.spaces.Box(low, high, (3, 4), np.float64)
    assert envs.single_observation_space == box
    assert envs.single_action_space == gymnasium.spaces.Discrete(3)
    observation, _ = envs.reset(seed=0)
    assert observation.dtype == np.float64
    for _ in range(300):
        assert observation in envs.observation_space
        observation = envs.step([0, 1, 2])[0]


@pytest.mark.parametrize("settings", [{}, {"contexts": "cube"}, {"fixed_arms": True}])
def test_features_are_laid_out_for_agents(settings):
    envs = make(**settings)
    observation, _ = envs.reset(seed=0)
    assert observation.shape == (3, 10, 5)
    for _ in range(3):
        assert observation.transpose(0, 2, 1).flags.c_contiguous
        observation = envs.step([0, 1, 2])[0]


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"n_arms": 0}, "n_arms must be an integer >= 1, got 0"),
        ({"n_arms": True}, "n_arms must be an integer >= 1, got True"),
        ({"n_arms": "3"}, "n_arms must be an integer >= 1, got '3'"),
        ({"dim": 0}, "dim must be an integer >= 1, got 0"),
        ({"dim": 1.5}, "dim must be an integer >= 1, got 1.5"),
        ({"dim": np.nan}, "dim must be an integer >= 1, got nan"),
        (
            {"noise_std": -1},
            "noise_std is a standard deviation and must be finite and >= 0, .* got -1",
        ),
        ({"noise_std": np.nan}, "noise_std .*got nan"),
        ({"noise_std": "0.1"}, "noise_std must be a number, got '0.1'"),
        ({"noise_std": None}, "noise_std must be a number, got None"),
        ({"noise_std": True}, "noise_std must be a number, got True"),
        ({"noise_std": np.ones(2)}, "noise_std is for 2 arms, and there are 10"),
        ({"noise_std": -np.ones(10)}, "noise_std must be a standard deviation, >= 0 and .*or one"),
        (
            {"noise_std": np.ones((10, 1))},
            "noise_std must be a standard deviation, >= 0 and .*or one",
        ),
        ({"noise_std": {"kind": "arm"}}, "unknown noise_std 'arm'.*a number, one for each arm"),
        ({"noise_std": {"kind": "feature", "index": 5}}, "index 5, and features are 0 to 4"),
        ({"noise_std": {"kind": "feature", "index": -1}}, "index must be an integer >= 0, got -1"),
        (
            {"noise_std": {"kind": "feature", "index": 0, "scale": -1}},
            "scale must be .*>= 0, got -1",
        ),
        ({"noise": "cauchy"}, "noise must be one of gaussian, .*student_t, pareto, got 'cauchy'"),
        ({"noise": "bernoulli"}, "noise must be one of gaussian, .*got 'bernoulli'"),
        ({"noise": ["gaussian"]}, r"noise must be one of gaussian, .*got \['gaussian'\]"),
        ({"noise": np.array(["gaussian", "a"])}, "noise must be one of gaussian"),
        ({"noise": "student_t", "noise_df": 2}, "noise_df must be finite, and > 2 .*got 2"),
        ({"noise_df": -5}, "noise_df must be finite, and > 2 .*got -5"),
        ({"noise": "student_t", "noise_df": "3"}, "noise_df must be a number, got '3'"),
        ({"contexts": "sphre"}, "contexts must be one of sphere, .*got 'sphre'"),
        ({"contexts": ROWS, "dim": 3}, "dim is 3, but contexts has rows of 2 features"),
        ({"contexts": ROWS, "feature_norm": 5}, "leave it out"),
        ({"feature_norm": 0}, "feature_norm must be finite and > 0, got 0"),
        ({"param_norm": -1}, "param_norm must be finite and >= 0, got -1"),
        ({"param_norm": np.nan}, "param_norm must be finite and >= 0, got nan"),
        ({"param_norm": "1"}, "param_norm must be a number, got '1'"),
        ({"theta": [1.0, 2.0]}, r"theta must be of shape \(5,\), got \(2,\)"),
        ({"theta": 3}, r"theta must be of shape \(5,\), got \(\)"),
        ({"theta": [np.nan] * 5}, "theta must be finite, got nan at"),
        ({"theta": "abc"}, "theta must be an array of real numbers"),
        ({"theta": [1.0, [2.0]]}, "theta must be an array of numbers"),
        ({"theta": np.full(5, 1e200)}, "theta must be of finite norm"),
        ({"theta": np.ones(5), "param_norm": 1}, "theta has norm 2.23.*, above param_norm 1"),
        ({"fixed_arms": "no"}, "fixed_arms must be true or false, got 'no'"),
        ({"fixed_arms": 1}, "fixed_arms must be true or false, got 1"),
        ({"arms": ROWS, "n_arms": 4}, "n_arms is 4, but arms has 3 rows"),
        ({"arms": ROWS, "n_arms": 3.0}, "n_arms must be an integer >= 1, got 3.0"),
        ({"arms": ROWS, "dim": 3}, "dim is 3, but arms has 2 columns"),
        ({"arms": ROWS, "feature_norm": 5}, "leave it out"),
        ({"arms": ROWS, "contexts": "gaussian"}, "contexts have no meaning where arms are given"),
        ({"arms": [1.0, 2.0]}, r"arms must be of shape \(N, d\)"),
        ({"arms": [[np.inf]]}, "arms must be finite, got inf"),
        ({"arms": "sphere"}, "arms must be an array .* or .csv file, got 'sphere'"),
    ],
)
def test_bad_settings_are_refused_in_a_line(settings, message):
    with pytest.raises(ValueError, match=message) as caught:
        make(**settings)
    assert "\n" not in str(caught.value)


def test_missing_files_are_named(tmp_path):
    for name in ("arms", "contexts"):
        with pytest.raises(FileNotFoundError, match=f"{name}: no such file: .*none.npy"):
            make(**{name: tmp_path / "none.npy"})


@pytest.mark.parametrize(
    "settings",
    [
        {"n_arms": 4, "dim": 3, "noise_std": 0.5},
        {"n_arms": 4, "dim": 2, "contexts": "ball", "feature_norm": 3.0, "param_norm": 2.0},
        {"n_arms": 3, "contexts": ROWS, "noise": "rademacher"},
        {"n_arms": 2, "dim": 2, "theta": ROWS[:2], "param_norm": 5.0},
    ],
)
def test_with_a_parameter_for_each_arm_all_arms_share_the_context(settings):
    seeds, horizon = [3, 2**70, *range(40)], 4  # so many that contexts are drawn across replicates
    n = len(seeds)
    envs = make(n, horizon=horizon, parameters="per_arm", **settings)
    task, rng = envs.unwrapped.task, np.random.default_rng(0)
    law = Noise(settings.get("noise", "gaussian"), settings.get("noise_std", 0.1))
    assert (task.per_arm, task.context_dim, task.fault()) == (True, task.dim, None)
    assert task.param_norm == settings.get("param_norm", 1.0)
    observation, _ = envs.reset(seed=seeds)
    for episode in range(2):
        if episode:
            observation, *_ = envs.step(np.zeros(n, int))
        theta = Stream(seeds, ENVIRONMENT, THETA, episode).normal(0, (task.n_arms, task.dim))
        theta *= task.param_norm / np.linalg.norm(theta, axis=2, keepdims=True)
        theta = np.tile(settings["theta"], (n, 1, 1)) if "theta" in settings else theta
        for t in range(horizon):
            context = plain_features(settings, seeds, episode, t, 1, task.dim)[:, 0]
            np.testing.assert_allclose(observation, context, rtol=1e-12, atol=1e-15)
            means = (theta * context[:, None]).sum(axis=2)
            arms, noise = rng.integers(task.n_arms, size=n), np.empty(n)
            unit_noise(law.code, law.df, Stream(seeds, ENVIRONMENT, NOISE, episode).keys, t, noise)
            chosen = means[range(n), arms]
            observation, reward, _, _, info = envs.step(arms)
            np.testing.assert_allclose(reward, chosen + law.scale * noise, rtol=0, atol=1e-12)
            np.testing.assert_allclose(info["regret"], means.max(axis=1) - chosen, atol=1e-12)


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"parameters": "own"}, "parameters must be one of shared, per_arm, got 'own'"),
        ({"fixed_arms": True}, "fixed_arms and arms have no meaning where parameters is 'per_arm'"),
        ({"arms": ROWS}, "fixed_arms and arms have no meaning where parameters is 'per_arm'"),
        ({"theta": np.ones(5)}, r"theta must be of shape \(10, 5\), got \(5,\)"),
        ({"theta": np.ones((10, 5)), "param_norm": 2}, "theta has norm 2.23.*, above param_norm 2"),
    ],
)
def test_what_does_not_go_with_a_parameter_for_each_arm_is_refused(settings, message):
    with pytest.raises(ValueError, match=message) as caught:
        make(**{"parameters": "per_arm", **settings})
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    "settings", [{}, {"available": [[0, [0, 1, 2]], [3, [1, 2]]]}, {"n_arms": 1}]
)
def test_with_a_parameter_for_each_arm_it_keeps_the_contract(settings):
    check_env("LinearBandit-v0", parameters="per_arm", **settings)
    env = gymnasium.make("LinearBandit-v0", parameters="per_arm", horizon=20, **settings)
    gymnasiums_check_env(env.unwrapped)


GIVEN = np.random.default_rng(0).standard_normal((9, 4, 3))  # of nine rounds


@pytest.mark.parametrize("per_arm", [False, True])
def test_contexts_may_be_those_of_given_rounds(per_arm, tmp_path):
    rows = GIVEN[:, :1] if per_arm else GIVEN
    np.save(tmp_path / "rounds.npy", rows)
    more = {"parameters": "per_arm", "n_arms": 4} if per_arm else {}
    for given in (rows, rows.tolist(), tmp_path / "rounds.npy"):
        envs = make(40, contexts=given, **more)
        task = envs.unwrapped.task
        assert (task.n_arms, task.dim, task.horizon) == (4, 3, 9)
        assert task.feature_norm == np.linalg.norm(rows, axis=2).max()
        observation, _ = envs.reset(seed=0)
        for _ in range(2):
            for t in range(9):
                shown = rows[t, 0] if per_arm else rows[t]
                np.testing.assert_array_equal(
                    observation, np.broadcast_to(shown, (40, *shown.shape))
                )
                assert observation in envs.observation_space
                observation, *_ = envs.step(np.zeros(40, int))
            np.testing.assert_array_equal(observation[0], shown)  # after the last one
            observation, *_ = envs.step(np.zeros(40, int))  # resets
    assert make(contexts=rows, horizon=5, **more).unwrapped.task.horizon == 5


def test_means_may_be_given_to_given_arms():
    means = np.array([0.3, -1.0, 0.8])
    envs = make(40, arms=ROWS, means=means, noise_std=0.0, horizon=1, param_norm=3.0)
    assert envs.unwrapped.task.param_norm == 3.0
    arms = np.arange(40) % 3
    envs.reset(seed=0)
    for _ in range(2):
        _, reward, *_, info = envs.step(arms)
        np.testing.assert_array_equal(reward, means[arms])
        np.testing.assert_array_equal(info["regret"], 0.8 - means[arms])
        envs.step(arms)


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"contexts": GIVEN, "horizon": 10}, "horizon is 10, but contexts has 9 rounds"),
        ({"contexts": GIVEN, "n_arms": 3}, "n_arms is 3, but contexts has 4 arms in a round"),
        ({"contexts": GIVEN, "dim": 2}, "dim is 2, but contexts has rows of 3 features"),
        ({"contexts": GIVEN, "fixed_arms": True}, "fixed_arms has no meaning where contexts has"),
        ({"contexts": GIVEN, "parameters": "per_arm"}, r"shape \(T, 1, d\) for all arms, got 4"),
        ({"contexts": GIVEN[None]}, r"contexts must be of shape \(N, d\).*got \(1, 9, 4, 3\)"),
        ({"contexts": GIVEN * np.nan}, r"contexts must be finite, got nan at \(0, 0, 0\)"),
        ({"arms": GIVEN}, r"arms must be of shape \(N, d\) .*got \(9, 4, 3\)"),
        ({"means": [0.1, 0.2]}, "means need arms, which have them"),
        ({"arms": ROWS, "means": [0.1, 0.2]}, r"means must be of shape \(3,\), got \(2,\)"),
        ({"arms": ROWS, "means": [0.1, np.inf, 0]}, "means must be finite, got inf"),
        ({"arms": ROWS, "means": np.ones(3), "theta": np.ones(2)}, "theta has no meaning where"),
    ],
)
def test_what_does_not_go_with_given_rounds_or_means_is_refused(settings, message):
    with pytest.raises(ValueError, match=message) as caught:
        make(**settings)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    "settings",
    [
        {"contexts": GIVEN},
        {"contexts": GIVEN[:, :1], "parameters": "per_arm"},
        {"arms": ROWS, "means": [0.3, -1.0, 0.8]},
    ],
)
def test_with_given_rounds_or_means_it_keeps_the_contract(settings):
    check_env("LinearBandit-v0", **settings)


FEATURE = {"kind": "feature", "index": 1, "scale": 0.4}


@pytest.mark.parametrize(
    "settings",
    [
        {"n_arms": 4, "noise_std": [0.1, 0.0, 2.0, 0.5]},
        {"n_arms": 4, "noise_std": FEATURE, "contexts": "cube", "noise": "uniform"},
        {"n_arms": 4, "noise_std": FEATURE, "contexts": "gaussian"},
        {"arms": ROWS, "noise_std": FEATURE, "noise": "student_t"},
        {"n_arms": 3, "fixed_arms": True, "noise_std": (0.1, 0.2, 0.3), "noise": "rademacher"},
        {"n_arms": 4, "parameters": "per_arm", "noise_std": FEATURE},
        {"n_arms": 4, "parameters": "per_arm", "noise_std": [0.1, 0.0, 2.0, 0.5]},
        {"n_arms": 4, "noise_std": FEATURE, "available": [[0, [0, 1, 2, 3]]]},
    ],
)
def test_noise_may_depend_on_the_arm_and_is_then_shown(settings):
    """With the same seed and no noise, rewards are the means."""
    seeds, horizon, rng = [3, 2**70, *range(9)], 5, np.random.default_rng(0)
    envs, plain = (
        make(11, horizon=horizon, **{**settings, **more}) for more in ({}, {"noise_std": 0})
    )
    task, law = envs.unwrapped.task, Noise(settings.get("noise", "gaussian"), 1.0)
    name = "context" if task.per_arm else "arms"
    (shown, _), (features, _) = envs.reset(seed=seeds), plain.reset(seed=seeds)
    keys = Stream(seeds, ENVIRONMENT, NOISE, 0).keys
    for t in range(horizon):
        features = features[name] if isinstance(features, dict) else features
        np.testing.assert_array_equal(shown[name], features)
        assert shown in envs.observation_space
        if settings["noise_std"] is FEATURE:
            std = np.broadcast_to(0.4 * np.abs(features[..., 1].reshape(11, -1)), (11, task.n_arms))
        else:
            std = np.tile(settings["noise_std"], (11, 1))
        np.testing.assert_array_equal(shown["noise_std"], std)
        assert task.noise_std is None or (std <= task.noise_std).all()
        arms, noise = rng.integers(task.n_arms, size=11), np.empty(11)
        unit_noise(law.code, law.df, keys, t, noise)
        shown, reward, *_, info = envs.step(arms)
        features, mean, *_, regret = plain.step(arms)
        expected = mean + std[range(11), arms] * law.scale * noise
        np.testing.assert_allclose(reward, expected, rtol=1e-13, atol=1e-15)
        np.testing.assert_array_equal(info["regret"], regret["regret"])


def test_of_noise_that_depends_on_the_arm_agents_know_the_largest():
    task = make(n_arms=2, noise_std=[0.3, 0.2]).unwrapped.task
    assert (task.noise_std, task.subgaussian) == (0.3, 0.3)
    task = make(noise_std=FEATURE, feature_norm=2.0, noise="pareto").unwrapped.task
    assert (task.noise_std, task.subgaussian) == (0.8, None)
    task = make(noise_std=FEATURE, contexts="gaussian").unwrapped.task
    assert (task.noise_std, task.subgaussian) == (None, None)


@pytest.mark.parametrize(
    "settings",
    [
        {"noise_std": FEATURE},
        {"noise_std": FEATURE, "parameters": "per_arm"},
        {"n_arms": 3, "noise_std": [0.1, 0.3, 0.2], "fixed_arms": True},
        {"n_arms": 3, "noise_std": [0.1, 0.3, 0.2], "available": [[0, [0, 1]], [3, [1, 2]]]},
    ],
)
def test_with_noise_that_depends_on_the_arm_it_keeps_the_contract(settings):
    check_env("LinearBandit-v0", **settings)
