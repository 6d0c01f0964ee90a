"""Which agent to take for which ranking: the best by default, the best tuned, and the fastest.

Every entry of the table links to its row. In Markdown the links and their targets are HTML, which
GitHub and Sphinx both show.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from leaderboards.rank.board import Board
from leaderboards.rank.section import Section
from leaderboards.rank.standing import Standing
from leaderboards.report.cell_texts import NONE, interval_text, label_text, time_text
from leaderboards.report.markup import escaped
from leaderboards.report.remarks import SCOPE, counted
from leaderboards.report.tuned_tables import setting_text
from leaderboards.suites.baselines_file import UNIFORM

TITLE = "Which agent for which family"
COLUMNS = ("family", "best by default", "best tuned", "fastest within the first rank")
UNDECIDED = "undecided"
SAID = (
    "The fastest agent has the least CPU time per round among the agents whose rank interval "
    "contains 1: the data do not rule out that they are the best. The baseline is left out. A "
    "ranking is undecided if at least half of its ranked agents share the first rank. All entries "
    f"hold {SCOPE}."
)


@dataclass(frozen=True)
class Entry:
    """An agent in the table.

    Attributes
    ----------
    place : str
        The id of its row.
    label : str
        The agent, marked if it does not belong to this package.
    said : str
        What it is listed for.
    """

    place: str
    label: str
    said: str


@dataclass(frozen=True)
class Choice:
    """A line of the table; entries are None where there is no such agent."""

    section: Section
    best: Entry
    tuned: Entry | None
    fastest: Entry | None


def choices(board: Board) -> list[Choice]:
    """A line for each ranking that has ranked agents."""
    found = []
    for section in board.sections:
        ranked = [s for s in section.standings if s.rank is not None]
        if ranked:
            best = _entry(section, ranked[0], interval_text(ranked[0].score))
            if (why := _undecided([s.rank for s in ranked if s.rank])) is not None:
                best = Entry(best.place, UNDECIDED, why)
            found.append(Choice(section, best, _tuned(board, section), _fastest(section, ranked)))
    return found


def place_of(section: Section, number: int) -> str:
    """The id of a row of a ranking's table, counted from 1."""
    return f"{section.name}-row-{number}"


def tuned_place(section: Section, number: int) -> str:
    """The id of a row of the table of tuned agents, counted from 1."""
    return f"{section.name}-tuned-{number}"


def columns(board: Board) -> list[str]:
    """The table's columns: without tuned agents it has no column for them."""
    return [name for place, name in enumerate(COLUMNS) if place != 2 or board.tuned]


def shown(board: Board, choice: Choice) -> list[Entry | None]:
    """The entries that stand under these columns, after the family."""
    if board.tuned:
        return [choice.best, choice.tuned, choice.fastest]
    return [choice.best, choice.fastest]


def markdown_choices(board: Board) -> list[str]:
    """The table as lines of Markdown; none if no agent is ranked."""
    found = choices(board)
    if not found:
        return []
    names = columns(board)
    lines = [f"{TITLE}:", "", f"| {' | '.join(names)} |", "|---" * len(names) + "|"]
    for choice in found:
        cells = [_cell(entry) for entry in shown(board, choice)]
        lines.append(f"| {' | '.join([escaped(choice.section.name), *cells])} |")
    return [*lines, "", SAID, ""]


def places(board: Board, section: Section) -> list[str | None]:
    """The ids of a ranking's rows; None for those to which the table has no link."""
    entries = [
        entry
        for choice in choices(board)
        if choice.section is section
        for entry in shown(board, choice)
    ]
    linked = {entry.place for entry in entries if entry is not None}
    every = [place_of(section, number) for number, _ in enumerate(section.standings, start=1)]
    return [place if place in linked else None for place in every]


def _cell(entry: Entry | None) -> str:
    if entry is None:
        return NONE
    return f'<a href="#{entry.place}">{escaped(entry.label)}</a> {escaped(entry.said)}'


def _entry(section: Section, standing: Standing, said: str) -> Entry:
    number = section.standings.index(standing) + 1
    return Entry(place_of(section, number), label_text(standing), said)


def _tuned(board: Board, section: Section) -> Entry | None:
    own = board.tuned.get(section.name)
    if not own:
        return None
    if (why := _undecided([one.rank for one in own])) is not None:
        return Entry(tuned_place(section, 1), UNDECIDED, why)
    said = f"{interval_text(own[0].score)}, {setting_text(section, own[0].tuned)}"
    return Entry(tuned_place(section, 1), own[0].label, said)


def _undecided(ranks: Sequence[tuple[int, int]]) -> str | None:
    """How many of the ranked agents share the first rank, if these are half of them or more."""
    first = sum(rank[0] == 1 for rank in ranks)
    if first == 1 or 2 * first < len(ranks):
        return None
    return f"{first} of {counted(len(ranks), 'agent')} share the first rank"


def _fastest(section: Section, ranked: Sequence[Standing]) -> Entry | None:
    """The fastest of the agents whose rank interval contains 1; None if no times are known."""
    first = [s for s in ranked if s.rank is not None and s.rank[0] == 1 and s.spec not in UNIFORM]
    timed = [(s.microseconds, place) for place, s in enumerate(first) if s.microseconds is not None]
    if not timed:
        return None
    fastest = first[min(timed)[1]]
    said = f"{time_text(fastest)} µs/round, of {counted(len(first), 'agent')}"
    return _entry(section, fastest, said)
