"""The zip file of a tutorial, and nothing else, is taken from its page."""

import pytest

from docs.site import tutorial_downloads


def test_only_the_zip_file_is_taken():
    made = pytest.importorskip("sphinx_gallery.gen_rst", reason="needs the extra [docs]")
    kept = made.NOTEBOOK_DOWNLOAD.format("a.ipynb", "") + made.CODE_DOWNLOAD.format(
        "a.py", "Python"
    )
    with_zip = kept + made.ZIP_DOWNLOAD.format("a.zip") + "\nafter\n"
    page = [with_zip]
    tutorial_downloads.process(None, "tutorials/plot_a", page)
    assert page[0].split() == (kept + "\nafter\n").split()
    elsewhere = [with_zip]
    tutorial_downloads.process(None, "how-to/page", elsewhere)
    assert elsewhere == [with_zip]
