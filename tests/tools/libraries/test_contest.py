"""Plays a roster and measures it: here of this package's agents on a small suite."""

import json

import pytest

from leaderboards.run.store.store import Store
from leaderboards.suites.suite import load
from tools.libraries import contest
from tools.libraries.roster import Contestant

SUITE = """title = "Coins"
seeds = 2
[[task]]
name = "coins"
env = "ArmedBandit-v0"
horizon = 20
[[task]]
name = "arms"
env = "LinearBandit-v0"
horizon = 20
settings = { n_arms = 3, dim = 2 }
"""


def test_the_command_plays_the_roster_and_measures_who_has_results(tmp_path, monkeypatch):
    path = tmp_path / "small.toml"
    path.write_text(SUITE)
    asked = []

    def measured(spec, task):
        asked.append((spec, task.name))
        return {"library": "banditgym", "version": "1", "task": task.name, "mebibytes": 1.5}

    monkeypatch.setattr(contest.memory, "measured", measured)
    monkeypatch.setattr(contest, "SUITE", path)
    monkeypatch.setattr(contest, "FILE", "measured.json")
    roster = [Contestant(spec, "", "") for spec in ("LinUCB", "UCB1", "PEGE")]
    monkeypatch.setattr(contest, "ROSTER", roster)
    argv = ["contest", "--store", str(tmp_path / "store"), "--workers", "1"]
    monkeypatch.setattr("sys.argv", argv)
    contest.main()
    rows = Store(tmp_path / "store").rows(load(path).hash)
    played = {(row.agent, row.task, row.seed) for row in rows if not row.refused}
    assert played >= {("LinUCB", "arms", 1), ("UCB1", "coins", 0)}
    assert {row.agent for row in rows if row.refused} == {"LinUCB", "UCB1", "PEGE"}
    assert asked == [("LinUCB", "arms"), ("UCB1", "coins")]
    found = json.loads((tmp_path / "store/measured.json").read_text())
    assert found.keys() == {"date", "machine", "cores", "load", "versions", "agents"}
    assert found["agents"].keys() == {"LinUCB", "UCB1"}
    assert {"python", "numpy"} <= found["versions"].keys()


def test_a_store_that_cannot_be_written_is_told_in_one_line(tmp_path, monkeypatch):
    (tmp_path / "store").write_text("a file")
    monkeypatch.setattr("sys.argv", ["contest", "--store", str(tmp_path / "store")])
    monkeypatch.setattr(contest, "ROSTER", [Contestant("UCB1", "", "")])
    with pytest.raises(SystemExit) as left:
        contest.main()
    assert "\n" not in str(left.value)
