"""Errors as one line of a row, and in full for whoever runs the agent."""

import re
import traceback
from collections.abc import Collection
from typing import Any

from banditgym.files.class_paths import raised_at
from leaderboards.processes.interrupts import attempt
from leaderboards.suites.suite import SuiteTask

LONGEST_ERROR = 300  # characters: an error is one line of a table
_LONG_NUMBER = re.compile("[0-9]{16,}|(?:0x)?[0-9a-fA-F]{16,}")  # a seed has 128 bits


def failure(error: BaseException, files: Collection[str] = ()) -> dict[str, Any]:
    """An error as plain data: as one line with its place in these files, and as a traceback."""

    def full() -> dict[str, Any]:
        lines = traceback.format_exception(error)
        return {"error": describe(error, files), "traceback": "".join(lines)}

    found, raised = attempt(full)  # an error's methods may raise anything too
    return {"error": _kind(error)} if raised is not None else found


def describe(error: BaseException, files: Collection[str] = ()) -> str:
    """The kind and the message of an error on one line, and the innermost line of these files."""
    message, _ = attempt(lambda: one_line(str(error)))  # None if its methods raise
    kind = _kind(error)
    return (f"{kind}: {message}" if message else kind) + raised_at(error, files)


def _kind(error: BaseException) -> str:
    """The name of an error's class, as the interpreter knows it."""
    return one_line(type.__dict__["__name__"].__get__(type(error)))


def reason_of(task: SuiteTask, text: str) -> str:
    """An error as rows store it: one line without folders, and without hidden seeds in any form."""
    text = _without_folders(text)
    return one_line(_LONG_NUMBER.sub("(hidden)", text) if task.hidden else text)


def one_line(text: str) -> str:
    """The text without line breaks, at most ``LONGEST_ERROR`` characters of it.

    Surrogates, which cannot be encoded, are escaped.
    """
    text = " ".join(text.encode("utf-8", "backslashreplace").decode().split())
    return text if len(text) <= LONGEST_ERROR else text[: LONGEST_ERROR - 2] + ".."


def _without_folders(text: str) -> str:
    """``/home/me/mine.py`` as ``mine.py``: rows are published."""
    return re.sub(r"(?<![\w.:/~-])~?/(?:[^\s'\"/:]+/)+", "", text)
