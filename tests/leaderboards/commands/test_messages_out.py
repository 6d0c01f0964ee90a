"""Lines of commands: control characters are escaped, and causes come before their errors."""

import pytest

from leaderboards.commands.messages_out import (
    display,
    print_result,
    prints_aside,
    say,
    tell,
    tracebacks,
)


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


def test_a_result_is_json_or_a_table_and_only_that_is_made(capsys):
    def unused():
        raise AssertionError

    print_result(True, lambda: {"a": [1]}, unused, indent=1)
    print_result(False, unused, lambda: "a table")
    assert capsys.readouterr().out == '{\n "a": [\n  1\n ]\n}\na table\n'
    with pytest.raises(ValueError, match="not JSON compliant"):
        print_result(True, lambda: float("nan"), unused, allow_nan=False)


def test_what_agents_print_is_not_output(capsys):
    with prints_aside():
        print("an agent's")
    print("a result")
    assert capsys.readouterr() == ("a result\n", "an agent's\n")
