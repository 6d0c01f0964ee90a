"""The picture and the table of other libraries' speeds, and the ones that the pages show."""

import json
from pathlib import Path

from tools.speed.peers_picture import markdown, picture

ROOT = Path(__file__).parents[3]
FOUND = {
    "date": "2026-01-02",
    "machine": "an abacus",
    "versions": {"numpy": "2"},
    "rows": [
        {"name": "LinUCB", "n": 100, "of": None, "rounds_per_second": 5e5, "slowest": 4e5,
         "fastest": 6e5, "times": None, "error": None},
        {"name": "leaderboards.peers.coba:CobaLinUCB", "n": 1, "of": "LinUCB",
         "rounds_per_second": 1e3, "slowest": 900.0, "fastest": 1100.0, "times": 500.0,
         "error": None},
        {"name": "leaderboards.peers.river:RiverLinUCB", "n": 1, "of": "LinUCB",
         "rounds_per_second": None, "slowest": None, "fastest": None, "times": None,
         "error": "river is missing"},
    ],
}  # fmt: skip


def test_the_table_has_every_row():
    lines = markdown(FOUND).splitlines()
    assert lines[2] == "| LinUCB | 100 | 500,000 | 400,000 | 600,000 |  |"
    assert lines[3] == "| CobaLinUCB | 1 | 1,000 | 900 | 1,100 | 500 |"
    assert lines[4] == "| RiverLinUCB | 1 | – | – | – |  |"
    assert lines[-1] == "2026-01-02, an abacus; numpy 2."


def test_the_picture_has_the_rows_with_numbers_the_machine_and_the_date():
    (axes,) = picture(FOUND).axes
    assert [bar.get_width() for bar in axes.patches] == [1e3, 5e5]
    names = [text.get_text() for text in axes.get_yticklabels()]
    assert names == ["CobaLinUCB, n = 1", "LinUCB, n = 100"]
    spreads = [sorted(line.get_xdata()) for line in axes.lines]
    assert spreads == [[900.0, 1100.0], [4e5, 6e5]]
    assert axes.get_title(loc="left") == "2026-01-02, an abacus; numpy 2"
    colours = [bar.get_facecolor() for bar in axes.patches]
    assert colours[0] != colours[1]


def test_the_pages_show_what_was_measured():
    found = json.loads((ROOT / "docs/speed.json").read_text())
    page = (ROOT / "docs/other-libraries.md").read_text()
    assert markdown(found) in page
    assert (ROOT / "docs/speed.png").is_file()
    rows = {row["name"]: row for row in found["rows"]}
    assert not [row["error"] for row in rows.values() if row["error"]]
    cached = "Vowpal Wabbit from its cache"
    driver, plain = (round(rows[name]["times"], 1) for name in (cached, f"{cached} --sgd"))
    words = " ".join(page.split())
    assert f"learns {driver} times as many rows a second as the driver" in words
    assert f"and {plain} times as many as the driver with plain `--sgd`" in words
