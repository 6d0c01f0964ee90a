"""The glossary of the site has every word of the table."""

from docs.site.glossary import PAGE, as_entries, entries
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


def test_every_word_is_an_entry():
    text = (ROOT / PAGE).read_text()
    page = as_entries(text)
    assert "| symbol |" not in page
    assert "\nhorizon\n" in page
    words = [row.split("|")[2].strip() for row in text.splitlines() if row.count("|") == 4]
    assert len(words) > 40
    for word in words:
        if word and word != "word" and set(word) != {"-"}:
            assert f"\n{word.split(', ')[0].strip('`')}\n" in page
