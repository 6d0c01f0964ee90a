"""The page of a tiny paper and its figure."""

import json
from dataclasses import replace

import pytest

from leaderboards.papers import findings_table, paper_page
from leaderboards.papers.claim import Origin
from leaderboards.papers.findings_table import between
from leaderboards.papers.records import record
from leaderboards.papers.reproduce import reproduce
from leaderboards.papers.verdicts import MEANINGS, Verdict
from leaderboards.processes.workers import Here


@pytest.fixture(scope="module")
def done(tiny):
    return reproduce(tiny.PAPER, executor=Here)


def test_page_and_figure(done, tmp_path):
    written = paper_page.write(done, tmp_path / "deep" / "er")
    figures = ["tiny2030-race.png", "tiny2030-race-as-printed.png"]
    assert [path.name for path in written] == ["tiny2030.md", "tiny2030.json", *figures]
    assert json.loads(written[1].read_text()) == record(done)
    assert written[2].read_bytes().startswith(b"\x89PNG")
    text = written[0].read_text()
    reference = "A. Author. A Tiny Paper. 2030. <https://doi.org/10.0/tiny>"
    assert text.startswith(f"# A Tiny Paper\n\n{reference}\n")
    assert "`banditgym reproduce tiny2030`, the quick form" in text
    assert f"- played {done.runs['race'].provenances[0].words}\n" in text
    overview = text[: text.index("## ")]
    for row in overview.splitlines():
        if row.startswith("|"):
            assert row.replace("\\|", "").count("|") == 6
    number = between(done.findings[0].numbers["UCB1 / uniform"])
    size = "7 seeds, 0.75 of the paper's size"
    cells = f"| 0.5 \\| 1/2 | UCB1 / uniform: {number} | {size} | **reproduced, quick** |"
    assert cells in text
    assert "| **open at this size, quick** |" in text
    assert "| – | – | **cannot be run here** |" in text
    assert "- **cannot be run here**: no simulation" in text
    for line in (
        "- rule: < 0.01",
        "- changed after a first look: It was 0.7.",
        "- varied to reproduce it: the horizon",
        "- command: `banditgym reproduce tiny2030 --claim tenth`",
        f"| UCB1 / uniform | {number} | open at this size |",
        "Better. (Figure 1 | left; figure or table)",
    ):
        assert line in text
    # A figure stands once, under the first claim that it shows.
    for figure in figures:
        assert text.count(figure) == 1
        assert text.index("## half") < text.index(figure) < text.index("## tenth")


def test_the_verdicts_of_a_page_are_explained(done):
    text = paper_page.markdown(done)
    used = {finding.verdict for finding in done.findings}
    for verdict, meaning in MEANINGS.items():
        assert (f"- **{verdict}**: {meaning}." in text) is (verdict in used)


def test_the_command_of_a_page_makes_that_page(tiny):
    done = reproduce(tiny.PAPER, ["tenth"], full=True, executor=Here)
    text = paper_page.markdown(done)
    assert "`banditgym reproduce tiny2030 --full --claim tenth`, the full form" in text
    assert "## half" not in text
    assert "**not reproduced**" in text


def test_the_index_counts_verdicts_and_links_claims(done, tiny, monkeypatch):
    monkeypatch.setattr(paper_page, "load", lambda name: tiny.PAPER)
    text = paper_page.index([record(done)])
    summary = next(line for line in text.splitlines() if line.startswith("| [tiny2030]"))
    counts = {Verdict.REPRODUCED: "1", Verdict.OPEN: "1"}
    cells = [counts.get(verdict, "–") for verdict in Verdict]
    # The third claim is ours: it is counted apart.
    assert done.findings[2].claim.origin is Origin.OURS
    assert summary == f"| [tiny2030](tiny2030.md) | {' | '.join([*cells, '1'])} |"
    for finding in done.findings:
        assert f"[{finding.claim.id}](tiny2030.md#{finding.claim.id})" in text
    assert "| figure or table | **reproduced, quick** |" in text
    assert "| ours | **cannot be run here** |" in text


def test_many_numbers_stand_under_their_claim_alone(done):
    finding = done.findings[0]
    number = finding.numbers["UCB1 / uniform"]
    names = [f"number {i}" for i in range(findings_table.FEW + 1)]
    many = replace(
        finding,
        numbers={name: replace_value(number, i) for i, name in enumerate(names)},
        parts=dict.fromkeys(names, Verdict.REPRODUCED),
    )
    overview, *sections = paper_page.markdown(replace(done, findings=[many])).split("\n## ")
    brief = "[4 numbers](#half) from 0 to 3<br>4 of 4 parts reproduced"
    assert f"| {brief} |" in overview
    for name in names:
        assert name not in overview
        assert f"| {name} | {between(many.numbers[name])} | reproduced |" in sections[0]


def replace_value(number, value):
    return number._replace(value=number.value * 0 + value)
