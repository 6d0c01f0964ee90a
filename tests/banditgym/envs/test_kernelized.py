"""KernelBandit against a plain recomputation, the laws of what it draws, and what it refuses."""

import itertools
import math
import pickle

import gymnasium
import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env as gymnasiums_check_env
from scipy import stats
from scipy.stats import qmc

import banditgym  # noqa: F401 (registers the environments)
from banditgym.check import check_env
from banditgym.envs.noise import Noise, unit_noise
from banditgym.functions import gaussian_process
from banditgym.functions.covariances import RBF, Linear, Matern
from banditgym.functions.gaussian_process import JITTER
from banditgym.functions.standard_functions import OBJECTIVES
from banditgym.rounds import kinds
from banditgym.streams import ENVIRONMENT, Stream
from banditgym.tasks import BEST_ARM
from banditgym.validation import brief
from banditgym.vector_env import ARMS, CONTEXTS, NOISE, THETA

POINTS = np.array([[1.0, -2.0], [0.5, 1e-3], [3.0, 4.0], [0.5, 1e-3]])
DATA = (np.array([[3.0, 5.0], [-1.0, 5.0], [0.0, 5.0], [0.0, 5.0]]), np.array([2.0, 8.0, 5.0, 1.0]))
ROUGH = {"kind": "matern", "nu": 0.5, "length_scale": 0.4, "variance": 3.0}


def make(n=3, **settings):
    return gymnasium.make_vec("KernelBandit-v0", num_envs=n, **settings)


def plain_function(settings, task, seed, episode):
    """One replicate's f on points (m, d), or at the arms where they are None, by numpy."""
    name, covariance = settings.get("function", "gp"), task.covariance
    hidden = Stream([seed], ENVIRONMENT, THETA, episode)
    if name == "rkhs":
        alpha = hidden.normal(0, (50,))[0]
        if task.fixed_arms:
            picked = hidden.uniform(1, (50,))[0] * task.n_arms
            centres = np.array([task.arms[int(j)] for j in picked])
        else:
            centres = hidden.uniform(1, (50, task.dim))[0]
        norm = math.sqrt(alpha @ covariance(centres, centres) @ alpha)
        alpha *= task.param_norm / norm
        return lambda points: covariance(points, centres) @ alpha
    if name == "gp" and "data" not in settings:
        normals = hidden.normal(0, (task.dim if isinstance(covariance, Linear) else task.n_arms,))
        if isinstance(covariance, Linear):
            return lambda points: math.sqrt(covariance.variance) * points @ normals[0]
        gram = covariance(task.arms, task.arms)
        gram += JITTER * covariance.variance * np.eye(task.n_arms)
        return lambda points: np.linalg.cholesky(gram) @ normals[0]
    if name == "gp":
        values, over = np.array(settings["data"][1]), np.array(settings["data"][1])
        return lambda points: (values - over.mean()) / over.std()
    function = OBJECTIVES[name]
    if task.fixed_arms:
        over = function(task.arms)
    else:
        over = function(qmc.Sobol(task.dim, scramble=False).random_base2(14))
    return lambda points: (function(points) - over.mean()) / over.std()


@pytest.mark.parametrize(
    "settings",
    [
        {"n_arms": 7, "dim": 3, "noise_std": 0.5},
        {"n_arms": 16, "arms": "grid", "covariance": ROUGH, "noise": "student_t", "noise_df": 5.0},
        {"n_arms": 5, "dim": 4, "covariance": Linear(variance=2.0), "noise": "uniform"},
        {"arms": POINTS, "covariance": Matern(nu=1.5, length_scale=1.0), "noise_std": 0.0},
        {"n_arms": 6, "dim": 2, "function": "rkhs", "param_norm": 2.5, "covariance": ROUGH},
        {"arms": POINTS, "function": "rkhs", "covariance": Linear(), "noise": "rademacher"},
        {"n_arms": 5, "dim": 20, "function": "rkhs", "arms": "sobol"},
        {"n_arms": 9, "function": "branin", "arms": "grid"},
        {"n_arms": 8, "function": "hartmann6", "arms": "sobol", "arms_seed": 5},
        {"n_arms": 6, "function": "michalewicz", "dim": 5},
        {"data": DATA, "noise_std": 2.0},
        {"n_arms": 6, "function": "rkhs", "dim": 3, "fixed_arms": False, "covariance": ROUGH},
        {"n_arms": 6, "function": "rkhs", "fixed_arms": False, "covariance": {"kind": "linear"}},
        {"n_arms": 6, "function": "eggholder", "fixed_arms": False, "noise": "uniform"},
        {"n_arms": 4, "function": "ackley", "dim": 7, "fixed_arms": False},
        {"n_arms": 1, "dim": 1},
    ],
    ids=brief,
)
def test_rewards_and_regrets_are_those_of_the_definition(settings):
    seeds, horizon = [3, 2**70, 0], 6
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
        functions = [plain_function(settings, task, seed, episode) for seed in seeds]
        keys = Stream(seeds, ENVIRONMENT, NOISE, episode).keys
        best_play, summed = np.full(3, np.inf), np.zeros(3)
        for t in range(horizon):
            shown = observation
            if not task.fixed_arms:
                draws = Stream(seeds, ENVIRONMENT, CONTEXTS, episode).uniform(
                    t, (task.dim, task.n_arms)
                )
                np.testing.assert_array_equal(shown, draws.transpose(0, 2, 1))
            points = [task.arms if task.fixed_arms else shown[i] for i in range(3)]
            means = np.array([f(x) for f, x in zip(functions, points, strict=True)])
            arms = rng.integers(task.n_arms, size=3)
            chosen = means[range(3), arms]
            noise = np.empty(3)
            unit_noise(law.code, law.df, keys, t, noise)
            observation, reward, _, _, info = envs.step(arms)
            # The plain factor of a Gram matrix is LAPACK's too, but by another routine.
            np.testing.assert_allclose(reward, chosen + law.scale * noise, rtol=0, atol=1e-9)
            np.testing.assert_allclose(info["regret"], means.max(axis=1) - chosen, atol=1e-9)
            assert (info["regret"] >= 0).all()
            assert (info["regret"][arms == means.argmax(axis=1)] == 0.0).all()
            assert ("simple_regret" in info) == task.fixed_arms
            if task.fixed_arms:
                summed += info["simple_regret"]
                best_play = np.minimum(best_play, means.max(axis=1) - chosen)
                np.testing.assert_allclose(summed, best_play, rtol=0, atol=1e-9)


def values_of(envs, seed=0):
    """The values (n, K) of f at the arms, of an environment without noise."""
    envs.reset(seed=seed)
    n, n_arms = envs.num_envs, envs.unwrapped.task.n_arms
    return np.column_stack([envs.step(np.full(n, k))[1] for k in range(n_arms)])


def test_the_process_has_its_covariance_over_replicates_and_over_episodes():
    covariance = Matern(nu=0.5, length_scale=0.3, variance=2.0)
    x = np.array([[0.0], [0.1], [0.7]])
    whiten = np.linalg.inv(np.linalg.cholesky(covariance(x, x)))
    envs = make(4000, arms=x, covariance=covariance, noise_std=0.0, horizon=3)
    replicates = values_of(envs)
    envs = make(20, arms=x, covariance=covariance, noise_std=0.0, horizon=3)
    episodes = [values_of(envs)]
    for _ in range(199):
        envs.step(np.zeros(20, int))
        episodes.append(np.column_stack([envs.step(np.full(20, k))[1] for k in range(3)]))
    for values in (replicates, np.concatenate(episodes)):
        white = whiten @ values.T  # (3, 4000), standard normal and independent
        for coordinate in white:
            assert stats.kstest(coordinate, stats.norm.cdf).pvalue > 1e-4
        # An entry of the mean of z z^T has a variance of 2 / 4000 at most.
        assert np.abs(white @ white.T / 4000 - np.eye(3)).max() < 5 * (2 / 4000) ** 0.5


def test_what_is_hidden_shares_no_numbers_with_arms_noise_or_random_features(monkeypatch):
    n = 1000  # what is shared has correlations near 1
    settings = {"n_arms": 2, "dim": 2, "covariance": RBF(length_scale=1e-3), "noise_std": 1.0}
    envs = make(n, **settings)
    envs.reset(seed=0)
    arms = np.arange(n) % 2
    _, reward, *_ = envs.step(arms)
    f = Stream(range(n), ENVIRONMENT, THETA, 0).normal(0, (2,))  # far points are independent
    noise = reward - f[range(n), arms]
    assert abs(noise.std() - 1) < 5 * (0.5 / n) ** 0.5
    shown = np.array(
        [make(1, arms_seed=s, **settings).unwrapped.task.arms.ravel() for s in range(n)]
    )
    columns = np.column_stack([f, noise, shown])
    assert np.abs(np.corrcoef(columns.T) - np.eye(7)).max() < 5 / n**0.5
    # Frequencies of random features are neither f's weights nor what the arms are made of.
    seen = []
    spectral_frequencies = gaussian_process.spectral_frequencies

    def spy(covariance, normals):
        seen.append(normals)
        return spectral_frequencies(covariance, normals)

    monkeypatch.setattr(gaussian_process, "EXACT_POINTS", 1)
    monkeypatch.setattr(gaussian_process, "spectral_frequencies", spy)
    make(1, n_arms=2).reset(seed=0)
    others = [Stream([0], ENVIRONMENT, p, 0).normal(0, (2048, 2))[0] for p in (THETA, ARMS, NOISE)]
    for other in others:
        assert abs(np.corrcoef(seen[0].ravel(), other.ravel())[0, 1]) < 5 / 4096**0.5


@pytest.mark.parametrize("function", ["gp", "rkhs"])
def test_a_function_is_a_replicates_and_an_episodes_own(function):
    envs = make(3, n_arms=4, function=function, noise_std=0.0, horizon=4)
    first = values_of(envs)
    envs.step([0, 0, 0])
    second = np.column_stack([envs.step([k, k, k])[1] for k in range(4)])
    rows = np.concatenate([first, second])
    assert len({row.tobytes() for row in rows}) == 6
    np.testing.assert_array_equal(
        values_of(make(1, n_arms=4, function=function, noise_std=0.0)), first[:1]
    )


@pytest.mark.parametrize(
    "settings",
    [
        {"function": "hartmann3", "n_arms": 50},
        {"function": "ackley", "n_arms": 49, "arms": "grid"},
        {"data": "diabetes"},
    ],
    ids=brief,
)
def test_test_functions_and_data_are_one_standardised_function(settings):
    envs = make(2, noise_std=0.0, **settings)
    values = values_of(envs)
    np.testing.assert_array_equal(values[0], values[1])
    assert abs(values[0].mean()) < 1e-12
    assert values[0].std() == pytest.approx(1.0, rel=1e-12)


def test_functions_are_to_be_maximised():
    # Branin's third optimum, of which a grid has none, among points.
    points = np.concatenate([np.random.default_rng(0).random((20, 2)), [[0.96166, 0.165]]])
    envs = make(1, arms=points, function="branin", noise_std=0.0)
    values = values_of(envs)
    assert values.argmax() == 20
    assert envs.unwrapped.task.n_arms == 21


def test_changing_arms_see_a_test_function_of_mean_0_and_deviation_1():
    # 50 * 2000 uniform points: the standard error of the mean is 0.0032, of the deviation less
    # than 0.01 as long as the kurtosis is below 40.
    envs = make(50, n_arms=2000, function="branin", fixed_arms=False, noise_std=0.0)
    observation, _ = envs.reset(seed=0)
    f = plain_function({"function": "branin"}, envs.unwrapped.task, 0, 0)
    values = f(observation.reshape(-1, 2))
    assert abs(values.mean()) < 5 * 0.0032
    assert abs(values.std() - 1) < 0.05


@pytest.mark.parametrize("fixed_arms", [True, False])
def test_the_norm_is_exactly_the_stated_one(fixed_arms):
    # By the reproducing property: among functions that agree with f at the centres, f is the one of
    # least norm, sqrt(f(c)^T k(c, c)^-1 f(c)).
    covariance = Matern(nu=0.5, length_scale=0.5, variance=2.0)
    envs = make(
        5, n_arms=30, function="rkhs", covariance=covariance, param_norm=3.0, noise_std=0.0,
        fixed_arms=fixed_arms,
    )  # fmt: skip
    task = envs.unwrapped.task
    assert task.param_norm == 3.0
    if fixed_arms:  # the centres are among the arms
        gram = covariance(task.arms, task.arms)
        for values in values_of(envs):
            assert math.sqrt(values @ np.linalg.solve(gram, values)) == pytest.approx(3.0, rel=1e-9)
        return
    observation, _ = envs.reset(seed=0)
    for _ in range(20):  # no points show more of the norm than there is
        shown = observation.copy()
        observation, reward, *_ = envs.step(np.arange(5))
        for i in range(5):
            f = plain_function({"function": "rkhs"}, task, i, 0)
            assert f(shown[i])[i] == pytest.approx(reward[i], abs=1e-12)
            values = f(shown[i])
            norm = math.sqrt(values @ np.linalg.solve(covariance(shown[i], shown[i]), values))
            assert norm <= 3.0 * (1 + 1e-9)


def test_arms_are_shared_known_and_read_only():
    envs = make(3, n_arms=5, dim=2)
    task = envs.unwrapped.task
    np.testing.assert_array_equal(
        task.arms, Stream([0], ENVIRONMENT, ARMS, 0).uniform(0, (5, 2))[0]
    )
    kept = task.arms.copy()
    for seed in (0, 1):
        observation, _ = envs.reset(seed=seed)
        np.testing.assert_array_equal(observation, np.zeros(3, np.int64))
        observation, *_ = envs.step([0, 1, 2])
        np.testing.assert_array_equal(observation, np.zeros(3, np.int64))
        assert envs.unwrapped.task.arms is task.arms
    np.testing.assert_array_equal(task.arms, kept)
    with pytest.raises(ValueError, match="read-only"):
        task.arms[0] = 7.0
    other = make(n_arms=5, dim=2, arms_seed=1).unwrapped.task.arms
    assert not np.isclose(other, task.arms).any()


def test_arms_come_from_grids_sobol_points_arrays_and_files(tmp_path):
    def arms(**settings):
        return make(**settings).unwrapped.task.arms

    numbers = np.linspace(0, 1, 4)
    grid = list(itertools.product(numbers, numbers))
    np.testing.assert_allclose(arms(arms="grid", n_arms=16), grid, atol=1e-15)
    shift = Stream([3], ENVIRONMENT, ARMS, 0).uniform(0, (2,))
    plain = qmc.Sobol(2, scramble=False).random_base2(3)
    found = arms(arms="sobol", n_arms=8, arms_seed=3)
    np.testing.assert_allclose(found, (plain + shift) % 1, atol=1e-15)
    np.save(tmp_path / "arms.npy", POINTS)
    np.savetxt(tmp_path / "arms.csv", POINTS, delimiter=",")
    for given in (POINTS, POINTS.tolist(), tmp_path / "arms.npy", str(tmp_path / "arms.csv")):
        np.testing.assert_array_equal(arms(arms=given, n_arms=4, dim=2), POINTS)
    given = POINTS.copy()
    envs = make(arms=given)
    given[:] = 0.0
    np.testing.assert_array_equal(envs.unwrapped.task.arms, POINTS)


def test_rows_of_data_are_arms_in_the_unit_cube(tmp_path):
    expected = np.array([[1.0, 0.0], [0.0, 0.0], [0.25, 0.0], [0.25, 0.0]])
    target = (DATA[1] - 4.0) / DATA[1].std()
    np.savetxt(
        tmp_path / "a.csv", np.column_stack(DATA), delimiter=",", header="a,b,c", comments=""
    )
    lines = [f"{y} 1:{x[0]} 2:{x[1]}" for x, y in zip(*DATA, strict=True)]
    (tmp_path / "a.svm").write_text("\n".join(lines))
    for data in (DATA, list(DATA), tmp_path / "a.csv", str(tmp_path / "a.svm")):
        envs = make(2, data=data, noise_std=0.0)
        task = envs.unwrapped.task
        assert (task.n_arms, task.dim) == (4, 2)
        np.testing.assert_array_equal(task.arms, expected)
        np.testing.assert_allclose(values_of(envs), np.tile(target, (2, 1)), rtol=1e-12)


def test_what_agents_may_know():
    told = vars(make().unwrapped.task)
    assert told.pop("arms").shape == (100, 2)
    assert told == {
        "feedback": None,
        "arms_vary": None,
        "n_arms": 100, "dim": 2, "horizon": 1000, "noise_std": 0.1, "subgaussian": 0.1,
        "covariance": RBF(length_scale=0.2, variance=1.0), "param_norm": 1.0, "fixed_arms": True,
        "action_set": None,
    }  # fmt: skip
    task = make(
        n_arms=4, horizon=7, noise="student_t", noise_std=2, function="hartmann6",
        fixed_arms=False, param_norm=5, covariance=ROUGH,
    ).unwrapped.task  # fmt: skip
    assert vars(task) == {
        "feedback": None,
        "arms_vary": None,
        "n_arms": 4, "dim": 6, "horizon": 7, "noise_std": 2.0, "subgaussian": None,
        "covariance": Matern(nu=0.5, length_scale=0.4, variance=3.0), "param_norm": 5.0,
        "fixed_arms": False, "arms": None, "action_set": None,
    }  # fmt: skip
    assert task.regret == BEST_ARM
    assert (task.observes, make().unwrapped.task.observes) == (kinds.ARMS, kinds.NOTHING)


def test_spaces_and_layout():
    fixed = make(n_arms=3)
    assert fixed.single_observation_space == gymnasium.spaces.Discrete(1)
    assert fixed.single_action_space == gymnasium.spaces.Discrete(3)
    envs = make(n_arms=3, dim=4, function="ackley", fixed_arms=False, horizon=300)
    box = gymnasium.spaces.Box(0.0, 1.0, (3, 4), np.float64)
    assert envs.single_observation_space == box
    observation, _ = envs.reset(seed=0)
    seen = []
    for _ in range(300):
        assert observation in envs.observation_space
        assert observation.transpose(0, 2, 1).flags.c_contiguous
        seen.append(observation.copy())
        observation = envs.step([0, 1, 2])[0]
    flat = np.array(seen).reshape(-1, 4)  # uniform on the cube, each round anew
    for coordinate in flat.T:
        assert stats.kstest(coordinate, stats.uniform.cdf).pvalue > 1e-4
    assert np.abs(np.corrcoef(flat.T) - np.eye(4)).max() < 5 / len(flat) ** 0.5


def test_starvation_is_a_quick_function_on_a_fine_grid():
    task = gymnasium.make("StarvationBandit-v0").unwrapped.task
    np.testing.assert_array_equal(task.arms, np.linspace(0, 1, 1000)[:, None])
    lags = np.array([[0.0], [0.05], [0.1], [0.3]])
    expected = np.exp(-100 * lags[:, 0] ** 2)
    np.testing.assert_allclose(task.covariance(lags, lags[:1])[:, 0], expected, rtol=1e-12)
    few = gymnasium.make("StarvationBandit-v0", n_arms=50).unwrapped.task
    assert few.arms.shape == (50, 1)


def test_more_than_5000_arms_are_drawn_by_random_features():
    settings = {"n_arms": 5001, "dim": 1, "arms": "grid", "noise_std": 0.0}
    envs = make(40, **settings)
    envs.reset(seed=0)
    pair = [np.array([envs.step(np.full(40, k))[1] for k in (0, j)]) for j in (1, 1000)]
    # Neighbours are as good as equal: 1 - k is 5e-7, a deviation of 1e-3 of the difference.
    assert np.abs(np.diff(pair[0], axis=0)).max() < 5e-3
    # k is exp(-1/2) at a distance of a length-scale: the difference has a variance of 0.79, of
    # whose 40 squares the mean has a relative deviation of sqrt(2 / 40).
    square = (np.diff(pair[1], axis=0) ** 2).mean() / (2 - 2 * math.exp(-0.5))
    assert abs(square - 1) < 4 * (2 / 40) ** 0.5
    other = make(1, arms_seed=1, **settings)  # other features under the same weights
    other.reset(seed=0)
    assert abs(other.step([1000])[1][0] - pair[1][1, 0]) > 1e-3


@pytest.mark.parametrize(
    "settings",
    [
        {"n_arms": 1},
        {"n_arms": 1, "arms": "grid", "dim": 3},
        {"n_arms": 1, "function": "branin"},
        {"arms": np.full((6, 2), 0.4)},
        {"arms": np.full((6, 2), 0.4), "function": "ackley"},
        {"arms": np.zeros((6, 2)), "covariance": Linear()},
        {"arms": np.zeros((6, 2)), "covariance": Linear(), "function": "rkhs"},
        {"function": "rkhs", "param_norm": 0.0},
        {"data": (np.eye(3), np.full(3, 0.1))},
        {"data": (np.eye(2), [1e308, -1e308])},
        {"data": ([[1.0]], [7.0])},
        {"n_arms": 64, "dim": 20, "function": "rkhs", "arms": "sobol"},
        {"n_arms": 64, "dim": 20, "function": "michalewicz"},
        {"n_arms": 64, "dim": 20, "covariance": {"kind": "rbf", "length_scale": 1e3}},
    ],
    ids=brief,
)
def test_odd_environments_are_sound(settings):
    envs = make(4, noise_std=0.0, **settings)
    values = values_of(envs)
    assert np.isfinite(values).all()
    if np.ptp(values) == 0:
        assert not envs.step([0] * 4)[4]["regret"].any()


@pytest.mark.parametrize(
    "settings",
    [
        {"n_arms": 1, "function": "branin"},
        {"arms": np.full((6, 2), 0.4), "function": "ackley"},
        {"data": (np.eye(3), np.full(3, 0.1))},
    ],
    ids=brief,
)
def test_what_is_constant_becomes_0(settings):
    np.testing.assert_array_equal(values_of(make(2, noise_std=0.0, **settings)), 0.0)


@pytest.mark.parametrize(
    "settings",
    [
        {"n_arms": 12, "noise": "student_t"},
        {"n_arms": 4, "arms": "grid", "covariance": ROUGH, "noise_std": 0.0},
        {"arms": POINTS, "covariance": {"kind": "linear"}},
        {"n_arms": 9, "function": "rkhs", "param_norm": 2.0},
        {"n_arms": 9, "function": "hartmann3", "arms": "sobol"},
        {"data": DATA},
        {"n_arms": 5, "function": "rkhs", "fixed_arms": False},
        {"n_arms": 1, "function": "eggholder", "fixed_arms": False},
    ],
    ids=brief,
)
def test_the_promises_of_environments_are_kept(settings):
    check_env("KernelBandit-v0", **settings)


@pytest.mark.parametrize("settings", [{"n_arms": 5}, {"function": "branin", "fixed_arms": False}])
def test_another_process_goes_on_alike(settings):
    envs = make(2, **settings).unwrapped
    envs.reset(seed=0)
    envs.step([0, 1])
    twin = pickle.loads(pickle.dumps(envs))
    for _ in range(4):
        ours, theirs = envs.step([1, 2]), twin.step([1, 2])
        for one, other in zip(ours[:2], theirs[:2], strict=True):
            np.testing.assert_array_equal(one, other)


@pytest.mark.parametrize("settings", [{"n_arms": 5}, {"function": "branin", "fixed_arms": False}])
def test_gymnasiums_own_checker_is_content(settings):
    gymnasiums_check_env(gymnasium.make("KernelBandit-v0", horizon=20, **settings).unwrapped)


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"n_arms": 0}, "n_arms must be an integer >= 1, got 0"),
        ({"n_arms": 2.0}, "n_arms must be an integer >= 1, got 2.0"),
        ({"dim": 0}, "dim must be an integer >= 1, got 0"),
        ({"dim": np.nan}, "dim must be an integer >= 1, got nan"),
        ({"noise_std": -1}, "noise_std is a standard deviation .*got -1"),
        ({"noise_std": np.nan}, "noise_std .*got nan"),
        ({"noise": "bernoulli"}, "noise must be one of gaussian, .*got 'bernoulli'"),
        ({"noise": ["gaussian"]}, r"noise must be one of gaussian, .*got \['gaussian'\]"),
        ({"noise": "student_t", "noise_df": 2}, "noise_df must be finite, and > 2 .*got 2"),
        ({"function": "brannin"}, "function must be one of gp, rkhs, branin, .*mean branin?"),
        ({"function": abs}, "function must be one of gp, rkhs.*got <built-in"),
        ({"function": np.array(["gp", "gp"])}, "function must be one of gp, rkhs"),
        ({"covariance": "rfb"}, "unknown covariance 'rfb'; did you mean rbf"),
        ({"covariance": {"kind": "rbff"}}, "unknown covariance 'rbff'; did you mean rbf?"),
        ({"covariance": {"kind": "rbf", "length_scale": -1}}, "length_scale must be .*got -1"),
        ({"arms": "grd"}, "arms must be one of uniform, grid, sobol, .*'grd'; did you mean grid?"),
        ({"arms": "grid", "n_arms": 99}, "of a grid of dim 2 .*the nearest is 100, got 99"),
        ({"arms": "grid", "dim": 3}, "of a grid of dim 3 .*the nearest is 125, got 100"),
        ({"arms": POINTS, "n_arms": 5}, "n_arms is 5, but arms has 4 rows"),
        ({"arms": POINTS, "dim": 3}, "dim is 3, but arms has 2 columns"),
        ({"arms": [1.0, 2.0]}, r"arms must be of shape \(N, d\)"),
        ({"arms": [[np.inf]]}, "arms must be finite, got inf"),
        ({"arms": None}, "arms must be an array of real numbers"),
        ({"arms": POINTS, "function": "branin"}, r"arms of branin must lie in \[0, 1\]\^2"),
        ({"arms": np.eye(3), "function": "branin"}, "dim is 3, but branin is .* of 2 coordinates"),
        ({"arms_seed": -1}, "arms_seed must be an integer >= 0, got -1"),
        ({"arms_seed": 0.5}, "arms_seed must be an integer >= 0, got 0.5"),
        ({"function": "branin", "dim": 3}, "dim is 3, but branin is a function of 2 coordinates"),
        ({"function": "hartmann6", "dim": 2}, "dim is 2, but hartmann6 is a function of 6"),
        ({"param_norm": -1}, "param_norm must be finite and >= 0, got -1"),
        ({"param_norm": np.nan}, "param_norm must be finite and >= 0, got nan"),
        ({"fixed_arms": "no"}, "fixed_arms must be true or false, got 'no'"),
        ({"fixed_arms": False}, "function 'gp' needs fixed arms: f would have to be drawn at"),
        (
            {"fixed_arms": False, "function": "rkhs", "arms": "grid"},
            "arms have no meaning where fixed_arms is false",
        ),
        ({"fixed_arms": False, "function": "rkhs", "arms": POINTS}, "arms have no meaning where"),
        ({"fixed_arms": False, "function": "branin", "dim": 3}, "dim is 3, but branin"),
        ({"data": DATA, "n_arms": 5}, "n_arms is 5, but data has 4 rows"),
        ({"data": DATA, "dim": 3}, "dim is 3, but data has 2 columns"),
        ({"data": DATA, "function": "rkhs"}, "function, arms and fixed_arms have no meaning where"),
        ({"data": DATA, "arms": "grid"}, "function, arms and fixed_arms have no meaning where"),
        ({"data": DATA, "arms": POINTS}, "function, arms and fixed_arms have no meaning where"),
        ({"data": DATA, "fixed_arms": False}, "function, arms and fixed_arms have no meaning"),
        ({"data": DATA[0]}, "data must be diabetes, the path of a file or a pair"),
        ({"data": (DATA[0], DATA[1][:2])}, r"the y of data must be of shape \(4,\)"),
        ({"horizon": 0}, "horizon must be an integer >= 1, got 0"),
    ],
    ids=brief,
)
def test_bad_settings_are_refused_in_a_line(settings, message):
    with pytest.raises(ValueError, match=message) as caught:
        make(**settings)
    assert "\n" not in str(caught.value)


def test_missing_files_are_named(tmp_path):
    with pytest.raises(FileNotFoundError, match="arms: no such file: .*none.npy"):
        make(arms=tmp_path / "none.npy")
    with pytest.raises(FileNotFoundError, match="data: no such file, .*none.csv"):
        make(data=str(tmp_path / "none.csv"))
