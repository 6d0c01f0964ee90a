"""Published rows get new keys, and nothing else of them changes; not if a number moved."""

import shutil
from dataclasses import replace

import pytest

from leaderboards.run import runner
from leaderboards.run.execution import IN_PROCESS
from leaderboards.run.keys.sources import current, of_agent, of_environment
from leaderboards.run.store.store import Store
from leaderboards.submit.catalogue import published
from leaderboards.submit.published import pack, published_rows
from leaderboards.suites.suite import load
from tools import freeze, publish, translate

SUITE = """title = "Coins"
seeds = 2
[[task]]
name = "coins"
env = "ArmedBandit-v0"
horizon = 20
"""
KEYS = {"sources": "", "environment": "", "versions": {}}


@pytest.fixture
def suite(tmp_path):
    (tmp_path / "coins.toml").write_text(SUITE)
    return load(tmp_path / "coins.toml")


@pytest.fixture
def folder(suite, tmp_path, monkeypatch):
    """What is published: rows with the keys of some earlier sources."""
    run = runner.run
    monkeypatch.setattr(runner, "run", lambda *a, **kw: run(*a, **kw | {"execution": IN_PROCESS}))
    runner.run(suite, ["UCB1", "KLUCB"], store=Store(tmp_path / "store"))
    rows = Store(tmp_path / "store").rows(suite.hash)
    path = tmp_path / "published" / "results" / "coins.jsonl.gz"
    pack(path, [replace(row, **KEYS | {"sources": "an earlier hash"}) for row in rows])
    return tmp_path / "published"


def rows_of(folder):
    return Store(folder / "results").rows()


def test_the_keys_alone_are_new(suite, folder):
    before = rows_of(folder)
    assert sorted(current(suite, before)[1]) == ["KLUCB", "UCB1", "UniformRandom"]
    assert translate.translate(suite, folder, 1) == (6, [])
    after = rows_of(folder)
    assert current(suite, after) == (after, [])
    assert {(row.sources, row.environment) for row in after} == {
        (of_agent(name), of_environment(suite.tasks[0]))
        for name in ("UniformRandom", "UCB1", "KLUCB")
    }
    # Seeds, rounds and measures, and all else that a row says.
    named = {(row.spec, row.task, row.seed): row for row in before}
    assert [replace(row, **KEYS) for row in after] == [
        replace(named[row.spec, row.task, row.seed], **KEYS) for row in after
    ]
    assert freeze.published(suite, after) == freeze.published(suite, before)
    # Once more there is nothing to do.
    packed = (folder / "results" / "coins.jsonl.gz").read_bytes()
    assert translate.translate(suite, folder, 2) == (0, [])
    assert (folder / "results" / "coins.jsonl.gz").read_bytes() == packed


@pytest.mark.parametrize("seed", [0, 1])
def test_nothing_is_written_if_a_number_comes_out_otherwise(suite, folder, seed):
    rows = rows_of(folder)
    moved = next(i for i, row in enumerate(rows) if (row.agent, row.seed) == ("KLUCB", seed))
    regret = list(rows[moved].measures["regret"])
    regret[-1] = regret[-1] * (1 + 2**-52) + 2**-60
    measures = rows[moved].measures | {"regret": regret}
    rows[moved] = replace(rows[moved], measures=measures)
    path = folder / "results" / "coins.jsonl.gz"
    pack(path, rows)
    packed = path.read_bytes()
    with pytest.raises(ValueError, match=f"differ:\nKLUCB on coins, seed {seed}: regret"):
        translate.translate(suite, folder, seed + 1)
    assert path.read_bytes() == packed


def test_an_agent_without_a_row_of_the_first_seeds_is_not_translated(suite, folder):
    path = folder / "results" / "coins.jsonl.gz"
    pack(path, [row for row in rows_of(folder) if (row.agent, row.seed) != ("UCB1", 0)])
    with pytest.raises(ValueError, match="differ:\nUCB1 on coins: no row of these seeds$"):
        translate.translate(suite, folder, 1)


def test_rows_get_new_names_of_hyperparameters_where_they_are_asked_for(suite, folder):
    path = folder / "results" / "coins.jsonl.gz"
    now = rows_of(folder)
    pack(
        path, [replace(r, hyperparameters={"sigma": None}) if r.spec == "UCB1" else r for r in now]
    )
    packed = path.read_bytes()
    for renamed in ((), ("KLUCB",)):
        with pytest.raises(
            ValueError, match="new, give --renamed:\nUCB1: .*sigma.*noise_std[^\n]*$"
        ):
            translate.translate(suite, folder, 1, renamed=renamed)
        assert path.read_bytes() == packed
    assert translate.translate(suite, folder, 1, renamed=("UCB1",)) == (6, [])
    named = {(row.spec, row.task, row.seed): row for row in now}
    for row in rows_of(folder):
        assert replace(row, **KEYS) == replace(named[row.spec, row.task, row.seed], **KEYS)


@pytest.fixture
def submission(folder):
    shutil.copytree(publish.FOLDER / "submissions" / "imed", folder / "submissions" / "imed")
    (found,) = published(folder / "submissions")
    return found


def test_rows_of_submissions_get_new_keys_and_their_ledger_says_so(folder, submission, monkeypatch):
    suite, played = load("core-v2"), []

    def replay(submission, suite, rows, **options):
        played.extend(rows)
        return []

    monkeypatch.setattr(translate.replaying, "replay", replay)
    monkeypatch.setattr(translate.confinement, "best", lambda audit: (None, None))
    before = published_rows(submission, suite)
    old = [replace(row, **KEYS) for row in before]
    pack(translate.rows_file(submission, "core-v2"), old)
    assert translate.translate(suite, folder, 1) == (len(before), [])
    assert {row.seed for row in played} == {0}
    after = published_rows(submission, suite)
    assert [replace(row, **KEYS) for row in after] == old
    environments = {task.name: of_environment(task) for task in suite.tasks}
    assert all(row.environment == environments[row.task] for row in after)
    assert {row.sources for row in after} == {submission.sources}
    (found,) = published(folder / "submissions")
    *_, entry = found.ledger.entries()
    assert (entry["event"], entry["rows"]) == (translate.TRANSLATED, len(after))
    assert translate.translate(suite, folder, 1) == (0, [])


def test_a_submission_whose_numbers_moved_keeps_its_rows(folder, submission, monkeypatch):
    found = ["imed on coins, seed 0: regret ends at 1.0, now 2.0"]
    monkeypatch.setattr(translate.replaying, "replay", lambda *args, **options: found)
    monkeypatch.setattr(translate.confinement, "best", lambda audit: (None, None))
    suite = load("core-v2")
    rows = published_rows(submission, suite)
    written, kept = translate.translate(suite, folder, 1)
    assert kept == found
    assert written == 0
    assert published_rows(submission, suite) == rows
