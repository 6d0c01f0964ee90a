"""What must agree at a release: versions, tools and addresses."""

import json
import re
import tomllib
from pathlib import Path

import numba
import pytest

import banditgym

ROOT = Path(__file__).parents[1]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())
CITATION = (ROOT / "CITATION.cff").read_text()
SECURITY = (ROOT / ".github/SECURITY.md").read_text()
URLS = "\n".join(PROJECT["project"].get("urls", {}).values())


def test_version_and_date_are_the_same_everywhere():
    version = PROJECT["project"]["version"]
    assert banditgym.__version__ == version
    assert f"\nversion: {version}\n" in CITATION
    assert json.loads((ROOT / ".zenodo.json").read_text())["version"] == version
    first = re.search(r"^## (.*)$", (ROOT / "CHANGELOG.md").read_text(), re.MULTILINE)
    assert first
    found = re.fullmatch(rf"{version} \((unreleased|\d{{4}}-\d\d-\d\d)\)", first[1])
    assert found
    dates = re.findall(r"^date-released: (.*)$", CITATION, re.MULTILINE)
    assert dates == ([] if found[1] == "unreleased" else [found[1]])


def test_every_check_uses_the_same_versions_of_its_tools():
    run = (ROOT / ".ci/run").read_text()
    hooks = (ROOT / ".pre-commit-config.yaml").read_text()
    for tool in ("ruff", "codespell"):
        pins = {pin for text in (run, hooks) for pin in re.findall(rf'"({tool}==[^"]+)"', text)}
        assert len(pins) == 1, pins


# A blank is filled in once, and then stands wherever a reader looks for it.
@pytest.mark.parametrize(
    ("name", "places"),
    [
        ("repository", {"[project.urls]": URLS, "CITATION.cff": CITATION}),
        ("documentation", {"[project.urls]": URLS}),
        ("security", {"SECURITY.md": SECURITY}),
        ("doi", {"CITATION.cff": CITATION}),
    ],
)
def test_an_address_that_is_known_stands_where_it_is_looked_for(name, places):
    address = PROJECT["tool"]["banditgym"]["addresses"][name]
    assert [place for place, text in places.items() if address not in text] == []


def test_every_numba_from_the_oldest_on_is_admitted():
    """What is not numba's public interface is left out where numba has changed."""
    (bounds,) = (line for line in PROJECT["project"]["dependencies"] if line.startswith("numba"))
    ((sign, least),) = re.findall(r"([>=<]=?)([\d.]+)", bounds)
    assert sign == ">="
    assert tuple(map(int, least.split("."))) <= tuple(map(int, numba.__version__.split(".")[:3]))


def test_no_address_is_invented():
    known = PROJECT["tool"]["banditgym"]["addresses"]
    found = re.findall(r"https?://\S+|[\w.]+@[\w.]+\w|10\.\d{4,}/\S+", URLS + CITATION + SECURITY)
    assert set(found) <= set(known.values())


def test_the_entry_for_the_list_of_gymnasium_names_the_version_that_is_needed():
    (needed,) = (one for one in PROJECT["project"]["dependencies"] if one.startswith("gymnasium"))
    text = (ROOT / "docs/publishing.md").read_text()
    (badge,) = re.findall(r"badge/Gymnasium-v([\d.]+)\.0-blue", text)
    assert needed == f"gymnasium>={badge}"


@pytest.mark.parametrize("page", ["cite", "versions"])
def test_the_site_names_the_version(page):
    text = (ROOT / f"docs/reference/{page}.md").read_text()
    assert re.findall(r"\d+\.\d+\.\d+", text) == [PROJECT["project"]["version"]]
