"""What makes environments: an environment's own settings pass, and nothing else. A second."""

import sys

import gymnasium
import pytest

from banditgym.entry_points import make_batch
from banditgym.registration import ENVIRONMENTS
from banditgym.vector_env import load_env, settings_of
from leaderboards import compare
from leaderboards.run import runner
from leaderboards.run.execution import IN_PROCESS
from leaderboards.run.store.store import Store
from leaderboards.suites.suite import load

OF_GYMNASIUM = {
    "entry": "imported_by_mistake:system",
    "vectorization_mode": "async",
    "vector_kwargs": {"shared_memory": False},
    "wrappers": [],
    "disable_env_checker": True,
    "render_mode": "human",
    "num_envs": 3,
    "autoreset_mode": "SameStep",
    "additional_wrappers": [],
    "apply_api_compatibility": True,
    "nondeterministic": True,
    "id": "ArmedBandit-v0",
    "entry_point": "imported_by_mistake:system",
    "kwargs": {},
}


@pytest.fixture(autouse=True)
def module(tmp_path, monkeypatch):
    (tmp_path / "imported_by_mistake.py").write_text("def system(**settings): raise SystemExit\n")
    monkeypatch.syspath_prepend(tmp_path)
    yield
    assert "imported_by_mistake" not in sys.modules


@pytest.mark.parametrize("entry", [OF_GYMNASIUM["entry"], ENVIRONMENTS["ArmedBandit-v0"].path])
@pytest.mark.parametrize("env_id", ENVIRONMENTS)
def test_the_class_that_an_id_makes_is_no_setting(env_id, entry):
    for make in (gymnasium.make, gymnasium.make_vec):
        with pytest.raises(ValueError, match="has no setting 'entry'"):
            make(env_id, entry=entry)


@pytest.mark.parametrize("name", OF_GYMNASIUM)
def test_keywords_of_gymnasium_are_no_settings(tmp_path, name):
    value = OF_GYMNASIUM[name]
    expected = f"LinearBandit-v0 has no setting '{name}'"
    with pytest.raises(ValueError, match=expected):
        make_batch("LinearBandit-v0", 2, {name: value})
    if name != "id":  # by which compare takes the environment itself
        with pytest.raises(ValueError, match=expected):
            compare("LinearBandit-v0", ["LinUCB"], seeds=2, horizon=5, **{name: value})
    if value in ([], {}):
        written = f"{value}"
    else:
        written = f"'{value}'" if isinstance(value, str) else f"{value}".lower()
    if isinstance(value, dict):
        written = "{ shared_memory = false }" if value else "{}"
    path = tmp_path / "suite.toml"
    path.write_text(
        'title = "a"\nseeds = 2\n[[task]]\nname = "a"\nenv = "LinearBandit-v0"\nhorizon = 5\n'
        f"settings = {{ {name} = {written} }}\n"
    )
    with pytest.raises(ValueError, match=f"task 'a': {expected}"):
        runner.run(load(path), ["LinUCB"], store=Store(tmp_path / "store"), execution=IN_PROCESS)


@pytest.mark.parametrize("env_id", ENVIRONMENTS)
def test_documented_settings_pass_and_the_nearest_is_named(env_id):
    entry = load_env(ENVIRONMENTS[env_id].path)
    known, docs = settings_of(entry), "".join(base.__doc__ or "" for base in entry.__mro__)
    assert {"horizon", "max_episode_steps"} < known.keys()
    for setting in known:
        assert setting in docs or setting == "max_episode_steps"
    assert make_batch(env_id, 2, {"horizon": 7}).unwrapped.task.horizon == 7
    with pytest.raises(ValueError, match=f"{env_id} has no setting 'horizn'; did you mean horizon"):
        make_batch(env_id, 2, {"horizn": 7})


def test_an_environment_of_others_takes_its_own_settings_but_none_of_gymnasiums():
    assert make_batch("CartPole-v1", 2, {"sutton_barto_reward": True}).num_envs == 2
    with pytest.raises(ValueError, match="CartPole-v1 has no setting 'vectorization_mode'"):
        make_batch("CartPole-v1", 2, {"vectorization_mode": "async"})
    with pytest.raises(gymnasium.error.Error):
        make_batch("NoSuchThing-v0", 2, {})
