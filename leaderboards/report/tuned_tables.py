"""The tuned column of a board: every agent with its setting of the family, beside its defaults."""

import json
from collections.abc import Mapping, Sequence
from typing import Any

from rich.console import RenderableType
from rich.table import Table
from rich.text import Text

from banditgym.validation import visible
from leaderboards.rank.board import Board
from leaderboards.rank.section import Section
from leaderboards.rank.standing import Interval, Standing
from leaderboards.rank.tuned import order_changes
from leaderboards.rank.tuned_records import Tuned, TunedStanding
from leaderboards.report.cell_texts import NONE, interval_text, span_text
from leaderboards.report.markup import escaped, table

COLUMN = "tuned ↑ [95 %]"  # in the table of the defaults
DEFAULTS = "the defaults"
COLUMNS = (
    ("rank", True),
    ("agent", False),
    ("tuned ↑ [95 %]", True),
    ("defaults ↑", True),
    ("gain, paired [95 %]", True),
    ("setting", False),
    ("trials", True),
)
_NAMES = [name for name, _ in COLUMNS]
SPARE = ("trials", "defaults ↑", "gain, paired [95 %]")
SETTING = 24  # columns of a terminal that settings need; they are folded


def tuned_text(board: Board, section: Section, standing: Standing) -> str:
    """The cell of an agent in the column beside the score of its defaults."""
    own = standing_of(board, section, standing)
    return NONE if own is None else interval_text(own.score)


def standing_of(board: Board, section: Section, standing: Standing) -> TunedStanding | None:
    """An agent's place in the tuned ranking; None if it has none."""
    own = board.tuned.get(section.name, ())
    return next((one for one in own if one.label == standing.label), None)


def plain_table() -> Table:
    """A table without lines or columns so far, for a terminal."""
    return Table(header_style="bold", box=None, padding=(0, 1, 0, 0))


def terminal_tuned(board: Board, section: Section, width: int) -> list[RenderableType]:
    """A tuned ranking for a terminal, with its remarks; nothing if no agent of it was tuned.

    If there is too little room, columns of `SPARE` are omitted, the first one first.
    """
    standings = board.tuned.get(section.name, ())
    if not standings:
        return []
    rows = [dict(zip(_NAMES, cells(section, one), strict=True)) for one in standings]
    sizes = {name: max(map(len, [name, *(row[name] for row in rows)])) + 1 for name in _NAMES}
    sizes["setting"] = min(sizes["setting"], SETTING)
    for name in SPARE:
        if sum(sizes.values()) > width:
            del sizes[name]
    shown = plain_table()
    for name, right in COLUMNS:
        if name in sizes:
            shown.add_column(
                name,
                justify="right" if right else "left",
                no_wrap=name != "setting",
                overflow="fold" if name == "setting" else "ellipsis",
            )
    for row in rows:
        shown.add_row(*(Text(row[name]) for name in sizes))
    said = [Text(remark, style="dim") for remark in remarks(section, standings)]
    return [Text(), Text("with tuned settings", style="italic"), shown, *said]


def markdown_tuned(board: Board, section: Section, places: Sequence[str | None] = ()) -> list[str]:
    """Lines of Markdown on a tuned ranking; none if no agent of it was tuned.

    ``places`` has the ids of its rows, as in `leaderboards.report.markup.table`.
    """
    standings = board.tuned.get(section.name, ())
    if not standings:
        return []
    lines = ["", f"{'###' if len(board.sections) > 1 else '##'} Tuned", ""]
    lines += table(COLUMNS, [cells(section, one) for one in standings], places)
    return [*lines, "", *(f"- {escaped(remark)}" for remark in remarks(section, standings))]


def cells(section: Section, one: TunedStanding) -> list[str]:
    """A line of the table of `COLUMNS`."""
    texts = [
        span_text(*one.rank),
        one.label,
        interval_text(one.score),
        interval_text(Interval(one.default.value, None, None)),
        interval_text(one.gain),
        setting_text(section, one.tuned),
        trials_text(one.tuned),
    ]
    return [visible(text) for text in texts]


def setting_text(section: Section, tuned: Tuned | None) -> str:
    """``alpha=0.2``, marked at the edge of its range, or if it was tuned on the same data."""
    if tuned is None:
        return "nothing to tune"
    text = values_text(tuned.setting, tuned.edges)
    same = [task.name for task in section.tasks if task.name in tuned.same_data]
    also = f" (tuned on the same data: {', '.join(same)})" if same else ""
    return (text or DEFAULTS) + also


def values_text(
    setting: Mapping[str, Any], edges: Mapping[str, tuple[float, float]] | None = None
) -> str:
    """``alpha=0.2, ridge=0.0101 (edge of 0.01..100)``."""
    texts = {name: f"{name}={json.dumps(value)}" for name, value in setting.items()}
    for name, (low, high) in (edges or {}).items():
        texts[name] += f" (edge of {low:g}..{high:g})"
    return ", ".join(texts.values())


def trials_text(tuned: Tuned | None) -> str:
    """The number of trials, and how many of them failed."""
    if tuned is None:
        return NONE
    return f"{tuned.trials}" + (f", {tuned.failed} failed" if tuned.failed else "")


def remarks(section: Section, standings: Sequence[TunedStanding]) -> list[str]:
    """How the settings were found, who was not tuned, where tuning lost, and whose place changes.

    The remark on edges stands where a setting has one.
    """
    if not standings:
        return []
    one = next(standing.tuned for standing in standings if standing.tuned is not None)
    said = [
        f"each agent has one setting for the {one.family} tasks, of {one.trials} trials on "
        f"{one.seeds[1]} seeds from {one.seeds[0]} on; its defaults are the first trial, and are "
        f"kept unless the best setting beats them on {one.further[1]} further seeds by the paired "
        "95 % interval"
    ]
    if any(s.tuned is not None and s.tuned.edges for s in standings):
        said.append(
            "edge: the value lies in the outer 5 % of the range that was searched, so a better one "
            "may lie outside"
        )
    listed = {s.label for s in standings}
    absent = [s.label for s in section.standings if s.rank and s.label not in listed]
    if absent:
        said.append(f"not tuned, so not ranked here: {', '.join(absent)}")
    worse = [s.label for s in standings if s.gain is not None and s.gain.value < 0]
    if worse:
        said.append(f"on the seeds that are scored, tuning lost here: {', '.join(worse)}")
    changes = order_changes(section, standings)
    moved = ", ".join(f"{label} from {before} to {after}" for label, before, after in changes)
    said.append(f"places by score that tuning changes: {moved or 'none'}")
    return said
