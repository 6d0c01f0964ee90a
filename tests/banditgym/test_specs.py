"""The length of an episode in Gymnasium's specifications is the task's horizon. Seconds."""

import copy
import dataclasses
import itertools

import gymnasium
import numpy as np
import pytest
from gymnasium.envs.registration import EnvSpec
from gymnasium.spaces import Discrete
from gymnasium.utils.env_checker import data_equivalence
from gymnasium.wrappers import TimeAwareObservation, TimeLimit

from banditgym.envs.armed import ArmedBandit
from banditgym.registration import ENVIRONMENTS
from banditgym.rounds.blocks import UnseenBlock
from banditgym.single import SingleBandit
from banditgym.vector_env import BanditVectorEnv

ROWS = {"data": (np.eye(14), np.arange(14) % 3)}
LINEAR = {"n_arms": 3, "dim": 2}
CASES = [
    ("ArmedBandit-v0", {}, 1000),
    ("DriftingArmedBandit-v0", {"problem": "PB1"}, 20_000),
    ("DriftingArmedBandit-v0", {"problem": "PB1", "horizon": 30}, 30),
    ("LinearBandit-v0", LINEAR | {"horizon": 100}, 100),
    ("BallBandit-v0", {"max_episode_steps": 1500}, 1500),
    ("MulticlassBandit-v0", ROWS, 14),
    ("MulticlassBandit-v0", ROWS | {"horizon": 9}, 9),
    ("NewsReplay-v0", {"horizon": 5}, 5),
]


def single(env_id, settings):
    return gymnasium.make(env_id, **settings)


def native(env_id, settings):
    return gymnasium.make_vec(env_id, num_envs=2, **settings)


def sync(env_id, settings):
    return gymnasium.make_vec(env_id, num_envs=2, vectorization_mode="sync", **settings)


def task_of(env):
    return getattr(env.unwrapped, "task", None) or env.get_attr("task")[0]


def layers(env):
    while isinstance(env, gymnasium.Wrapper):
        yield type(env)
        env = env.env


def played(env):
    """What every step of an episode returns, with a legal action a round."""
    observation, _ = env.reset(seed=3)
    env.action_space.seed(4)
    steps, over = [observation], False
    while not over:
        observation, reward, terminated, truncated, info = env.step(env.action_space.sample())
        steps.append((observation, reward, terminated, truncated, info))
        over = truncated
    return steps


@pytest.mark.parametrize(("env_id", "settings", "horizon"), CASES)
def test_the_specification_of_what_is_made_has_the_horizon(env_id, settings, horizon):
    for make in (single, native, sync):
        env = make(env_id, settings)
        assert env.spec.max_episode_steps == env.unwrapped.spec.max_episode_steps == horizon
    for one in env.unwrapped.envs:  # of the sync vector
        assert one.spec.max_episode_steps == one.unwrapped.task.horizon == horizon
    assert gymnasium.spec(env_id).max_episode_steps is None


@pytest.mark.parametrize("env_id", ENVIRONMENTS)
def test_no_id_adds_a_time_limit_and_wrappers_find_the_length(env_id):
    env = gymnasium.make(env_id, horizon=3)
    assert TimeLimit not in layers(env)
    aware = TimeAwareObservation(env, normalize_time=False, flatten=False)
    assert aware.max_timesteps == 3
    observation, _ = aware.reset(seed=0)
    for t in itertools.count():
        assert observation["time"] == [t]
        observation, _, _, truncated, _ = aware.step(env.action_space.sample(*masks(env)))
        if truncated:
            break
    assert t == 2
    assert native(env_id, {"horizon": 3}).spec.max_episode_steps == 3


def masks(env):
    if isinstance(env.action_space, gymnasium.spaces.Discrete):
        return [env.unwrapped.action_masks().astype(np.int8)]
    return []


@pytest.mark.parametrize(("env_id", "settings", "horizon"), CASES[1:4])
def test_an_environment_is_made_again_from_its_specification(env_id, settings, horizon):
    env = gymnasium.make(env_id, **settings)
    again = [gymnasium.make(env.spec), copy.deepcopy(env.spec).make()]
    if "data" not in settings:
        again.append(gymnasium.make(EnvSpec.from_json(env.spec.to_json())))
    expected = played(env)
    assert len(expected) == horizon + 1
    for other in again:
        assert other.spec.max_episode_steps == other.unwrapped.task.horizon == horizon
        for mine, theirs in zip(expected, played(other), strict=True):
            assert data_equivalence(mine, theirs)
    envs = native(env_id, settings)
    assert gymnasium.make_vec(envs.spec).unwrapped.task.horizon == horizon
    assert gymnasium.make_vec(sync(env_id, settings).spec).spec.max_episode_steps == horizon


GIVEN = [{"horizon": 5}, {"max_episode_steps": 5}, {"horizon": 5, "max_episode_steps": 5}]


@pytest.mark.parametrize("length", [5, 2000])
@pytest.mark.parametrize("given", GIVEN)
@pytest.mark.parametrize("make", [single, native, sync])
def test_a_length_has_two_names(make, given, length):
    env = make("LinearBandit-v0", LINEAR | dict.fromkeys(given, length))
    assert env.spec.max_episode_steps == task_of(env).horizon == length
    with pytest.raises(ValueError, match="two names of one setting, got 6 and 7"):
        make("LinearBandit-v0", LINEAR | {"horizon": 6, "max_episode_steps": 7})
    with pytest.raises(ValueError, match="horizon 15 is above"):
        make("MulticlassBandit-v0", ROWS | dict.fromkeys(given, 15))


@pytest.mark.parametrize("given", GIVEN)
@pytest.mark.parametrize("first", [{}, {"horizon": 7}, {"max_episode_steps": 7}, {"horizon": 5}])
def test_a_length_given_to_a_specification_is_its_own_or_an_error(first, given):
    env, length = gymnasium.make("LinearBandit-v0", **LINEAR, **first), first.get("horizon")
    for spec in (env.spec, EnvSpec.from_json(env.spec.to_json())):
        if length == 5:
            again = gymnasium.make(spec, **given)
            assert again.spec.max_episode_steps == again.unwrapped.task.horizon == 5
            assert len(played(again)) == 6
        else:
            with pytest.raises(ValueError, match="two names of one|must be that of the specificat"):
                gymnasium.make(spec, **given)
    assert gymnasium.make(env.spec, max_episode_steps=-1).unwrapped.task.horizon == (length or 1000)


@pytest.mark.parametrize("given", GIVEN)
@pytest.mark.parametrize("mode", ["vector_entry_point", "sync"])
def test_so_does_a_vector(mode, given):
    spec = gymnasium.make_vec("LinearBandit-v0", 2, vectorization_mode=mode, n_arms=3).spec
    for told in (spec, EnvSpec.from_json(spec.to_json())):
        # Gymnasium's own vectors keep no length in a specification, except as JSON.
        if told is not spec if mode == "sync" else "max_episode_steps" not in given:
            with pytest.raises(ValueError, match="two names of one|must be that of the specificat"):
                gymnasium.make_vec(told, **given)
        else:
            again = gymnasium.make_vec(told, **given)
            assert again.spec.max_episode_steps == task_of(again).horizon == 5


class Endless(BanditVectorEnv):
    """Has no horizon, and no setting for one."""

    def __init__(self, num_envs=1):
        task = dataclasses.replace(ArmedBandit().task, horizon=None)
        super().__init__(num_envs, task, Discrete(1), Discrete(task.n_arms))

    def _begin(self):
        pass

    def _rounds(self, t, rounds):
        return UnseenBlock(start=t, rounds=rounds)

    def _reward(self, block, places, actions):
        return np.ones(actions.shape), {}


class Short(ArmedBandit):
    """Is registered with a length by its user."""


@pytest.fixture
def registered():
    for cls, length in ((Endless, None), (Short, 4)):
        gymnasium.register(
            f"{cls.__name__}Test-v0",
            entry_point="banditgym.single:SingleBandit",
            vector_entry_point="banditgym.vector_env:make_env",
            kwargs={"entry": cls},
            max_episode_steps=length,
        )
    yield
    for cls in (Endless, Short):
        del gymnasium.registry[f"{cls.__name__}Test-v0"]


def test_what_has_no_horizon_has_no_length(registered):
    env, envs = gymnasium.make("EndlessTest-v0"), gymnasium.make_vec("EndlessTest-v0", 2)
    assert env.spec.max_episode_steps is envs.spec.max_episode_steps is None
    assert env.unwrapped.task.horizon is None
    limited = gymnasium.make("EndlessTest-v0", max_episode_steps=5)  # Gymnasium's limit alone
    assert (limited.spec.max_episode_steps, len(played(limited))) == (5, 6)


def test_a_length_of_an_id_of_others_is_the_horizon(registered):
    for given in ({}, {"max_episode_steps": 9}):
        length = given.get("max_episode_steps", 4)
        env, envs = (make("ShortTest-v0", given) for make in (single, native))
        assert env.spec.max_episode_steps == env.unwrapped.task.horizon == length
        assert envs.spec.max_episode_steps == envs.task.horizon == length
        assert len(played(env)) == length + 1


def test_an_environment_that_is_not_made_by_gymnasium_has_no_specification():
    assert SingleBandit(ArmedBandit).spec is None
    assert ArmedBandit(2).spec is None
