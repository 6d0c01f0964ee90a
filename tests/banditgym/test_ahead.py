"""Rounds drawn ahead by single environments, compared with a batch of one, step by step."""

import copy
import pickle

import gymnasium
import numpy as np
import pytest

import banditgym  # noqa: F401 (registers the environments)
from banditgym.ahead import fitting
from banditgym.envs.armed import ArmedBandit
from banditgym.single import SingleBandit

_ROWS = (np.arange(460.0).reshape(230, 2), np.arange(230) % 3)
SETTINGS = [
    ("ArmedBandit-v0", {}),
    ("ArmedBandit-v0", {"means": [1.5, -2.0], "noise": "gaussian", "noise_std": 0.3}),
    ("LinearBandit-v0", {}),
    ("LinearBandit-v0", {"fixed_arms": True, "noise": "student_t"}),
    ("LinearBandit-v0", {"arms": np.eye(3), "noise": "rademacher"}),
    ("DriftingLinearBandit-v0", {"changes": [3, 63, 64, 65, 128], "rate": 0.01}),
    ("DriftingLinearBandit-v0", {"changes": [64, 100], "fixed_arms": True}),
    ("SynNonSep-v0", {}),
    ("SynSep-v0", {"sparse": False}),
    ("MulticlassBandit-v0", {"data": _ROWS, "horizon": 230}),
    ("MulticlassBandit-v0", {"data": _ROWS, "horizon": 130, "label_noise": 0.2}),
]


def _both(env_id, settings):
    given = {"horizon": 200, **settings}
    single = gymnasium.make(env_id, **given).unwrapped
    return single, gymnasium.make_vec(env_id, num_envs=1, **given)


def _same(single, of_batch):
    """Whether a value is row 0 of a batch's, or a mapping of such."""
    if isinstance(of_batch, dict):
        masks = {key for key in of_batch if key.startswith("_")}
        assert single.keys() == of_batch.keys() - masks
        for key in single:
            _same(single[key], of_batch[key])
    else:
        np.testing.assert_array_equal(single, of_batch[0], strict=np.ndim(single) > 0)
        assert np.ndim(single) or type(single) is type(of_batch[0].item())


def _steps(single, batch, rng, rounds):
    """Play both, and compare all that they return; the observations."""
    shown = []
    for _ in range(rounds):
        action = rng.integers(single.action_space.n)
        found = single.step(int(action) if rng.integers(2) else action)
        observation, reward, _, truncated, info = batch.step([action])
        _same(found[0], observation)
        _same(found[4], info)
        assert found[1:4] == (reward[0], False, truncated[0])
        assert (type(found[1]), type(found[3])) == (float, bool)
        shown.append(found[0])
    return shown


@pytest.mark.parametrize(("env_id", "settings"), SETTINGS)
def test_rounds_ahead_are_those_of_a_batch_of_one(env_id, settings):
    single, batch = _both(env_id, settings)
    assert single.batched.rounds_ahead() > 0
    rng = np.random.default_rng(0)
    for seed in (5, None):  # the second episode follows the first, and is left unfinished
        _same(single.reset(seed=seed)[0], batch.reset(seed=seed)[0])
        _steps(single, batch, rng, single.task.horizon if seed else 70)
    _same(single.reset()[0], batch.reset()[0])
    _steps(single, batch, rng, 3)


@pytest.mark.parametrize(("env_id", "settings"), SETTINGS)
def test_observations_ahead_share_no_memory_and_stay(env_id, settings):
    single, batch = _both(env_id, settings)
    single.reset(seed=1)
    batch.reset(seed=1)
    shown = _steps(single, batch, np.random.default_rng(1), 70)
    arrays = [part for one in shown for part in (one.values() if isinstance(one, dict) else [one])]
    arrays = [array for array in arrays if isinstance(array, np.ndarray)]
    kept = [array.copy() for array in arrays]
    single.reset()
    single.step(0)
    for i, array in enumerate(arrays):
        np.testing.assert_array_equal(array, kept[i])
        assert not array.flags.writeable
        assert not any(np.shares_memory(array, other) for other in arrays[i + 1 : i + 4])


@pytest.mark.parametrize(("env_id", "settings"), SETTINGS)
def test_the_batched_environment_is_in_the_state_of_the_coming_round(env_id, settings):
    single, batch = _both(env_id, settings)
    rng = np.random.default_rng(2)
    single.reset(seed=2)
    batch.reset(seed=2)
    for rounds in (1, 65, 5):
        _steps(single, batch, rng, rounds)
        action = rng.integers(single.action_space.n, size=1)
        found, expected = single.batched.step(action), batch.step(action)
        assert (found[1], found[4]["regret"]) == (expected[1], expected[4]["regret"])
    _steps(single, batch, rng, 3)


def test_blocks_and_steps_take_turns():
    single, batch = _both("LinearBandit-v0", {})
    rng = np.random.default_rng(3)
    single.reset(seed=3)
    batch.reset(seed=3)
    for _ in range(3):
        _steps(single, batch, rng, 20)
        block = single.block(30)
        actions = rng.integers(10, size=(len(block.noise), 1))
        _, reward, info = single.step_block(block, actions)
        for s, action in enumerate(actions):
            _, paid, _, _, told = batch.step(action)
            assert (reward[s], info["regret"][s]) == (paid, told["regret"])


@pytest.mark.parametrize("copied", [copy.deepcopy, lambda env: pickle.loads(pickle.dumps(env))])
@pytest.mark.parametrize(("env_id", "settings"), SETTINGS[2:8])
def test_a_copy_goes_on_where_its_original_is(env_id, settings, copied):
    single, batch = _both(env_id, settings)
    rng = np.random.default_rng(4)
    single.reset(seed=4)
    batch.reset(seed=4)
    _steps(single, batch, rng, 66)
    other = copied(single)
    twin = copy.deepcopy(batch)
    for observation in _steps(other, twin, rng, 5):
        parts = observation.values() if isinstance(observation, dict) else [observation]
        assert not any(part.flags.writeable for part in parts)
    _steps(single, batch, rng, 70)


def test_an_illegal_action_changes_no_round_ahead():
    single, batch = _both("ArmedBandit-v0", {})
    single.reset(seed=5)
    batch.reset(seed=5)
    rng = np.random.default_rng(5)
    for action in (10, -1, np.int64(10), np.int64(-1), True, 1.0, [1], np.array([1]), None):
        _steps(single, batch, rng, 11)
        with pytest.raises(ValueError, match=r"0\.\.9") as found:
            single.step(action)
        with pytest.raises(ValueError, match=r"0\.\.9") as expected:
            batch.step([action])
        assert str(found.value) == str(expected.value)
    for action in (np.uint8(3), np.array(3)):
        assert single.step(action)[1] == batch.step([action])[1][0]


class _Doubled(ArmedBandit):
    """A third-party environment that changes what a round pays, and knows no rounds ahead."""

    def _play(self, actions, t):
        observation, reward, info = super()._play(actions, t)
        return observation, 2.0 * reward, info


def test_a_subclass_that_changes_a_round_is_played_singly():
    env = SingleBandit(_Doubled, means=[1.0, 1.0])
    env.reset(seed=0)
    assert [env.step(1)[1] for _ in range(3)] == [2.0] * 3


def test_few_large_rounds_and_streams_are_not_drawn_ahead(tmp_path):
    file = tmp_path / "rows.svmlight"
    file.write_text("0 1:1.0\n1 2:1.0\n" * 50)
    for env_id, settings, least in [
        ("LinearBandit-v0", {"n_arms": 10, "dim": 5}, 1),
        ("LinearBandit-v0", {"n_arms": 100, "dim": 20}, 0),
        ("ArmedBandit-v0", {"n_arms": 10_000}, 0),
        ("KernelBandit-v0", {"n_arms": 5}, 0),
        ("SynSep-v0", {"slots": 2}, 0),
        ("MulticlassBandit-v0", {"data": file, "order": "chronological"}, 0),
        ("MulticlassBandit-v0", {"data": file}, 1),
    ]:
        env = gymnasium.make(env_id, **settings).unwrapped
        assert (env.batched.rounds_ahead() > 0) == least, (env_id, settings)
    assert gymnasium.make_vec("ArmedBandit-v0", num_envs=2).unwrapped.rounds_ahead() == 0


def test_the_bytes_of_a_round_say_how_many_fit():
    assert (fitting(1), fitting(1024), fitting(2048), fitting(8192)) == (64, 64, 32, 8)
    assert fitting(8193) == 0
