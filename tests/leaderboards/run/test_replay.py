"""A row that is played again is equal in every bit, or the line says what differs."""

from dataclasses import replace

import numpy as np
import pytest

from leaderboards.run import replay, runner
from leaderboards.run.execution import IN_PROCESS
from leaderboards.run.store.store import Store
from leaderboards.suites.suite import load

SUITE = """title = "Coins"
seeds = 2
[[task]]
name = "coins"
env = "ArmedBandit-v0"
horizon = 20
"""


@pytest.fixture(scope="module")
def suite(tmp_path_factory):
    path = tmp_path_factory.mktemp("suite") / "coins.toml"
    path.write_text(SUITE)
    return load(path)


@pytest.fixture(scope="module")
def rows(suite, tmp_path_factory):
    store = Store(tmp_path_factory.mktemp("store"))
    runner.run(suite, ["UCB1"], store=store, execution=IN_PROCESS)
    return [row for row in store.rows(suite.hash) if row.agent == "UCB1"]


def test_rows_of_our_agents_are_played_again(suite, rows, monkeypatch):
    run = runner.run
    monkeypatch.setattr(runner, "run", lambda *a, **kw: run(*a, **kw | {"execution": IN_PROCESS}))
    assert replay.replay(suite, rows) == []
    gone = replace(rows[0], seed=7)
    assert replay.replay(suite, [*rows, gone]) == ["UCB1 on coins, seed 7: it was not played"]


def bit(row):
    regret = list(row.measures["regret"])
    regret[-1] = float(np.nextafter(regret[-1], np.inf))
    return replace(row, measures=row.measures | {"regret": regret})


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (bit, "regret ends at "),
        (lambda row: replace(row, measures=row.measures | {"new": [1.0]}), "new ends at 1.0, now"),
        (lambda row: replace(row, rounds=[*row.rounds[:-1], 21]), "the rounds differ"),
        (lambda row: replace(row, error="it fails"), "published 'it fails', now None"),
    ],
)
def test_a_line_says_what_differs(rows, change, words):
    again = list(reversed(rows))
    assert replay.differences(rows, again) == []
    (line,) = replay.differences([change(rows[0]), *rows[1:]], again)
    assert line.startswith(f"UCB1 on coins, seed {rows[0].seed}: {words}")


def test_only_whether_there_is_an_error_counts_and_new_measures_do_not(rows):
    failed = [replace(rows[0], error="one", measures=None)]
    assert replay.differences(failed, [replace(failed[0], error="another")]) == []
    more = [replace(row, measures=row.measures | {"new": [1.0]}) for row in rows]
    assert replay.differences(rows, more) == []
