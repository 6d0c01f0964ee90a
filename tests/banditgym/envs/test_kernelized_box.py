"""KernelBandit on a box against a plain recomputation, and what it refuses."""

import pickle

import gymnasium
import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env as gymnasiums_check_env

import banditgym  # noqa: F401 (registers the environments)
from banditgym.action_sets import Box
from banditgym.check import check_env
from banditgym.envs.noise import Noise, unit_noise
from banditgym.functions.box_functions import ALLOWANCE, box_function
from banditgym.functions.covariances import RBF, Linear
from banditgym.functions.standard_functions import OBJECTIVES
from banditgym.rounds.kinds import NOTHING, POINT, REWARD
from banditgym.streams import ENVIRONMENT, Stream
from banditgym.tasks import BEST_ACTION
from banditgym.validation import brief
from banditgym.vector_env import NOISE, THETA


def make(n=3, **settings):
    return gymnasium.make_vec("KernelBandit-v0", num_envs=n, arms="box", **settings)


@pytest.mark.parametrize(
    "settings",
    [
        {"dim": 1, "noise_std": 0.5},
        {"function": "rkhs", "param_norm": 2.0, "noise": "student_t", "noise_df": 5.0},
        {"function": "hartmann6", "noise": "uniform"},
        {"dim": 4, "covariance": Linear(variance=2.0), "noise_std": 0.0},
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
    name = settings.get("function", "gp")
    function = box_function(name, task.covariance, task.dim, task.param_norm)
    envs.reset(seed=seeds)
    for episode in range(3):
        if episode:
            envs.step(np.zeros((3, task.dim)))
        function.draw(Stream(seeds, ENVIRONMENT, THETA, episode))
        keys = Stream(seeds, ENVIRONMENT, NOISE, episode).keys
        best_play, summed = np.full(3, np.inf), np.zeros(3)
        for t in range(horizon):
            points = rng.random((3, task.dim))
            means = function.values(points)
            noise = np.empty(3)
            unit_noise(law.code, law.df, keys, t, noise)
            observation, reward, _, _, info = envs.step(points)
            np.testing.assert_array_equal(observation, np.zeros(3, np.int64))
            np.testing.assert_allclose(reward, means + law.scale * noise, rtol=0, atol=1e-12)
            np.testing.assert_allclose(info["regret"], function.best - means, rtol=0, atol=1e-12)
            summed += info["simple_regret"]
            best_play = np.minimum(best_play, function.best - means)
            np.testing.assert_allclose(summed, best_play, rtol=0, atol=1e-9)


def test_points_a_little_outside_are_played_as_the_nearest_point():
    envs = make(1, function="branin", noise_std=0.0)
    envs.reset(seed=0)
    paid = [envs.step([x])[1][0] for x in ([1.0, 0.0], [1 + 9e-10, -9e-10])]
    assert paid[0] == paid[1]
    for x in ([1 + 2e-9, 0.5], [0.5, -1e-8], [np.nan, 0.5]):
        with pytest.raises(ValueError, match="point"):
            envs.step([x])


def test_regret_is_the_allowance_at_the_best_point_and_never_negative():
    envs = make(3, function="branin", noise_std=0.0)
    envs.reset(seed=0)
    best = np.clip(OBJECTIVES["branin"].maximisers(2), 0, 1)
    regret = envs.step(best)[4]["regret"]
    assert (regret >= 0).all()
    assert (regret <= 2 * ALLOWANCE).all()


def test_what_agents_may_know():
    assert vars(make(covariance=RBF(length_scale=0.5)).unwrapped.task) == {
        "feedback": None,
        "arms_vary": None,
        "n_arms": None, "dim": 2, "horizon": 1000, "noise_std": 0.1, "subgaussian": 0.1,
        "covariance": RBF(length_scale=0.5), "param_norm": 1.0, "fixed_arms": True, "arms": None,
        "action_set": Box(2),
    }  # fmt: skip
    task = make(function="hartmann3").unwrapped.task
    assert (task.plays, task.observes, task.reveals) == (POINT, NOTHING, REWARD)
    assert task.regret == BEST_ACTION
    assert make(dim=1).single_action_space == gymnasium.spaces.Box(0.0, 1.0, (1,), np.float64)


@pytest.mark.parametrize(
    "settings",
    [
        {"dim": 1, "covariance": {"kind": "rbf", "length_scale": 1.0}},
        {"function": "rkhs", "param_norm": 2.0},
        {"function": "branin", "noise": "student_t"},
        {"covariance": {"kind": "linear"}, "dim": 3, "noise_std": 0.0},
    ],
    ids=brief,
)
def test_the_promises_of_environments_are_kept(settings):
    check_env("KernelBandit-v0", arms="box", **settings)


def test_gymnasiums_own_checker_is_content():
    env = gymnasium.make("KernelBandit-v0", arms="box", horizon=20, function="branin")
    gymnasiums_check_env(env.unwrapped)


@pytest.mark.filterwarnings("ignore::UserWarning")  # it asks for boxes around 0
def test_stable_baselines3s_checker_passes():
    checker = pytest.importorskip(
        "stable_baselines3.common.env_checker", reason="needs stable-baselines3"
    )
    checker.check_env(gymnasium.make("KernelBandit-v0", arms="box", function="branin", horizon=20))


def test_another_process_goes_on_alike():
    envs = make(2, function="rkhs").unwrapped
    envs.reset(seed=0)
    envs.step([[0.1, 0.2], [0.3, 0.4]])
    twin = pickle.loads(pickle.dumps(envs))
    for _ in range(4):
        ours, theirs = (each.step([[0.5, 0.2], [0.3, 0.9]]) for each in (envs, twin))
        np.testing.assert_array_equal(ours[1], theirs[1])


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"n_arms": 10}, "n_arms has no meaning where arms are a box"),
        ({"fixed_arms": False, "function": "rkhs"}, "arms have no meaning where fixed_arms"),
        ({"data": "diabetes"}, "function, arms and fixed_arms have no meaning where"),
        ({"dim": 4}, "needs dim <= 3"),
        ({"covariance": {"kind": "matern", "nu": 0.5}}, "with nu 0.5 it has no derivative"),
        ({"function": "branin", "dim": 3}, "dim is 3, but branin is a function of 2"),
        ({"arms": "bxo"}, "arms must be one of uniform, grid, sobol, box, .*did you mean box?"),
    ],
    ids=brief,
)
def test_bad_settings_are_refused_in_a_line(settings, message):
    with pytest.raises(ValueError, match=message) as caught:
        gymnasium.make_vec("KernelBandit-v0", num_envs=1, **{"arms": "box"} | settings)
    assert "\n" not in str(caught.value)
