"""A board as text: Markdown, CSV and JSON.

Labels, messages and citations may come from third parties, so all are escaped.
"""

import csv as csv_format
import io
import json as json_format
from dataclasses import asdict
from typing import Any

from banditgym.validation import visible
from leaderboards.rank.board import Board
from leaderboards.rank.section import Section
from leaderboards.rank.standing import Interval, Standing
from leaderboards.report.cell_texts import (
    NONE,
    OWN,
    bytes_text,
    direction,
    fixed,
    interval_text,
    label_text,
    measure_text,
    place_text,
    quartiles_text,
    rank_text,
    result_text,
    time_text,
)
from leaderboards.report.choices import markdown_choices, places, tuned_place
from leaderboards.report.markup import escaped, table
from leaderboards.report.remarks import counted, left_out, notes, of_board, of_section, played
from leaderboards.report.tuned_tables import (
    COLUMN,
    markdown_tuned,
    standing_of,
    tuned_text,
    values_text,
)
from leaderboards.run.store.row_schema import without_nan
from leaderboards.suites.suite import SuiteTask

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
    ("quartiles", True),
    ("µs/round", True),
    ("state", True),
    ("failed", True),
    ("from the task", False),
    ("paper", False),
)
_AFTER_SCORE = 4  # the place of the tuned column


def markdown(board: Board) -> str:
    """The leaderboard as GitHub's Markdown, section by section."""
    lines = [f"# {escaped(board.suite.title)}", ""]
    lines += [f"- {escaped(remark)}" for remark in [f"Scores: {SCALE}.", *closing_remarks(board)]]
    sections = (markdown_section(board, s, linked=True) for s in played(board))
    return "\n".join([*lines, "", *markdown_choices(board), *sections])


def markdown_section(board: Board, section: Section, *, linked: bool = False) -> str:
    """One ranking as Markdown, followed by its remarks and the scores of its tasks.

    ``linked`` gives ids to the rows to which `leaderboards.report.choices.markdown_choices` links.
    """
    several = len(board.sections) > 1
    lines = [f"## {escaped(section.name)}", ""] if several else []
    columns, rows = [*COLUMNS], [row_cells(s) for s in section.standings]
    if board.tuned.get(section.name):
        columns.insert(_AFTER_SCORE, (COLUMN, True))
        for row, standing in zip(rows, section.standings, strict=True):
            row.insert(_AFTER_SCORE, tuned_text(board, section, standing))
    lines += table(columns, rows, places(board, section) if linked else ())
    remarks = [*notes(board, section), *of_section(section)]
    if remarks:
        lines += ["", *(f"- {escaped(str(remark))}" for remark in remarks)]
    lines += markdown_tuned(board, section, [tuned_place(section, 1)] if linked else ())
    lines += ["", f"{'###' if several else '##'} Tasks", "", "Score and rank by task:", ""]
    tasks = [("agent", False)]
    tasks += [column for task in section.tasks for column in ((task.name, True), ("rank", True))]
    rows = [
        [label_text(s), *(cell for task in section.tasks for cell in _task_cells(section, s, task))]
        for s in section.standings
    ]
    lines += [*table(tasks, rows), "", f"{measures_caption(section)}:", ""]
    tasks = [("agent", False), *((task_title(task), True) for task in section.tasks)]
    rows = [
        [label_text(s), *(result_text(s.tasks[task.name]) for task in section.tasks)]
        for s in section.standings
    ]
    return "\n".join([*lines, *table(tasks, rows)]) + "\n"


def csv(board: Board) -> str:
    """One line per section and agent, with numbers in full and missing ones empty."""
    text = io.StringIO()
    header = ["section", "rank_first", "rank_last", "agent", "score", "score_low", "score_high"]
    header += ["quartile_first", "quartile_third"]
    for task in board.suite.tasks:
        name = f"task:{task.name}"
        header += [name, f"{name}:low", f"{name}:high"]
        header += [f"{name}:measure", f"{name}:measure:low", f"{name}:measure:high"]
        header += [f"{name}:rank_first", f"{name}:rank_last"]
        if task.twin:
            header += [f"{name}:difference{part}" for part in ("", ":low", ":high")]
    header += ["microseconds", "timing", "bytes", "failures", "unranked", "facts", "paper"]
    header += ["tuned", "tuned_low", "tuned_high", "setting"]
    writer = csv_format.writer(text, lineterminator="\n")
    writer.writerow(header)
    for section in board.sections:
        for s in section.standings:
            row: list[Any] = [section.name, *(s.rank or ("", "")), s.label, *_three(s.score)]
            row += s.quartiles or ("", "")
            for task in board.suite.tasks:
                result = s.tasks.get(task.name)
                row += _three(result and result.score) + _three(result and result.measure)
                row += (result and result.rank) or ("", "")
                row += _three(result and result.difference) if task.twin else []
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


def row_cells(s: Standing) -> list[str]:
    """An agent's cells, one for each of `COLUMNS`."""
    cells = [
        rank_text(s),
        label_text(s),
        interval_text(s.score),
        quartiles_text(s),
        time_text(s),
        bytes_text(s.bytes),
        str(s.failures) if s.failures else NONE,
        ", ".join(s.facts) or NONE,
        s.paper or NONE,
    ]
    return [visible(cell) for cell in cells]


def task_title(task: SuiteTask) -> str:
    """The head of a task's column of measures."""
    twin = f" (– {visible(task.twin)})" if task.twin else ""
    return f"{visible(task.name)}: {measure_text(task.measure)} {direction(task.measure)}{twin}"


def measures_caption(section: Section) -> str:
    """The caption of the measures, with whether high or low is better."""
    arrows = {direction(task.measure) for task in section.tasks}
    good = [f"{arrow} {word} is better" for arrow, word in _GOOD.items() if arrow in arrows]
    twins = "; in parentheses the difference on the same seeds"
    twins = twins if any(task.twin for task in section.tasks) else ""
    return f"Mean after the last round, over the seeds [95 %]{twins}; {', '.join(good)}"


def _task_cells(section: Section, standing: Standing, task: SuiteTask) -> tuple[str, str]:
    """Score and rank on a task."""
    result = standing.tasks[task.name]
    rank = place_text(result.rank)
    if result.refusal:
        return "cannot play", rank
    if result.score is None:
        return NONE, rank
    partly = "" if result.seeds == len(section.seeds) else f" ({counted(result.seeds, 'seed')})"
    return f"{fixed(result.score.value, 3)}{partly}", rank


def closing_remarks(board: Board) -> list[str]:
    """Remarks that apply to all sections."""
    standings = [s for section in board.sections for s in section.standings]
    with_env = any(s.timing == "total" and s.microseconds is not None for s in standings)
    theirs = any(s.third_party for s in standings)
    marks = [TOTAL] * with_env + [MARKED] * theirs
    return [*map(str, [*of_board(board), *left_out(board)]), *marks]


def _three(interval: Interval | None) -> list[float | None]:
    return [None] * 3 if interval is None else [interval.value, interval.low, interval.high]
