"""What is published of tuning: a finished one of the present sources, beside the defaults."""

import json
from dataclasses import replace

import pytest

from leaderboards.run import runner
from leaderboards.run.execution import IN_PROCESS
from leaderboards.run.keys.sources import of_agent
from leaderboards.run.store.store import Store
from leaderboards.submit.published import pack
from leaderboards.tuning import tune as tuning
from leaderboards.tuning.tune import read, tune
from leaderboards.tuning.tuning_tasks import tuning_tasks
from tests.leaderboards.tuning.tunable import TINY
from tools import freeze, publish, translate, tuned_results

AGENTS = ("UCB1", "KLUCB", "LinUCB")


@pytest.fixture
def tasks(tmp_path):
    (tmp_path / "tiny.toml").write_text(TINY)
    return tuning_tasks(tmp_path / "tiny.toml")


@pytest.fixture
def place(tasks, tmp_path, monkeypatch):
    """Published defaults of a small suite, and a finished tuning of all of its agents."""
    monkeypatch.setattr(tuning, "ranked", lambda suite: list(AGENTS))
    monkeypatch.setattr(publish, "SUITE", tmp_path / "tiny.toml")
    store = Store(tmp_path / "store")
    runner.run(tasks.suite, ["UniformRandom", *AGENTS], store=store, execution=IN_PROCESS)
    results = tmp_path / "results"
    pack(results / "tiny.jsonl.gz", store.rows(tasks.suite.hash))
    tune(tasks, None, tmp_path / "tuned", trials=4, execution=IN_PROCESS)
    # A setting that was taken, whatever the trials found.
    path = tmp_path / "tuned" / tuning.SETTINGS
    kept = json.loads(path.read_text())
    for one in kept:
        if one["agent"] == "LinUCB":
            one |= {"setting": {"alpha": 0.3}, "tuned": "LinUCB(alpha=0.3)"}
    path.write_text(json.dumps(kept))
    part = tasks.suite.of("linear")
    rows = Store(tmp_path / "tuned" / tuning.ROWS)
    runner.run(part, ["LinUCB(alpha=0.3)"], store=rows, execution=IN_PROCESS)
    return tmp_path


def test_settings_and_their_rows_are_published_apart_from_the_defaults(place, tasks):
    before = (place / "results/tiny.jsonl.gz").read_bytes()
    board = publish.published(tasks.suite, place)
    assert board.tuned == {}
    tuned_results.take(tasks, place / "tuned", place / "results")
    assert (place / "results/tiny.jsonl.gz").read_bytes() == before
    assert {path.name for path in (place / "results/tuned").iterdir()} == {
        "tiny.json", "tiny.jsonl.gz", "tiny.keys.json",
    }  # fmt: skip
    found, rows = tuned_results.published(place / "results", tasks.suite)
    assert [one.agent for one in found] == [*AGENTS]
    assert found == read(place / "tuned")
    wanted = {one.tuned for one in found if one.setting}
    assert {row.spec for row in rows} == wanted
    assert "LinUCB(alpha=0.3)" in wanted
    # The defaults' board is what it was, and has a second column.
    after = publish.published(tasks.suite, place)
    assert replace(after, tuned={}) == board
    linear = {one.label: one for one in after.tuned["linear"]}
    assert linear["LinUCB"].tuned.setting == {"alpha": 0.3}
    assert linear["LinUCB"].gain is not None
    text = publish.leaderboard_page(after)
    assert "| alpha=0.3 |" in text
    assert "- The column `tuned` has the same agents" in text
    assert "The column `tuned`" not in publish.leaderboard_page(board)
    (score,) = [s.score for part in after.sections for s in part.standings if s.label == "LinUCB"]
    assert linear["LinUCB"].default == score


def test_what_is_not_finished_is_not_published(place, tasks, monkeypatch):
    settings, rows = place / "tuned" / tuning.SETTINGS, place / "tuned" / tuning.ROWS
    whole = json.loads(settings.read_text())

    def refused(changed, message):
        settings.write_text(json.dumps(changed))
        with pytest.raises(ValueError, match=message):
            tuned_results.take(tasks, place / "tuned", place / "results")
        settings.write_text(json.dumps(whole))
        assert not (place / "results/tuned").exists()

    refused(whole[1:], "tuned lacks UCB1 on armed with the present sources: run banditgym tune")
    refused([{**one, "sources": "earlier"} for one in whole], "lacks UCB1 on armed")
    refused([{**one, "suite": "another"} for one in whole], "lacks UCB1 on armed")
    refused([{**whole[0], "trials": 5}, *whole[1:]], "the armed agents of .* different budgets")
    for file in rows.glob("*.jsonl"):
        lines = file.read_text().splitlines(keepends=True)
        rows_there = [(json.loads(line), line) for line in lines]
        gone = ("LinUCB(alpha=0.3)", 3)
        kept = [line for row, line in rows_there if (row["spec"], row["seed"]) != gone]
        file.write_text("".join(kept))
    refused(whole, r"tuned lacks the result of LinUCB\(alpha=0.3\) on arms, seed 3")


def test_published_settings_are_frozen_and_translated(place, tasks, monkeypatch):
    tuned_results.take(tasks, place / "tuned", place / "results")
    suite = tasks.suite
    _, rows = tuned_results.published(place / "results", suite)
    names = freeze.published(suite, rows, "tuned")
    assert "tuned tiny arms LinUCB(alpha=0.3) regret" in names
    monkeypatch.setattr(freeze, "available", lambda: ["tiny"])
    monkeypatch.setattr(freeze, "load", lambda name: suite)
    entries = freeze.entries(place)
    assert names.items() <= entries.items()
    assert any(name.startswith("result tiny arms LinUCB ") for name in entries)
    # Rows and settings of earlier sources, which compute the same.
    path = place / "results/tuned/tiny.jsonl.gz"
    pack(path, [replace(row, sources="earlier", environment="") for row in rows])
    text = path.with_name("tiny.json").read_text()
    path.with_name("tiny.json").write_text(text.replace(of_agent("LinUCB"), "earlier"))
    run = runner.run
    monkeypatch.setattr(runner, "run", lambda *a, **k: run(*a, **k | {"execution": IN_PROCESS}))
    translate.translate(suite, place, 1)
    assert tuned_results.published(place / "results", suite)[1] == sorted(
        rows, key=tuned_results.published(place / "results", suite)[1].index
    )
    assert path.with_name("tiny.json").read_text() == text
