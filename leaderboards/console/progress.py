"""Progress on stderr: a bar with the time left, and a message about compilation."""

import contextlib
import sys
from collections.abc import Callable, Iterable, Iterator
from typing import Protocol

from rich.console import Console, ConsoleOptions, RenderableType
from rich.progress import (
    BarColumn,
    Progress,
    TaskProgressColumn,
    TextColumn,
    TimeRemainingColumn,
)
from rich.segment import Segment
from rich.table import Column

from banditgym.validation import visible
from leaderboards.console.narrow import fitted


class Advance(Protocol):
    """A function that is called with the progress of the work; see `bar`."""

    def __call__(self, fraction: float, compiling: bool, now: str = "", /) -> None: ...


def silent(fraction: float, compiling: bool, now: str = "", /) -> None:
    """Show nothing."""


class Visible:
    """Makes rich print an object with control characters escaped, at any terminal width."""

    def __init__(self, what: RenderableType):
        self._what = what

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> Iterator[Segment]:
        for text, style, control in console.render(fitted(self._what, console, options), options):
            yield Segment(visible(text), style, control)


def words(done: int, total: int, running: Iterable[str]) -> str:
    """``3 of 12 done, now: LinUCB on small``, without repetition.

    >>> words(3, 12, ["LinUCB on small", "OFUL on small", "LinUCB on small"])
    '3 of 12 done, now: LinUCB on small, OFUL on small'
    """
    now = ", ".join(dict.fromkeys(running))
    return f"{done} of {total} done" + (f", now: {now}" if now and done < total else "")


@contextlib.contextmanager
def bar(title: str, *, kept: bool = True) -> Iterator[Advance]:
    """A progress bar on stderr with the time left, how much is done, and what runs now.

    Parameters
    ----------
    kept : bool
        As for `word_on_compiling`.

    Yields
    ------
    callable
        Takes the fraction of the work that is done, whether something compiles, and optionally a
        text on what is done and what runs, see `words`.
    """
    columns = (
        TextColumn("{task.description}", markup=False),
        BarColumn(20),
        TaskProgressColumn(),
        TextColumn("left"),
        TimeRemainingColumn(),
        TextColumn(
            "{task.fields[now]}",
            markup=False,
            table_column=Column(ratio=1, no_wrap=True, overflow="ellipsis"),
        ),
    )
    shown = Progress(*columns, console=Console(stderr=True), expand=True)
    task = shown.add_task(visible(title), total=1.0, now="")
    with word_on_compiling(kept=kept) as word:

        def advance(fraction: float, compiling: bool, now: str = "") -> None:
            shown.start()  # not earlier: a usage error must be one line, without a bar above it
            if compiling:
                word()
            shown.update(task, completed=fraction, now=visible(now))

        try:
            yield advance
        finally:
            if shown.live.is_started:
                shown.stop()


@contextlib.contextmanager
def word_on_compiling(*, kept: bool = True) -> Iterator[Callable[[], None]]:
    """Print once, when numba starts to compile, why this takes longer.

    Parameters
    ----------
    kept : bool
        Whether later runs can load the machine code: false in ``compiled.cache.fresh_caches``.
    """
    # Slow, and a table needs none.
    from leaderboards.console.compilation import notes_of_compilation

    often = "once for this version: later runs start at once"
    if not kept:
        often = "for this command alone: it uses no machine code from before, and leaves none"
    said = False

    def word(begins: bool = True) -> None:
        nonlocal said
        if begins and not said:
            said = True
            print(f"compiling the kernels, {often}", file=sys.stderr, flush=True)

    with notes_of_compilation(word):
        yield word
