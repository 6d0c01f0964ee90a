"""Lines of commands: control characters are escaped, and causes come before their errors."""

import pytest

from leaderboards.commands.saying import display, say, tell, tracebacks


def test_control_characters_are_escaped(capsys):
    say("a\x1b[2J")
    tell("b\x1b[2J")
    assert capsys.readouterr() == ("b\\x1b[2J\n", "a\\x1b[2J\n")
    display("c\x1b[2J")
    out, err = capsys.readouterr()
    assert ("\x1b[2J" in out, "\\x1b[2J" in out, err) == (False, True, "")


@pytest.mark.parametrize("cause", [ZeroDivisionError("no"), None])
def test_the_traceback_of_a_cause_precedes_its_error(cause, capsys):
    with pytest.raises(ValueError, match="in one line"), tracebacks():
        raise ValueError("in one line") from cause
    out, err = capsys.readouterr()
    assert (out, err) == ("", "ZeroDivisionError: no\n" if cause else "")
