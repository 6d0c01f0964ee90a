"""OnlineRegression against a plain recomputation, and the settings and predictions it refuses."""

import pickle
import warnings

import gymnasium
import numpy as np
import pandas
import pytest
from gymnasium import spaces
from gymnasium.utils.env_checker import check_env as gymnasiums_check_env
from gymnasium.utils.env_checker import data_equivalence
from scipy import sparse, stats

import banditgym  # noqa: F401 (registers the environments)
from banditgym.check import check_env
from banditgym.envs.noise import Noise, unit_noise
from banditgym.streams import ENVIRONMENT, Stream
from banditgym.tasks import BEST_FIT, PARAMETER
from banditgym.vector_env import CONTEXTS, NOISE, THETA

from .test_labelled_data import order_of

ID = "OnlineRegression-v0"
ROWS = np.array([[1.0, -2.0], [0.5, 1e-3], [3.0, 4.0]])
Y = [1.0, -2.0, 3.0]


def make(n=3, **settings):
    return gymnasium.make_vec(ID, num_envs=n, **settings)


def plain_rows(settings, seeds, episode, t, dim):
    """Rows (n, d) by numpy, from the draws that belong to them."""
    stream = Stream(seeds, ENVIRONMENT, CONTEXTS, episode)
    kind, norm = settings.get("contexts", "ball"), settings.get("feature_norm", 1.0)
    if isinstance(kind, np.ndarray):
        return kind[(stream.uniform(t) * len(kind)).astype(int)]
    if kind == "cube":
        return stream.uniform(t, (dim,)) * norm / dim**0.5
    if kind == "gaussian":
        return stream.normal(t, (dim,)) * norm / dim**0.5
    points = stream.normal(t, (dim + 2 * (kind == "ball"),))
    return (norm * points / np.linalg.norm(points, axis=1, keepdims=True))[:, :dim]


def least(rows, outcomes):
    """The least sum of squares over all theta, for rows (t, d)."""
    theta = np.linalg.lstsq(rows, outcomes, rcond=None)[0]
    return ((outcomes - rows @ theta) ** 2).sum()


@pytest.mark.parametrize(
    "settings",
    [
        {"dim": 3, "noise_std": 0.5},
        {"contexts": "sphere", "feature_norm": 3.0, "param_norm": 2.0, "bound": 0.7},
        {"dim": 1, "contexts": "cube", "feature_norm": 2.0, "noise": "uniform"},
        {"dim": 9, "contexts": "gaussian", "noise": "student_t", "noise_df": 5.0},
        {"contexts": ROWS, "noise": "rademacher", "noise_std": 0.3},
        {"contexts": ROWS, "theta": np.array([0.1, -0.2])},
        {"dim": 2, "theta": [1.0, 1.0], "param_norm": 5.0, "noise_std": 0.0},
        {"dim": 2, "outcomes": "random", "outcome_bound": 0.3},
        {"dim": 4, "outcomes": "random", "contexts": "gaussian", "bound": 2.0},
        {"dim": 2, "outcomes": "adaptive", "outcome_bound": 2.0},
        {"outcomes": "adaptive", "contexts": ROWS},
    ],
)
def test_outcomes_rewards_and_regrets_are_those_of_the_definition(settings):
    seeds, horizon = [3, 2**70, 0], 14
    envs = make(horizon=horizon, **settings)
    dim, law = envs.unwrapped.task.dim, settings.get("outcomes", "linear")
    size = settings.get("outcome_bound", 1.0)
    noise_law = Noise(
        settings.get("noise", "gaussian"),
        settings.get("noise_std", 0.1),
        settings.get("noise_df", 3.0),
    )
    rng = np.random.default_rng(0)
    observation, _ = envs.reset(seed=seeds)
    for episode in range(3):
        if episode:
            observation, *_ = envs.step(np.zeros(3))
        theta = Stream(seeds, ENVIRONMENT, THETA, episode).normal(0, (dim,))
        theta *= settings.get("param_norm", 1.0) / np.linalg.norm(theta, axis=1, keepdims=True)
        if "theta" in settings:
            theta = np.tile(settings["theta"], (3, 1))
        noises = Stream(seeds, ENVIRONMENT, NOISE, episode)
        rows, outcomes, lost, batch = [], [], 0.0, 0.0
        for t in range(horizon):
            x = plain_rows(settings, seeds, episode, t, dim)
            np.testing.assert_allclose(observation, x, rtol=1e-12, atol=1e-15)
            prediction = rng.uniform(-0.7, 0.7, 3)
            mean = (x * theta).sum(axis=1)
            if law == "linear":
                noise = np.empty(3)
                unit_noise(noise_law.code, noise_law.df, noises.keys, t, noise)
                y = mean + noise_law.scale * noise
            elif law == "random":
                y = np.where(noises.uniform(t) < 0.5, size, -size)
            else:
                y = np.where(prediction > 0, -size, size)
            observation, reward, _, _, info = envs.step(prediction)
            np.testing.assert_allclose(info["feedback"], y, rtol=0, atol=1e-12)
            np.testing.assert_allclose(reward, -((prediction - y) ** 2), rtol=0, atol=1e-12)
            rows.append(x)
            outcomes.append(y)
            lost, batch = lost + (prediction - y) ** 2, batch + info["regret_batch"]
            best = [least(np.array(rows)[:, i], np.array(outcomes)[:, i]) for i in range(3)]
            # sums of at most 14 squares of about 4
            np.testing.assert_allclose(batch, lost - best, rtol=0, atol=1e-12)
            if law == "linear":
                regret = (prediction - y) ** 2 - (mean - y) ** 2
                np.testing.assert_allclose(info["regret"], regret, rtol=0, atol=1e-12)
            else:
                np.testing.assert_array_equal(info["regret"], info["regret_batch"])


@pytest.mark.parametrize("dim", range(1, 9))
@pytest.mark.parametrize("scale", [1e-6, 1.0, 1e6])
@pytest.mark.parametrize("deficient", [False, True])
def test_regret_batch_on_rows_of_any_rank_and_scale(dim, scale, deficient):
    rng = np.random.default_rng(dim)
    rank = (dim + 1) // 2 if deficient else dim
    data = scale * rng.standard_normal((20, rank)) @ rng.standard_normal((rank, dim))
    envs = make(2, contexts=data, param_norm=1 / scale, noise_std=1.0, horizon=40)
    x, _ = envs.reset(seed=0)
    rows, outcomes, lost, batch = [], [], 0.0, 0.0
    for _ in range(40):
        rows.append(x.copy())
        prediction = rng.uniform(-1, 1, 2)
        x, reward, *_, info = envs.step(prediction)
        outcomes.append(info["feedback"])
        lost, batch = lost - reward, batch + info["regret_batch"]
        for i in range(2):
            best = least(np.array(rows)[:, i], np.array(outcomes)[:, i])
            # eps times the condition number, below 1e3 here, times the squares summed up
            bound = 1e-12 * (lost[i] + (np.array(outcomes)[:, i] ** 2).sum())
            assert abs(batch[i] - (lost[i] - best)) < bound


@pytest.mark.parametrize("outcomes", ["linear", "random", "adaptive"])
def test_sums_stay_right_over_long_runs(outcomes):
    rounds = 20_000
    own = {"noise_std": 1e-3} if outcomes == "linear" else {}
    envs = make(1, dim=3, outcomes=outcomes, horizon=rounds, contexts="gaussian", **own)
    x, _ = envs.reset(seed=5)
    rng = np.random.default_rng(0)
    theta = rng.standard_normal(3) / 2
    rows, outcome, totals = np.empty((rounds, 3)), np.empty(rounds), np.zeros(3)
    for t in range(rounds):
        rows[t] = x[0]
        x, reward, *_, info = envs.step(rows[t : t + 1] @ theta)
        outcome[t] = info["feedback"][0]
        totals += [reward[0], info["regret"][0], info["regret_batch"][0]]
    lost = ((rows @ theta - outcome) ** 2).sum()
    # 20 000 roundings of sums of up to 20 000 are below 20 000² eps = 1e-7 even if all agree.
    assert totals[0] == pytest.approx(-lost, abs=1e-7)
    assert totals[2] == pytest.approx(lost - least(rows, outcome), abs=1e-7)
    if outcomes == "linear":
        true = Stream([5], ENVIRONMENT, THETA, 0).normal(0, (3,))[0]
        true /= np.linalg.norm(true)
        against = lost - ((rows @ true - outcome) ** 2).sum()
        assert totals[1] == pytest.approx(against, abs=1e-7)
    else:
        assert totals[1] == totals[2]


def test_a_right_prediction_has_no_regret_whatever_the_noise():
    theta = np.array([0.6, -0.8])
    envs = make(dim=2, theta=theta, noise_std=1e6, contexts="gaussian")
    x, _ = envs.reset(seed=0)
    for _ in range(50):
        prediction = x[:, 0] * theta[0] + x[:, 1] * theta[1]
        x, _, _, _, info = envs.step(prediction + 1e-3)
        noise = info["feedback"] - prediction
        # Of two squares of 1e12 each the difference would be right to 1e-4 only.
        np.testing.assert_allclose(info["regret"], 1e-3 * (1e-3 - 2 * noise), rtol=1e-9)


def test_coins_are_fair_and_those_of_seed_and_round():
    envs = make(4000, outcomes="random", outcome_bound=2.5, dim=2)
    envs.reset(seed=0)
    y = np.array([envs.step(np.zeros(4000))[-1]["feedback"] for _ in range(3)])
    np.testing.assert_array_equal(np.abs(y), 2.5)
    for heads in (y > 0).sum(axis=1):
        assert stats.binomtest(int(heads), 4000).pvalue > 1e-4
    assert np.abs(np.corrcoef(y) - np.eye(3)).max() < 5 / 4000**0.5
    envs.reset(seed=0)
    np.testing.assert_array_equal(envs.step(np.full(4000, 9.0))[-1]["feedback"], y[0])


@pytest.mark.parametrize(
    ("noise", "law"),
    [
        ("gaussian", stats.norm(0, 0.3)),
        ("uniform", stats.uniform(-0.3 * 3**0.5, 0.6 * 3**0.5)),
        ("student_t", stats.t(5, 0, 0.3 * (3 / 5) ** 0.5)),
    ],
)
def test_laws_of_the_noise(noise, law):
    envs = make(4000, dim=2, theta=[0.0, 0.0], noise=noise, noise_std=0.3, noise_df=5.0)
    envs.reset(seed=0)
    for _ in range(2):
        y = envs.step(np.zeros(4000))[-1]["feedback"]
        # A correct sampler has p below 1e-4 once in 10 000 seeds, and the seed is fixed.
        assert stats.kstest(y, law.cdf).pvalue > 1e-4


def test_laws_of_rows_and_parameter():
    envs = make(4000, dim=3, noise_std=0.0, param_norm=2.0, feature_norm=4.0)
    x, _ = envs.reset(seed=0)
    radius = np.linalg.norm(x, axis=1) / 4.0
    assert stats.kstest(radius**3, stats.uniform(0, 1).cdf).pvalue > 1e-4
    # Three rows and their outcomes tell theta, which is uniform on the sphere of radius 2: in
    # R^3 each of its coordinates is uniform (Archimedes).
    rows, y = [], []
    for _ in range(3):
        rows.append(x.copy())
        x, *_, info = envs.step(np.zeros(4000))
        y.append(info["feedback"])
    theta = np.linalg.solve(np.array(rows).transpose(1, 0, 2), np.array(y).T[:, :, None])[:, :, 0]
    np.testing.assert_allclose(np.linalg.norm(theta, axis=1), 2.0, rtol=1e-6)
    for coordinate in theta.T:
        assert stats.kstest(coordinate, stats.uniform(-2, 4).cdf).pvalue > 1e-4


def test_parameters_rows_and_noise_share_no_numbers():
    envs = make(4000, dim=2, contexts="gaussian", noise_std=1.0)
    x, _ = envs.reset(seed=0)
    theta = Stream(range(4000), ENVIRONMENT, THETA, 0).normal(0, (2,))
    theta /= np.linalg.norm(theta, axis=1, keepdims=True)
    later, *_, info = envs.step(np.zeros(4000))
    noise = info["feedback"] - (x * theta).sum(axis=1)
    columns = np.column_stack([theta, x, later, noise])
    assert np.abs(np.corrcoef(columns.T) - np.eye(7)).max() < 5 / 4000**0.5


def test_an_adaptive_adversary_sees_the_prediction():
    envs = make(5, outcomes="adaptive", outcome_bound=0.5)
    envs.reset(seed=0)
    for _ in range(3):
        *_, info = envs.step([1e-300, 0.0, -0.0, -1e-300, 7.0])
        np.testing.assert_array_equal(info["feedback"], [-0.5, 0.5, 0.5, 0.5, -0.5])


def test_a_given_theta_serves_all_replicates_and_episodes():
    theta = np.array([1.0, 0.5])
    envs = make(dim=2, theta=theta, noise_std=0.0, horizon=1)
    theta[:] = 7.0  # the environment has its own
    x, _ = envs.reset(seed=0)
    for _ in range(3):
        outcome = x @ [1.0, 0.5]
        *_, info = envs.step(np.zeros(3))
        np.testing.assert_allclose(info["feedback"], outcome, rtol=1e-14)
        x, *_ = envs.step(np.zeros(3))


def test_rows_come_from_arrays_and_files(tmp_path):
    np.save(tmp_path / "rows.npy", ROWS)
    np.savetxt(tmp_path / "rows.csv", ROWS, delimiter=",")
    for given in (ROWS, ROWS.tolist(), tmp_path / "rows.npy", str(tmp_path / "rows.csv")):
        envs = make(200, contexts=given, dim=2)
        observation, _ = envs.reset(seed=0)
        assert {tuple(row) for row in observation} == {tuple(row) for row in ROWS}
        assert envs.unwrapped.task.feature_norm == 5.0
    with pytest.raises(FileNotFoundError, match=r"contexts: no such file: .*none\.npy"):
        make(contexts=tmp_path / "none.npy")


def test_what_agents_may_know():
    task = make().unwrapped.task
    assert vars(task) == {
        "feedback": None,
        "arms_vary": None,
        "dim": 5, "horizon": 1000, "noise_std": 0.1, "subgaussian": 0.1, "feature_norm": 1.0,
        "param_norm": 1.0, "outcome_bound": None, "bound": None, "adaptive": False,
        "regret": PARAMETER,
    }  # fmt: skip
    task = make(
        dim=2, max_episode_steps=7, noise="student_t", noise_std=2, contexts="gaussian",
        theta=[3.0, 4.0], bound=6,
    ).unwrapped.task  # fmt: skip
    assert vars(task) == {
        "feedback": None,
        "arms_vary": None,
        "dim": 2, "horizon": 7, "noise_std": 2.0, "subgaussian": None, "feature_norm": None,
        "param_norm": 5.0, "outcome_bound": None, "bound": 6.0, "adaptive": False,
        "regret": PARAMETER,
    }  # fmt: skip
    for outcomes in ("random", "adaptive"):
        assert vars(make(outcomes=outcomes).unwrapped.task) == {
            "feedback": None,
            "arms_vary": None,
            "dim": 5, "horizon": 1000, "noise_std": None, "subgaussian": None,
            "feature_norm": 1.0, "param_norm": None, "outcome_bound": 1.0, "bound": None,
            "adaptive": outcomes == "adaptive", "regret": BEST_FIT,
        }  # fmt: skip
    assert make(outcomes="random", outcome_bound=3).unwrapped.task.outcome_bound == 3.0
    assert make(param_norm=4, theta=[1.0], dim=1).unwrapped.task.param_norm == 4.0


@pytest.mark.parametrize(
    ("contexts", "low", "high"),
    [("sphere", -2, 2), ("ball", -2, 2), ("cube", 0, 1), ("gaussian", -np.inf, np.inf)],
)
def test_spaces(contexts, low, high):
    envs = make(dim=4, contexts=contexts, feature_norm=2.0, horizon=200, bound=0.5)
    assert envs.single_observation_space == spaces.Box(low, high, (4,), np.float64)
    assert envs.single_action_space == spaces.Box(-0.5, 0.5, (), np.float64)
    assert make().single_action_space == spaces.Box(-np.inf, np.inf, (), np.float64)
    observation, _ = envs.reset(seed=0)
    assert observation.dtype == np.float64
    for _ in range(200):
        assert observation in envs.observation_space
        observation = envs.step(envs.action_space.sample())[0]


def test_rows_are_laid_out_for_agents_and_take_turns():
    envs = make(dim=4, horizon=3)
    held, _ = envs.reset(seed=0)
    for _ in range(6):
        kept = held.copy()
        shown = envs.step(np.zeros(3))[0]
        assert shown.flags.c_contiguous
        assert shown[:, :, None].flags.c_contiguous
        np.testing.assert_array_equal(held, kept)
        assert not np.shares_memory(held, shown)
        held = shown


def test_a_pickled_environment_goes_on_alike():
    envs = make(horizon=20)
    envs.reset(seed=0)
    for _ in range(3):
        envs.step([0.1, 0.2, 0.3])
    twin = pickle.loads(pickle.dumps(envs.unwrapped))
    for _ in range(20):
        one, two = envs.step([0.3, 0.2, 0.1]), twin.step([0.3, 0.2, 0.1])
        np.testing.assert_array_equal(one[0], two[0])
        for key in one[-1]:
            np.testing.assert_array_equal(one[-1][key], two[-1][key])


SETTINGS = [
    {},
    {"bound": 1.0, "dim": 1},
    {"bound": 0.3, "contexts": "sphere", "noise": "uniform"},
    {"contexts": "gaussian", "noise": "student_t", "dim": 17, "feature_norm": 1e6},
    {"contexts": "cube", "noise": "rademacher", "noise_std": 0.0},
    {"contexts": ROWS, "theta": [1.0, 0.5]},
    {"outcomes": "random", "dim": 2, "bound": 2.0},
    {"outcomes": "adaptive", "dim": 2, "outcome_bound": 3.0},
    {"outcomes": "adaptive", "contexts": ROWS, "bound": 1.0},
]


@pytest.mark.parametrize("settings", SETTINGS)
def test_our_checker_passes(settings):
    check_env(ID, **settings)


@pytest.mark.parametrize("settings", SETTINGS)
def test_gymnasiums_checker_passes(settings):
    env = gymnasium.make(ID, horizon=20, **settings).unwrapped
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        gymnasiums_check_env(env)
    # It warns of spaces without bounds, once each way, and of nothing else.
    messages = [str(warning.message) for warning in caught]
    unbounded = ("bound" not in settings) + (str(settings.get("contexts")) == "gaussian")
    assert len(messages) == 2 * unbounded, messages
    assert all("A Box" in text and "infinity" in text for text in messages)


@pytest.mark.parametrize("settings", [s for s in SETTINGS if "bound" in s])
def test_stable_baselines3s_checker_passes(settings):
    checker = pytest.importorskip(
        "stable_baselines3.common.env_checker", reason="needs stable-baselines3"
    )
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        checker.check_env(gymnasium.make(ID, horizon=20, **settings))
    # It recommends float32, and a range of -1 .. 1, and nothing else.
    messages = [str(warning.message) for warning in caught]
    assert len(messages) == 1 + (settings["bound"] != 1.0), messages
    known = ("we recommend using np.float32", "symmetric and normalized Box action space")
    assert all(any(part in text for part in known) for text in messages)


def test_stable_baselines3s_checker_wants_a_bound():
    checker = pytest.importorskip(
        "stable_baselines3.common.env_checker", reason="needs stable-baselines3"
    )
    with (
        pytest.warns(UserWarning, match="symmetric and normalized"),
        pytest.raises(AssertionError, match="finite lower and upper bound"),
    ):
        checker.check_env(gymnasium.make(ID))


@pytest.mark.parametrize(
    "predictions",
    [
        np.zeros(3, np.float32), [0, 0, 0], (0.0, 0.0, 0.0), np.zeros(3, np.uint8),
        np.zeros(6)[::2], np.zeros(3, ">f8"), np.zeros(3, np.longdouble),
    ],
)  # fmt: skip
def test_numbers_of_any_kind_are_predictions(predictions):
    envs = make()
    envs.reset(seed=0)
    expected = envs.step(np.zeros(3))
    envs.reset(seed=0)
    given = envs.step(predictions)
    np.testing.assert_array_equal(given[1], expected[1])
    assert given[1].dtype == given[-1]["feedback"].dtype == np.float64


def test_predictions_of_shape_1_are_predictions():
    """Clients without boxes of shape () send them."""
    one, two = make(bound=1.0), make(bound=1.0)
    single, other = gymnasium.make(ID), gymnasium.make(ID)
    for env in (one, two, single, other):
        env.reset(seed=0)
    for _ in range(3):
        column = one.step(np.array([[0.1], [0.2], [-0.3]]))
        assert data_equivalence(column, two.step([0.1, 0.2, -0.3]), exact=True)
        assert data_equivalence(single.step(np.array([0.3])), other.step(0.3), exact=True)
    with pytest.raises(ValueError, match=r"prediction 1.5 of replicate 1 is not within -1"):
        one.step([[0.0], [1.5], [0.0]])


def test_single_precision_predictions_are_used_as_given():
    envs = make(dim=1, theta=[0.0], noise_std=0.0)
    envs.reset(seed=0)
    prediction = np.array([0.1, 0.2, 0.3], np.float32)
    reward = envs.step(prediction)[1]
    np.testing.assert_array_equal(reward, -(prediction.astype(np.float64) ** 2))
    single = gymnasium.make(ID, dim=1, theta=[0.0], noise_std=0.0)
    single.reset(seed=0)
    assert single.unwrapped.step(np.float32(0.1))[1] == reward[0]
    assert single.unwrapped.step(np.array(0.1, np.float32))[1] == reward[0]


@pytest.mark.parametrize(
    ("predictions", "message"),
    [
        ([0.0, np.nan, 0.0], "prediction nan of replicate 1 is not finite"),
        ([0.0, 0.0, np.inf], "prediction inf of replicate 2 is not finite"),
        ([-np.inf, 0.0, 0.0], "prediction -inf of replicate 0 is not finite"),
        ([0.0, 0.0], r"expected 3 predictions, each a number, got .* of shape \(2,\), float64"),
        ([[[0.0]], [[0.0]], [[0.0]]], r"expected 3 predictions.* of shape \(3, 1, 1\)"),
        ([[0.0, 0.0, 0.0]], r"expected 3 predictions.* of shape \(1, 3\)"),
        ([[0.0], [0.0], [np.nan]], "prediction nan of replicate 2 is not finite"),
        (0.0, r"expected 3 predictions.*got 0.0 of shape \(\)"),
        ([True, False, True], "expected 3 predictions.*bool"),
        (["0", "1", "2"], "expected 3 predictions.*'0'"),
        ([None] * 3, "expected 3 predictions.*None.*object"),
        ([0.0, [0.0], 0.0], "expected 3 predictions"),
        ([1j, 0, 0], "expected 3 predictions.*complex128"),
        ({}, "expected 3 predictions"),
    ],
)
@pytest.mark.parametrize("outcomes", ["linear", "adaptive"])
def test_bad_predictions_are_refused_and_change_nothing(predictions, message, outcomes):
    envs, undisturbed = (make(horizon=4, outcomes=outcomes) for _ in range(2))
    for each in (envs, undisturbed):
        each.reset(seed=0)
    for t in range(4):
        with pytest.raises(ValueError, match=message) as caught:
            envs.step(predictions)
        assert "\n" not in str(caught.value)
        one, two = (each.step(np.full(3, 0.1 * t)) for each in (envs, undisturbed))
        np.testing.assert_array_equal(one[0], two[0])
        for key in one[-1]:
            np.testing.assert_array_equal(one[-1][key], two[-1][key])


def test_predictions_stay_within_the_bound():
    envs = make(bound=0.5)
    envs.reset(seed=0)
    envs.step([0.5, -0.5, 0.5 * (1 + 1e-9)])
    for bad in (0.5 * (1 + 2e-9), 3.0, np.nan, np.inf):
        for sign in (1.0, -1.0):
            with pytest.raises(ValueError, match=r"of replicate 1 is not within -0\.5 \.\. 0\.5"):
                envs.step([0.0, sign * bad, 0.0])


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"dim": 0}, "dim must be an integer >= 1, got 0"),
        ({"dim": 2.0}, "dim must be an integer >= 1, got 2.0"),
        ({"horizon": 0}, "horizon must be an integer >= 1, got 0"),
        ({"horizon": 5, "max_episode_steps": 6}, "two names of one setting, got 5 and 6"),
        ({"noise_std": -1}, "noise_std is a standard deviation .*got -1"),
        ({"noise_std": np.nan}, "noise_std .*got nan"),
        ({"noise_std": "0.1"}, "noise_std must be a number, got '0.1'"),
        ({"noise": "bernoulli"}, "noise must be one of gaussian, .*got 'bernoulli'"),
        ({"noise": np.array(["gaussian", "a"])}, "noise must be one of gaussian"),
        ({"noise": "student_t", "noise_df": 2}, "noise_df must be finite, and > 2 .*got 2"),
        ({"contexts": "bal"}, "contexts must be one of sphere, .*got 'bal'"),
        ({"contexts": ROWS, "dim": 3}, "dim is 3, but contexts has rows of 2 features"),
        ({"contexts": ROWS, "feature_norm": 5}, "leave it out"),
        ({"contexts": [1.0, 2.0]}, r"contexts must be of shape \(N, d\)"),
        ({"feature_norm": 0}, "feature_norm must be finite and > 0, got 0"),
        ({"param_norm": -1}, "param_norm must be finite and >= 0, got -1"),
        ({"theta": [1.0, 2.0]}, r"theta must be of shape \(5,\), got \(2,\)"),
        ({"theta": [np.nan] * 5}, "theta must be finite, got nan at"),
        ({"theta": np.ones(5), "param_norm": 1}, "theta has norm 2.23.*, above param_norm 1"),
        ({"outcomes": "liner"}, "outcomes must be one of linear, random, adaptive, got 'liner'"),
        ({"outcomes": None}, "outcomes must be one of linear, random, adaptive, got None"),
        ({"outcomes": np.array(["linear", "a"])}, "outcomes must be one of linear"),
        ({"outcome_bound": 1.0}, "outcome_bound has no meaning where outcomes is 'linear'"),
        ({"outcomes": "random", "outcome_bound": 0}, "outcome_bound must be finite and > 0, got 0"),
        ({"outcomes": "adaptive", "outcome_bound": np.nan}, "outcome_bound .*got nan"),
        ({"outcomes": "random", "outcome_bound": "1"}, "outcome_bound must be a number, got '1'"),
        ({"outcomes": "random", "noise_std": 0.1}, "noise_std has no meaning .*'random'.*got 0.1"),
        ({"outcomes": "random", "noise": "gaussian"}, "noise has no meaning"),
        ({"outcomes": "random", "noise_df": 3}, "noise_df has no meaning"),
        ({"outcomes": "adaptive", "theta": np.zeros(5)}, "theta has no meaning .*'adaptive'"),
        ({"outcomes": "adaptive", "param_norm": 1}, "param_norm has no meaning"),
        ({"bound": 0}, "bound must be finite and > 0, got 0"),
        ({"bound": -1.0}, "bound must be finite and > 0, got -1.0"),
        ({"bound": np.nan}, "bound must be finite and > 0, got nan"),
        ({"bound": np.inf}, "bound must be finite and > 0, got inf"),
        ({"bound": "1"}, "bound must be a number, got '1'"),
        ({"data": (ROWS, [1, 2])}, r"the y of data must be of shape \(3,\), as X has rows"),
        ({"data": (ROWS, ["a", "b", "c"])}, "the y of data must be an array of real numbers"),
        ({"data": (sparse.csr_array(ROWS), [1, 2, 3])}, "sparse: .* so give X.toarray"),
        ({"data": (ROWS, [1, 2, 1e200])}, r"the numbers of data must be below 1e\+150"),
        ({"data": (ROWS, Y), "horizon": 4}, "horizon 4 is above the number of rows, 3"),
        ({"data": (ROWS, Y), "max_episode_steps": 4}, "horizon 4 is above"),
        ({"data": (ROWS, Y), "order": "any"}, "order must be one of shuffled, chronological"),
        ({"order": "shuffled"}, "order is that of data, which are not given; leave it out"),
        ({"data": (ROWS, Y), "outcomes": "random"}, "contexts and outcomes have no meaning where"),
        ({"data": (ROWS, Y), "contexts": "cube"}, "contexts and outcomes have no meaning where"),
        ({"data": (ROWS, Y), "dim": 2}, "dim has no meaning where data are given; leave it out"),
        ({"data": (ROWS, Y), "noise_std": 0.1}, "noise_std has no meaning where data are given"),
        ({"data": (ROWS, Y), "theta": [1, 2]}, "theta has no meaning where data are given"),
        ({"data": (ROWS, Y), "outcome_bound": 1}, "outcome_bound has no meaning where data"),
        ({"data": "gone.csv"}, "no such file, nor one of diabetes: gone.csv"),
        ({"bund": 1}, "OnlineRegression has no setting 'bund'; did you mean bound?"),
    ],
)
def test_bad_settings_are_refused_in_a_line(settings, message):
    with pytest.raises((ValueError, FileNotFoundError), match=message) as caught:
        make(**settings)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("norm", "tolerance"),
    # Numbers of 1e-320 have only three digits.
    [(1e-320, 1e-2), (1e-200, 1e-12), (1e150, 1e-12)],
)
def test_the_best_fit_is_one_of_rows_of_any_length(norm, tolerance):
    """On rows of one direction it takes (sum of y x / norm)² / t from the sum of squares."""
    envs = make(2, outcomes="random", dim=1, contexts="sphere", feature_norm=norm)
    x, _ = envs.reset(seed=0)
    signs, y, batch = [], [], 0.0
    for t in range(1, 20):
        signs.append(np.sign(x[:, 0]))
        x, *_, info = envs.step(np.zeros(2))
        y.append(info["feedback"])
        batch = batch + info["regret_batch"]
        gained = (np.array(signs) * np.array(y)).sum(axis=0) ** 2 / t
        np.testing.assert_allclose(batch, gained, rtol=0, atol=tolerance)


def test_blocks_of_rows_near_the_largest_number_score_as_steps_do():
    """The best fit takes rows scaled to length 1, however long they are."""
    settings = {"num_envs": 8, "dim": 3, "horizon": 40, "feature_norm": 1e142, "param_norm": 1e-142}
    by_rounds, by_block = (gymnasium.make_vec("OnlineRegression-v0", **settings) for _ in range(2))
    by_rounds.reset(seed=0)
    by_block.reset(seed=0)
    block = by_block.unwrapped.block(40)
    _, _, info = by_block.unwrapped.step_block(block, np.zeros((40, 8)))
    for s in range(40):
        stepped = by_rounds.step(np.zeros(8))[4]
        np.testing.assert_array_equal(info["regret_batch"][s], stepped["regret_batch"])


def own_rows(n_rows=23):
    rng = np.random.default_rng(4)
    rows = rng.standard_normal((n_rows, 3))
    return rows, -5 + rows @ [1.0, -2.0, 0.5] + rng.standard_normal(n_rows)


@pytest.mark.parametrize("order", [None, "shuffled", "chronological"])
@pytest.mark.parametrize("horizon", [None, 9])
def test_given_rows_are_played_in_their_order_and_scored_by_the_definition(order, horizon):
    rows, outcomes = own_rows()
    seeds, rounds = [3, 2**70, 0], horizon or 23
    envs = make(data=(rows, outcomes), order=order, horizon=horizon)
    task = envs.unwrapped.task
    assert task.horizon == rounds
    assert (task.noise_std, task.subgaussian, task.param_norm, task.adaptive) == (None,) * 3 + (0,)
    assert task.outcome_bound == np.abs(outcomes).max()
    assert task.feature_norm == np.sqrt((rows * rows).sum(axis=1)).max()
    assert task.regret == BEST_FIT
    rng = np.random.default_rng(0)
    observation, _ = envs.reset(seed=seeds)
    for episode in range(2):
        if episode:
            observation, *_ = envs.step(np.zeros(3))
        orders = np.array([order_of(seed, episode, 23) for seed in seeds])
        if order == "chronological":
            orders = np.tile(np.arange(23), (3, 1))
        lost, batch = np.zeros(3), np.zeros(3)
        for t in range(rounds):
            np.testing.assert_array_equal(observation, rows[orders[:, t]])
            prediction, y = rng.uniform(-3, 8, 3), outcomes[orders[:, t]]
            observation, reward, _, truncated, info = envs.step(prediction)
            np.testing.assert_array_equal(info["feedback"], y)
            np.testing.assert_allclose(reward, -((prediction - y) ** 2), rtol=1e-12)
            lost, batch = lost + (prediction - y) ** 2, batch + info["regret"]
            np.testing.assert_array_equal(info["regret"], info["regret_batch"])
            assert truncated.all() == (t == rounds - 1)
        shown = orders[:, :rounds]
        best = [least(rows[own], outcomes[own]) for own in shown]
        np.testing.assert_allclose(batch, lost - best, rtol=1e-9)
        after = rows[orders[:, rounds]] if horizon else np.zeros((3, 3))
        np.testing.assert_array_equal(observation, after)


def test_given_rows_of_tables_and_files_are_those_of_arrays(tmp_path):
    rows, outcomes = own_rows()
    frame = pandas.DataFrame(rows, columns=list("abc")).assign(price=outcomes)
    np.savetxt(tmp_path / "rows.csv", np.column_stack([rows, outcomes]), delimiter=",")
    chronological = {"n": 1, "order": "chronological"}
    plain = make(data=str(tmp_path / "rows.csv"), **chronological)
    np.testing.assert_allclose(plain.reset(seed=0)[0][0], rows[0], rtol=1e-12)
    table = make(data=(frame, "price"), **chronological)
    scaled = (rows - rows.mean(axis=0)) / rows.std(axis=0)
    np.testing.assert_allclose(table.reset(seed=0)[0][0], [*scaled[0], 1.0], rtol=1e-12)
    with pytest.raises(ValueError, match="has no column 'prize'; did you mean price"):
        make(data=(frame, "prize"))


@pytest.mark.parametrize("order", ["shuffled", "chronological"])
def test_given_rows_keep_the_contract(order):
    check_env(ID, data=own_rows(60), order=order)
    env = gymnasium.make(ID, data=own_rows(60), order=order)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # predictions have no bounds
        gymnasiums_check_env(env.unwrapped)
