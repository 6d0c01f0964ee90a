"""Tables for a terminal; on narrow ones a line for each cell, so that no name is cut off."""

from collections.abc import Iterator, Sequence
from itertools import zip_longest
from typing import Any

from rich.console import Console, ConsoleOptions, Group
from rich.measure import Measurement
from rich.padding import Padding
from rich.table import Column, Table
from rich.text import Text


def bare_table(title: str, words: Sequence[str], numbers: Sequence[str], width: int) -> Table:
    """A table without lines, of columns of words, at least ``width`` wide, and then of numbers.

    Words are folded where there is too little room, and numbers are not.
    """
    table = Table(title=Text(title), header_style="bold", box=None, padding=(0, 2, 0, 0))
    for name in words:
        table.add_column(Text(name), min_width=width, overflow="fold")
    for name in numbers:
        table.add_column(Text(name), justify="right", no_wrap=True)
    return table


def fitted(what: object, console: Console, options: ConsoleOptions) -> Any:
    """Replace every table that does not fit by lines; returns what to print.

    Rich truncates columns that must not be wrapped, to nothing if necessary; the column of names is
    one of them.
    """
    if isinstance(what, Group):
        return Group(*(fitted(part, console, options) for part in what.renderables))
    if not isinstance(what, Table) or _least_width(what, console, options) <= options.max_width:
        return what
    return Group(*_lines(what, console))


def _least_width(table: Table, console: Console, options: ConsoleOptions) -> int:
    """The smallest width in characters at which a table loses no text."""
    wide = options.update(max_width=10_000)
    _, right, _, left = Padding.unpack(table.padding)

    def least(column: Column) -> int:
        if column.min_width is not None:  # how far the table lets its cells shrink
            return column.min_width + left + right
        sizes = [Measurement.get(console, wide, cell) for cell in (column.header, *column.cells)]
        widths = [size.maximum if column.no_wrap else size.minimum for size in sizes]
        return max(widths) + left + right

    # The last column needs no padding on its right.
    return sum(map(least, table.columns)) - (right if table.box is None else 0)


def _lines(table: Table, console: Console) -> Iterator[Text]:
    """Yield ``column: cell`` for every cell that is not empty, and an empty line after each row."""

    def text(cell: Any) -> Text:
        plain = console.render_str(cell) if isinstance(cell, str) else cell.copy()
        plain.no_wrap, plain.overflow = False, "fold"
        return plain

    headers = [text(column.header or "") for column in table.columns]
    for said in filter(None, (table.title,)):
        yield text(said)
    for row in zip_longest(*(column.cells for column in table.columns), fillvalue=""):
        for header, cell in zip(headers, map(text, row), strict=True):
            if cell.plain:
                name = Text.assemble(header, ": ") if header.plain else Text()
                yield text(Text.assemble(name, cell))
        yield Text()
    for said in filter(None, (table.caption,)):
        yield text(said)
