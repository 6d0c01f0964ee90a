"""What is shown of submissions: none of their text is markup."""

import re
from dataclasses import replace
from datetime import date

import pytest
from markdown_it import MarkdownIt

from leaderboards.processes.workers import Here
from leaderboards.run.confinement import HERE
from leaderboards.submit import playing, scoring, submission_tables
from leaderboards.submit.catalogue import WITHDRAWN, opened
from leaderboards.suites.suite import load
from tools.pages import submissions_page

from ..small_files import replaced

DAY = date(2030, 1, 1)
EVIL = [
    "<script>alert(1)</script>",
    "<img src=x onerror=alert(1)>",
    "[click](javascript:alert(1))",
    "![x](https://evil.example/x.png)",
    "a | b | c",
    "**bold** _it_ ~~gone~~ `code`",
    "https://evil.example",
    "www.evil.example",
    "me@evil.example",
    "@everybody",
    "$x^2$",
    "&lt;b&gt; &#60;b&#62;",
    "x\\",
    "# heading",
    "<!-- gone",
]
MARKDOWN = MarkdownIt("commonmark", {"html": True}).enable(["table", "strikethrough"])
# What GitHub makes a link of without any brackets, or a formula.
BARE = re.compile(r"\w+://|\bwww\.|@[\w-]|(?<!\\)\$")


@pytest.fixture
def scored(mine, root, small, monkeypatch):
    """Score a submission of this text for an author; what the tables take."""
    monkeypatch.setattr(playing, "Processes", lambda workers: Here())

    def scored(author="A. Author", message=None, faults=()):
        replaced(mine, "A. Author", author.replace("\\", "\\\\"))
        submission, suite = opened(mine, root), load(small)
        rows = scoring.self_run(submission, suite, confinement=HERE, workers=1, today=DAY)
        if faults:
            rows = [replace(row, isolation="full", faults=[*faults]) for row in rows]
        if message is not None:
            rows = [replace(row, error=message, measures=None, rounds=None) for row in rows]
        return submission_tables.scored(submission, suite, rows, "2030-01-01")

    return scored


def links(text):
    tokens = [token for line in MARKDOWN.parse(text) for token in (line, *(line.children or ()))]
    kinds = {"link_open", "image", "html_block", "html_inline", "em_open", "strong_open", "s_open"}
    return [token.type for token in tokens if token.type in kinds]


def test_the_table_of_a_pull_request(scored):
    text = submission_tables.of_one(scored())
    assert text.startswith("## turns\n\nSelf-run: scored on public seeds")
    assert "| isolation | none |" in text
    assert re.search(r"\| armed \| .* \| one \|", text)
    assert "banditgym submit replay leaderboards/submissions/turns small" in text
    assert "rank" not in text.replace("ranking", "").replace("not ranked", "")
    assert links(text) == []


@pytest.mark.parametrize("text", EVIL)
def test_text_of_strangers_is_no_markup(scored, text):
    one = scored(author=text, message=text)
    for shown in (submission_tables.of_one(one), submission_tables.of_all([one], [])):
        assert links(shown) == [], shown
        assert "<script" not in MARKDOWN.render(shown)
        assert not BARE.search(shown)
    rows = [line for line in submission_tables.of_all([one], []).splitlines() if "self-run" in line]
    unescaped = [re.sub(r"\\.", "", row).count("|") for row in rows]
    assert unescaped == [13] * len(rows)


def test_tables_say_where_uniform_play_replaced_the_agent(scored):
    one = scored(faults=[[1, "error"]])
    said = (
        "After a fault in the sandbox, uniform play replaced turns{}: error in round 1 on 3 seeds."
    )
    assert said.format("") in submission_tables.of_one(one).splitlines()
    assert said.format(" on small") in submission_tables.of_all([one], []).splitlines()
    sound = replace(one, faults="")
    assert "uniform play replaced" not in submission_tables.of_one(sound)
    assert "uniform play replaced" not in submission_tables.of_all([sound], [])


def test_each_row_says_how_it_was_tuned(scored):
    one = scored()
    manifest = one.submission.manifest
    assert submission_tables.tuned_text(manifest) == "not tuned"
    assert "| tuned |" in submission_tables.of_all([one], [])
    (row,) = (r for r in submission_tables.of_all([one], []).splitlines() if "self-run" in r)
    assert "| not tuned |" in row
    tuning = manifest.tuning.model_copy(update={"where": "a laptop", "on": "coins", "trials": 20})
    tuned = manifest.model_copy(update={"tuning": tuning})
    assert submission_tables.tuned_text(tuned) == "20 trials on coins, a laptop"


def test_a_withdrawn_version_is_off_the_table_and_in_the_ledger(
    scored, root, mine, small, monkeypatch
):
    monkeypatch.setattr(submissions_page, "available", lambda: [small])
    scored()
    mine.rename(root / "turns")
    submission = opened(root / "turns", root)
    assert "| turns |" in submissions_page.page(root)
    submission.ledger.append({"event": WITHDRAWN, "version": "1.0.0"})
    text = submissions_page.page(root)
    assert "| turns |" not in text
    assert "Withdrawn, and kept in their ledgers: turns==1.0.0." in text
    assert len(submission.ledger.entries()) == 2


def test_the_page_of_the_repository_names_both():
    text = submissions_page.page()
    for name in ("imed", "ridge-falcon"):
        assert re.search(
            rf"\| {name} \| 1\.0\.\d \| .* \| self-run \| (none|process|full) \|", text
        )
        assert f"banditgym submit replay leaderboards/submissions/{name} core-v2" in text
