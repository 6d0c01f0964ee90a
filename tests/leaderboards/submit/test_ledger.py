"""Ledgers: lines are never changed, and any change is detected."""

import json
import os
import subprocess
import sys

import pytest

from leaderboards.submit.ledger import START, Ledger


@pytest.fixture
def ledger(tmp_path):
    """Three entries."""
    found = Ledger(tmp_path / "x.jsonl")
    for number in range(3):
        found.append({"event": "attempt", "number": number})
    return found


def test_entries_come_in_the_order_of_writing(ledger):
    assert [entry["number"] for entry in ledger.entries()] == [0, 1, 2]
    assert ledger.entries()[0]["previous"] == START
    assert Ledger(ledger.path.with_name("none")).entries() == []
    assert Ledger(ledger.path.with_name("none")).head == START


def test_lines_written_before_are_not_touched(ledger):
    before = ledger.path.read_bytes()
    ledger.append({"event": "more"})
    assert ledger.path.read_bytes().startswith(before)


WRITER = """
import sys
from pathlib import Path
from leaderboards.submit.ledger import Ledger
ledger = Ledger(Path(sys.argv[1]))
sys.stdin.readline()
for number in range(100):
    ledger.append({"writer": sys.argv[2], "number": number})
"""


def test_two_who_write_at_a_time_make_one_chain(tmp_path):
    path = tmp_path / "x.jsonl"
    writers = [
        subprocess.Popen(
            [sys.executable, "-c", WRITER, str(path), name], stdin=subprocess.PIPE, text=True
        )
        for name in "abc"
    ]
    for writer in writers:
        writer.stdin.write("go\n")
        writer.stdin.flush()
    for writer in writers:
        writer.communicate(timeout=300)
    entries = Ledger(path).entries()
    for name in "abc":
        own = [entry["number"] for entry in entries if entry["writer"] == name]
        assert own == list(range(100))


def test_a_line_that_does_not_fit_on_the_disk_leaves_nothing(ledger, monkeypatch):
    before, write = ledger.path.read_bytes(), os.write
    monkeypatch.setattr(os, "write", lambda number, data: write(number, data[:10]))
    with pytest.raises(OSError, match="the disk is full"):
        ledger.append({"event": "more"})
    assert ledger.path.read_bytes() == before


def drop_first(lines):
    return lines[1:]


def drop_middle(lines):
    return [lines[0], lines[2]]


def swap(lines):
    return [lines[1], lines[0], lines[2]]


def alter(lines):
    return [lines[0].replace(b'"number": 0', b'"number": 7'), *lines[1:]]


def double(lines):
    return [lines[0], *lines]


def no_json(lines):
    return [*lines, b"x\n"]


@pytest.mark.parametrize("change", [drop_first, drop_middle, swap, alter, double, no_json])
def test_a_change_breaks_the_chain(ledger, change):
    lines = ledger.path.read_bytes().splitlines(keepends=True)
    ledger.path.write_bytes(b"".join(change(lines)))
    with pytest.raises(ValueError, match="neither changed nor dropped"):
        ledger.entries()
    with pytest.raises(ValueError, match="neither changed nor dropped"):
        ledger.append({"event": "more"})


def test_the_end_can_be_dropped_and_the_head_tells(ledger):
    head = ledger.head
    lines = ledger.path.read_bytes().splitlines(keepends=True)
    ledger.path.write_bytes(b"".join(lines[:-1]))
    assert len(ledger.entries()) == 2
    assert ledger.head != head


def test_a_cut_line_and_a_link_are_told(ledger, tmp_path):
    ledger.path.write_bytes(ledger.path.read_bytes()[:-1])
    with pytest.raises(ValueError, match="its last line is cut"):
        ledger.entries()
    (tmp_path / "link").symlink_to(ledger.path)
    with pytest.raises(ValueError, match="cannot be read"):
        Ledger(tmp_path / "link").entries()


def test_one_entry_is_one_line_of_json(ledger):
    ledger.append({"text": "a\nb\u2028"})
    assert json.loads(ledger.path.read_bytes().splitlines()[-1])["text"] == "a\nb\u2028"
