"""The page of a tiny paper and its figure."""

import json

import pytest

from leaderboards.papers import paper_page
from leaderboards.papers.claim import Verdict
from leaderboards.papers.reproduce import between, reproduce
from leaderboards.processes.workers import Here


@pytest.fixture(scope="module")
def done(tiny):
    return reproduce(tiny.PAPER, executor=Here)


def test_page_and_figure(done, tmp_path):
    written = paper_page.write(done, tmp_path / "deep" / "er")
    assert [path.name for path in written] == ["tiny2030.md", "tiny2030.json", "tiny2030-race.png"]
    assert json.loads(written[1].read_text()) == done.records()
    assert written[2].read_bytes().startswith(b"\x89PNG")
    text = written[0].read_text()
    assert text.startswith("# A Tiny Paper\n\nA. Author. A Tiny Paper. 2030.\n")
    assert "`banditgym reproduce tiny2030`" in text
    overview = text[: text.index("## ")]
    for row in overview.splitlines():
        if row.startswith("|"):
            assert row.replace("\\|", "").count("|") == 6
    assert "| **reproduced** |" in text
    assert "| **not reproduced** |" in text
    assert "| – | – | **cannot be run here** |" in text
    assert "- **cannot be run here**: no simulation" in text
    assert "- rule: < 0.01" in text
    # The figure stands once, under the first claim that it shows.
    assert text.count("tiny2030-race.png") == 1
    assert text.index("## half") < text.index("tiny2030-race.png") < text.index("## tenth")


def test_the_command_of_a_page_makes_that_page(tiny):
    done = reproduce(tiny.PAPER, ["tenth"], full=True, executor=Here)
    text = paper_page.markdown(done)
    assert "`banditgym reproduce tiny2030 --full --claim tenth`" in text
    assert "## half" not in text


def test_the_index_counts_verdicts_and_links_claims(done, tiny, monkeypatch):
    monkeypatch.setattr(paper_page, "load", lambda name: tiny.PAPER)
    text = paper_page.index(done.records())
    summary = next(line for line in text.splitlines() if line.startswith("| [tiny2030]"))
    counts = [verdicts_of(done, verdict) for verdict in Verdict]
    assert summary == f"| [tiny2030](tiny2030.md) | {' | '.join(c or '–' for c in counts)} |"
    for finding in done.findings:
        assert f"[{finding.claim.id}](tiny2030.md#{finding.claim.id})" in text
        assert f"| **{finding.verdict}** |" in text


def verdicts_of(done, verdict):
    return str(sum(finding.verdict is verdict for finding in done.findings) or "")


def test_many_numbers_stand_under_their_claim_alone(done, monkeypatch):
    monkeypatch.setattr(paper_page, "FEW", 0)
    overview, *sections = paper_page.markdown(done).split("\n## ")
    for finding, section in zip(done.findings, sections, strict=True):
        claim = finding.claim.id
        assert section.startswith(claim)
        assert (f"numbers](#{claim})" in overview) is bool(finding.numbers)
        for name, number in finding.numbers.items():
            assert between(number) not in overview
            assert f"| {name} | {between(number)} |" in section
