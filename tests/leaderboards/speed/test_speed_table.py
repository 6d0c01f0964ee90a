"""The table of `banditgym speed`."""

import io

from rich.console import Console

from leaderboards.speed import speed_table
from leaderboards.speed.benchmarks import ROWS
from leaderboards.speed.speed_table import table

ABOUT = {"date": "2026-01-02", "machine": "an abacus", "versions": {"numpy": "2"}}


def result(name, env=None, agent=None, speed=8.88e6):
    parts = {"env_microseconds": env, "agent_microseconds": agent}
    return {"row": name, "n": 100, "rounds_per_second": speed} | parts


def printed(found, width=80):
    console = Console(width=width, record=True, file=io.StringIO(), force_terminal=True)
    console.print(table(found))
    return console.export_text()


def test_a_row_has_its_speed_and_the_shares_of_environment_and_agent():
    rows = [result("one", 0.0512, 1234.5), result("two", speed=45_678.0)]
    text = printed(ABOUT | {"rows": rows})
    lines = [line.split() for line in text.splitlines()]
    assert ["one", "100", "8.88", "M", "0.051", "1234"] in lines
    assert ["two", "100", "46", "k", "–", "–"] in lines
    assert "2026-01-02, an abacus; numpy 2" in text


def test_the_table_fits_a_narrow_terminal():
    """Nothing is cut, and lines below the table are as they were written."""
    text = printed(ABOUT | {"rows": [result(row.name, 12345.6, 12345.6) for row in ROWS]})
    assert "…" not in text
    lines = [line.rstrip() for line in text.splitlines()]
    below = speed_table._CAPTION.strip().splitlines()
    first = lines.index(below[0])
    assert lines[first : first + len(below)] == below
    assert all(len(line) <= 80 for line in lines)
    assert sum(line.startswith(tuple(row.name for row in ROWS)) for line in lines) == len(ROWS)
