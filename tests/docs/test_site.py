"""The site as a whole: one build without a warning, the same bytes again, and what is in it."""

import functools
import re
import zipfile
from html.parser import HTMLParser

import pytest

import agents
import banditgym
from docs.site.layout import ROOT
from leaderboards import papers
from leaderboards.suites import suite

pytestmark = pytest.mark.site


class Parts(HTMLParser):
    """The images of a page, and every address that it loads something from."""

    def __init__(self):
        super().__init__()
        self.images: list[dict] = []
        self.loads: list[str] = []

    def handle_starttag(self, tag, attrs):
        found = dict(attrs)
        if tag == "img":
            self.images.append(found)
        if tag in ("img", "script", "iframe", "source") and "src" in found:
            self.loads.append(found["src"] or "")
        if tag == "link" and found.get("rel") in ("stylesheet", "preload", "icon", "modulepreload"):
            self.loads.append(found["href"] or "")


@functools.cache
def parts(path):
    parsed = Parts()
    parsed.feed(path.read_text())
    return parsed


def test_every_page_is_there(site):
    html = site / "html"
    named = [f"environments/{name}" for name in banditgym.ids()]
    named += [f"agents/{name}" for name in agents.AGENTS + agents.ON_REQUEST]
    named += [f"agents/{name}" for name in agents.LIBRARY_AGENTS]
    named += [f"papers/{name}" for name in papers.NAMES]
    named += [f"boards/suites/{name}" for name in suite.available()]
    tutorials = (ROOT / "docs/tutorials").glob("*.py")
    named += [f"tutorials/{path.stem}" for path in tutorials]
    named += ["404", "start/index", "boards/core-v3", "reference/glossary", "reference/cite"]
    assert [name for name in named if not (html / f"{name}.html").is_file()] == []


def test_the_same_code_gives_the_same_sources(site, tmp_path, in_another_process):
    in_another_process(
        "-c",
        "import sys; from pathlib import Path; from docs.site.staging import stage; "
        "stage(Path(sys.argv[1]))",
        str(tmp_path / "again"),
        hash_seed="2",
    )
    again = sorted(path for path in (tmp_path / "again").rglob("*") if path.is_file())
    assert len(again) > 200
    for path in again:
        first = site / "source" / path.relative_to(tmp_path / "again")
        assert first.read_bytes() == path.read_bytes(), path


def test_nothing_is_loaded_from_elsewhere(site):
    for path in sorted((site / "html").rglob("*.html")):
        far = [one for one in parts(path).loads if re.match(r"(https?:)?//", one)]
        assert far == [], path
    for path in (site / "html/_static").rglob("*.css"):
        assert not re.search(r"url\(['\"]?(https?:)?//", path.read_text()), path


def test_images_have_texts_for_those_who_cannot_see_them(site):
    shown = 0
    for path in sorted((site / "html").rglob("*.html")):
        for image in parts(path).images:
            # The small picture of a tutorial has its title beside it.
            assert image.get("alt") or "_thumb.png" in image["src"], (path, image)
            shown += 1
    assert shown > 60


def test_pages_show_the_code_and_the_board(site):
    page = (site / "html/agents/LinTS.html").read_text()
    assert "theory or a number; finite and &gt;= 0" in page
    assert "0.8478" in page  # the score of leaderboards/README.md, with a digit more
    assert "| LinTS | 0.848 " in (ROOT / "leaderboards/README.md").read_text()
    text = re.sub(r"<[^>]*>", "", (site / "html/agents/LinUCB.html").read_text())
    assert "agents.LinUCB(*, alpha=1.0, ridge=1.0)" in text
    text = re.sub(r"<[^>]*>", "", (site / "html/agents/GPBandit.html").read_text())
    assert "posterior=Exact()" in text  # a part, made anew for every agent
    page = (site / "html/environments/LinearBandit-v0.html").read_text()
    assert "of shape (d,)" in page
    assert "of shape (5,)" not in page
    assert "the best arm of the round in expectation" in page
    assert "an integer &gt;= 1" in page


def test_no_page_holds_a_time_of_its_build(site):
    for path in (site / "html/tutorials").glob("*.html"):
        assert "Total running time" not in path.read_text()
    assert not list((site / "html").rglob("*sg_execution_times*"))
    assert not list((site / "html").rglob("*.zip"))  # the zip files of sphinx-gallery hold times


def test_the_zip_file_holds_the_site(site):
    files = {path for path in (site / "html").rglob("*") if path.is_file()}
    with zipfile.ZipFile(site / "banditgym-docs.zip") as archive:
        names = archive.namelist()
    assert len(names) == len(files)
    assert "banditgym-docs/index.html" in names
