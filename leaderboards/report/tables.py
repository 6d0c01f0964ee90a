"""A board as text: terminal, Markdown, CSV and JSON.

Labels, messages and citations may come from third parties, so all are escaped.
"""

import csv as csv_format
import io
import json as json_format
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict
from typing import Any

import rich
from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from banditgym.validation import visible
from leaderboards.lines import without_nan
from leaderboards.rank.board import Board
from leaderboards.rank.section import Section
from leaderboards.rank.standing import Interval, Standing
from leaderboards.report.cell_texts import (
    NONE,
    OWN,
    amount_text,
    bytes_text,
    direction,
    fixed,
    interval_text,
    label_text,
    measure_text,
    rank_text,
    time_text,
)
from leaderboards.report.choices import markdown_choices, places, tuned_place
from leaderboards.report.markup import escaped, table
from leaderboards.report.remarks import counted, left_out, notes, of_board, of_section, played
from leaderboards.report.tuned_tables import (
    COLUMN,
    markdown_tuned,
    standing_of,
    terminal_tuned,
    tuned_text,
    values_text,
)
from leaderboards.suite import SuiteTask

SCALE = (
    "higher is better; 0 is uniform play (in regression, predicting 0) on the same seeds, "
    "1 is no regret or the result of the suite's reference, below 0 is worse than uniform play"
)
MARKED = f"{OWN} an agent that is not banditgym's"
TOTAL = "* the environment's time is included"

_GOOD = {"↓": "lower", "↑": "higher"}

# Name of each column, and whether it has numbers.
COLUMNS = (
    ("rank", True),
    ("agent", False),
    ("score ↑ [95 %]", True),
    ("µs/round", True),
    ("state", True),
    ("failed", True),
    ("from the task", False),
    ("paper", False),
)
_AFTER_SCORE = 3  # the place of the tuned column
# Least widths of columns of words in a terminal, in the order of shrinking; numbers never shrink.
WORDS = {"paper": 16, "from the task": 13, "agent": 20}


def terminal(board: Board, width: int | None = None) -> Group:
    """The leaderboard for a terminal: a table for each section with its remarks below it.

    Parameters
    ----------
    board : Board
    width : int, optional
        Columns of text; by default those of rich's console. If there is too little room, citations
        are omitted first, then facts taken from the task, then the state's size.

    Returns
    -------
    rich.console.Group
    """
    width = rich.get_console().width if width is None else width
    widths = _widths([_cells(s) for part in board.sections for s in part.standings], width)
    parts: list[RenderableType] = [Text(board.suite.title, style="bold italic")]
    for section in played(board):
        if len(board.sections) > 1:
            parts += _heading(section)
        parts += _body(board, section, widths, width)
    closing = [f"Scores: {SCALE}."] * bool(played(board)) + _closing(board)
    if closing and len(board.sections) > 1:
        parts.append(Text())
    return Group(*parts, *(Text(remark, style="dim") for remark in closing))


def terminal_section(board: Board, ranking: str) -> Group:
    """One section of the leaderboard for a terminal, while other rankings are still played."""
    width = rich.get_console().width
    parts: list[RenderableType] = []
    for section in played(board):
        if section.name == ranking:
            widths = _widths([_cells(standing) for standing in section.standings], width)
            parts += [*_heading(section), *_body(board, section, widths, width)]
    return Group(*parts)


def _heading(section: Section) -> list[RenderableType]:
    tasks = ", ".join(task.name for task in section.tasks)
    return [Text(), Text.assemble((section.name, "bold"), f": {tasks}")]


def _body(board: Board, section: Section, widths: Any, width: int) -> list[RenderableType]:
    remarks = [*notes(board, section), *of_section(section)]
    texts = [Text(str(remark), style="dim") for remark in remarks]
    tuned = terminal_tuned(board, section)
    return [_table(section, widths), *_amounts(section, width), *texts, *tuned]


def markdown(board: Board) -> str:
    """The leaderboard as GitHub's Markdown, section by section."""
    lines = [f"# {escaped(board.suite.title)}", ""]
    lines += [f"- {escaped(remark)}" for remark in [f"Scores: {SCALE}.", *_closing(board)]]
    sections = (markdown_section(board, s, linked=True) for s in played(board))
    return "\n".join([*lines, "", *markdown_choices(board), *sections])


def markdown_section(board: Board, section: Section, *, linked: bool = False) -> str:
    """One ranking as Markdown, followed by its remarks and the scores of its tasks.

    ``linked`` gives ids to the rows to which `leaderboards.report.choices.markdown_choices` links.
    """
    several = len(board.sections) > 1
    lines = [f"## {escaped(section.name)}", ""] if several else []
    columns, rows = [*COLUMNS], [_cells(s) for s in section.standings]
    if board.tuned.get(section.name):
        columns.insert(_AFTER_SCORE, (COLUMN, True))
        for row, standing in zip(rows, section.standings, strict=True):
            row.insert(_AFTER_SCORE, tuned_text(board, section, standing))
    lines += table(columns, rows, places(board, section) if linked else ())
    remarks = [*notes(board, section), *of_section(section)]
    if remarks:
        lines += ["", *(f"- {escaped(str(remark))}" for remark in remarks)]
    lines += markdown_tuned(board, section, [tuned_place(section, 1)] if linked else ())
    lines += ["", f"{'###' if several else '##'} Tasks", "", "Mean score over the seeds:", ""]
    tasks = [("agent", False), *((task.name, True) for task in section.tasks)]
    rows = [
        [label_text(s), *(_task_cell(section, s, task.name) for task in section.tasks)]
        for s in section.standings
    ]
    lines += [*table(tasks, rows), "", f"{_caption(section)}:", ""]
    tasks = [("agent", False), *((_title(task), True) for task in section.tasks)]
    rows = [[label_text(s), *_amounts_of(s, section.tasks)] for s in section.standings]
    return "\n".join([*lines, *table(tasks, rows)]) + "\n"


def csv(board: Board) -> str:
    """One line per section and agent, with numbers in full and missing ones empty."""
    text = io.StringIO()
    header = ["section", "rank_first", "rank_last", "agent", "score", "score_low", "score_high"]
    for task in board.suite.tasks:
        name = f"task:{task.name}"
        header += [name, f"{name}:low", f"{name}:high"]
        header += [f"{name}:measure", f"{name}:measure:low", f"{name}:measure:high"]
    header += ["microseconds", "timing", "bytes", "failures", "unranked", "facts", "paper"]
    header += ["tuned", "tuned_low", "tuned_high", "setting"]
    writer = csv_format.writer(text, lineterminator="\n")
    writer.writerow(header)
    for section in board.sections:
        for s in section.standings:
            row: list[Any] = [section.name, *(s.rank or ("", "")), s.label, *_three(s.score)]
            for task in board.suite.tasks:
                result = s.tasks.get(task.name)
                row += _three(result and result.score) + _three(result and result.measure)
            row += [s.microseconds, s.timing, s.bytes, s.failures, s.unranked]
            row += [" ".join(s.facts), s.paper]
            tuned = standing_of(board, section, s)
            setting = tuned.tuned.setting if tuned is not None and tuned.tuned is not None else {}
            row += [*_three(tuned and tuned.score), values_text(setting)]
            writer.writerow("" if cell is None else cell for cell in row)
    return text.getvalue()


def json(board: Board) -> str:
    """The whole board as JSON; missing numbers are null."""
    plain = without_nan(asdict(board))
    del plain["suite"]["used"]  # boards show scoring seeds alone
    return json_format.dumps(plain, allow_nan=False, indent=1)


def _cells(s: Standing) -> list[str]:
    cells = [
        rank_text(s),
        label_text(s),
        interval_text(s.score),
        time_text(s),
        bytes_text(s.bytes),
        str(s.failures) if s.failures else NONE,
        ", ".join(s.facts) or NONE,
        s.paper or NONE,
    ]
    return [visible(cell) for cell in cells]


def _widths(rows: list[list[str]], width: int) -> dict[str, int]:
    """Widths of the shown columns, the same in every section's table."""
    names = [name for name, _ in COLUMNS]
    natural = [max(map(len, cells)) for cells in zip(names, *rows, strict=True)]
    widths = dict(zip(names, natural, strict=True))
    least = {name: min(WORDS.get(name, size), size) for name, size in widths.items()}
    for name in ("paper", "from the task", "state"):
        if sum(least[shown] + 1 for shown in widths) > width:
            del widths[name]
    for name in WORDS:
        if name in widths:
            excess = max(0, sum(size + 1 for size in widths.values()) - width)
            widths[name] = max(least[name], widths[name] - excess)
    return widths


def _table(section: Section, widths: dict[str, int]) -> Table:
    table = _bare_table()
    places = [place for place, (name, _) in enumerate(COLUMNS) if name in widths]
    for name, right in (COLUMNS[place] for place in places):
        table.add_column(
            Text(name, no_wrap=True, overflow="ellipsis"),
            justify="right" if right else "left",
            no_wrap=name not in WORDS,
            min_width=widths[name],
        )
    for standing in section.standings:
        cells = _cells(standing)
        _add_row(table, standing, [cells[place] for place in places])
    return table


def _bare_table() -> Table:
    return Table(header_style="bold", box=None, padding=(0, 1, 0, 0))


def _add_row(table: Table, standing: Standing, texts: Iterable[str]) -> None:
    """Add a row, of which no cell is wrapped; it is dim if the agent is not ranked."""
    cells = (Text(text, no_wrap=True, overflow="ellipsis") for text in texts)
    table.add_row(*cells, style="dim" if standing.rank is None else "")


def _amounts(section: Section, width: int) -> Iterator[RenderableType]:
    """The measures of the tasks for a terminal, as many tasks side by side as fit."""
    labels = [visible(label_text(s)) for s in section.standings]
    cells = {
        task.name: [amount_text(s.tasks[task.name].measure) for s in section.standings]
        for task in section.tasks
    }
    room = min(max(map(len, ["agent", *labels])), WORDS["agent"], width // 2)
    heads = {task.name: _title(task) for task in section.tasks}
    sizes = {name: max(map(len, [heads[name], *column])) + 1 for name, column in cells.items()}
    rows: list[list[str]] = [[]]
    for name, size in sizes.items():
        if rows[-1] and room + 1 + size + sum(sizes[other] for other in rows[-1]) > width:
            rows.append([])
        rows[-1].append(name)
    yield Text(_caption(section), style="dim")
    for names in rows:
        table = _bare_table()
        table.add_column("agent", min_width=room)
        for name in names:
            table.add_column(Text(heads[name], overflow="ellipsis"), justify="right", no_wrap=True)
        for j, standing in enumerate(section.standings):
            _add_row(table, standing, [labels[j], *(cells[name][j] for name in names)])
        yield table


def _amounts_of(standing: Standing, tasks: Sequence[SuiteTask]) -> list[str]:
    return [amount_text(standing.tasks[task.name].measure) for task in tasks]


def _title(task: SuiteTask) -> str:
    return f"{visible(task.name)}: {measure_text(task.measure)} {direction(task.measure)}"


def _caption(section: Section) -> str:
    """The caption of the measures, with whether high or low is better."""
    arrows = {direction(task.measure) for task in section.tasks}
    good = [f"{arrow} {word} is better" for arrow, word in _GOOD.items() if arrow in arrows]
    return f"Mean after the last round, over the seeds [95 %]; {', '.join(good)}"


def _task_cell(section: Section, standing: Standing, task: str) -> str:
    result = standing.tasks[task]
    if result.refusal:
        return "cannot play"
    if result.score is None:
        return NONE
    partly = "" if result.seeds == len(section.seeds) else f" ({counted(result.seeds, 'seed')})"
    return f"{fixed(result.score.value, 3)}{partly}"


def _closing(board: Board) -> list[str]:
    """Remarks that apply to all sections."""
    standings = [s for section in board.sections for s in section.standings]
    total = any(s.timing == "total" and s.microseconds is not None for s in standings)
    own = any(s.own for s in standings)
    marks = [TOTAL] * total + [MARKED] * own
    return [*map(str, [*of_board(board), *left_out(board)]), *marks]


def _three(interval: Interval | None) -> list[float | None]:
    return [None] * 3 if interval is None else [interval.value, interval.low, interval.high]
