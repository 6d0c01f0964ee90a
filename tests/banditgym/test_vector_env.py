"""The batched contract: seeds, episodes, horizons, and what a bad call leaves behind."""

import copy
import pickle

import gymnasium
import numpy as np
import pytest
from gymnasium import spaces
from gymnasium.error import ResetNeeded
from gymnasium.utils.env_checker import data_equivalence
from gymnasium.vector import AutoresetMode

import banditgym
from banditgym.action_sets import AnyPoints
from banditgym.envs.armed import ArmedBandit
from banditgym.rounds.blocks import ArmsBlock, UnseenBlock
from banditgym.vector_env import BanditVectorEnv, horizon_of, make_env, seeds_of

IDS = ["ArmedBandit-v0", "LinearBandit-v0"]
EVERY = [(env_id, {}) for env_id in banditgym.ids() if env_id != "Reuters4-v0"]  # needs its data
EVERY += [
    ("LinearBandit-v0", {"fixed_arms": True}),
    ("SynSep-v0", {"slots": 2}),
    ("MulticlassBandit-v0", {"sparse": True}),
    ("KernelBandit-v0", {"fixed_arms": False, "function": "branin"}),
]


def make(env_id="LinearBandit-v0", n=3, **settings):
    return gymnasium.make_vec(env_id, num_envs=n, **{"horizon": 5, **settings})


def play(envs, rounds, arm=0):
    """Rewards of playing one arm, (rounds, n); the steps that only reset count as rounds."""
    return np.array([envs.step(np.full(envs.num_envs, arm))[1] for _ in range(rounds)])


@pytest.mark.parametrize("seed", [7, np.int64(7), np.uint8(7), [7, 8, 9], (7, 8, 9), range(7, 10)])
def test_seeds_are_consecutive_or_given(seed):
    assert seeds_of(seed, 3) == [7, 8, 9]
    assert all(type(s) is int for s in seeds_of(np.array([7, 8, 9]), 3))


@pytest.mark.parametrize("huge", [2**63, 2**64 - 1, 2**100])
def test_seeds_of_any_size(huge):
    assert seeds_of(huge, 2) == [huge, huge + 1]
    envs = make(n=2)
    one = envs.reset(seed=[huge, huge + 1])[0].copy()
    np.testing.assert_array_equal(envs.reset(seed=huge)[0], one)
    assert not (one == envs.reset(seed=huge % 2**32)[0]).any()


@pytest.mark.parametrize(
    ("seed", "message"),
    [
        (-1, "a seed must be an integer >= 0, got -1"),
        ([1, 2, -3], "a seed must be an integer >= 0, got -3"),
        ([1, 2, 3.0], "a seed must be an integer >= 0, got 3.0"),
        ([1, 2, np.nan], "a seed must be an integer >= 0, got nan"),
        ([1, 2, None], "a seed must be an integer >= 0, got None"),
        ([True, 2, 3], "a seed must be an integer >= 0, got True"),
        ([1, 2], "expected one seed per replicate, 3, got 2"),
        ([1, 2, 3, 4], "expected one seed per replicate, 3, got 4"),
        (True, "seed must be an integer or a sequence of 3 integers, got True"),
        (1.5, "seed must be an integer or a sequence of 3 integers, got 1.5"),
        ("abc", "seed must be an integer or a sequence of 3 integers, got 'abc'"),
        (b"abc", "seed must be an integer or a sequence of 3 integers"),
        ({1, 2, 3}, "seed must be an integer or a sequence of 3 integers"),
        (np.array(5), "seed must be an integer or a sequence of 3 integers"),
        (np.ones((3, 1), int), "seed must be an integer or a sequence of 3 integers"),
        (np.ones(3), "a seed must be an integer >= 0, got"),
    ],
)
def test_bad_seeds_are_refused_and_change_nothing(seed, message):
    envs, undisturbed = make(), make()
    for each in (envs, undisturbed):
        each.reset(seed=1)
        play(each, 2)
    with pytest.raises(ValueError, match=message):
        envs.reset(seed=seed)
    np.testing.assert_array_equal(play(envs, 9), play(undisturbed, 9))


@pytest.mark.parametrize(
    "options",
    [{"reset_mask": np.arange(3) > 0}, {"reset_mask": 1}, {"a": 1, 2: 3}, {"seed": 1}],
)
def test_reset_options_are_refused_and_change_nothing(options):
    envs, undisturbed = make(), make()
    for each in (envs, undisturbed):
        each.reset(seed=1)
    with pytest.raises(
        ValueError, match="environments take no reset options but|all true: replicates share"
    ):
        envs.reset(seed=2, options=options)
    np.testing.assert_array_equal(play(envs, 9), play(undisturbed, 9))
    envs.reset(seed=1, options={})


@pytest.mark.parametrize("env_id", IDS)
def test_a_step_needs_a_reset(env_id):
    envs = make(env_id)
    for actions in ([0, 0, 0], [-1, 0, 0], "abc"):
        with pytest.raises(ResetNeeded, match="reset"):
            envs.step(actions)


@pytest.mark.parametrize("env_id", IDS)
@pytest.mark.parametrize("horizon", [1, 5])
def test_episodes_are_truncated_at_the_horizon_and_reset_by_the_next_step(env_id, horizon):
    envs = make(env_id, horizon=horizon)
    envs.reset(seed=0)
    for _ in range(3):
        for t in range(1, horizon + 1):
            _, _, terminated, truncated, info = envs.step([0, 1, 2])
            assert not terminated.any()
            assert (truncated == (t == horizon)).all()
            assert (info["regret"] >= 0).all()
        observation, reward, terminated, truncated, info = envs.step(["not", "an", "arm"])
        assert observation in envs.observation_space
        assert not reward.any()
        assert not (terminated | truncated).any()
        assert info == {}


def test_episodes_count_resets_since_seeding():
    envs = make(horizon=2)
    envs.reset(seed=4)
    first = play(envs, 2)
    play(envs, 1)  # only resets
    second = play(envs, 2)
    assert envs.unwrapped.episode == 1
    envs.reset()
    third = play(envs, 2)
    assert envs.unwrapped.episode == 2
    assert len({rewards.tobytes() for rewards in (first, second, third)}) == 3
    envs.reset(seed=4)
    envs.reset()
    np.testing.assert_array_equal(play(envs, 2), second)
    envs.reset(seed=4)
    np.testing.assert_array_equal(play(envs, 2), first)


def test_without_a_seed_the_environment_is_a_fresh_one():
    one, two = make(), make()
    assert not (one.reset()[0] == two.reset()[0]).any()
    assert len(set(one.unwrapped.seeds)) == 3
    seeds = one.unwrapped.seeds
    again = make()
    again.reset(seed=seeds)
    one.reset(seed=seeds)
    np.testing.assert_array_equal(play(one, 5), play(again, 5))


def test_gymnasiums_generator_is_not_part_of_the_environment():
    envs, undisturbed = make(), make()
    for each in (envs, undisturbed):
        each.reset(seed=1)
    envs.np_random.random(100)
    np.testing.assert_array_equal(play(envs, 9), play(undisturbed, 9))


@pytest.mark.parametrize("horizon", [5, 6])
@pytest.mark.parametrize("fixed_arms", [False, True])
def test_observations_stay_what_they_were_whatever_comes(horizon, fixed_arms):
    envs = make(horizon=horizon, fixed_arms=fixed_arms)
    calls = [lambda: envs.reset(seed=0)]
    calls += [lambda: envs.step([0, 0, 0])] * (2 * horizon + 3)
    calls += [envs.reset, envs.reset, lambda: envs.step([0, 0, 0]), envs.reset]
    shown = [call()[0] for call in calls[:1]]
    kept = [shown[0].copy()]
    for call in calls[1:]:
        shown.append(call()[0])
        kept.append(shown[-1].copy())
    np.testing.assert_array_equal(shown, kept)


def arrays_of(value):
    if isinstance(value, dict | tuple):
        parts = value.values() if isinstance(value, dict) else value
        return [array for part in parts for array in arrays_of(part)]
    if isinstance(value, np.ndarray) and value.dtype == object:  # the last of an episode
        return arrays_of(tuple(value))
    return [value] if isinstance(value, np.ndarray) else []


@pytest.mark.parametrize("mode", AutoresetMode)
@pytest.mark.parametrize(("env_id", "settings"), EVERY)
def test_what_is_returned_is_the_callers_own(env_id, settings, mode):
    """All arrays are overwritten as they come, and what follows is as if they were not."""
    one, two = (
        gymnasium.make_vec(env_id, num_envs=3, horizon=4, autoreset_mode=mode, **settings)
        for _ in range(2)
    )
    actions = one.action_space
    for round_ in range(11):
        if round_ == 0 or (mode is AutoresetMode.DISABLED and round_ % 4 == 0):
            left, written = (envs.reset(seed=None if round_ else 5) for envs in (one, two))
        else:
            actions.seed(round_)
            action = actions.sample()
            left, written = one.step(action), two.step(action)
        assert data_equivalence(left, written, exact=True)
        for array in arrays_of(written):
            array[...] = np.logical_not(array)


def test_memory_is_laid_out_as_agents_read_it():
    envs = make()
    for observation in (envs.reset(seed=0)[0], envs.step([0, 1, 2])[0]):
        assert observation.transpose(0, 2, 1).flags.c_contiguous


@pytest.mark.parametrize("env_id", IDS)
@pytest.mark.parametrize("twin_of", [copy.deepcopy, lambda envs: pickle.loads(pickle.dumps(envs))])
def test_copied_and_pickled_environments_go_on_alike(env_id, twin_of):
    envs = make(env_id)
    envs.reset(seed=0)
    play(envs, 3)
    twin = twin_of(envs)
    for _ in range(9):
        one, two = envs.step([0, 1, 2]), twin.step([0, 1, 2])
        assert not np.shares_memory(one[0], two[0])
        assert data_equivalence(one, two, exact=True)


def test_the_mode_of_autoreset_is_declared():
    for mode in AutoresetMode:
        envs = make(autoreset_mode=mode)
        assert envs.autoreset_mode is envs.metadata["autoreset_mode"] is mode
    envs = make()
    assert envs.autoreset_mode is envs.metadata["autoreset_mode"] is AutoresetMode.NEXT_STEP


@pytest.mark.parametrize("env_id", IDS)
@pytest.mark.parametrize("num_envs", [0, -1, True, 1.0, "2", None])
def test_the_number_of_replicates_is_checked(env_id, num_envs):
    with pytest.raises(ValueError, match="num_envs must be an integer >= 1, got"):
        gymnasium.make_vec(env_id, num_envs=num_envs)
    assert gymnasium.make_vec(env_id, num_envs=np.int64(2)).num_envs == 2


def test_horizons_have_two_names():
    assert horizon_of(None, None) == 1000
    assert horizon_of(7, None) == horizon_of(None, 7) == horizon_of(7, 7) == 7
    with pytest.raises(ValueError, match="two names of one setting, got 7 and 8"):
        horizon_of(7, 8)


@pytest.mark.parametrize("env_id", IDS)
@pytest.mark.parametrize("horizon", [0, -1, True, 5.0, "5", np.nan])
def test_bad_horizons_are_refused(env_id, horizon):
    for name in ("horizon", "max_episode_steps"):
        with pytest.raises(ValueError, match="horizon must be an integer >= 1, got"):
            gymnasium.make_vec(env_id, num_envs=2, **{name: horizon})


def test_environments_are_made_from_their_path():
    env = make_env(2, entry="banditgym.envs.armed:ArmedBandit", means=[0.5, 0.5])
    assert (type(env).__name__, env.num_envs) == ("ArmedBandit", 2)


@pytest.mark.parametrize("env_id", IDS)
def test_gymnasiums_vector_wrappers_fit(env_id):
    plain = make(env_id)
    wrapped = gymnasium.wrappers.vector.RecordEpisodeStatistics(make(env_id))
    wrapped = gymnasium.wrappers.vector.TransformReward(wrapped, lambda reward: 2 * reward)
    plain.reset(seed=0)
    wrapped.reset(seed=0)
    total = np.zeros(3)
    for t in range(13):
        actions = plain.action_space.sample()
        reward = plain.step(actions)[1]
        _, doubled, _, truncated, info = wrapped.step(actions)
        np.testing.assert_array_equal(doubled, 2 * reward)
        total = reward if t % 6 == 0 else total + reward
        if truncated.all():
            np.testing.assert_allclose(info["episode"]["r"], total)
            assert (info["episode"]["l"] == 5).all()


def test_an_environment_is_reported_in_a_line():
    settings = {"n_arms": 4, "dim": 2, "horizon": 30, "noise": "uniform"}
    said = "LinearBandit-v0: n_arms=4, dim=2, horizon=30, noise='uniform'"
    env = gymnasium.make("LinearBandit-v0", **settings)
    assert repr(env.unwrapped) == str(env.unwrapped) == f"<{said}>"
    assert said in repr(env)
    assert repr(gymnasium.make_vec("LinearBandit-v0", num_envs=3, **settings)) == (
        f"<{said}, num_envs=3>"
    )
    ball = gymnasium.make("BallBandit-v0", max_episode_steps=None)
    assert repr(ball.unwrapped) == "<BallBandit-v0: dim=5, horizon=1000>"
    data = gymnasium.make("MulticlassBandit-v0", data=(np.eye(5), np.arange(5) % 2))
    assert repr(data.unwrapped) == "<MulticlassBandit-v0: n_labels=2, dim=5, horizon=5>"
    assert repr(type(env.unwrapped.batched)(2)) == (
        "<LinearBandit: n_arms=10, dim=5, horizon=1000, num_envs=2>"
    )


class _Played(BanditVectorEnv):
    """Actions of a given space, whose rewards are their sums."""

    def __init__(self, space, action_set=None):
        super().__init__(2, ArmedBandit().task, spaces.Discrete(1), space, action_set)

    def _begin(self):
        pass

    def _rounds(self, t, rounds):
        return UnseenBlock(start=t, rounds=rounds)

    def _reward(self, block, places, actions):
        return actions.reshape(len(places), self.num_envs, -1).sum(axis=2), {}


@pytest.mark.parametrize(
    ("space", "actions"),
    [
        (spaces.Discrete(3), [2, 0]),
        (spaces.Box(-2.0, 2.0, (), np.float64), [-2.0, 1.5]),
        (spaces.Box(-np.inf, np.inf, (), np.float64), [-9.0, 1e9]),
        (spaces.Box(-np.inf, np.inf, (2,), np.float64), [[-9.0, 1e9], [0.0, 1.0]]),
    ],
)
def test_actions_are_read_as_their_space_says(space, actions):
    envs = _Played(space)
    envs.reset(seed=0)
    rewards = envs.step(actions)[1]
    np.testing.assert_array_equal(rewards, np.reshape(actions, (2, -1)).sum(axis=1))


@pytest.mark.parametrize(
    "space",
    [
        spaces.Discrete(3, start=1),
        spaces.Box(0.0, 10.0, (), np.float64),
        spaces.Box(-10.0, 0.0, (), np.float64),
        spaces.Box(-np.inf, 0.0, (), np.float64),
        spaces.Box(-1.0, 1.0, (2,), np.float64),
        spaces.Box(np.array([-np.inf, 0.0]), np.inf, (2,), np.float64),
        spaces.Box(-np.inf, np.inf, (2, 2), np.float64),
        spaces.MultiBinary(2),
    ],
)
def test_spaces_whose_bounds_would_not_be_checked_need_an_action_set(space):
    with pytest.raises(ValueError, match=r"actions are read by default .* give an action_set"):
        _Played(space)
    assert _Played(space, AnyPoints(2)).single_action_space is space


class _Fixed(ArmedBandit):
    """Shows the same features, and the same mask, in every round."""

    def __init__(self, num_envs, *, masked=False):
        super().__init__(num_envs, n_arms=3)
        self.masked, self.arms = masked, np.tile(np.arange(6.0).reshape(2, 3), (num_envs, 1, 1))

    def _rounds(self, t, rounds):
        block = super()._rounds(t, rounds)
        kind = _Masked if self.masked else ArmsBlock
        return kind(**vars(block) | {"features": self.arms[None]})


class _Masked(ArmsBlock):
    @property
    def shown(self):
        mask = np.ones((1, *self.means.shape[1:]), np.int8)
        mask.setflags(write=False)
        return {"arms": super().shown, "action_mask": mask}


@pytest.mark.parametrize("masked", [False, True])
def test_what_is_the_same_in_all_rounds_is_one_row(masked):
    envs = _Fixed(2, masked=masked)
    observation, _ = envs.reset(seed=0)
    for _ in range(3):
        arms = observation["arms"] if masked else observation
        np.testing.assert_array_equal(arms, envs.arms.swapaxes(1, 2))
        arms[:] = np.nan  # the caller's own
        observation, *_ = envs.step([0, 2])
