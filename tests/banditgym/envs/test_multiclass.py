"""What environments of labels share: payment, false labels, dense and sparse rows, bad actions."""

import copy
import math

import gymnasium
import numpy as np
import pytest
from gymnasium.utils.env_checker import data_equivalence
from gymnasium.vector import SyncVectorEnv
from scipy import stats

from banditgym.envs.multiclass import Extent, Multiclass, MulticlassSettings
from banditgym.rounds.kinds import ARM, RANKING
from banditgym.spaces import Ranking
from banditgym.streams import ENVIRONMENT, Stream
from banditgym.tasks import BEST_LABEL
from banditgym.vector_env import NOISE


class Counting(Multiclass):
    """Row t has t % 4 pairs (j, t + j / 8), its label is t % 5."""

    def __init__(self, num_envs=1, *, horizon=20, slots=None, sparse=True, label_noise=0.0):
        given = MulticlassSettings(slots=slots, sparse=sparse, label_noise=label_noise)
        super().__init__(num_envs, Extent(5, 7, 3, (0.0, 99.0), 99.0), horizon, given)

    def _start(self):
        pass

    def _fill(self, t, indices, values, labels):
        indices[:], values[:] = 0, 0.0
        for s in range(len(labels)):
            labels[s] = (t + s) % 5
            for j in range((t + s) % 4):
                indices[s, :, j], values[s, :, j] = 2 * j + 1, t + s + j / 8


def rows_of(observation, dim=7):
    """Dense rows (n, d) of pairs."""
    rows = np.zeros((len(observation["indices"]), dim))
    for i, (indices, values) in enumerate(
        zip(observation["indices"], observation["values"], strict=True)
    ):
        for j, x in zip(indices, values, strict=True):
            rows[i, j] += x
    return rows


def noisy(seeds, episode, t, label, n_labels, probability):
    """The labels (n,) that the definition gives."""
    u = Stream(seeds, ENVIRONMENT, NOISE, episode).uniform(t, (2,))
    labels = np.array(label)
    for i in range(len(seeds)):
        if u[i, 0] < probability:
            others = [other for other in range(n_labels) if other != label[i]]
            labels[i] = others[int(u[i, 1] * len(others))]
    return labels


@pytest.mark.parametrize("label_noise", [0.0, 0.4, 1.0])
@pytest.mark.parametrize("slots", [None, 1, 3, 5])
@pytest.mark.parametrize("sparse", [True, False])
def test_rounds_are_those_of_the_definition(label_noise, slots, sparse):
    seeds = [3, 2**70, 0, 8]
    env = Counting(4, horizon=9, slots=slots, sparse=sparse, label_noise=label_noise)
    rng = np.random.default_rng(0)
    observation, _ = env.reset(seed=seeds)
    for episode in range(2):
        for t in range(9):
            expected = np.zeros((4, 7))
            expected[:, [2 * j + 1 for j in range(t % 4)]] = [t + j / 8 for j in range(t % 4)]
            shown = rows_of(observation) if sparse else observation
            np.testing.assert_array_equal(shown, expected)
            played = rng.permuted(np.tile(np.arange(5), (4, 1)), axis=1)[:, : slots or 1]
            action = played[:, 0] if slots is None else played
            observation, reward, _, _, info = env.step(action)
            label = noisy(seeds, episode, t, [t % 5] * 4, 5, label_noise)
            right = [label[i] in played[i] for i in range(4)]
            np.testing.assert_array_equal(reward, np.array(right, float))
            np.testing.assert_array_equal(info["regret"], 1.0 - reward)
            np.testing.assert_array_equal(info["label"], label)
            assert info["label"].dtype == np.int64
            assert info["_label"].all()
            if slots is None:
                assert "feedback" not in info
            else:
                assert info["feedback"].tolist() == np.where(reward == 1, label, -1).tolist()
                assert info["_feedback"].all()
            assert info["_regret"].all()
        observation, *_ = env.step(action)


def test_false_labels_are_uniform_over_the_others():
    env = Counting(400, horizon=50, label_noise=0.3)
    env.reset(seed=0)
    off = np.zeros(5, int)
    for t in range(50):
        label = env.step(np.zeros(400, int))[4]["label"]
        off += np.bincount((label - t) % 5, minlength=5)
    # 20,000 rounds: true with probability 0.7, each of the others with 0.3 / 4. Under this law a
    # p-value below 1e-4 has probability 1e-4, and the seed is fixed.
    assert stats.chisquare(off, 20_000 * np.array([0.7, *[0.075] * 4])).pvalue > 1e-4


def test_noise_does_not_depend_on_slots_and_actions():
    envs = [Counting(30, label_noise=0.5), Counting(30, label_noise=0.5, slots=2, sparse=False)]
    for env in envs:
        env.reset(seed=4)
    for t in range(20):
        one = envs[0].step(np.full(30, t % 5))[4]["label"]
        two = envs[1].step(np.tile([t % 4, 4], (30, 1)))[4]["label"]
        np.testing.assert_array_equal(one, two)


def test_replicates_are_single_environments():
    name = "test/Counting-v0"
    gymnasium.register(
        name,
        entry_point="banditgym.single:SingleBandit",
        vector_entry_point="banditgym.vector_env:make_env",
        kwargs={"entry": f"{__name__}:Counting"},
    )
    try:
        for settings in ({"label_noise": 0.5}, {"sparse": False}, {"slots": 2}):
            settings = {"horizon": 4} | settings
            native = gymnasium.make_vec(name, num_envs=3, **settings)
            make = lambda s=settings: gymnasium.make(name, disable_env_checker=True, **s)  # noqa: E731
            sync = SyncVectorEnv([make] * 3)
            assert native.single_observation_space == sync.single_observation_space
            assert native.single_action_space == sync.single_action_space
            ours, theirs = native.reset(seed=[5, 2**70, 0]), sync.reset(seed=[5, 2**70, 0])
            native.action_space.seed(1)
            for _ in range(12):
                assert data_equivalence(ours, theirs, exact=True)
                action = native.action_space.sample()
                ours, theirs = native.step(action), sync.step(action)
    finally:
        del gymnasium.registry[name]


def test_spaces_and_task_say_what_is_shown_and_played():
    env = Counting(2)
    assert (env.task.width, env.task.dim, env.task.n_labels) == (3, 7, 5)
    assert (env.task.plays, env.task.slots, env.task.sparse) == (ARM, None, True)
    assert (env.task.feature_norm, env.task.regret) == (99.0, BEST_LABEL)
    assert env.single_action_space == gymnasium.spaces.Discrete(5)
    indices = env.single_observation_space["indices"]
    assert (indices.dtype, indices.shape, indices.low[0], indices.high[0]) == (np.int32, (3,), 0, 6)
    env = Counting(2, slots=1, sparse=False)
    assert (env.task.width, env.task.plays, env.task.slots) == (7, RANKING, 1)
    assert env.single_action_space == Ranking(5, 1)
    assert env.single_observation_space == gymnasium.spaces.Box(0, 99, (7,), np.float64)


@pytest.mark.parametrize("horizon", [6, 7])
@pytest.mark.parametrize("sparse", [True, False])
def test_observations_stay_what_they_were(sparse, horizon):
    env = Counting(2, sparse=sparse, horizon=horizon)
    held = env.reset(seed=0)[0]
    for t in range(40):
        kept = copy.deepcopy(held)
        following = env.reset()[0] if t % 11 == 10 else env.step([0, 1])[0]
        assert data_equivalence(held, kept, exact=True)
        held = following


def test_a_mapping_that_was_handed_out_is_the_callers():
    env = Counting(2)
    env.reset(seed=0)[0].clear()
    for _ in range(3):
        observation = env.step([0, 1])[0]
        assert set(observation) == {"indices", "values"}
        observation.clear()


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"label_noise": -0.1}, r"label_noise must be a probability in \[0, 1\], got -0.1"),
        ({"label_noise": 1.1}, "label_noise must be a probability"),
        ({"label_noise": math.nan}, "label_noise must be a probability"),
        ({"label_noise": "high"}, "label_noise must be a number, got 'high'"),
        ({"label_noise": True}, "label_noise must be a number"),
        ({"slots": 0}, "slots must be an integer >= 1, got 0"),
        ({"slots": 6}, "slots must be at most the number of labels, 5, got 6"),
        ({"slots": 1.0}, "slots must be an integer"),
        ({"sparse": "yes"}, "sparse must be true or false, got 'yes'"),
        ({"sparse": 1}, "sparse must be true or false, got 1"),
        ({"horizon": 0}, "horizon"),
    ],
)
def test_bad_settings_are_named(settings, message):
    name = settings.pop("horizon", None)
    if name is not None:
        with pytest.raises(ValueError, match=message):
            gymnasium.make_vec("SynSep-v0", num_envs=2, horizon=name)
        return
    with pytest.raises(ValueError, match=message):
        Counting(2, **settings)


@pytest.mark.parametrize(
    ("slots", "action", "message"),
    [
        (None, [0, 5], r"arm 5 of replicate 1 is not in 0\.\.4"),
        (None, [-1, 0], "arm -1 of replicate 0"),
        (None, [0.0, 1.0], "expected 2 arms"),
        (None, [[0], [1]], "expected 2 arms"),
        (2, [[0, 1], [3, 3]], r"ranking \[3, 3\] of replicate 1 is not of distinct labels in 0"),
        (2, [[0, -1], [3, 4]], r"ranking \[0, -1\] of replicate 0"),
        (2, [[0, 1], [3, 5]], r"ranking \[3, 5\] of replicate 1"),
        (2, [0, 1], "expected 2 rankings, each of 2 distinct integers"),
        (2, [[0, 1, 2], [0, 1, 2]], "expected 2 rankings"),
        (2, [[0, 1], [0]], "expected 2 rankings"),
        (2, [[0.0, 1.0], [0.0, 2.0]], "expected 2 rankings"),
        (1, [0, 1], "expected 2 rankings, each of 1 distinct"),
    ],
)
def test_illegal_actions_are_refused_and_change_nothing(slots, action, message):
    env, twin = (
        Counting(2, slots=slots, label_noise=0.5),
        Counting(2, slots=slots, label_noise=0.5),
    )
    env.reset(seed=0), twin.reset(seed=0)
    with pytest.raises(ValueError, match=message):
        env.step(action)
    legal = [0, 1] if slots is None else np.tile(np.arange(slots), (2, 1))
    for _ in range(3):
        assert data_equivalence(env.step(legal), twin.step(legal), exact=True)
