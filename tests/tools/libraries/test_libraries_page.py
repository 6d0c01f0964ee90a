"""The page of other libraries: of a small run with made-up measurements, and the published one."""

import json
from dataclasses import replace

import pytest

from leaderboards.run import runner
from leaderboards.run.execution import IN_PROCESS
from leaderboards.run.store.store import Store
from leaderboards.suites.suite import load
from tools import publish
from tools.libraries import libraries_page
from tools.libraries.roster import ROSTER as ROSTER_OF_ALL
from tools.libraries.roster import Contestant

SUITE = """title = "Coins"
seeds = 3
[[task]]
name = "coins"
env = "ArmedBandit-v0"
horizon = 50
settings = { means = [0.9, 0.1] }
"""
ROSTER = (
    Contestant("UCB1", "a bonus of the counts", "a mean per arm", {"armed": "it explores longer"}),
    Contestant("BetaThompson", "a draw", "a mean per arm"),
)
MEASURED = {
    "date": "2026-01-02",
    "machine": "an abacus",
    "cores": 10,
    "load": 0.5,
    "versions": {"python": "3.11"},
    "agents": {
        "UCB1": {"library": "banditgym", "version": "9.9", "task": "coins", "mebibytes": 12.34},
        "BetaThompson": {"library": None, "version": None, "task": "coins", "error": "it died"},
    },
}


@pytest.fixture
def place(tmp_path, monkeypatch):
    """A finished run, and a folder to publish it in."""
    path = tmp_path / "coins.toml"
    path.write_text(SUITE)
    monkeypatch.setattr(libraries_page, "load", lambda name: load(path))
    monkeypatch.setattr(libraries_page, "ROSTER", ROSTER)
    specs = [one.spec for one in ROSTER]
    runner.run(load(path), specs, store=Store(tmp_path / "store"), execution=IN_PROCESS)
    (tmp_path / "store" / libraries_page.FILE).write_text(json.dumps(MEASURED))
    return tmp_path / "store", tmp_path / "results"


def test_a_run_is_packed_and_its_page_tells_all_of_it(place):
    store, results = place
    libraries_page.take(store, results)
    (text,) = libraries_page.pages(results).values()
    lines = text.splitlines()
    (ours,) = [line for line in lines if line.startswith("| 1") and "| UCB1 |" in line] or [
        line for line in lines if "| UCB1 | banditgym | a mean per arm |" in line
    ]
    assert ours.endswith("| 12.3 |")
    (other,) = [line for line in lines if "| BetaThompson | – | a mean per arm |" in line]
    assert other.endswith("| not measured: it died |")
    assert "- UCB1: it explores longer" in lines
    assert "Measured on 2026-01-02, an abacus, 10 cores under a load of 0.5: python 3.11." in lines
    (given,) = [line for line in lines if "a bonus of the counts" in line]
    assert given.startswith(r"| UCB1 | banditgym 9.9 | a bonus of the counts | noise\_std |")
    assert "noise\\_std=None" in given
    assert list(libraries_page.figures(results)) == ["libraries-v1-curves.png"]


def test_without_published_rows_there_is_no_page(place, tmp_path):
    assert libraries_page.pages(tmp_path / "nowhere") == {}
    assert libraries_page.figures(tmp_path / "nowhere") == {}


def test_what_was_not_played_is_told(place):
    store, results = place
    rows = Store(store).rows()
    for file in store.glob("*.jsonl"):
        file.unlink()
    with Store(store) as again:
        again.append(row for row in rows if row.agent == "UCB1")
    libraries_page.take(store, results)
    (text,) = libraries_page.pages(results).values()
    assert text.endswith("Not played yet: BetaThompson on coins.\n")


def test_a_failure_is_a_row_with_its_reason(place):
    store, results = place
    rows = Store(store).rows()
    broken = [
        replace(row, error="still running after 120 s of CPU time", rounds=None, measures=None,
                seconds=None, bytes=None)
        if (row.agent, row.seed) == ("UCB1", 1) else row
        for row in rows
    ]  # fmt: skip
    for file in store.glob("*.jsonl"):
        file.unlink()
    with Store(store) as again:
        again.append(broken)
    libraries_page.take(store, results)
    (text,) = libraries_page.pages(results).values()
    assert "- UCB1 failed in 1 episode: still running after 120 s of CPU time" in text


def test_what_does_not_belong_together_is_not_published(place, tmp_path):
    store, results = place
    rows = Store(store).rows()
    (store / libraries_page.FILE).rename(tmp_path / "measured")
    with pytest.raises(ValueError, match="nothing was measured"):
        libraries_page.take(store, results)
    (tmp_path / "measured").rename(store / libraries_page.FILE)
    for file in store.glob("*.jsonl"):
        file.unlink()
    with Store(store) as again:
        again.append(row for row in rows if (row.agent, row.seed) != ("UCB1", 2))
        again.append([replace(row, sources="0" * 16) for row in rows if row.agent == "UCB1"])
    with pytest.raises(ValueError, match="results of UCB1 of different sources"):
        libraries_page.take(store, results)
    assert not results.exists()


def test_who_is_no_better_than_uniform_play_has_its_reason_on_the_page():
    """And a reason belongs to somebody below 0.6."""
    board = libraries_page.published(publish.FOLDER / "results")
    contestants = {one.spec: one for one in ROSTER_OF_ALL}
    assert [section.name for section in board.sections if section.standings]
    for section in board.sections:
        for standing in section.standings:
            reason = contestants[standing.spec].reasons.get(section.name)
            scores = [result.score.low for result in standing.tasks.values() if result.score]
            if min(scores) < 0.05:
                assert reason is not None, standing.label
            if reason is not None:
                assert min(scores) < 0.6, standing.label
