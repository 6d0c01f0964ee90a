"""What a reproduction takes is said before it runs."""

import json

import pytest

from leaderboards.papers import expected_times
from leaderboards.papers.pieces import Pieces
from leaderboards.papers.records import record
from leaderboards.papers.reproduce import reproduce
from leaderboards.processes.workers import Here


@pytest.fixture
def words(tiny, tmp_path, monkeypatch):
    monkeypatch.setattr(expected_times, "PUBLISHED", tmp_path)
    monkeypatch.setattr(expected_times, "cpu_count", lambda: 2)
    store = Pieces(tmp_path / "pieces")
    return lambda full=True, given=(): expected_times.words(
        tiny.PAPER, [], full, dict(given), store
    )


def publish(tiny, folder, seconds):
    done = record(reproduce(tiny.PAPER, full=True, executor=Here))
    done["experiments"]["race"]["seconds"] = seconds
    (folder / "tiny2030.json").write_text(json.dumps(done))


def test_without_a_published_run_no_time_is_known(words):
    expected = "3 pieces, 0 finished; how long the others take is not known"
    assert words() == f"tiny2030, full form: {expected}"


def test_the_time_that_is_left(words, tiny, tmp_path):
    publish(tiny, tmp_path, 540)
    text = "about 9.0 of 9.0 minutes of CPU time are left, 4.5 minutes on 2 cores"
    assert text in words()
    assert "not known" in words(full=False)  # the published run was of the other form
    reproduce(tiny.PAPER, full=True, store=Pieces(tmp_path / "pieces"), executor=Here)
    assert words() == "tiny2030, full form: 3 pieces, 3 finished"
    assert "3 pieces, 0 finished" in words(given={"horizon": 200})  # these are not kept
    next((tmp_path / "pieces").iterdir()).unlink()
    assert words().startswith("tiny2030, full form: 3 pieces, 2 finished; about 3.0 of 9.0 minutes")
    assert words().endswith("3.0 minutes on 1 core like the published run's")
