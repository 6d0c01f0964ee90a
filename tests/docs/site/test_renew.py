"""Inventories in Sphinx's format, and the files that are kept."""

import zlib

import pytest

from docs.site import renew


@pytest.mark.parametrize("project", renew.PROJECTS)
def test_kept_inventories_are_what_the_table_says(project):
    kept = (renew.FOLDER / f"inventories/{project}.inv").read_bytes()
    head, body = kept.split(b"zlib.\n", 1)
    assert head.startswith(b"# Sphinx inventory version 2\n# Project: " + project.encode())
    lines = zlib.decompress(body).decode().splitlines()
    assert lines == [
        f"{name} {role} 1 {where} -" for name, role, where in renew.PROJECTS[project][1]
    ]
    assert renew.missing(project, kept) == []


def test_a_name_that_a_project_does_not_have_is_missing():
    kept = renew.inventory("numpy")
    head, body = kept.split(b"zlib.\n", 1)
    lines = zlib.decompress(body).decode().splitlines(keepends=True)
    fewer = head + b"zlib.\n" + zlib.compress("".join(lines[1:]).encode())
    (gone,) = renew.missing("numpy", fewer)
    assert gone.startswith("numpy.ndarray ")


def test_mathjax_is_there_with_its_licence():
    folder = renew.FOLDER / "mathjax"
    assert renew.MATHJAX in (folder / "tex-svg.js").read_text()
    assert "Apache License" in (folder / "LICENSE").read_text()
