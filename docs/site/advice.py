"""When to use an agent, beside what, and when not: read off the published boards alone.

A sentence names the tasks whose rows it rests on. An agent is ahead of another on a task if its
range of ranks there ends before the other's begins.
"""

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from agents import naming
from docs.site.restructured import escaped
from leaderboards.rank.board import Board
from leaderboards.rank.section import Section
from leaderboards.rank.standing import Result
from leaderboards.suites.baselines_file import UNIFORM

MOST = 4  # agents that are named as ahead, or as behind


@dataclass(frozen=True)
class Played:
    """An agent on a task of a board, by its label, with the ranks of all agents there."""

    label: str
    suite: str
    task: str
    result: Result
    ranks: dict[str, tuple[int, int]]


def played(name: str, boards: Iterable[Board]) -> Iterator[Played]:
    """Every task of the boards on which an agent has a result or a refusal."""
    for board in boards:
        for section in board.sections:
            for standing in section.standings:
                if _class(standing.label) == name:
                    yield from (
                        Played(
                            standing.label, board.suite.name, task, result, _ranks(section, task)
                        )
                        for task, result in standing.tasks.items()
                    )


def _ranks(section: Section, task: str) -> dict[str, tuple[int, int]]:
    """The ranks on a task, without uniform play's, which nobody chooses."""
    return {
        standing.label: rank
        for standing in section.standings
        if (rank := standing.tasks[task].rank) is not None and standing.label not in UNIFORM
    }


def advice(name: str, boards: Sequence[Board]) -> list[str]:
    """The lines of an agent's page: where it is first, who is ahead of it, where not to use it."""
    # The overall ranking of a board has tasks that other rankings have, too.
    known = {(one.suite, one.task, one.label): one for one in played(name, boards)}
    found = list(known.values())
    if not found:
        return [
            "It is on none of the published boards: a command plays it only if it is named.",
            "",
        ]
    first, shared, behind, useless = [], [], [], []
    ahead, after = defaultdict(list), defaultdict(list)
    for one in found:
        rank = one.ranks.get(one.label)
        if rank is not None:
            for other, its in one.ranks.items():
                if its[1] < rank[0]:
                    ahead[other].append(one)
                elif its[0] > rank[1]:
                    after[other].append(one)
            (first if rank == (1, 1) else shared if rank[0] == 1 else behind).append(one)
        score = one.result.score
        if score is not None and score.low is not None and score.low <= 0:
            useless.append(one)
    n_ranked = len(first) + len(shared) + len(behind)
    lines = []
    if name not in UNIFORM and n_ranked:
        lines += _item("First", first)
        lines += _item("Among the first, which the seeds do not tell apart", shared)
        if not first and not shared:
            lines.append(f"* **First** on none of {n_ranked} tasks.")
        lines += _others("Ahead of it", ahead, n_ranked)
        lines += _others("Behind it", after, n_ranked)
    if name not in UNIFORM:
        lines += _item("Not shown to be better than uniform play", useless)
    refused = defaultdict(list)
    for one in found:
        if one.result.refusal:
            refused[one.result.refusal].append(one)
    for reason, where in refused.items():
        lines += _item(f"Cannot play, because {escaped(reason)}", where, plain=True)
    if not lines:
        return ["It is what scores are measured against: 0 is its play.", ""]
    head = "Read off the published boards, where agents have their defaults; it holds for these"
    return [head, "tasks and horizons.", "", *lines, ""]


def _item(title: str, where: Sequence[Played], plain: bool = False) -> list[str]:
    if not where:
        return []
    by_suite = defaultdict(list)
    for one in where:
        version = "" if one.label == _class(one.label) else f" as ``{one.label}``"
        by_suite[one.suite].append(f"{escaped(one.task)}{version}")
    texts = [
        f"{', '.join(tasks)} (:doc:`{suite} </boards/{suite}>`)"
        for suite, tasks in by_suite.items()
    ]
    shown = title if plain else f"**{title}**"
    return [f"* {shown}: {'; '.join(texts)}."]


def _others(title: str, by_agent: Mapping[str, Sequence[Played]], n_tasks: int) -> list[str]:
    """An item on other agents, those with the most tasks first."""
    if not by_agent:
        return []
    most = sorted(by_agent.items(), key=lambda item: (-len(item[1]), item[0]))
    texts = []
    for other, where in most[:MOST]:
        tasks = list(dict.fromkeys(one.task for one in where))
        more = ", .." if len(tasks) > MOST else ""
        texts.append(f"{_linked(other)} on {len(where)} ({', '.join(tasks[:MOST])}{more})")
    left = len(most) - MOST
    more = f"; and {left} other{'s' * (left > 1)}" if left > 0 else ""
    return [f"* **{title}**, of {n_tasks} tasks: {'; '.join(texts)}{more}."]


def _linked(label: str) -> str:
    known = _class(label) in naming.named()
    return f":doc:`{label} </agents/{_class(label)}>`" if known else f"``{label}``"


def _class(label: str) -> str:
    return re.split(r"\W", label)[0]
