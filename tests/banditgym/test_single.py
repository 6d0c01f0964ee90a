"""One replicate: Gymnasium's checker, stable-baselines3's, and Python's own scalars."""

import warnings

import gymnasium
import numpy as np
import pytest
from gymnasium.error import ResetNeeded
from gymnasium.utils.env_checker import check_env

import banditgym  # noqa: F401 (registers the environments)

SETTINGS = [
    ("ArmedBandit-v0", {}),
    ("ArmedBandit-v0", {"means": [1.5, -2.0], "noise": "gaussian", "noise_std": 0.3}),
    ("ArmedBandit-v0", {"n_arms": 1}),
    ("LinearBandit-v0", {}),
    ("LinearBandit-v0", {"contexts": "cube", "noise": "uniform"}),
    ("LinearBandit-v0", {"contexts": np.arange(8.0).reshape(4, 2)}),
    ("LinearBandit-v0", {"fixed_arms": True, "noise": "student_t"}),
    ("LinearBandit-v0", {"arms": np.eye(3), "theta": [1.0, 0.5, 0.0], "noise_std": 0.0}),
    ("LinearBandit-v0", {"contexts": "gaussian", "n_arms": 1, "dim": 1}),
]


@pytest.mark.parametrize(("env_id", "settings"), SETTINGS)
def test_gymnasiums_checker_passes(env_id, settings):
    env = gymnasium.make(env_id, horizon=20, **settings).unwrapped
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        check_env(env)
    # Gaussian features have no bounds, of which it warns, once each way. Nothing else may come.
    unbounded = not np.isfinite(getattr(env.observation_space, "high", 0.0)).all()
    messages = [str(warning.message) for warning in caught]
    assert len(messages) == (2 if unbounded else 0), messages
    assert all("A Box observation space" in text and "infinity" in text for text in messages)


@pytest.mark.parametrize(("env_id", "settings"), SETTINGS)
def test_stable_baselines3s_checker_passes(env_id, settings):
    checker = pytest.importorskip(
        "stable_baselines3.common.env_checker", reason="needs stable-baselines3"
    )
    env = gymnasium.make(env_id, horizon=20, **settings)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        checker.check_env(env)
    # It warns that features of shape (K, d) are neither an image nor a vector. Nothing else.
    messages = [str(warning.message) for warning in caught]
    assert len(messages) == (env_id == "LinearBandit-v0"), messages
    assert all("has an unconventional shape" in text for text in messages)


def test_stable_baselines3_learns():
    sb3 = pytest.importorskip("stable_baselines3", reason="needs stable-baselines3")
    env = gymnasium.make("LinearBandit-v0", n_arms=3, dim=2, horizon=32)
    model = sb3.PPO("MlpPolicy", env, n_steps=64, batch_size=32, n_epochs=2, seed=0, device="cpu")
    model.learn(256)
    observation, _ = env.reset(seed=0)
    action, _ = model.predict(observation)
    env.step(action)


@pytest.mark.parametrize(("env_id", "settings"), SETTINGS)
def test_a_single_environment_is_a_batch_of_one_without_its_axis(env_id, settings):
    single = gymnasium.make(env_id, horizon=4, **settings).unwrapped
    batch = gymnasium.make_vec(env_id, num_envs=1, horizon=4, **settings)
    assert single.task.horizon == batch.unwrapped.task.horizon == 4
    rng = np.random.default_rng(0)
    for seed in (3, None):
        observation, info = single.reset(seed=seed)
        row, none = batch.reset(seed=seed)
        assert info == none == {}
        np.testing.assert_array_equal(observation, row[0])
        for t in range(4):
            arm = rng.integers(single.task.n_arms)
            observation, reward, terminated, truncated, info = single.step(arm)
            row, rewards, _, _, infos = batch.step([arm])
            np.testing.assert_array_equal(observation, row[0])
            assert observation in single.observation_space
            assert (type(reward), reward) == (float, rewards[0])
            assert terminated is False
            assert truncated is (t == 3)
            expected = {"regret": infos["regret"][0]}
            if env_id == "ArmedBandit-v0":
                expected["optimal"] = infos["regret"][0] == 0.0
            assert info == expected
            assert type(info["regret"]) is float


def test_observations_stay_valid_for_good():
    env = gymnasium.make("LinearBandit-v0", horizon=3).unwrapped
    shown = [env.reset(seed=0)[0]] + [env.step(0)[0] for _ in range(3)]
    kept = [observation.copy() for observation in shown]
    env.reset()
    env.step(1)
    for observation, copy in zip(shown, kept, strict=True):
        np.testing.assert_array_equal(observation, copy)
        assert observation.flags.writeable


def test_observations_need_no_copy_to_be_read_feature_by_feature():
    env = gymnasium.make("LinearBandit-v0", n_arms=7, dim=3).unwrapped
    observation, _ = env.reset(seed=0)
    assert observation.shape == (7, 3)
    assert observation.T.flags.c_contiguous


def test_a_step_needs_a_running_episode():
    env = gymnasium.make("ArmedBandit-v0", horizon=2).unwrapped
    with pytest.raises(ResetNeeded, match="the episode is over, or none has begun"):
        env.step(0)
    env.reset(seed=0)
    env.step(0)
    env.step(0)
    with pytest.raises(ResetNeeded, match="the episode is over, or none has begun"):
        env.step(0)
    env.reset()
    env.step(0)


@pytest.mark.parametrize("env_id", ["ArmedBandit-v0", "LinearBandit-v0"])
@pytest.mark.parametrize(
    "action", [-1, 10, 1.5, 1.0, np.nan, "0", None, True, [0], [[0]], np.array([1]), [1, [2]], {}]
)
def test_an_illegal_action_is_refused_and_can_be_made_good(env_id, action):
    env, undisturbed = (gymnasium.make(env_id, horizon=2).unwrapped for _ in range(2))
    for each in (env, undisturbed):
        each.reset(seed=0)
    for _ in range(2):
        with pytest.raises(ValueError, match=r"0\.\.9") as caught:
            env.step(action)
        assert "\n" not in str(caught.value)
        assert env.step(3)[1:] == undisturbed.step(3)[1:]


@pytest.mark.parametrize("action", [3, np.int64(3), np.uint8(3), np.array(3)])
def test_integers_of_any_kind_are_arms(action):
    env = gymnasium.make("ArmedBandit-v0", noise="gaussian").unwrapped
    env.reset(seed=0)
    reward = env.step(3)[1]
    env.reset(seed=0)
    assert env.step(action)[1] == reward


@pytest.mark.parametrize("seed", [-1, 1.5, True, "a", [1, 2], np.nan])
def test_bad_seeds_are_refused_and_change_nothing(seed):
    env, undisturbed = (gymnasium.make("LinearBandit-v0").unwrapped for _ in range(2))
    for each in (env, undisturbed):
        each.reset(seed=0)
    with pytest.raises(ValueError, match="seed"):
        env.reset(seed=seed)
    assert env.step(3)[1] == undisturbed.step(3)[1]


def test_seeds_of_any_size():
    env = gymnasium.make("LinearBandit-v0")
    huge = env.reset(seed=2**100)[0]
    np.testing.assert_array_equal(env.reset(seed=2**100)[0], huge)
    assert not (env.reset(seed=0)[0] == huge).any()


def test_reset_options_are_refused():
    env = gymnasium.make("LinearBandit-v0")
    with pytest.raises(ValueError, match="environments take no reset options"):
        env.reset(options={"arms": 1})


def test_rows_of_mappings_lose_their_axis_and_masks():
    from banditgym.single import _first

    batch = {"loss": np.array([0.5]), "_loss": np.array([True]), "gradient": np.ones((1, 3))}
    single = _first(batch)
    assert single.keys() == {"loss", "gradient"}
    assert type(single["loss"]) is float
    assert single["gradient"].shape == (3,)
