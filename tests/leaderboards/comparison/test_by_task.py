"""`by_task`: the table of new plays is that of the same rows."""

import pytest

from leaderboards.comparison.by_task import by_task
from leaderboards.comparison.contest import contest_of
from leaderboards.comparison.sequential_play import SequentialPlay, Until
from leaderboards.rank.paired_table import table_of
from leaderboards.run.store.frame import frame_of
from leaderboards.run.store.store import Store

SUITE = """
title = "Two gaps"
seeds = 3

[[task]]
name = "gap"
env = "ArmedBandit-v0"
horizon = 40
grid = { means = [[0.2, 0.9], [0.5, 0.6]] }
"""


@pytest.fixture
def course(tmp_path):
    (tmp_path / "gaps.toml").write_text(SUITE)
    contest = contest_of(str(tmp_path / "gaps.toml"), ["UCB1", "KLUCB", "UniformRandom"])
    return SequentialPlay(contest, Until(store=tmp_path / "store"), 6, 1)


def test_every_agent_is_beside_one_on_each_task(course):
    table = by_task(course, "UCB1", 0.05)
    suite = course.contest.suite
    assert len(table) == 2 * 2  # more seeds than the suite's
    assert set(table["seeds"]) == {6}
    rows = Store(course.until.store).rows(suite.hash)
    again = table_of(frame_of(suite, rows), suite.tasks, "UCB1", 0.05)
    assert again.equals(table)
    stored = len(rows)
    by_task(course, "KLUCB", 0.5)
    assert len(Store(course.until.store).rows(suite.hash)) == stored  # nothing is played again


def test_what_cannot_be_compared_is_refused(course):
    with pytest.raises(ValueError, match="one of the agents, got 'KLUCBB'; did you mean KLUCB"):
        by_task(course, "KLUCBB", 0.05)
    with pytest.raises(ValueError, match="alpha must lie between 0 and 1, got nan"):
        by_task(course, "KLUCB", float("nan"))


def test_an_agent_that_fails_has_no_table(tmp_path):
    spec = "tests/leaderboards/toys.py:Raises"
    contest = contest_of("ArmedBandit-v0", ["UCB1", spec], horizon=40)
    course = SequentialPlay(contest, Until(store=tmp_path), 3, 1)
    with pytest.raises(ValueError, match=r"failed on ArmedBandit-v0, seed 0: "):
        by_task(course, "UCB1", 0.05)
