"""Expectations raise AssertionErrors, with what was expected."""

import pytest

from banditgym.check import expect, expect_error


def refuse(error):
    raise error


def test_a_condition_holds_or_is_named():
    expect(True, "two is even")
    with pytest.raises(AssertionError, match="^two is even$"):
        expect(False, "two is even")


def test_an_error_is_of_its_kind_and_a_line_long():
    expect_error(ValueError, lambda: refuse(ValueError("no")), "a word")
    for error, says in (
        (TypeError("no"), "a word must raise ValueError, but raises TypeError: no"),
        (ValueError("no\nnever"), "the message on a word is longer than a line"),
    ):
        with pytest.raises(AssertionError, match=says):
            expect_error(ValueError, lambda error=error: refuse(error), "a word")
    with pytest.raises(AssertionError, match="^a word must raise ValueError$"):
        expect_error(ValueError, lambda: None, "a word")
