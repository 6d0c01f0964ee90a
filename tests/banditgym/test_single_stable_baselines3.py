"""The canonical forms of stable-baselines3, which asks for pictures that it may never draw."""

import warnings

import gymnasium
import numpy as np
import pytest

import banditgym
from banditgym.rounds.kinds import POINT

SMALL = {"n_steps": 16, "batch_size": 8, "n_epochs": 1, "seed": 0, "device": "cpu"}


@pytest.fixture
def sb3():
    return pytest.importorskip("stable_baselines3", reason="needs stable-baselines3")


def test_a_policy_and_an_id_are_enough(sb3):
    sb3.PPO("MlpPolicy", "LinearBandit-v0", **SMALL).learn(32)


@pytest.mark.parametrize(
    ("policy", "env_id", "settings", "wrapper"),
    [
        ("MlpPolicy", "LinearBandit-v0", {"n_arms": 3, "dim": 2}, None),
        ("MlpPolicy", "ArmedBandit-v0", {}, None),
        ("MlpPolicy", "SynSep-v0", {"sparse": False}, None),
        ("MlpPolicy", "BallBandit-v0", {"dim": 3}, banditgym.BoxActions),
        ("MlpPolicy", "EllipsoidBandit-v0", {"axes": [0.5, 2.0]}, banditgym.BoxActions),
        ("MultiInputPolicy", "NewsReplay-v0", {"data": "R6B"}, None),
    ],
)
def test_make_vec_env_and_a_policy_learn(sb3, policy, env_id, settings, wrapper):
    from stable_baselines3.common.env_util import make_vec_env

    envs = make_vec_env(env_id, n_envs=2, env_kwargs=settings, wrapper_class=wrapper)
    model = sb3.PPO(policy, envs, **SMALL)
    if env_id != "NewsReplay-v0":  # a policy without masks plays empty slots
        model.learn(64)
    else:
        masks = np.stack(envs.env_method("action_masks"))
        assert masks.dtype == bool
        assert masks.shape == (2, envs.action_space.n)


# What the library's checker refuses, with its reason and the settings with which it does not.
REFUSED = {
    "OnlineRegression-v0": ("Continuous action space must have a finite lower", {"bound": 1.0}),
}


@pytest.mark.parametrize("env_id", sorted(banditgym.ENVIRONMENTS))
def test_the_librarys_checker_passes_where_actions_have_bounds(sb3, env_id):
    from stable_baselines3.common.env_checker import check_env

    def checked(**settings):
        env = gymnasium.make(env_id, horizon=20, **settings)
        points = env.unwrapped.task.plays is POINT
        with warnings.catch_warnings():
            warnings.filterwarnings("ignore", message=".*unconventional shape")
            warnings.filterwarnings("ignore", message=".*symmetric and normalized Box")
            warnings.filterwarnings("ignore", message=".*recommend using np.float32")
            check_env(banditgym.BoxActions(env) if points else env)

    if env_id in REFUSED:
        reason, settings = REFUSED[env_id]
        with pytest.raises(AssertionError, match=reason):
            checked()
        checked(**settings)
    else:
        checked()


@pytest.mark.parametrize("env_id", sorted(banditgym.ENVIRONMENTS))
def test_an_unknown_setting_is_a_type_error_and_none_is_no_render_mode(env_id):
    if env_id in ("Reuters4-v0", "MulticlassBandit-v0"):  # they need data
        with pytest.raises(TypeError, match="no setting 'render_mode'"):
            gymnasium.make_vec(env_id, render_mode="ansi")
        return
    gymnasium.make(env_id, render_mode=None)
    gymnasium.make_vec(env_id, num_envs=2, render_mode=None)
    for wrong in ({"colour": 1}, {"render_mode": "human"}):
        with pytest.raises(TypeError, match=f"has no setting '{next(iter(wrong))}'"):
            gymnasium.make_vec(env_id, num_envs=2, **wrong)


def test_masks_are_those_of_the_round():
    env = gymnasium.make("NewsReplay-v0", n_arms=25)
    observation, _ = env.reset(seed=0)
    for _ in range(5):
        masks = env.unwrapped.action_masks()
        np.testing.assert_array_equal(masks, observation["action_mask"] == 1)
        assert 0 < masks.sum() < 25
        observation, *_ = env.step(int(np.flatnonzero(masks)[0]))
    plain = gymnasium.make("ArmedBandit-v0", n_arms=3).unwrapped
    np.testing.assert_array_equal(plain.action_masks(), [True] * 3)
    with pytest.raises(ValueError, match="only arms and labels have masks"):
        gymnasium.make("BallBandit-v0").unwrapped.action_masks()
