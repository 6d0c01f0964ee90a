"""The glossary of the site is that of the guide."""

from docs.site.glossary import entries, split
from docs.site.layout import ROOT

TABLE = """|---|---|---|
| | agent | chooses |
| λ, `ridge` | ridge | regularisation |
| δ, `delta` | | probability |
| x | features | of an arm |
| x | row, case | of one case |
| | row | again |
"""


def test_rows_become_entries():
    assert entries(TABLE).split("\n\n")[:-1] == [
        "agent\n  Chooses",
        "case\n  Written x. Of one case",
        "delta\n  Probability",
        "features\n  Written x. Of an arm",
        "ridge\n  Written λ, `ridge`. Regularisation",
        "row\n  Written x. Of one case",
        "  Again",
    ]


def test_the_guide_keeps_everything_else():
    text = (ROOT / "CONTRIBUTING.md").read_text()
    guide, page = split(text)
    assert "| symbol |" not in guide
    assert "## Rules for all code" in guide
    assert "## Set up and check" in guide
    assert "\nhorizon\n" in page
    table = text.split("| symbol |")[1].split("\n## ")[0]
    words = [row.split("|")[2].strip() for row in table.splitlines()[2:] if row.count("|") == 4]
    assert len(words) > 40
    for word in filter(None, words):
        assert f"\n{word.split(', ')[0].strip('`')}\n" in page
