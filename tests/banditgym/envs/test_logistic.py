"""LogisticBandit against a plain recomputation from LinearBandit's features and parameter."""

import gymnasium
import numpy as np
import pytest
from scipy import special

import banditgym  # noqa: F401 (registers the environments)
from banditgym.check import check_env
from banditgym.streams import ENVIRONMENT, Stream
from banditgym.tasks import BEST_ARM, LinearTask, LogisticTask
from banditgym.vector_env import NOISE, UnknownSettingError

ROWS = np.array([[1.0, -2.0], [0.5, 1e-3], [3.0, 4.0]])


def make(n=3, env_id="LogisticBandit-v0", **settings):
    return gymnasium.make_vec(env_id, num_envs=n, **settings)


@pytest.mark.parametrize(
    "settings",
    [
        {"n_arms": 4, "dim": 3, "param_norm": 5.0},
        {"n_arms": 4, "dim": 2, "contexts": "gaussian", "feature_norm": 3.0},
        {"n_arms": 6, "dim": 3, "fixed_arms": True, "param_norm": 9.0},
        {"arms": ROWS, "param_norm": 0.5},
        {"arms": ROWS, "theta": np.array([0.1, -0.2])},
        {"arms": ROWS, "theta": np.array([400.0, -200.0])},  # means of 1, as float64
        {"n_arms": 4, "dim": 3, "param_norm": 5.0, "parameters": "per_arm"},
    ],
)
def test_rewards_and_regret_are_those_of_the_definition(settings):
    """Without noise a linear bandit's rewards are the scores, one arm's in each replicate."""
    n_arms = settings.get("n_arms", 3)
    seeds, horizon, rng = [7] * n_arms, 30, np.random.default_rng(0)
    envs = make(n_arms, horizon=horizon, **settings)
    linear = make(n_arms, "LinearBandit-v0", horizon=horizon, noise_std=0.0, **settings)
    features, shown = envs.reset(seed=seeds)[0], linear.reset(seed=seeds)[0]
    uniforms = Stream(seeds, ENVIRONMENT, NOISE, 0)
    for t in range(horizon):
        np.testing.assert_array_equal(features, shown)
        shown, scores, *_ = linear.step(np.arange(n_arms))
        means, arms = special.expit(scores), rng.integers(n_arms, size=n_arms)
        features, reward, *_, info = envs.step(arms)
        expected = uniforms.uniform(t, (1,))[:, 0] < means[arms]
        np.testing.assert_array_equal(reward, expected)
        np.testing.assert_allclose(info["regret"], means.max() - means[arms], rtol=0, atol=1e-14)
        assert (info["regret"] >= 0).all()
        assert (info["regret"][arms == scores.argmax()] == 0.0).all()


def test_rewards_have_their_means():
    envs = make(20_000, arms=ROWS, theta=[0.7, -0.4])
    envs.reset(seed=0)
    for arm, mean in enumerate(special.expit(ROWS @ [0.7, -0.4])):
        reward = envs.step(np.full(20_000, arm))[1]
        assert set(reward) == {0.0, 1.0}
        assert abs(reward.mean() - mean) < 5 * 0.5 / 20_000**0.5  # five standard deviations


def test_what_agents_may_know():
    task = make(param_norm=4.0).unwrapped.task
    assert isinstance(task, LogisticTask)
    assert isinstance(task, LinearTask)
    assert (task.family, task.regret, task.never_negative) == ("logistic", BEST_ARM, True)
    assert vars(task) == {
        "feedback": None, "arms_vary": None,
        "n_arms": 10, "dim": 5, "horizon": 1000, "noise_std": None, "subgaussian": 0.5,
        "feature_norm": 1.0, "param_norm": 4.0, "fixed_arms": False, "arms": None,
        "context_dim": None,
    }  # fmt: skip
    assert task.fault() is None


@pytest.mark.parametrize("name", ["noise", "noise_std", "noise_df"])
def test_it_has_no_noise_to_set(name):
    with pytest.raises(UnknownSettingError, match=f"LogisticBandit has no setting '{name}'"):
        make(**{name: 0.1})


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"n_arms": 0}, "n_arms must be an integer >= 1, got 0"),
        ({"param_norm": -1}, "param_norm must be finite and >= 0, got -1"),
        ({"theta": [1.0, 2.0]}, r"theta must be of shape \(5,\), got \(2,\)"),
        ({"arms": ROWS, "contexts": "gaussian"}, "contexts have no meaning where arms are given"),
    ],
)
def test_bad_settings_are_refused(settings, message):
    with pytest.raises(ValueError, match=message):
        make(**settings)


@pytest.mark.parametrize(
    "settings",
    [
        {"param_norm": 5.0},
        {"param_norm": 40.0, "fixed_arms": True},
        {"arms": ROWS, "theta": [300.0, 300.0]},
        {"available": [[0, [0, 1, 2]], [5, [1, 2, 3]]]},
        {"parameters": "per_arm", "param_norm": 5.0},
    ],
)
def test_it_keeps_the_contract(settings):
    check_env("LogisticBandit-v0", **settings)
