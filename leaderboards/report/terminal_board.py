"""A board in a terminal: a table for each section, as wide as there is room."""

from collections.abc import Iterable, Iterator
from typing import Any

import rich
from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from banditgym.validation import visible
from leaderboards.rank.board import Board
from leaderboards.rank.section import Section
from leaderboards.rank.standing import Standing
from leaderboards.report.cell_texts import label_text, place_text, result_text
from leaderboards.report.remarks import notes, of_section, played
from leaderboards.report.tables import (
    COLUMNS,
    SCALE,
    closing_remarks,
    measures_caption,
    row_cells,
    task_title,
)
from leaderboards.report.tuned_tables import plain_table, terminal_tuned

# Least widths of columns of words in a terminal, in the order of shrinking; numbers never shrink.
WORDS = {"paper": 16, "from the task": 13, "agent": 20}


def terminal(board: Board, width: int | None = None) -> Group:
    """The leaderboard for a terminal: a table for each section with its remarks below it.

    Parameters
    ----------
    width : int, optional
        Columns of text; by default those of rich's console. If there is too little room, citations
        are omitted first, then facts taken from the task, the state's size and the quartiles.
    """
    width = rich.get_console().width if width is None else width
    widths = _widths([row_cells(s) for part in board.sections for s in part.standings], width)
    parts: list[RenderableType] = [Text(board.suite.title, style="bold italic")]
    for section in played(board):
        if len(board.sections) > 1:
            parts += _heading(section)
        parts += _body(board, section, widths, width)
    closing = [f"Scores: {SCALE}."] * bool(played(board)) + closing_remarks(board)
    if closing and len(board.sections) > 1:
        parts.append(Text())
    return Group(*parts, *(Text(remark, style="dim") for remark in closing))


def terminal_section(board: Board, ranking: str) -> Group:
    """One section of the leaderboard for a terminal, while other rankings are still played."""
    width = rich.get_console().width
    parts: list[RenderableType] = []
    for section in played(board):
        if section.name == ranking:
            widths = _widths([row_cells(standing) for standing in section.standings], width)
            parts += [*_heading(section), *_body(board, section, widths, width)]
    return Group(*parts)


def _heading(section: Section) -> list[RenderableType]:
    tasks = ", ".join(task.name for task in section.tasks)
    return [Text(), Text.assemble((section.name, "bold"), f": {tasks}")]


def _body(board: Board, section: Section, widths: Any, width: int) -> list[RenderableType]:
    remarks = [*notes(board, section), *of_section(section)]
    texts = [Text(str(remark), style="dim") for remark in remarks]
    tuned = terminal_tuned(board, section, width)
    return [_table(section, widths), *_amounts(section, width), *texts, *tuned]


def _widths(rows: list[list[str]], width: int) -> dict[str, int]:
    """Widths of the shown columns, the same in every section's table."""
    names = [name for name, _ in COLUMNS]
    natural = [max(map(len, cells)) for cells in zip(names, *rows, strict=True)]
    widths = dict(zip(names, natural, strict=True))
    least = {name: min(WORDS.get(name, size), size) for name, size in widths.items()}
    for name in ("paper", "from the task", "state", "quartiles"):
        if sum(least[shown] + 1 for shown in widths) > width:
            del widths[name]
    for name in WORDS:
        if name in widths:
            excess = max(0, sum(size + 1 for size in widths.values()) - width)
            widths[name] = max(least[name], widths[name] - excess)
    return widths


def _table(section: Section, widths: dict[str, int]) -> Table:
    table = plain_table()
    places = [place for place, (name, _) in enumerate(COLUMNS) if name in widths]
    for name, right in (COLUMNS[place] for place in places):
        table.add_column(
            Text(name, no_wrap=True, overflow="ellipsis"),
            justify="right" if right else "left",
            no_wrap=name not in WORDS,
            min_width=widths[name],
        )
    for standing in section.standings:
        cells = row_cells(standing)
        _add_row(table, standing, [cells[place] for place in places])
    return table


def _add_row(table: Table, standing: Standing, texts: Iterable[str]) -> None:
    """Add a row, of which no cell is wrapped; it is dim if the agent is not ranked."""
    cells = (Text(text, no_wrap=True, overflow="ellipsis") for text in texts)
    table.add_row(*cells, style="dim" if standing.rank is None else "")


def _amounts(section: Section, width: int) -> Iterator[RenderableType]:
    """The measures of the tasks and the ranks on them, as many tasks side by side as fit."""
    labels = [visible(label_text(s)) for s in section.standings]
    cells = {
        task.name: [result_text(s.tasks[task.name]) for s in section.standings]
        for task in section.tasks
    }
    room = min(max(map(len, ["agent", *labels])), WORDS["agent"], width // 2)
    heads = {task.name: task_title(task) for task in section.tasks}
    ranks = {
        task.name: [place_text(s.tasks[task.name].rank) for s in section.standings]
        for task in section.tasks
    }
    sizes = {
        name: sum(max(map(len, one)) + 1 for one in ([heads[name], *own], ["rank", *ranks[name]]))
        for name, own in cells.items()
    }
    rows: list[list[str]] = [[]]
    for name, size in sizes.items():
        if rows[-1] and room + 1 + size + sum(sizes[other] for other in rows[-1]) > width:
            rows.append([])
        rows[-1].append(name)
    yield Text(f"{measures_caption(section)}; rank by task", style="dim")
    for names in rows:
        table = plain_table()
        table.add_column("agent", min_width=room)
        for name in names:
            table.add_column(Text(heads[name], overflow="ellipsis"), justify="right", no_wrap=True)
            table.add_column("rank", justify="right", no_wrap=True)
        for j, standing in enumerate(section.standings):
            pairs = [text for name in names for text in (cells[name][j], ranks[name][j])]
            _add_row(table, standing, [labels[j], *pairs])
        yield table
