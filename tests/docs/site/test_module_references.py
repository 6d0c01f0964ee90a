"""Numbered references of a module, written out in the docstrings of its functions."""

from docs.site.module_references import written_out

MODULE = """Bounds.

.. [1] A. Author. A Title.
   Journal 2030.
.. [2] B. Other. 2031.
"""


def test_numbers_become_the_references_of_the_module():
    lines = ["A bound [2]_, and", "", "[1]_, section 2.", "[3]_"]
    assert written_out(lines, MODULE) == [
        "A bound (B. Other. 2031), and",
        "",
        "A. Author. A Title. Journal 2030, section 2.",
        "[3]_",
    ]


def test_own_references_stay():
    lines = ["A bound [1]_.", "", ".. [1] Mine."]
    assert written_out(lines, MODULE) == lines
