"""What is published: only a finished run, and pages generated from it. 10 seconds."""

import gzip
import hashlib
import json
import re
from dataclasses import replace
from xml.etree import ElementTree

import pytest

from leaderboards import defaults, papers
from leaderboards.papers.experiment_sources import of_simulation
from leaderboards.papers.records import recalled, record
from leaderboards.run import runner
from leaderboards.run.execution import IN_PROCESS
from leaderboards.run.store.store import Store
from leaderboards.suites.suite import load
from tools import publish

SUITE = """title = "Coins"
seeds = 2
[[task]]
name = "coins"
env = "ArmedBandit-v0"
horizon = 20
"""


@pytest.fixture
def suite(tmp_path, monkeypatch):
    path = tmp_path / "coins.toml"
    path.write_text(SUITE)
    monkeypatch.setattr(publish, "SUITE", path)
    return load(path)


@pytest.fixture
def store(suite, tmp_path):
    runner.run(suite, store=Store(tmp_path / "store"), execution=IN_PROCESS)
    return tmp_path / "store"


def test_a_finished_run_is_packed_and_read_back(suite, store, tmp_path):
    results = tmp_path / "results"
    publish.take(suite, store, results)
    keys, path = sorted(results.iterdir(), reverse=True)
    assert (path.name, keys.name) == ("coins.jsonl.gz", "coins.keys.json")
    rows = Store(results).rows()
    assert {row.key: row for row in rows} == {row.key: row for row in Store(store).rows()}
    assert {row.seed for row in rows} == {0, 1}
    packed = path.read_bytes()
    assert packed[4:8] == bytes(4)  # no time of writing
    with Store(tmp_path / "another") as another:
        another.append(reversed(Store(store).rows()))
    publish.take(suite, tmp_path / "another", results)
    assert path.read_bytes() == packed
    # Only what this project's sources made: a third party's agent has another hash, and so have
    # rows of earlier sources. A comparison plays more seeds than the suite has.
    earlier = replace(rows[0], sources="0" * 16)
    compared = replace(rows[0], seed=10**6)
    with Store(store) as more:
        more.append([replace(earlier, agent="Mine", spec="mine.py:Mine"), earlier, compared])
    publish.take(suite, store, results)
    assert path.read_bytes() == packed
    assert len(gzip.decompress(packed).splitlines()) == len(rows)


def test_what_is_not_finished_is_not_published(suite, store, tmp_path):
    rows = Store(store).rows()
    with Store(tmp_path / "partly") as partly:
        partly.append(rows[1:])
    with pytest.raises(ValueError, match="partly lacks results: continue with banditgym"):
        publish.take(suite, tmp_path / "partly", tmp_path / "results")
    failed = replace(rows[0], error="ValueError: no", rounds=None, measures=None)
    for _ in range(2):  # failures are finished once they were tried twice
        with Store(tmp_path / "partly") as partly:
            partly.append([failed])
    with pytest.raises(ValueError, match=f"partly holds failures: {rows[0].agent} on coins"):
        publish.take(suite, tmp_path / "partly", tmp_path / "results")
    assert not (tmp_path / "results").exists()


def test_a_refusal_is_no_failure(suite, store, tmp_path):
    row = Store(store).rows()[0]
    refusal = replace(
        row, seed=-1, error="no", refused=True, rounds=None, measures=None, seconds=None, bytes=None
    )
    with Store(store) as more:
        more.append([refusal])
    publish.take(suite, store, tmp_path / "results")
    assert refusal.key in {row.key for row in Store(tmp_path / "results").rows()}


def test_the_page_has_every_ranking_and_names_its_sources(suite, store, tmp_path):
    publish.take(suite, store, tmp_path / "results")
    text = publish.leaderboard_page(publish.published(suite, tmp_path))
    assert "UCB1" in text
    assert "Each task has 2 seeds." in text
    named = sorted({f"{row.spec} {row.sources}" for row in Store(store).rows() if not row.refused})
    digest = hashlib.sha256("\n".join(named).encode()).hexdigest()[:16]
    assert f"hash `{digest}`" in text
    assert "](results/curves.png)" in text


def test_the_first_place_of_a_tuned_agent_says_at_which_horizon():
    """The caption's numbers at T = 5,000 are those of the published rows."""
    page = publish.leaderboard_page(board := publish.published(load("core-v2"), publish.FOLDER))
    caption = page.partition("The best tuned armed agent")[2].partition("\n\n")[0]
    assert "T = 5,000" in caption
    assert "T = 300,000" in caption
    (section,) = [one for one in board.sections if one.name == "armed"]
    assert {task.horizon for task in section.tasks} == {5_000}
    (thompson,) = [s for s in section.standings if s.label == "BetaThompson"]
    first = board.tuned["armed"][0]
    for task in ("coins", "rare"):
        assert f" {thompson.tasks[task].measure.value:.0f}" in caption
        assert f" {first.curves[task].mean[-1]:.0f}" in caption
    assert f"noise_std={first.tuned.setting['noise_std']}" in caption
    other = replace(board, tuned={"armed": board.tuned["armed"][1:]})
    assert "The best tuned armed agent" not in publish.leaderboard_page(other)


@pytest.mark.nightly
@pytest.mark.parametrize("suite", publish.suites(publish.FOLDER), ids=lambda suite: suite.name)
def test_the_boards_of_the_checkout_are_drawn_from_its_results(suite, monkeypatch):
    results = publish.results_of(suite, publish.FOLDER)
    board = publish.published(suite, publish.FOLDER)
    page = (publish.FOLDER if suite.name == defaults.SUITE else results) / "README.md"
    drawn = publish.leaderboard_page(board, publish.advised(suite, publish.FOLDER))
    assert page.read_text(encoding="utf-8") == drawn, (
        "draw the pages again: python -m tools.publish"
    )
    for section in board.sections:
        assert all(s.rank or s.unranked for s in section.standings)
    pictures = set(re.findall(r"([a-z0-9_-]+[.]png)[)]", drawn))
    assert pictures == {path.name for path in results.glob("curves*.png")}
    # Another matplotlib may write the same picture in another way.
    said = re.findall(r"!\[([^]]*)\]\([^)]*?(front[a-z0-9_-]*[.]svg)\)", drawn)
    assert {name: words.replace("\\", "") for words, name in said} == {
        path.name: ElementTree.parse(path).getroot().get("aria-label")
        for path in results.glob("front*.svg")
    }


def test_the_other_pages_of_the_checkout_are_drawn_from_its_results(monkeypatch):
    monkeypatch.setattr(publish, "suites", lambda folder: [])
    for name, text in publish.pages(publish.FOLDER).items():
        kept = (publish.FOLDER / name).read_text(encoding="utf-8")
        assert kept == text, "draw the pages again: python -m tools.publish"


def test_results_of_each_suite_but_the_default_have_a_folder_of_their_own(suite, store, tmp_path):
    other = replace(suite, name="others")
    publish.take(other, store, tmp_path / "results" / "others")
    assert publish.results_of(other, tmp_path) == tmp_path / "results" / "others"
    assert publish.results_of(suite, tmp_path) == tmp_path / "results"
    text = publish.leaderboard_page(publish.published(other, tmp_path))
    assert text.startswith("# others\n\nCoins.\n")
    assert "](curves.png)" in text
    assert "--store leaderboards/results/others " in text
    assert "](../papers/README.md)" in text
    assert "interquartile" not in text


@pytest.mark.parametrize("name", papers.NAMES)
def test_published_verdicts_follow_from_published_numbers(name):
    paper = papers.load(name)
    records = json.loads((publish.FOLDER / "results" / "papers" / f"{name}.json").read_text())
    found = recalled(paper, records)
    assert [finding.claim.id for finding in found.findings] == [one.id for one in paper.claims]
    for finding in found.findings:
        if finding.claim.experiment is not None:
            reaches_paper = finding.claim.experiment.reaches_paper(found.full)
            assert finding.claim.parts(finding.numbers, reaches_paper) == finding.parts
    # Nothing is lost on the way to the file and back, and the texts are the present ones.
    assert record(found) == records


@pytest.mark.parametrize("name", papers.NAMES)
def test_published_findings_have_the_keys_and_sizes_of_the_sources(name):
    records = json.loads((publish.FOLDER / "results" / "papers" / f"{name}.json").read_text())
    experiments = {one.name: one for one in papers.load(name).experiments()}
    for own, run in records["experiments"].items():
        size = experiments[own].size(records["form"] == "full")
        assert run["size"] == size.words
        assert run["settings"] == {key: str(value) for key, value in size.settings.items()}
        seeds = {f["seeds"] for f in records["findings"] if f["experiment"] == own}
        assert seeds == {size.seeds}
        key = of_simulation(experiments[own].simulate)
        assert run["sources"] == key, "renew the keys: python -m tools.translate --papers"
        assert bool(run["first_seed"]) != experiments[own].measures_times


def test_every_figure_of_a_paper_is_on_its_page():
    folder = publish.FOLDER / "results" / "papers"
    shown = {f"{name}-{figure}" for name in papers.NAMES for figure in figures_on(folder, name)}
    assert shown == {path.name for path in folder.glob("*.png")}


def figures_on(folder, name):
    return re.findall(rf"\]\({name}-(.*?\.png)\)", (folder / f"{name}.md").read_text())


def test_the_index_of_papers_has_every_claim():
    text = publish.papers_pages(publish.FOLDER / "results" / "papers")["README.md"]
    for name in papers.NAMES:
        for claim in papers.load(name).claims:
            assert f"[{claim.id}]({name}.md#{claim.id})" in text


def test_the_command_takes_a_run_and_draws_the_pages(suite, store, tmp_path, monkeypatch):
    folder = tmp_path / "leaderboards"
    (folder / "results" / "papers").mkdir(parents=True)
    monkeypatch.setattr(publish, "FOLDER", folder)
    monkeypatch.setattr(papers, "NAMES", ())
    monkeypatch.setattr("sys.argv", ["publish", "--store", str(store)])
    publish.main()
    assert {path.name for path in (folder / "results").iterdir()} == {
        "coins.jsonl.gz", "coins.keys.json", "curves.png", "front.svg", "papers",
        "croissant.json", "row.schema.json",
    }  # fmt: skip
    assert "UCB1" in (folder / "README.md").read_text()
    assert (folder / "results/papers/README.md").read_text().startswith("# Claims of papers")
    monkeypatch.setattr("sys.argv", ["publish", "--store", str(tmp_path / "nowhere")])
    with pytest.raises(SystemExit) as left:
        publish.main()
    assert "lacks results: continue with" in str(left.value)
