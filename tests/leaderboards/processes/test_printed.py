"""Output that is passed on: its bound and its contents."""

import os
import threading

import pytest

from leaderboards.processes import printed
from leaderboards.processes.printed import MOST, Printed


@pytest.fixture
def shown(capsys):
    """What is shown of bytes that are printed."""

    def show(data):
        output = Printed("mine.py:Mine")

        def write():
            with open(output.writer, "wb") as file:
                file.write(data)

        writing = threading.Thread(target=write)
        writing.start()
        while output.pass_on():
            pass
        writing.join()
        output.close()
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


def test_who_still_prints_is_not_waited_for(capsys):
    for waiting in (b"", b"said"):
        output = Printed("mine.py:Mine")
        with open(output.writer, "wb", buffering=0) as file:
            file.write(waiting)
            output.close()
    assert capsys.readouterr().err == "said"


def test_who_prints_for_ever_is_read_up_to_a_bound(capsys, monkeypatch):
    pieces = [b"y" * MOST] * 100  # more than a pipe holds
    monkeypatch.setattr(printed.os, "read", lambda *_: pieces.pop())
    output = Printed("mine.py:Mine")
    output.close()
    os.close(output.writer)
    assert "more bytes of its output were dropped" in capsys.readouterr().err
