"""A board as text: terminal, Markdown, CSV and JSON.

Labels, messages and citations may come from third parties, so all are escaped.
"""

import csv as csv_format
import io
import json as json_format
import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict
from typing import Any

import rich
from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from banditgym.measures import RATES, higher_is_better
from banditgym.validation import visible
from leaderboards.lines import without_nan
from leaderboards.rank.board import Board
from leaderboards.rank.section import Section
from leaderboards.rank.standing import Interval, Standing
from leaderboards.report.markup import escaped, table
from leaderboards.report.remarks import counted, left_out, notes, of_board, of_section, played
from leaderboards.suite import SuiteTask

NONE = "–"
SCALE = (
    "higher is better; 0 is uniform play (in regression, predicting 0) on the same seeds, "
    "1 is no regret or the result of the suite's reference, below 0 is worse than uniform play"
)
OWN = "★"
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
    return [_table(section, widths), *_amounts(section, width), *texts]


def markdown(board: Board) -> str:
    """The leaderboard as GitHub's Markdown, section by section."""
    lines = [f"# {escaped(board.suite.title)}", ""]
    lines += [f"- {escaped(remark)}" for remark in [f"Scores: {SCALE}.", *_closing(board)]]
    return "\n".join([*lines, "", *(markdown_section(board, s) for s in played(board))])


def markdown_section(board: Board, section: Section) -> str:
    """One ranking as Markdown, followed by its remarks and the scores of its tasks."""
    several = len(board.sections) > 1
    lines = [f"## {escaped(section.name)}", ""] if several else []
    lines += table(COLUMNS, [_cells(s) for s in section.standings])
    remarks = [*notes(board, section), *of_section(section)]
    if remarks:
        lines += ["", *(f"- {escaped(str(remark))}" for remark in remarks)]
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
            writer.writerow("" if cell is None else cell for cell in row)
    return text.getvalue()


def json(board: Board) -> str:
    """The whole board as JSON; missing numbers are null."""
    return json_format.dumps(without_nan(asdict(board)), allow_nan=False, indent=1)


def rank_text(standing: Standing) -> str:
    """``1``, ``2–4``, ``ref`` for a reference, or a dash."""
    if standing.rank is None:
        return "ref" if standing.full_information else NONE
    first, last = standing.rank
    return f"{first}" if first == last else f"{first}–{last}"


def label_text(standing: Standing) -> str:
    """The label, marked if the agent does not belong to this package."""
    return f"{standing.label} {OWN}" if standing.own else standing.label


def amount_text(interval: Interval | None) -> str:
    """A measure in its own unit, ``43.25 [33.16, 53.33]``, with four digits."""
    if interval is None:
        return NONE
    limits = (interval.low, interval.high)
    if None in limits:
        return _amount(interval.value)
    low, high = (_amount(limit) for limit in limits if limit is not None)
    return f"{_amount(interval.value)} [{low}, {high}]"


def direction(measure: str) -> str:
    """An arrow that says whether a high or a low measure is good."""
    return "↑" if higher_is_better(measure) else "↓"


def interval_text(interval: Interval | None, digits: int = 3) -> str:
    """``0.912 [0.907, 0.918]``."""
    if interval is None:
        return NONE
    value = _fixed(interval.value, digits)
    if interval.low is None or interval.high is None:
        return value
    return f"{value} [{_fixed(interval.low, digits)}, {_fixed(interval.high, digits)}]"


def bytes_text(size: int | None) -> str:
    """``880 B``, ``1.7 kB``, .. with at most three digits."""
    if size is None:
        return NONE
    value, unit = float(size), "B"
    for unit in ("B", "kB", "MB", "GB"):
        if value < 999.5:
            break
        if unit != "GB":
            value /= 1000
    return f"{value:.0f} {unit}" if unit == "B" or value >= 99.5 else f"{value:.2g} {unit}"


def time_text(standing: Standing) -> str:
    """Microseconds with three digits, marked ``*`` if the environment's time is included."""
    if standing.microseconds is None:
        return NONE
    digits = max(0, 2 - math.floor(math.log10(max(standing.microseconds, 1e-3))))
    return f"{standing.microseconds:.{min(digits, 3)}f}" + "*" * (standing.timing == "total")


def measure_text(measure: str) -> str:
    """A measure in words: ``clicks per 10 000`` for a rate, others as they are."""
    if measure not in RATES:
        return measure
    part, _, scale = RATES[measure]
    return f"{part} per {scale:,.0f}".replace(",", " ")


def _amount(number: float) -> str:
    return f"{number + 0.0:.4g}" if abs(number) < 1e4 else f"{number:.0f}"


def _fixed(number: float, digits: int) -> str:
    return f"{round(number, digits) + 0.0:.{digits}f}"  # no -0.000


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
    cells = {task.name: [amount_text(s.tasks[task.name].measure) for s in section.standings]
             for task in section.tasks}  # fmt: skip
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
    return f"{_fixed(result.score.value, 3)}{partly}"


def _closing(board: Board) -> list[str]:
    """Remarks that apply to all sections."""
    standings = [s for section in board.sections for s in section.standings]
    total = any(s.timing == "total" and s.microseconds is not None for s in standings)
    own = any(s.own for s in standings)
    marks = [TOTAL] * total + [MARKED] * own
    return [*map(str, [*of_board(board), *left_out(board)]), *marks]


def _three(interval: Interval | None) -> list[float | None]:
    return [None] * 3 if interval is None else [interval.value, interval.low, interval.high]
