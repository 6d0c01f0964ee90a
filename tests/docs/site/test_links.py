"""Links between pages of the repository, as the site has them."""

import time

import pytest

from docs.site import links
from docs.site.layout import ROOT, page_of, sources


def changed(text, file="docs/own-agents.md", page="how-to/own-agents"):
    copied: list[str] = []
    return links.rewritten(text, file, page, copied.append), copied


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("[a](serving.md)", "[a](serving.md)"),
        ("[a](sandbox.md#faults)", "[a](../explanation/sandbox.md#faults)"),
        ("[`a` b](../CONTRIBUTING.md)", "[`a` b](contributing.md)"),
        ("[a](tutorials/plot_01_armed.py)", "[a](../tutorials/plot_01_armed.rst)"),
        ("[a](https://x.org/serving.md)", "[a](https://x.org/serving.md)"),
        ("[a](#here)", "[a](#here)"),
        ("`[a](serving.md)`", "`[a](serving.md)`"),
        ("```\n[a](nothing.md)\n```\n", "```\n[a](nothing.md)\n```\n"),
        ("| 1 \\[2\\] | [a](serving.md) |", "| 1 \\[2\\] | [a](serving.md) |"),
        ("[a\nb](sandbox.md)", "[a\nb](../explanation/sandbox.md)"),
        ("the [results](../leaderboards/results) folder", "the results folder"),
    ],
)
def test_links_lead_to_the_page_of_the_site(text, expected):
    assert changed(text) == (expected, [])


def test_other_files_are_copied():
    text, copied = changed("![alt](regret.png), [tasks](../banditgym/tasks.py)")
    assert text == ("![alt](../files/docs/regret.png), [tasks](../files/banditgym/tasks.py)")
    assert copied == ["docs/regret.png", "banditgym/tasks.py"]


def test_a_link_to_nothing_is_an_error():
    with pytest.raises(ValueError, match=r"own-agents.md links to gone.md"):
        changed("[a](gone.md)")


def test_every_link_of_every_page_leads_somewhere():
    for file, page in sources().items():
        text = (ROOT / file).read_text()
        assert changed(text, file, page)[0]


def test_brackets_take_no_time():
    started = time.process_time()
    changed("| " + "1 \\[2 \\%\\] [b " * 3000 + "|\n")
    assert time.process_time() - started < 5  # it would be ages


def test_pages_have_one_place_each():
    pages = list(sources().values())
    assert len(set(pages)) == len(pages)
    assert page_of("docs/site/vendored/README.txt") is None
    assert page_of("banditgym/tasks.py") is None
