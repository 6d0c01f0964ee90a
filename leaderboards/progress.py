"""Signs of life on stderr: a bar with the time left, and a word on compilation."""

import contextlib
import sys
from collections.abc import Callable, Iterator
from typing import Any

from numba.core.event import Listener, install_listener
from rich.console import Console, ConsoleOptions
from rich.progress import (
    BarColumn,
    Progress,
    TaskProgressColumn,
    TextColumn,
    TimeRemainingColumn,
)
from rich.segment import Segment

from banditgym.settings import visible
from leaderboards.narrow import fitted


class Visible:
    """What rich prints, with control characters written out, and whatever the terminal's width."""

    def __init__(self, what: Any):
        self._what = what

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> Iterator[Segment]:
        for text, style, control in console.render(fitted(self._what, console, options), options):
            yield Segment(visible(text), style, control)


@contextlib.contextmanager
def bar(title: str) -> Iterator[Callable[[float, bool], None]]:
    """A progress bar with the time left, on stderr."""
    columns = (
        TextColumn("{task.description}", markup=False),
        BarColumn(),
        TaskProgressColumn(),
        TextColumn("left"),
        TimeRemainingColumn(),
    )
    shown = Progress(*columns, console=Console(stderr=True))
    task = shown.add_task(visible(title), total=1.0)
    with word_on_compiling() as word:

        def advance(fraction: float, compiling: bool) -> None:
            shown.start()  # not before: an error of use is one line, without a bar above it
            if compiling:
                word()
            shown.update(task, completed=fraction)

        try:
            yield advance
        finally:
            if shown.live.is_started:
                shown.stop()


@contextlib.contextmanager
def word_on_compiling() -> Iterator[Callable[[], None]]:
    """Say once, when numba starts to compile, why the first run takes longer."""

    class Once(Listener):
        said = False

        def on_start(self, event: Any = None) -> None:
            if not self.said:
                self.said = True
                print(
                    "compiling the kernels, once for this version: later runs start at once",
                    file=sys.stderr,
                    flush=True,
                )

        def on_end(self, event: Any) -> None:
            pass

    once = Once()
    with install_listener("numba:compile", once):
        yield once.on_start
