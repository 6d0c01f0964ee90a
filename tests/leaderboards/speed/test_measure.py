"""`banditgym speed` measures what it says; no test checks how fast it is."""

import dataclasses
import io
import json
import tempfile
from pathlib import Path

import numpy as np
import pytest
from rich.console import Console

import agents
from banditgym.data.yahoo import YahooLog
from leaderboards.speed import benchmarks, measure
from leaderboards.speed.plain import (
    fused_banditron,
    fused_forward,
    fused_lints,
    fused_linucb,
    fused_ridge,
    plain_banditron,
    plain_forward,
    plain_lints,
    plain_linucb,
    plain_ridge,
)


@pytest.fixture
def small(monkeypatch):
    """The shortest form of every row."""
    monkeypatch.setattr(
        measure, "ROWS", tuple(dataclasses.replace(row, horizon=200) for row in benchmarks.ROWS)
    )


def test_rows_are_measured_beside_the_plain_and_the_fused_loop(small):
    results = list(measure.measured(["d=10 k=10 f"], quick=True))
    assert [result["row"] for result in results] == [
        row.name for row in benchmarks.ROWS if "d=10 K=10 f" in row.name
    ]
    for result in results:
        assert result["rounds_per_second"] > 0 < result["floor"] < result["aim"]
        if result["of"] is None:
            assert result["plain"] > 0 < result["fused"]
        else:
            assert result["plain"] is result["fused"] is None
    assert json.loads(json.dumps(results)) == results


def test_shares_are_of_the_other_agent_in_the_same_run(small):
    [result] = measure.measured(["ForwardOFUL"], quick=True)
    [row] = [row for row in benchmarks.ROWS if row.agent == "ForwardOFUL"]
    assert result["of"] == row.of == "OFUL"
    assert result["floor"] / result["aim"] == pytest.approx(row.floor / row.aim)
    assert result["aim"] > 1000  # rounds a second of OFUL, no share


def test_rounds_a_second_are_those_of_all_replicates(small, monkeypatch):
    clock = iter(range(10**6))
    monkeypatch.setattr(measure, "process_time", lambda: next(clock))  # a second between two looks
    row = dataclasses.replace(measure.chosen(["d=10 K=10 fresh"])[0], n=7)
    monkeypatch.setattr(measure, "ROWS", (row,))
    [result] = measure.measured()
    assert result["n"] == 7
    assert result["rounds_per_second"] == 7 * row.horizon


def test_solo_rows_play_one_environment(small):
    [result] = measure.measured(["solo"], quick=True)
    assert result["n"] == 1


def test_news_are_replayed_from_a_file_that_is_gone_afterwards(small, monkeypatch):
    [row] = [row for row in benchmarks.ROWS if row.name == "LinUCB news from a file"]
    seen = []

    def noted(n_lines, folder):
        settings = row.settings(n_lines, folder)
        log = YahooLog(settings["data"])
        (events,) = log.events()
        articles = int((events.ids >= 0).sum(axis=1).max())
        seen.append((folder, len(events), articles, settings["keep"], log.described))
        return settings

    changed = dataclasses.replace(row, settings=noted, horizon=150)
    monkeypatch.setattr(measure, "ROWS", (changed,))
    [result] = measure.measured()
    assert result["row"] == row.name
    assert result["n"] == 1
    assert min(result["env_microseconds"], result["agent_microseconds"]) > 0
    assert result["plain"] is None
    [(folder, lines, articles, keep, described)] = seen
    assert (lines, keep, described) == (150, 1.0, True)
    assert 15 < articles <= 20
    assert not Path(folder).exists()
    assert Path(folder).parent == Path(tempfile.gettempdir())


def test_agents_alone_learn_every_row_of_theirs(small, monkeypatch):
    played = []

    class Noted:
        """An agent whose actions are recorded."""

        def __init__(self, agent):
            self.agent = agent

        def reset(self, task, *, n):
            self.agent.reset(task, n=n)
            return self

        def play_block(self, block):
            played.append((self.agent, block))
            return self.agent.play_block(block)

    resolve = agents.resolve
    monkeypatch.setattr(agents, "resolve", lambda name: Noted(resolve(name)))
    results = list(measure.measured(["GradientDescent T=10000"]))
    assert [result["row"] for result in results] == [
        "GradientDescent T=10000", "GradientDescent T=100000"
    ]  # fmt: skip
    for result in results:
        assert result["rounds_per_second"] == pytest.approx(1e6 / result["agent_microseconds"])
        assert result["n"] == 1
        assert result["env_microseconds"] is result["plain"] is result["of"] is None
    assert played[-1][0].model.count.tolist() == [200]
    assert sum(len(block.outcomes) for _, block in played[1:]) >= 200 * 3
    assert json.loads(json.dumps(results)) == results


def test_ready_rows_are_as_many_as_asked_for_and_of_unit_length():
    blocks = measure.ready_rows(1000, 2345)
    assert [block.start for block in blocks] == np.cumsum(
        [0, *(len(block.outcomes) for block in blocks[:-1])]
    ).tolist()
    assert sum(len(block.outcomes) for block in blocks) == 2345
    assert max(len(block.outcomes) for block in blocks) == 130  # in a megabyte of rows
    rows = np.concatenate([block.features for block in blocks])[:, 0, :, 0]
    outcomes = np.concatenate([block.outcomes for block in blocks])[:, 0]
    assert rows.shape == (2345, 1000)
    np.testing.assert_array_equal(rows[1000:], rows[:-1000])
    # Squared lengths are 1 with a deviation of sqrt(2 / 1000).
    assert np.abs((rows**2).sum(axis=1) - 1).max() < 6 * np.sqrt(2 / 1000)
    # <x, theta> has the variance |theta|² / 1000, which is 1/1000 or so, beside the noise's 1/100.
    assert 0.008 < outcomes[:1000].var() < 0.014


def test_unknown_rows_are_refused_with_the_nearest():
    with pytest.raises(ValueError, match="no speed row is called 'LinUBC d=10 K=10 fresh'; did"):
        measure.chosen(["LinUBC d=10 K=10 fresh"])
    with pytest.raises(ValueError, match="no speed row is called 'xyz'; there are LinUCB d=10 K"):
        measure.chosen(["xyz"])


@pytest.mark.parametrize("loop", [plain_linucb, fused_linucb, plain_lints, fused_lints])
@pytest.mark.parametrize("fixed", [False, True])
def test_the_loops_beside_ours_learn(loop, fixed):
    # Uniform play loses 0.67 a round, the expected maximum of K = 5 Gaussian means of deviation
    # 1 / sqrt(3) about zero; learning must save most of it.
    assert loop(2000, 3, 5, fixed) < 0.3 * 0.67 * 2000


@pytest.mark.parametrize("loop", [plain_ridge, fused_ridge, plain_forward, fused_forward])
def test_the_regressions_beside_ours_learn(loop):
    # Predicting 0 loses 1/3 a round, the variance of <x, theta>. Each of the three coordinates
    # costs about 1/3 once and then 0.01/t in round t: together about 1.2 in 2000 rounds. The terms
    # 2 noise (predicted - expected) add a deviation of 2 * 0.1 * sqrt(1.2) = 0.2.
    assert -1 < loop(2000, 3) < 5


@pytest.mark.parametrize("loop", [plain_banditron, fused_banditron])
def test_the_banditrons_beside_ours_learn(loop):
    # Uniform play is wrong 8 times in 9. Exploring alone costs 0.05 * 8 / 9 a round.
    assert 0.03 * 4000 < loop(4000) < 0.5 * 8 / 9 * 4000


def test_the_table_fits_a_narrow_terminal(small):
    results = list(measure.measured(["LinTS", "ForwardOFUL"], quick=True))
    assert_fits_eighty_columns(results[:1])
    wide = {"rounds_per_second": 8.88e6, "floor": 1.11e6, "aim": 9.99e6, "plain": 125e3}
    results = [results[i % 2] | wide | {"row": row.name} for i, row in enumerate(benchmarks.ROWS)]
    assert_fits_eighty_columns(results)


def assert_fits_eighty_columns(results):
    """Nothing is cut, and lines below the table are as they were written."""
    console = Console(width=80, record=True, file=io.StringIO())
    console.print(measure.table(results))
    printed = console.export_text()
    assert "…" not in printed
    lines = [line.rstrip() for line in printed.splitlines()]
    below = measure._CAPTION.splitlines()
    assert lines[-len(below) :] == below
    assert all(len(line) <= 80 for line in lines)
