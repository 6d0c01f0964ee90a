"""Which rows of a store are shown: those of one state of sources and of the current data."""

import copy
import dataclasses
import inspect
import sys
from importlib import metadata
from pathlib import Path

import numpy as np
import pytest

import agents
from agents import naming
from agents.parts.deep.model import Model
from agents.parts.estimators import Ridge
from agents.parts.optimism import Optimism
from banditgym import registration
from banditgym.compiled import compiled
from banditgym.compiled.cache import keep
from banditgym.envs.armed import ArmedBandit
from banditgym.single import SingleBandit
from banditgym.vector_env import BanditVectorEnv
from leaderboards.portability import corpus
from leaderboards.portability.players import SCENES, VARIANTS
from leaderboards.run.keys import source_files, sources
from leaderboards.run.keys.sources import current, files_of_own, of_agent, of_environment, of_files
from leaderboards.run.outcomes import play_warm
from leaderboards.run.store.store import Row
from leaderboards.suites import baselines_file
from leaderboards.suites.suite import SuiteTask, load

SUITE = """
title = "small"
seeds = 2
[[task]]
name = "rows"
env = "LinearBandit-v0"
horizon = 30
settings = { contexts = "rows.npy" }
"""
ROW = Row(
    suite="-", task="rows", agent="LinUCB", spec="LinUCB", hyperparameters={"alpha": 1.0}, seed=0,
    sources="", data={}, error=None, rounds=[30], measures={"regret": [1.0]}, seconds=[1e-7, 1e-7],
    bytes=8, facts=[], paper=None,
)  # fmt: skip


def suite_of(folder, values):
    np.save(folder / "rows.npy", np.asarray(values, float))
    (folder / "small.toml").write_text(SUITE)
    baselines_file.of_file.cache_clear()
    return load(folder / "small.toml")


def keys(suite):
    return {"sources": of_agent("LinUCB"), "environment": of_environment(suite.tasks[0])}


def test_rows_of_other_data_are_left_out(tmp_path):
    suite = suite_of(tmp_path, [[1, 2], [3, 4], [5, 7]])
    (path,) = [path for _, path in suite.tasks[0].files]
    rows = [
        dataclasses.replace(ROW, **keys(suite), data={"rows.npy": digest}, seed=seed)
        for seed, digest in enumerate([baselines_file.of_file(path), "0" * 16])
    ]
    assert current(suite, rows) == (rows[:1], [])
    # The file changes, and with it what belongs to it.
    suite = suite_of(tmp_path, [[1, 2], [3, 4], [5, 8]])
    assert current(suite, rows) == ([], [])
    baselines_file.of_file.cache_clear()


def test_rows_of_the_present_sources_are_shown_though_others_are_newer(tmp_path):
    suite = suite_of(tmp_path, [[1, 2], [3, 4], [5, 7]])
    data = {"rows.npy": baselines_file.of_file(suite.tasks[0].files[0][1])}
    own = dataclasses.replace(ROW, **keys(suite), data=data)
    here, older, newer = (
        dataclasses.replace(own, sources=sources) for sources in (own.sources, "1" * 16, "2" * 16)
    )
    assert current(suite, [older, here, newer]) == ([here], [])
    # Where there are none of the present sources, the newest are shown, and it is said.
    assert current(suite, [older, newer]) == ([newer], ["LinUCB"])
    assert current(suite, [newer, older]) == ([older], ["LinUCB"])
    assert current(suite, [dataclasses.replace(here, seed=2)]) == ([], [])  # beyond the suite's
    baselines_file.of_file.cache_clear()


def test_of_each_task_the_rows_of_one_environment_are_shown(tmp_path):
    suite = suite_of(tmp_path, [[1, 2], [3, 4], [5, 7]])
    data = {"rows.npy": baselines_file.of_file(suite.tasks[0].files[0][1])}
    here = dataclasses.replace(ROW, **keys(suite), data=data)
    older, newer = (dataclasses.replace(here, environment=text * 16) for text in "12")
    assert current(suite, [older, here, newer]) == ([here], [])
    assert current(suite, [older, newer]) == ([newer], ["LinUCB"])
    baselines_file.of_file.cache_clear()


def test_rows_of_the_sandbox_are_those_of_another_agent(tmp_path):
    """Else the sources of one would decide which rows of the other are shown."""
    suite = suite_of(tmp_path, [[1, 2], [3, 4], [5, 7]])
    data = {"rows.npy": baselines_file.of_file(suite.tasks[0].files[0][1])}
    here = dataclasses.replace(ROW, **keys(suite), data=data)
    within = dataclasses.replace(here, isolation="full", sources="1" * 16)
    assert current(suite, [here, within]) == ([here, within], ["LinUCB"])
    baselines_file.of_file.cache_clear()


ROOT = Path(__file__).parents[4]
FILES = {name: Path(inspect.getfile(kind)) for name, kind in naming.named().items()}


@pytest.mark.parametrize("name", naming.named())
def test_an_agents_numbers_depend_on_its_own_file_and_what_it_is_made_of(name):
    kind = naming.named()[name]
    files = files_of_own(kind)
    bases = [base for base in kind.__mro__[:-1] if base.__module__ != "builtins"]
    parts = [type(value) for value in vars(kind).values() if dataclasses.is_dataclass(value)]
    for made_of in (*bases, *parts, agents.play):
        assert Path(inspect.getfile(made_of)) in files
    places = {file.relative_to(ROOT).as_posix() for file in files}
    assert {
        "banditgym/streams/stream.py",
        "agents/inputs/observations.py",
        "banditgym/vector_env.py",
    } <= places
    assert not [place for place in places if place.startswith("banditgym/envs/")]
    # Other agents' files only if it derives from them or imports from them.
    text = "\n".join(file.read_text() for file in files if file.is_relative_to(ROOT / "agents"))
    modules = {base.__module__ for base in bases}
    for other, path in FILES.items():
        module = naming.named()[other].__module__
        assert path not in files or module in modules or f"from {module} import" in text


def place(thing):
    return Path(inspect.getfile(thing)).relative_to(ROOT).as_posix()


def changes(monkeypatch, file, keys):
    """The names whose keys are others when a file computes otherwise."""
    before, read = keys(), source_files.read

    def edited(path):
        found = read(path)
        return dataclasses.replace(found, form="new") if path == ROOT / file else found

    with monkeypatch.context() as patch:
        patch.setattr(source_files, "read", edited)
        sources._form_of_ours.cache_clear()
        sources._cell.cache_clear()
        now = keys()
    sources._form_of_ours.cache_clear()
    sources._cell.cache_clear()
    assert keys() == before
    return {name for name in now if now[name] != before[name]}


def of_agents():
    return {name: of_agent(name) for name in ("LinUCB", "UCB1", "OFUL", "ForwardOFUL", "PPO")}


def of_tasks():
    return {task.name: of_environment(task) for task in load("core-v2").tasks}


def test_a_change_of_a_file_is_told_by_the_agents_and_environments_that_it_is_part_of(monkeypatch):
    everyone, everywhere = set(of_agents()), set(of_tasks())
    for file, some, somewhere in (
        (place(agents.OFUL), {"OFUL", "ForwardOFUL"}, set()),
        (place(Optimism), {"LinUCB", "OFUL", "ForwardOFUL"}, set()),
        (place(agents.UCB1), {"UCB1"}, set()),
        (place(Model), {"PPO"}, set()),
        (place(agents.Agent), everyone, everywhere),
        (place(play_warm), everyone, everywhere),
        (place(ArmedBandit), set(), {"coins", "rare"}),
        (place(compiled), everyone, everywhere),
        (place(keep), set(), set()),
        (place(naming.find), set(), set()),
        ("agents/__init__.py", set(), set()),
        (place(load), set(), set()),
    ):
        assert changes(monkeypatch, file, of_agents) == some, file
        assert changes(monkeypatch, file, of_tasks) == somewhere, file


def test_what_is_named_and_not_imported_is_what_a_row_comes_from():
    loop = (agents.play, BanditVectorEnv, SingleBandit)
    assert tuple(f"{one.__module__}:{one.__qualname__}" for one in loop) == sources._LOOP
    assert play_warm.__module__ == sources._CURVES
    for name in naming.named():  # by its class too, which is imported
        assert of_agent(name) == of_agent(f"agents:{name}") == of_agent(f" {name}()")


@pytest.mark.parametrize("name", ["armed", "linear-fixed", "linear-block", "ball", "text"])
def test_modules_that_are_left_aside_take_no_part_in_a_round(monkeypatch, name):
    aside = {str(sources._find(module)) for module in sources._ASIDE}
    assert all(Path(file).is_file() for file in aside)
    module = sys.modules["agents.play"]  # the package's name of it is the function's
    ran = set()

    def watched(rounds):
        def play_rounds(*given):
            sys.setprofile(lambda frame, event, value: ran.add(frame.f_code.co_filename))
            try:
                return rounds(*given)
            finally:
                sys.setprofile(None)

        return play_rounds

    for agent in corpus.cast(SCENES[name], [])[:5]:
        env = corpus._made(dataclasses.replace(SCENES[name], rounds=12))
        agents.play(env, copy.deepcopy(agent))  # compiles
        with monkeypatch.context() as patch:
            for rounds in ("_play_rounds", "_play_blocks"):
                patch.setattr(module, rounds, watched(getattr(module, rounds)))
            agents.play(env, agent)
    assert inspect.getfile(type(agent)) in ran  # the rounds were watched
    # Owners of classes are asked whether rounds are played as blocks: the numbers are the same.
    assert aside & ran <= {str(sources._find("agents.ownership"))}


def test_every_agent_that_can_be_named_has_its_place():
    found = {name: f"{kind.__module__}:{kind.__name__}" for name, kind in naming.named().items()}
    assert sources._homes() == found
    assert {name: tuple(members) for name, members in sources._lists().items()} == {
        name: getattr(agents, name) for name in ("AGENTS", "ON_REQUEST", "LIBRARY_AGENTS")
    }


def test_the_parts_that_a_specification_names_are_part_of_its_key():
    assert of_agent("OFUL") == of_agent("agents:OFUL") == of_agent("OFUL(radius=0.5)")
    part = "agents:GPBandit(posterior=Nystrom(qbar=3.0))"
    assert of_agent(part) != of_agent("agents:GPBandit")
    as_data = "agents:GPBandit(posterior={'kind': 'nystrom', 'qbar': 3.0})"
    assert of_agent(as_data) == of_agent(part)
    within = "agents:GPBandit(posterior=[{'a': {'kind': 'nystrom'}}])"
    assert of_agent(within) == of_agent(part)
    with pytest.raises(ValueError, match="unknown part 'nystron'; did you mean nystrom"):
        of_agent("agents:GPBandit(posterior=Nystron())")


def test_the_settings_that_an_id_fixes_are_part_of_its_key(monkeypatch):
    before, (task,) = of_tasks(), [t for t in load("core-v2").tasks if t.name == "starvation"]
    assert before["coins"] == before["rare"]
    assert before["starvation"] != before["smooth"]  # one class, other settings
    entry = registration.ENVIRONMENTS["StarvationBandit-v0"]
    monkeypatch.setitem(entry.settings, "n_arms", 999)
    assert of_environment(task) != before["starvation"]


def test_versions_of_libraries_are_part_of_keys_without_a_corpus_of_bits(monkeypatch, tmp_path):
    (tmp_path / "mine.py").write_text(MINE)

    def keys():
        sources.versions.cache_clear()
        names = [*naming.named(), f"{tmp_path}/mine.py:Mine"]
        return {name.rpartition(":")[2]: of_agent(name) for name in names}

    before, version = keys(), sources._version
    played = {
        spec.partition("(")[0].rpartition(":")[2] for own in VARIANTS.values() for spec in own
    }
    watched = {*naming.own_agents(), *played}
    for library in ("numpy", "numba", "scipy"):
        monkeypatch.setattr(
            sources, "_version", lambda name, at=library: "9" if name == at else version(name)
        )
        now = keys()
        assert {name for name in now if now[name] == before[name]} == watched
    monkeypatch.setattr(sources, "_version", lambda name: "9" if name == "torch" else version(name))
    now = keys()
    assert {name for name in now if now[name] != before[name]} == set(agents.LIBRARY_AGENTS)
    monkeypatch.undo()
    sources.versions.cache_clear()
    assert sources.versions() == {name: metadata.version(name) for name in sources.LIBRARIES}


MINE = """
import sklearn.linear_model
from helper import a
from agents.linear.oful import OFUL
class Mine(OFUL):
    part = a, sklearn.linear_model.Ridge
"""


def test_a_third_partys_key_covers_its_own_modules_what_they_use_and_libraries(
    tmp_path, monkeypatch
):
    texts = {
        "mine.py": MINE,
        "helper/__init__.py": "from helper.a import a",
        "helper/a.py": "a = 1",
        "helper/b.py": "b = 1",
    }
    (tmp_path / "helper").mkdir()

    def key(**changed):
        for name, text in texts.items():
            (tmp_path / name).write_text(changed.get(name.replace("/", "_")[:-3], text))
        return of_agent(f"{tmp_path}/mine.py:Mine")

    before = key()
    assert key(helper_a="a = 2") != before
    assert key(helper_a="a = 1  # its text counts") != before
    assert key(helper_b="b = 2") == key() == before
    assert key(mine=MINE + " ") != before
    in_folder = {name: text.encode() for name, text in texts.items()}
    folder = of_files(in_folder, "hash")
    assert of_files(in_folder, "other") != folder
    assert key() == before
    for file in (place(agents.OFUL), place(agents.Agent), place(Ridge)):
        assert changes(monkeypatch, file, lambda: {"key": key()}) == {"key"}
        assert changes(monkeypatch, file, lambda: {"key": of_files(in_folder, "hash")}) == {"key"}
    assert changes(monkeypatch, place(agents.UCB1), lambda: {"key": key()}) == set()
    version = sources._version
    monkeypatch.setattr(sources, "_version", lambda n: "9" if n == "sklearn" else version(n))
    assert key() != before
    assert of_files(in_folder, "hash") != folder


def test_a_third_partys_module_is_found_in_its_package_without_an_import(tmp_path, monkeypatch):
    (tmp_path / "parcel").mkdir()
    (tmp_path / "parcel" / "__init__.py").write_text("raise SystemExit")
    (tmp_path / "parcel" / "inner.py").write_text("from .beside import x\nMine = x")
    (tmp_path / "parcel" / "beside.py").write_text("x = 1")
    monkeypatch.syspath_prepend(tmp_path)
    before = of_agent("parcel.inner:Mine")
    (tmp_path / "parcel" / "beside.py").write_text("x = 2")
    assert of_agent("parcel.inner:Mine") != before
    with pytest.raises(ModuleNotFoundError):
        of_agent("parcel.nowhere:Mine")
    with pytest.raises(FileNotFoundError):
        of_agent(f"{tmp_path}/nowhere.py:Mine")
    with pytest.raises(ValueError, match="unknown agent"):
        of_agent("Nobody")
    assert sources.present(of_agent, "Nobody") is None


def test_a_third_partys_environment_counts_like_its_agents(tmp_path):
    (tmp_path / "mine.py").write_text("class Mine: ...")
    task = SuiteTask(
        name="mine", env="mine.py:Mine", settings={}, horizon=10, family="armed",
        folder=str(tmp_path),
    )  # fmt: skip
    before = of_environment(task)
    (tmp_path / "mine.py").write_text("class Mine: pass")
    assert of_environment(task) != before
    (tmp_path / "mine.py").unlink()
    with pytest.raises(FileNotFoundError):
        of_environment(task)
    assert of_environment(dataclasses.replace(task, env="CartPole-v1")) != of_environment(
        dataclasses.replace(task, env="CartPole-v0")
    )
