"""How commands speak: results on stdout, everything else on stderr, control characters visible.

What is slow to import is imported by the function that needs it.
"""

import contextlib
import sys
from collections.abc import Iterator
from typing import Any


def display(what: Any) -> None:
    """Print what rich can print on stdout."""
    from rich.console import Console

    from leaderboards.console.progress import Visible

    Console().print(Visible(what))


def say(text: str) -> None:
    """Print a line on stderr."""
    from banditgym.validation import visible

    print(visible(text), file=sys.stderr, flush=True)


@contextlib.contextmanager
def tracebacks() -> Iterator[None]:
    """Print an error's cause in full, ahead of the line that says what it is."""
    from traceback import format_exception

    try:
        yield
    except ValueError as error:
        if error.__cause__ is not None:
            say("".join(format_exception(error.__cause__)).rstrip())
        raise
