"""Remarks on a board: which agents are not ranked and why, what failed, which tasks count.

Agents with the same remark are listed together.
"""

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from leaderboards.rank.board import Board
from leaderboards.rank.section import Section

SCOPE = "on these tasks, at these horizons; seeds vary, tasks are fixed"


@dataclass(frozen=True)
class Remark:
    """A sentence, about the agents in ``labels`` or about the whole board or section."""

    said: str
    agents: tuple[str, ...] = ()

    def __str__(self) -> str:
        return " ".join(filter(None, (", ".join(self.agents), self.said)))


def counted(number: int, word: str) -> str:
    """``1 seed``, ``2 seeds``."""
    return f"{number} {word}" if number == 1 else f"{number} {word}s"


def played(board: Board) -> list[Section]:
    """The sections that have agents."""
    return [section for section in board.sections if section.standings]


def notes(board: Board, section: Section) -> list[Remark]:
    """What a section's ranks hold for, and its notes, without those that all sections share."""
    horizons = ", ".join(f"{task.name} T = {task.horizon:,}" for task in section.tasks)
    own = [note for note in section.notes if note not in _everywhere(board)]
    return [Remark(f"scores and ranks hold {SCOPE}: {horizons}"), *map(Remark, own)]


def of_section(section: Section) -> list[Remark]:
    """Remarks on the tasks and agents of a section that do not count, and on errors."""
    remarks = [Remark(f"{task} is not scored: {why}") for task, why in section.unscored.items()]
    unranked = [(s.label, s.unranked) for s in section.standings if s.unranked is not None]
    remarks += [
        Remark(f"{'is' if len(labels) == 1 else 'are'} not ranked: {why}", labels)
        for why, labels in _grouped(unranked)
    ]
    failures = [(s.label, item) for s in section.standings for item in s.messages.items()]
    for (message, episodes), labels in _grouped(failures):
        each = " each" if len(labels) > 1 else ""
        remarks.append(Remark(f"failed in {counted(episodes, 'episode')}{each}: {message}", labels))
    refusals = []
    for s in section.standings:
        refused = [(name, r.refusal) for name, r in s.tasks.items() if r.refusal]
        refusals += [(s.label, (why, names)) for why, names in _grouped(refused)]
    remarks += [
        Remark(f"cannot play {', '.join(names)}: {why}", labels)
        for (why, names), labels in _grouped(refusals)
    ]
    return remarks


def of_board(board: Board) -> list[Remark]:
    """Remarks on the board as a whole, except on agents that are not on it."""
    remarks = [Remark(note) for note in (*_everywhere(board), *board.notes)]
    empty = [section.name for section in board.sections if not section.standings]
    if len(empty) == len(board.sections):
        remarks.append(Remark("no results yet"))
    elif empty:
        remarks.append(Remark(f"no results yet: {', '.join(empty)}"))
    return remarks


def left_out(board: Board) -> list[Remark]:
    """Remarks on the agents that can play no task, with the reasons."""
    remarks = []
    for reasons, labels in _grouped(board.refusals.items()):
        more = f" (and {counted(len(reasons) - 1, 'more reason')})" if len(reasons) > 1 else ""
        remarks.append(Remark(f"can play nothing here: {reasons[0]}{more}", labels))
    return remarks


def _everywhere(board: Board) -> list[str]:
    """Notes that several sections share, all of them."""
    sections = played(board)
    if len(sections) < 2:
        return []
    return [note for note in sections[0].notes if all(note in one.notes for one in sections)]


def _grouped(pairs: Iterable[tuple[str, Any]]) -> list[tuple[Any, tuple[str, ...]]]:
    """Group pairs (label, remark) into pairs (remark, labels), in the order of first mention."""
    groups: dict[Any, list[str]] = defaultdict(list)
    for name, key in pairs:
        groups[key].append(name)
    return [(key, tuple(names)) for key, names in groups.items()]
