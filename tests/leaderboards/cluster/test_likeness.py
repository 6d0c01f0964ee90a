"""What must be equal on two machines, and how differences are reported."""

import json
from pathlib import Path

import pytest

from leaderboards.cluster import likeness as module
from leaderboards.cluster.likeness import differences, likeness
from leaderboards.run.keys.sources import of_agent
from leaderboards.suites.suite import load

MINE = "from agents import UCB1\nclass Mine(UCB1): ...\n"


@pytest.fixture
def suite():
    """The shipped suite: it has data files, and a reference."""
    return load("core-v3").first(1)


@pytest.fixture
def mine(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("mine.py").write_text(MINE)
    return tmp_path / "mine.py"


def test_a_machine_is_like_itself(suite, mine):
    assert differences(likeness(suite, ["UCB1", "LinUCB(alpha=0.5)", "mine.py:Mine"])) == ()


def test_it_holds_all_that_decides_a_number(suite, mine):
    found = json.loads(likeness(suite, ["UCB1", "mine.py:Mine(noise_std=0.5)"]))
    assert {"python", "numpy", "numba", "llvmlite", "distributed"} <= found["versions"].keys()
    assert found["agents"][f"{mine}:Mine"] == of_agent(f"{mine}:Mine")
    assert {place for place in found["agents"] if ":" in place} > {f"{mine}:Mine"}  # references
    files = {path for task in suite.tasks for _, path in task.files}
    assert files
    assert found["data"].keys() == files


@pytest.mark.parametrize(
    ("group", "name", "told"),
    [
        ("versions", "numpy", "numpy is"),
        ("versions", "python", "python is"),
        ("sources", "banditgym and agents", "the sources of banditgym and agents are"),
        ("sources", "leaderboards", "the sources of leaderboards are"),
    ],
)
def test_a_difference_is_told(suite, group, name, told):
    wanted = json.loads(likeness(suite, []))
    here = wanted[group][name]
    wanted[group][name] = "other"
    assert differences(json.dumps(wanted)) == (f"{told} {here}, here other",)


def test_other_files_are_told(suite, mine):
    wanted = likeness(suite, ["mine.py:Mine"])
    found = json.loads(wanted)
    hash = found["agents"][f"{mine}:Mine"]
    (path, *_), (data, *_) = zip(*found["data"].items(), strict=True)
    found["data"] = {path: "other", "/nowhere/log.csv": "other"}
    mine.write_text(MINE + "# changed\n")
    assert differences(json.dumps(found)) == (
        f"{mine}:Mine is {of_agent(f'{mine}:Mine')}, here {hash}",
        f"{path} is {data}, here other",
        "/nowhere/log.csv is missing, here other",
    )
    mine.unlink()
    (first, *_) = differences(json.dumps(found) + " ")
    assert first == f"{mine}:Mine is missing, here {hash}"


def test_a_package_that_is_not_here_is_told(suite, monkeypatch):
    wanted = json.loads(likeness(suite, []))
    monkeypatch.setattr(module, "PACKAGES", (*module.PACKAGES, "no-such-package"))
    wanted["versions"]["no-such-package"] = "1.0"
    assert differences(json.dumps(wanted)) == ("no-such-package is missing, here 1.0",)


def test_an_agent_that_is_not_here_is_refused(suite):
    with pytest.raises(OSError, match=r"none\.py"):
        likeness(suite, ["none.py:Mine"])
