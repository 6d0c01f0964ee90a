"""The table of `python -m tools.speed`."""

import io

import pytest
from rich.console import Console

from leaderboards.speed.benchmarks import ROWS
from tools.speed import ratio_table
from tools.speed.ratio_table import table
from tools.speed.ratios import FUSED, NUMPY, TARGETS

ABOUT = {"date": "2026-01-02", "machine": "an abacus", "versions": {"numpy": "2"}}


def judged(name, ratio, of=FUSED):
    speeds = {"rounds_per_second": 8.88e6, "beside": 8.88e6 / ratio, "plain": 4440.0}
    bounds = {"ratio": ratio, "floor": 0.025, "aim": 0.9, "same_arithmetic": None}
    return {"row": name, "n": 100, "of": of} | speeds | bounds


def printed(found, width=80, **style):
    console = Console(width=width, record=True, file=io.StringIO(), force_terminal=True)
    console.print(table(found))
    return console.export_text(**style)


def line_of(text, name):
    return next(line.split() for line in text.splitlines() if line.startswith(name))


def test_a_row_has_its_speed_what_is_beside_it_and_the_ratio():
    found = ABOUT | {"rows": [judged("one", 0.5), judged("two", 0.0352, NUMPY)]}
    found["rows"][0]["same_arithmetic"] = 0.777
    found["rows"][1]["plain"] = None
    text = printed(found)
    assert line_of(text, "one") == [
        "one", "100", "8.88", "M", "17.8", "M", "0.5", "0.025", "0.9", "0.777", "2000", "x"
    ]  # fmt: skip
    assert line_of(text, "two")[6:] == ["0.035", "0.025", "0.9", "–", "–"]
    assert "beside two: the numpy loop" in text
    assert "beside one" not in text  # a fused loop, as the text below says
    assert "2026-01-02, an abacus; numpy 2" in text


@pytest.mark.parametrize(("ratio", "colour"), [(0.01, "31"), (0.5, None), (0.95, "32")])
def test_ratios_below_the_floor_are_red_and_above_the_aim_green(ratio, colour):
    text = printed(ABOUT | {"rows": [judged("one", ratio)]}, styles=True)
    assert [code for code in ("31", "32") if f"\x1b[{code}m{ratio}" in text] == (
        [colour] if colour else []
    )


def test_the_table_fits_a_narrow_terminal():
    """Nothing is cut, and lines below the table are as they were written."""
    names = [row.name for row in ROWS if row.name in TARGETS]
    rows = [judged(name, 0.888) | {"same_arithmetic": 0.999} for name in names]
    text = printed(ABOUT | {"rows": rows})
    assert "…" not in text
    lines = [line.rstrip() for line in text.splitlines()]
    below = ratio_table._CAPTION.strip().splitlines()
    first = lines.index(below[0])
    assert lines[first : first + len(below)] == below
    assert all(len(line) <= 80 for line in lines)
    assert sum(line.startswith(tuple(names)) for line in lines) == len(rows)
