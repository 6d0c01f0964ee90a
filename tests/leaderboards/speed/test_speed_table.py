"""The table of `banditgym speed`."""

import io

import pytest
from rich.console import Console

from leaderboards.speed import speed_table
from leaderboards.speed.benchmarks import FUSED, NUMPY, ROWS
from leaderboards.speed.speed_table import table
from tools.speed.earlier import compare

ABOUT = {"date": "2026-01-02", "machine": "an abacus", "versions": {"numpy": "2"}}


def result(name, **given):
    empty = dict.fromkeys(("of", "beside", "ratio", "floor", "aim", "same_arithmetic", "plain"))
    return {"row": name, "n": 100, "rounds_per_second": 8.88e6} | empty | given


def judged(name, ratio, of=FUSED):
    return result(
        name, of=of, beside=8.88e6 / ratio, ratio=ratio, floor=0.025, aim=0.9, plain=4440.0
    )


def printed(found, width=80, **style):
    console = Console(width=width, record=True, file=io.StringIO(), force_terminal=True)
    console.print(table(found))
    return console.export_text(**style)


def line_of(text, name):
    return next(line.split() for line in text.splitlines() if line.startswith(name))


def test_a_row_has_its_speed_what_is_beside_it_and_the_ratio():
    found = ABOUT | {"rows": [judged("one", 0.5), judged("two", 0.0352, NUMPY), result("three")]}
    found["rows"][0]["same_arithmetic"] = 0.777
    text = printed(found)
    assert line_of(text, "one") == [
        "one", "100", "8.88", "M", "17.8", "M", "0.5", "0.025", "0.9", "0.777", "2000", "x"
    ]  # fmt: skip
    assert line_of(text, "two")[6:10] == ["0.035", "0.025", "0.9", "–"]
    assert line_of(text, "three") == ["three", "100", "8.88", "M", *["–"] * 6]
    assert "beside two: the numpy loop" in text
    assert "beside one" not in text  # a fused loop, as the text below says
    assert "2026-01-02, an abacus; numpy 2" in text


@pytest.mark.parametrize(("ratio", "colour"), [(0.01, "31"), (0.5, None), (0.95, "32")])
def test_ratios_below_the_floor_are_red_and_above_the_aim_green(ratio, colour):
    text = printed(ABOUT | {"rows": [judged("one", ratio)]}, styles=True)
    assert [code for code in ("31", "32") if f"\x1b[{code}m{ratio}" in text] == (
        [colour] if colour else []
    )


def test_a_comparison_shows_changes_and_rows_that_are_only_in_one():
    now = ABOUT | {"date": "2026-03-04", "rows": [judged("one", 0.5), result("two")]}
    earlier = ABOUT | {"rows": [judged("one", 0.5) | {"rounds_per_second": 7.4e6}, result("gone")]}
    text = printed(compare(now, earlier))
    assert line_of(text, "one")[-2:] == ["x", "1.20"]
    assert line_of(text, "two")[-1] == "new"
    assert "change: rounds/s over those of 2026-01-02, an abacus; numpy 2" in text
    assert "only in the earlier file: gone" in text
    assert "change" not in printed(now)
    assert "only in" not in printed(compare(now, now))


@pytest.mark.parametrize("compared", [False, True])
def test_the_table_fits_a_narrow_terminal(compared):
    """Nothing is cut, and lines below the table are as they were written."""
    rows = [judged(row.name, 0.888) | {"same_arithmetic": 0.999} for row in ROWS]
    found = ABOUT | {"rows": rows}
    text = printed(compare(found, found) if compared else found)
    assert "…" not in text
    lines = [line.rstrip() for line in text.splitlines()]
    below = speed_table._CAPTION.strip().splitlines()
    first = lines.index(below[0])
    assert lines[first : first + len(below)] == below
    assert all(len(line) <= 80 for line in lines)
    assert sum(line.startswith(tuple(row.name for row in ROWS)) for line in lines) == len(ROWS)
