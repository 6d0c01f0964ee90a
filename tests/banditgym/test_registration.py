"""The table of environments, and that registering them costs and repeats nothing."""

import importlib
import subprocess
import sys

import gymnasium
import pytest

import banditgym
from banditgym.registration import ENVIRONMENTS, register_environments


@pytest.mark.parametrize("env_id", ENVIRONMENTS)
def test_every_environment_is_registered_single_and_batched(env_id):
    registered = ENVIRONMENTS[env_id]
    spec = gymnasium.spec(env_id)
    name = env_id.replace("-", "_")
    assert spec.entry_point == f"banditgym.entry_points:{name}"
    assert spec.vector_entry_point == f"banditgym.entry_points:{name}_batched"
    assert spec.max_episode_steps is None  # the horizon is a setting
    env, envs = gymnasium.make(env_id), gymnasium.make_vec(env_id, num_envs=2)
    assert env.unwrapped.task.family == envs.unwrapped.task.family == registered.family
    assert env.unwrapped.spec.id == envs.unwrapped.spec.id == env_id
    module, name = registered.path.split(":")
    assert type(envs.unwrapped) is getattr(importlib.import_module(module), name)
    assert registered.summary
    assert "\n" not in registered.summary


def test_the_module_in_the_id_spares_the_import():
    code = (
        "import gymnasium; print(gymnasium.make('banditgym:LinearBandit-v0').reset(seed=0)[0][0])"
    )
    run(code)
    env = gymnasium.make("banditgym:LinearBandit-v0")
    assert env.unwrapped.task.family == "linear"


def test_registering_twice_changes_nothing():
    before = dict(gymnasium.registry)
    register_environments()
    importlib.reload(banditgym)
    assert dict(gymnasium.registry) == before
    assert all(gymnasium.registry[key] is before[key] for key in before)


def test_a_misspelt_id_is_answered_with_the_nearest():
    with pytest.raises(gymnasium.error.NameNotFound, match="Did you mean: `LinearBandit`"):
        gymnasium.make("LinearBandi-v0")


@pytest.mark.parametrize("env_id", ENVIRONMENTS)
def test_a_misspelt_setting_is_named(env_id):
    for make in (gymnasium.make, gymnasium.make_vec, sync):
        with pytest.raises(ValueError, match="has no setting 'horizn'; did you mean horizon?"):
            make(env_id, horizn=3)
        # Libraries read Python's words, and then do without the keyword.
        with pytest.raises(TypeError, match="got an unexpected keyword argument 'frameskip'"):
            make(env_id, frameskip=1)


def sync(env_id, **settings):
    return gymnasium.make_vec(env_id, vectorization_mode="sync", **settings)


def test_python_says_so_of_keywords_of_gymnasium_too():
    for make, word in ((gymnasium.make, "autoreset_mode"), (gymnasium.make_vec, "entry")):
        with pytest.raises(TypeError, match=f"got an unexpected keyword argument '{word}'"):
            make("LinearBandit-v0", **{word: None})


def run(code):
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, timeout=120, check=False
    )
    assert done.returncode == 0, done.stderr
    assert done.stderr == ""
    return done.stdout


def test_specs_survive_json():
    envs = gymnasium.make("LinearBandit-v0", n_arms=3, noise="uniform")
    again = gymnasium.make(gymnasium.envs.registration.EnvSpec.from_json(envs.spec.to_json()))
    assert (envs.reset(seed=1)[0] == again.reset(seed=1)[0]).all()


def test_ids_are_those_of_a_family():
    assert banditgym.ids() == list(banditgym.ENVIRONMENTS)
    assert banditgym.ids("losses") == ["OnlineConvex-v0"]
    families = dict.fromkeys(registered.family for registered in banditgym.ENVIRONMENTS.values())
    assert sorted(name for family in families for name in banditgym.ids(family)) == sorted(
        banditgym.ENVIRONMENTS
    )
    with pytest.raises(ValueError, match="family must be one of .*; did you mean linear"):
        banditgym.ids("liner")
