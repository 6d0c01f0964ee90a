"""Output that is passed on: its bound and its contents."""

import os
import threading

import pytest

from leaderboards.processes import printed_output
from leaderboards.processes.printed_output import MOST, passed_on


@pytest.fixture
def shown(capsys):
    """What is shown of bytes that are printed."""

    def show(data):
        with passed_on("mine.py:Mine") as output:
            output.write(data)
        found = capsys.readouterr()
        assert found.out == ""
        return found.err

    return show


def test_what_is_within_the_bound_is_shown_as_it_is(shown):
    assert shown(b"") == ""
    text = "a line\n" + "é" * (MOST // 2 - 4) + "\n"
    assert len(text.encode()) == MOST
    assert shown(text.encode()) == text


@pytest.mark.parametrize(("end", "line_break"), [(b"x", "\n"), (b"\n", "")])
def test_what_exceeds_the_bound_is_counted_in_one_line(shown, end, line_break):
    kept = b"a" * (MOST - 1) + end
    more = b"b" * (5 * MOST + 7)
    line = f"mine.py:Mine: {len(more)} more bytes of its output were dropped\n"
    assert shown(kept + more) == kept.decode() + line_break + line


def test_control_characters_and_what_is_no_text_are_written_out(shown):
    assert shown(b"\x1b[2J\r\xff\n") == "\\x1b[2J\\r\ufffd\n"
    assert shown("é".encode()[:1]) == "\ufffd"  # half a character at the end


def test_who_still_prints_is_not_waited_for(capsys, monkeypatch):
    monkeypatch.setattr(printed_output, "_LONGEST", 0.2)
    for waiting in (b"", b"said"):
        with passed_on("mine.py:Mine") as output:
            other = os.dup(output.fileno())
            output.write(waiting)
        os.close(other)
    assert capsys.readouterr().err == "said"


def test_who_prints_for_ever_is_not_waited_for(capsys, monkeypatch):
    monkeypatch.setattr(printed_output, "_LONGEST", 0.2)
    stop = threading.Event()

    def prints(number):
        with open(number, "wb", buffering=0) as file:
            while not stop.is_set():
                file.write(b"y" * MOST)

    with passed_on("mine.py:Mine") as output:
        printing = threading.Thread(target=prints, args=(os.dup(output.fileno()),))
        printing.start()
    stop.set()
    printing.join()
    err = capsys.readouterr().err
    assert err.startswith("y" * 1000)
    assert err.count("y") <= MOST + len("mine.py:Mine ever")
