"""The page of epochs: what it shows before and after the reveal."""

import json
import shutil

import pytest

from leaderboards.submit import playing
from leaderboards.submit.catalogue import WITHDRAWN, opened
from leaderboards.submit.epochs.auditing import ledger_of
from leaderboards.submit.epochs.epoch import FOLDER, load
from leaderboards.submit.ledger import Ledger
from tools.pages import epochs_page

from ...leaderboards.small_files import CLOSES


@pytest.fixture
def page(held, tmp_path, monkeypatch):
    """Draw the page."""
    root = tmp_path / "submissions"
    root.mkdir()

    def page():
        return epochs_page.page(held.path.parent, root)

    page.root = root
    return page


def test_without_epochs_it_says_so(tmp_path):
    assert epochs_page.page(tmp_path, tmp_path).endswith("There is none yet.\n")


def test_scores_are_shown_at_the_reveal_alone(held, page, mine, unconfined):
    held.new()
    held.open()
    shutil.copytree(mine, page.root / "turns")
    submission = opened(page.root / "turns", page.root)
    held.verify(submission)
    text = page()
    assert "## first\n" in text
    assert "| turns | 1.0.0 | 2030-02-01 | full | played |" in text
    assert "Scores are shown on 2030-03-01." in text
    assert "UCB1" not in text
    held.reveal()
    text = page()
    assert "| turns==1.0.0 | A. Author | verified | full |" in text
    assert "`banditgym submit replay leaderboards/submissions/turns --epoch first`" in text
    assert "one/0" in text
    for agent in ("UCB1", "UniformRandom", "turns"):
        assert f" {agent} " in text
    assert "self-run" not in text

    submission.ledger.append({"event": WITHDRAWN, "version": "1.0.0"})
    text = page()
    assert "turns==1.0.0" not in text
    assert "| turns | 1.0.0 | 2030-02-01 | full | played" in text  # the attempt stays


def test_an_agent_that_uniform_play_replaced_is_named(held, page, mine, unconfined, monkeypatch):
    held.new()
    held.open()
    shutil.copytree(mine, page.root / "turns")
    original = playing.played

    def faulty(game):
        return original(game) | {"faults": [[[1, "error"]]] * len(game.seeds)}

    monkeypatch.setattr(playing, "played", faulty)
    held.verify(opened(page.root / "turns", page.root))
    held.reveal()
    said = "After a fault in the sandbox, uniform play replaced turns==1.0.0: error in round 1 on "
    assert said + "6 seeds." in page().splitlines()


def test_a_demonstration_says_so(held, page):
    held.new(demonstration=True)
    text = page()
    assert "## first, a demonstration\n" in text
    assert "its scores do not count" in text


def test_text_of_others_is_no_markup(held, page):
    epoch = held.new(maintainer="<b>|M|</b> [x](https://evil.example)")
    ledger_of(held.path).append(
        {
            "event": "verification begun", "epoch": epoch.hash, "name": "<i>x</i>", "version": "1",
            "hash": "", "isolation": "full", "date": CLOSES.isoformat(),
        }
    )  # fmt: skip
    ledger_of(held.path).append(
        {
            "event": "verification ended", "epoch": epoch.hash, "name": "<i>x</i>", "version": "1",
            "hash": "", "error": "a | b\n# c",
        }
    )  # fmt: skip
    text = page()
    assert "<b>" not in text.replace("\\<b\\>", "")
    assert "<i>" not in text.replace("\\<i\\>", "")
    assert "https://" not in text
    assert "\n# c" not in text


def test_the_demonstration_of_the_repository():
    epoch = load("demonstration")
    assert epoch.demonstration
    assert epoch.revealed is not None
    entries = Ledger(FOLDER / "demonstration.ledger.jsonl").entries()
    assert [entry["event"] for entry in entries][-1] == "revealed"
    text = epochs_page.page()
    assert "## demonstration, a demonstration" in text
    for name in ("imed==1.0.0", "ridge-falcon==1.0.0"):
        assert f"| {name} | The banditgym maintainers | verified | full |" in text
    assert json.loads((FOLDER / "demonstration.json").read_text())["secret"] == epoch.secret
