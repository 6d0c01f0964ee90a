"""Output of commands: results on stdout, the rest on stderr, control characters escaped.

Each function imports the slow modules that it needs.
"""

import contextlib
import json
import shlex
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from rich.console import RenderableType


def display(what: RenderableType) -> None:
    """Print any object that rich can print on stdout."""
    from rich.console import Console

    from leaderboards.console.progress import Visible

    Console().print(Visible(what))


def is_watched() -> bool:
    """Whether stderr is a terminal."""
    from rich.console import Console

    return Console(stderr=True).is_terminal


def display_above(what: RenderableType) -> None:
    """Print any object that rich can print on stderr, above a progress bar that is shown there."""
    from rich.console import Console

    from leaderboards.console.progress import Visible

    console = Console(stderr=True)
    with console.capture() as text:
        console.print(Visible(what))
    sys.stderr.write(text.get())  # which a bar replaces by a file that writes above it


def print_result(
    as_json: bool,
    plain: Callable[[], object],
    shown: Callable[[], RenderableType],
    **how: Any,
) -> None:
    """Print a result: as JSON, ``how`` as for ``json.dumps``, or as rich shows it."""
    if as_json:
        print(json.dumps(plain(), **how))
    else:
        display(shown())


def prints_aside() -> contextlib.AbstractContextManager[object]:
    """Context manager: what agents print goes to stderr, and not into the output of --json."""
    return contextlib.redirect_stdout(sys.stderr)


def say(text: str) -> None:
    """Print a line on stderr."""
    from banditgym.validation import visible

    print(visible(text), file=sys.stderr, flush=True)


def tell(text: str) -> None:
    """Print a line on stdout."""
    from banditgym.validation import visible

    print(visible(text), flush=True)


def tell_compared(count: int, differences: list[str]) -> None:
    """Print how rows differ from their replay, and how many do not; exit 1 if any does."""
    from typer import Exit

    for difference in differences:
        tell(difference)
    print(f"{count - len(differences)} of {count} rows are equal in every bit")
    if differences:
        raise Exit(1)


@contextlib.contextmanager
def interruptible(store: Path, kept: str = "cells") -> Iterator[None]:
    """If the user interrupts it, say what a folder keeps and how to go on, and exit 130."""
    from typer import Exit

    try:
        yield
    except KeyboardInterrupt:
        command = shlex.join(["banditgym", *sys.argv[1:]])
        say(f"interrupted: finished {kept} are kept in {store}; continue with\n  {command}")
        raise Exit(130) from None


@contextlib.contextmanager
def tracebacks() -> Iterator[None]:
    """Print the full traceback of an error's cause before the one-line message."""
    from traceback import format_exception

    try:
        yield
    except ValueError as error:
        if error.__cause__ is not None:
            say("".join(format_exception(error.__cause__)).rstrip())
        raise
