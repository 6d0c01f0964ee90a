"""Which rows of a store are shown: of one state of sources, and of the data that lies there now."""

import dataclasses
import inspect
from pathlib import Path

import numpy as np
import pytest

import agents
from agents import naming
from leaderboards import ends
from leaderboards.run import sources
from leaderboards.run.sources import current, files_of_own, of_agent
from leaderboards.store import Row
from leaderboards.suite import load

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
    ends.of_file.cache_clear()
    return load(folder / "small.toml")


def test_rows_of_other_data_are_left_out(tmp_path):
    suite = suite_of(tmp_path, [[1, 2], [3, 4], [5, 7]])
    (path,) = [path for _, path in suite.tasks[0].files]
    rows = [
        dataclasses.replace(ROW, sources=of_agent("LinUCB"), data={"rows.npy": digest}, seed=seed)
        for seed, digest in enumerate([ends.of_file(path), "0" * 16])
    ]
    assert current(suite, rows) == (rows[:1], [])
    # The file changes, and with it what belongs to it.
    suite = suite_of(tmp_path, [[1, 2], [3, 4], [5, 8]])
    assert current(suite, rows) == ([], [])
    ends.of_file.cache_clear()


def test_rows_of_the_present_sources_are_shown_though_others_are_newer(tmp_path):
    suite = suite_of(tmp_path, [[1, 2], [3, 4], [5, 7]])
    data = {"rows.npy": ends.of_file(suite.tasks[0].files[0][1])}
    here, older, newer = (
        dataclasses.replace(ROW, sources=sources, data=data)
        for sources in (of_agent("LinUCB"), "1" * 16, "2" * 16)
    )
    assert current(suite, [older, here, newer]) == ([here], [])
    # Where there are none of the present sources, the newest are shown, and it is said.
    assert current(suite, [older, newer]) == ([newer], ["LinUCB"])
    assert current(suite, [newer, older]) == ([older], ["LinUCB"])
    assert current(suite, [dataclasses.replace(here, seed=2)]) == ([], [])  # beyond the suite's
    ends.of_file.cache_clear()


ROOT = Path(__file__).parents[3]
FILES = {name: inspect.getfile(kind) for name, kind in naming.named().items()}


def place(name):
    return Path(FILES[name]).relative_to(ROOT).as_posix()


@pytest.mark.parametrize("name", naming.named())
def test_an_agents_numbers_depend_on_its_own_file_and_what_it_is_made_of(name):
    kind = naming.named()[name]
    files = files_of_own(kind)
    bases = [base for base in kind.__mro__[:-1] if base.__module__ != "builtins"]
    parts = [type(value) for value in vars(kind).values() if dataclasses.is_dataclass(value)]
    for made_of in (*bases, *parts, agents.play):
        assert Path(inspect.getfile(made_of)).relative_to(ROOT).as_posix() in files
    assert {"banditgym/envs/linear.py", "banditgym/streams.py", "agents/inputs.py"} <= set(files)
    # Of other agents' only what it derives from, or is made with.
    modules = {base.__module__ for base in bases} | {kind.__module__}
    imported = "\n".join((ROOT / file).read_text() for file in files if file.startswith("agents/"))
    for other, cls in naming.named().items():
        if place(other) in files and cls.__module__ not in modules:
            assert f"from {cls.__module__} import" in imported


def test_a_new_agent_is_part_of_no_others_numbers():
    own = set(agents.LIBRARY_AGENTS)
    files = {name: set(files_of_own(kind)) for name, kind in naming.named().items()}
    for name, known in files.items():
        if name not in own:
            assert not [file for file in known if "/deep/" in file]
            assert place("LinUCB") not in known or name == "LinUCB"
    assert {"agents/parts/deep/model.py", "banditgym/wrappers.py"} <= files["PPO"]


def test_a_change_of_a_file_or_a_library_is_told_by_the_agents_that_it_is_part_of(monkeypatch):
    def hashes():
        sources._of_own.cache_clear()
        return {name: of_agent(name) for name in ("LinUCB", "UCB1", "OFUL", "ForwardOFUL", "PPO")}

    before, digest = hashes(), sources._digest
    for changed, expected in {
        "agents/linear/oful.py": {"OFUL", "ForwardOFUL"},
        "agents/armed/ucb1.py": {"UCB1"},
        "agents/parts/deep/model.py": {"PPO"},
        "agents/agent.py": set(before),
        "banditgym/noise.py": set(before),
        "agents/naming.py": set(),
    }.items():
        monkeypatch.setattr(
            sources, "_digest", lambda name, at=changed: b"new" if name == at else digest(name)
        )
        now = hashes()
        assert {name for name in now if now[name] != before[name]} == expected, changed
    monkeypatch.setattr(sources, "_digest", digest)
    monkeypatch.setattr(sources, "version", lambda package: "99.0")
    now = hashes()
    assert {name for name in now if now[name] != before[name]} == {"PPO"}
    sources._of_own.cache_clear()
