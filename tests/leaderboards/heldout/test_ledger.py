"""Ledgers: what is written stays, and whoever changes it is seen."""

import json

import pytest

from leaderboards.heldout.ledger import START, Ledger


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
