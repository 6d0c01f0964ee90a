"""Writes the source folder that Sphinx reads: the pages of the repository, and generated ones."""

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from banditgym.registration import ENVIRONMENTS
from docs.site import (
    agent_pages,
    environment_pages,
    glossary,
    links,
    published_pages,
    reference_pages,
)
from docs.site import episode_pictures as pictures
from docs.site.layout import ROOT, sources
from tools import publish


def stage(folder: Path) -> None:
    """Write every page, and what pages need, into an empty folder.

    The same code and the same published results give the same bytes, whatever data the machine has.
    """
    with _without_data():
        _stage(folder)


@contextmanager
def _without_data() -> Iterator[None]:
    """Hide licensed data, which another machine does not have."""
    before = os.environ.get("SCIKIT_LEARN_DATA")
    os.environ["SCIKIT_LEARN_DATA"] = os.devnull
    try:
        yield
    finally:
        del os.environ["SCIKIT_LEARN_DATA"]
        if before is not None:
            os.environ["SCIKIT_LEARN_DATA"] = before


def _stage(folder: Path) -> None:
    if folder.exists():
        shutil.rmtree(folder)
    folder.mkdir(parents=True)
    for file, page in sources().items():
        text = (ROOT / file).read_text(encoding="utf-8")
        if file == glossary.PAGE:
            text = glossary.as_entries(text)
        text = links.rewritten(text, file, page, lambda wanted: _copy(wanted, folder))
        write(folder / f"{page}.md", text)
    for path, text in generated().items():
        write(folder / path, text)
    (folder / "_pictures").mkdir()
    for name in ENVIRONMENTS:
        if environment_pages.can_be_made(name):
            pictures.draw(name, folder / f"_pictures/{name}.png")


def generated() -> dict[str, str]:
    """Every page that is made from the code and from published results, by path."""
    boards = [publish.published(one, publish.FOLDER) for one in publish.suites(publish.FOLDER)]
    return {
        **environment_pages.pages(),
        **agent_pages.pages(boards),
        **published_pages.pages(),
        **reference_pages.pages(),
    }


def write(path: Path, text: str) -> None:
    """Write a page, with its folder."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")


def _copy(file: str, folder: Path) -> None:
    to = folder / links.COPIES / file
    to.parent.mkdir(parents=True, exist_ok=True)
    shutil.copyfile(ROOT / file, to)
