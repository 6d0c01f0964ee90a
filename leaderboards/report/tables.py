"""A board as text: terminal, Markdown, CSV and JSON.

Labels, messages and citations come from third parties too: none of them is read as markup.
"""

import csv as csv_format
import io
import json as json_format
import math
import re
from dataclasses import asdict
from typing import Any

import rich
from rich.table import Table
from rich.text import Text

from leaderboards.board import Board, Interval, Standing

NONE = "–"
SCALE = "1 is no regret, 0 the baseline: uniform play, or predicting 0"


# What words may shrink to in a terminal; numbers keep their width.
WORDS = {"learner": 20, "from the task": 13, "paper": 16}


def terminal(board: Board, width: int | None = None) -> Table:
    """The leaderboard for a terminal, below it who is not ranked and why.

    Parameters
    ----------
    board : Board
    width : int, optional
        Columns of text; by default those of rich's console. Citations go first where there is too
        little room, then facts taken from the task, then the state's size.

    Returns
    -------
    rich.table.Table
    """
    width = rich.get_console().width if width is None else width
    columns = _columns(board)
    rows = [_cells(board, standing) for standing in board.standings]
    natural = [
        max(map(len, cells)) for cells in zip(*[[n for n, _ in columns], *rows], strict=True)
    ]
    least = [
        min(WORDS.get(name, size), size) for (name, _), size in zip(columns, natural, strict=True)
    ]
    shown = list(range(len(columns)))
    for name in ("paper", "from the task", "state"):
        if sum(least[place] + 1 for place in shown) > width:
            shown = [place for place in shown if columns[place][0] != name]
    table = Table(
        title=Text(board.suite.title),
        caption=Text("\n".join(_remarks(board))),
        caption_justify="left",
        header_style="bold",
        box=None,
        padding=(0, 1, 0, 0),
    )
    for place in shown:
        name, right = columns[place]
        table.add_column(
            Text(name, no_wrap=True, overflow="ellipsis"),
            justify="right" if right else "left",
            no_wrap=name not in WORDS,
            min_width=least[place],
        )
    for standing, row in zip(board.standings, rows, strict=True):
        cells = [Text(row[place], no_wrap=True, overflow="ellipsis") for place in shown]
        table.add_row(*cells, style="dim" if standing.rank is None else "")
    return table


def markdown(board: Board) -> str:
    """The leaderboard as GitHub's Markdown, with the scores of every task below it."""
    columns = _columns(board)
    lines = [f"# {_plain(board.suite.title)}", ""]
    lines += _markdown_table(columns, [_cells(board, s) for s in board.standings])
    remarks = _remarks(board)
    if remarks:
        lines += ["", *(f"- {_plain(remark)}" for remark in remarks)]
    lines += ["", "## Tasks", "", f"Mean score over the seeds; {SCALE}.", ""]
    tasks = [("learner", False), *((task.name, True) for task in board.suite.tasks)]
    rows = [
        [s.label, *(_task_cell(board, s, task.name) for task in board.suite.tasks)]
        for s in board.standings
    ]
    lines += _markdown_table(tasks, rows)
    return "\n".join(lines) + "\n"


def csv(board: Board) -> str:
    """One line per learner, numbers in full, empty where there is none."""
    text = io.StringIO()
    header = ["rank_first", "rank_last", "learner", "score", "score_low", "score_high"]
    for kind, names in (
        ("family", list(board.families)),
        ("task", [task.name for task in board.suite.tasks]),
    ):
        for name in names:
            header += [f"{kind}:{name}", f"{kind}:{name}:low", f"{kind}:{name}:high"]
    header += ["microseconds", "timing", "bytes", "failures", "unranked", "facts", "paper"]
    writer = csv_format.writer(text, lineterminator="\n")
    writer.writerow(header)
    for s in board.standings:
        row: list[Any] = [*(s.rank or ("", "")), s.label, *_three(s.score)]
        for family in board.families:
            row += _three(s.families[family])
        for task in board.suite.tasks:
            row += _three(s.tasks[task.name].score)
        row += [s.microseconds, s.timing, s.bytes, s.failures, s.unranked]
        row += [" ".join(s.facts), s.paper]
        writer.writerow("" if cell is None else cell for cell in row)
    return text.getvalue()


def json(board: Board) -> str:
    """The whole board; null where a number is missing."""
    return json_format.dumps(_finite(asdict(board)), allow_nan=False, indent=1)


def rank_text(standing: Standing) -> str:
    """``1``, ``2–4``, ``ref`` for a reference, or a dash."""
    if standing.rank is None:
        return "ref" if standing.score is not None else NONE
    first, last = standing.rank
    return f"{first}" if first == last else f"{first}–{last}"


def interval_text(interval: Interval | None, digits: int = 3) -> str:
    """``0.912 [0.907, 0.918]``."""
    if interval is None:
        return NONE
    value = _fixed(interval.value, digits)
    if interval.low is None or interval.high is None:
        return value
    return f"{value} [{_fixed(interval.low, digits)}, {_fixed(interval.high, digits)}]"


def bytes_text(size: int | None) -> str:
    """``880 B``, ``1.7 kB``, .. with three digits at most."""
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
    """Microseconds with three digits, marked ``*`` where the world's time is included."""
    if standing.microseconds is None:
        return NONE
    digits = max(0, 2 - math.floor(math.log10(max(standing.microseconds, 1e-3))))
    return f"{standing.microseconds:.{min(digits, 3)}f}" + "*" * (standing.timing == "total")


def refusals(standing: Standing) -> list[tuple[str, list[str]]]:
    """Why a learner cannot play some tasks: a reason, and the tasks that it is of."""
    tasks: dict[str, list[str]] = {}
    for name, result in standing.tasks.items():
        if result.refusal:
            tasks.setdefault(result.refusal, []).append(name)
    return list(tasks.items())


def _fixed(number: float, digits: int) -> str:
    return f"{round(number, digits) + 0.0:.{digits}f}"  # no -0.000


def counted(number: int, word: str) -> str:
    """``1 seed``, ``2 seeds``."""
    return f"{number} {word}" if number == 1 else f"{number} {word}s"


def _columns(board: Board) -> list[tuple[str, bool]]:
    """Name of each column, and whether it is of numbers."""
    families = [(family, True) for family in board.families] if len(board.families) > 1 else []
    return [
        ("rank", True),
        ("learner", False),
        ("score [95 %]", True),
        *families,
        ("µs/round", True),
        ("state", True),
        ("failed", True),
        ("from the task", False),
        ("paper", False),
    ]


def _cells(board: Board, s: Standing) -> list[str]:
    families = board.families if len(board.families) > 1 else ()
    return [
        rank_text(s),
        s.label,
        interval_text(s.score),
        *(interval_text(s.families[family]) for family in families),
        time_text(s),
        bytes_text(s.bytes),
        str(s.failures) if s.failures else NONE,
        ", ".join(s.facts) or NONE,
        s.paper or NONE,
    ]


def _task_cell(board: Board, standing: Standing, task: str) -> str:
    result = standing.tasks[task]
    if result.refusal:
        return "cannot play"
    if result.score is None:
        return NONE
    partly = "" if result.seeds == len(board.seeds) else f" ({counted(result.seeds, 'seed')})"
    return f"{_fixed(result.score.value, 3)}{partly}"


def _remarks(board: Board) -> list[str]:
    """What the columns cannot say, one line each."""
    remarks = list(board.notes)
    if not board.standings:
        remarks.append("no results yet")
    remarks += [f"{task} is not scored: {why}" for task, why in board.unscored.items()]
    for s in board.standings:
        if s.unranked is not None:
            remarks.append(f"{s.label} is not ranked: {s.unranked}")
        remarks += [
            f"{s.label}, {counted(count, 'cell')}: {text}" for text, count in s.messages.items()
        ]
        remarks += [f"{s.label} cannot play {', '.join(n)}: {why}" for why, n in refusals(s)]
    if any(s.timing == "total" and s.microseconds is not None for s in board.standings):
        remarks.append("* the world's time is included")
    return remarks


def _markdown_table(columns: list[tuple[str, bool]], rows: list[list[str]]) -> list[str]:
    lines = [
        "| " + " | ".join(_plain(name) for name, _ in columns) + " |",
        "|" + "|".join("---:" if right else "---" for _, right in columns) + "|",
    ]
    return lines + ["| " + " | ".join(map(_plain, row)) + " |" for row in rows]


def _plain(text: str) -> str:
    """Text that Markdown shows as it is: no line breaks, nothing that it reads as markup."""
    return re.sub(r"([\\`*_<>&|~\[\]#])", r"\\\1", " ".join(text.split()))


def _three(interval: Interval | None) -> list[float | None]:
    return [None] * 3 if interval is None else [interval.value, interval.low, interval.high]


def _finite(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _finite(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_finite(item) for item in value]
    if isinstance(value, float) and not math.isfinite(value):
        return None
    return value
