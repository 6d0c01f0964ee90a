"""`python -m tools.speed --peers` measures what it says; no test checks how fast it is."""

import io
import sys

import numpy as np
import pytest
from rich.console import Console

import agents
from tools.speed import peers, turns
from tools.speed.peers import PeerRow, compared, table

OURS = PeerRow("LinUCB", None, 3, 40)
MISSING = PeerRow("leaderboards.peers.mabwiser:MABWiserLinUCB", "LinUCB", 1, 20)


@pytest.fixture
def few(monkeypatch):
    """A clock that counts, one agent of ours, and the environments; two libraries are missing."""
    for name in ("mabwiser", "mabwiser.mab", "leaderboards.peers.mabwiser"):
        monkeypatch.delitem(sys.modules, name, raising=False)
    for name in ("mabwiser", "vowpalwabbit"):
        monkeypatch.setitem(sys.modules, name, None)
    monkeypatch.setattr(peers, "version", lambda name: f"{name}'s")
    regressions = [PeerRow(row.name, row.of, min(row.n, 4), 30) for row in peers.REGRESSIONS]
    monkeypatch.setattr(peers, "REGRESSIONS", tuple(regressions))
    monkeypatch.setattr(peers, "AGENTS", (OURS, MISSING))
    monkeypatch.setattr(peers, "_TURNS", 1)
    environments = [PeerRow(row.name, row.of, min(row.n, 4), 30) for row in peers.ENVIRONMENTS]
    monkeypatch.setattr(peers, "ENVIRONMENTS", tuple(environments))
    ticks = iter(np.cumsum([1.0, 2.0] * 1000).tolist())
    monkeypatch.setattr(turns, "process_time", lambda: next(ticks))


def test_speeds_are_rounds_of_all_replicates_over_the_time(few):
    found = compared()
    rows = {row["name"]: row for row in found["rows"]}
    ours = rows["LinUCB"]
    assert (ours["rounds_per_second"], ours["slowest"], ours["fastest"]) == (60, 60, 60)  # 120 / 2
    assert rows["HandWritten"]["rounds_per_second"] == 15
    assert rows["SyncVectorEnv of HandWritten"]["n"] == 4
    assert rows["HandWritten"]["times"] == 4.0  # 4 * 30 / 2 of ours over 30 / 2
    assert ours["times"] is None
    assert rows["GradientDescentRegression"]["rounds_per_second"] == 60
    assert found["versions"].keys() >= {"banditgym", "numpy", "numba", "gymnasium"}
    assert found["versions"]["vowpalwabbit"] == "vowpalwabbit's"


def test_medians_and_spread_are_of_the_turns_which_are_interleaved(few, monkeypatch):
    order = []
    monkeypatch.setattr(peers, "_agent", lambda row, rounds, _: lambda: order.append(row.name))
    monkeypatch.setattr(peers, "_environment", peers._agent)
    monkeypatch.setattr(
        peers, "_regression", lambda row, rounds, _, folder: peers._agent(row, 0, 0)
    )
    monkeypatch.setattr(peers, "_TURNS", 3)
    first, second = [0, 1] * 9, [0, 3, *([0, 1] * 8)]
    ticks = iter([*first, *second, 0, 4, *([0, 1] * 20)])
    monkeypatch.setattr(turns, "process_time", lambda: next(ticks))
    row = compared()["rows"][0]
    rows = peers.AGENTS + peers.ENVIRONMENTS + peers.REGRESSIONS
    names = [each.name for each in rows]
    assert order == names + names * 3  # once to warm up, and then in turns
    assert (row["rounds_per_second"], row["slowest"], row["fastest"]) == (40, 30, 120)


def test_given_rows_are_predicted_and_learned_one_after_the_other():
    task, blocks = peers.blocks_of(70)
    agent = agents.GradientDescentRegression().reset(task, n=1)
    for row, outcome in zip(*peers.given_rows(70), strict=True):
        prediction = agent.act(row[None])
        agent.observe(row[None], prediction, np.zeros(1), feedback=outcome[None])
    learned = peers.learned_from_blocks(task, blocks)
    np.testing.assert_array_equal(learned.model.theta, agent.model.theta)


def test_a_missing_library_is_a_row_with_its_reason(few):
    rows = compared()["rows"]
    for row, name in ((rows[1], "mabwiser"), (rows[-1], "vowpalwabbit")):
        assert f"{name} is missing" in row["error"]
        assert row["rounds_per_second"] is row["times"] is None


def test_the_table_has_every_row_the_versions_and_the_reasons(few):
    found = compared()
    text = io.StringIO()
    Console(file=text, width=300).print(table(found))
    told = text.getvalue()
    for part in ("LinUCB", "MABWiserLinUCB", "HandWritten", found["date"], "mabwiser is missing"):
        assert part in told
    assert "vowpalwabbit vowpalwabbit's" in told
