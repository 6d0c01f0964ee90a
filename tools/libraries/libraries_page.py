"""The page that compares other libraries with ours, from published rows and measurements."""

import json
import shutil
from collections import defaultdict
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from matplotlib.figure import Figure

from leaderboards import report
from leaderboards.defaults import LIMIT
from leaderboards.rank.board import Board, build
from leaderboards.rank.section import Section
from leaderboards.rank.standing import Standing
from leaderboards.report.cell_texts import NONE, interval_text, place_text, rank_text, time_text
from leaderboards.report.markup import escaped, table
from leaderboards.report.remarks import notes, of_section, played
from leaderboards.report.templates import markdown
from leaderboards.run.store.store import Store
from leaderboards.submit.published import pack_apart
from leaderboards.suites.suite import load
from tools.libraries.contest import FILE
from tools.libraries.roster import ROSTER, SUITE, Contestant

PAGE = f"{SUITE}.md"


def take(folder: Path, to: Path) -> None:
    """Publish a run: pack the roster's rows into one file, and copy the measurements.

    The run may be incomplete: the page names what was not played yet.

    Raises
    ------
    ValueError
        If an agent has results from different sources, or nothing was measured.
    """
    suite, rows = load(SUITE), defaultdict(list)
    for row in Store(folder).rows(suite.hash):
        rows[row.spec].append(row)
    for one in ROSTER:
        if len({row.sources for row in rows[one.spec]}) > 1:
            raise ValueError(f"{folder} has results of {one.name} of different sources")
    if not (folder / FILE).is_file():
        raise ValueError(f"{folder} lacks {FILE}: nothing was measured")
    pack_apart(to / f"{SUITE}.jsonl.gz", [row for one in ROSTER for row in rows[one.spec]])
    shutil.copyfile(folder / FILE, to / FILE)


def published(results: Path) -> Board:
    """The board of the published rows."""
    suite = load(SUITE)
    return build(suite, Store(results).rows(suite.hash), compared=False)


def figures(results: Path) -> dict[str, Figure]:
    """The curves of each ranking, by file name; none if nothing is published."""
    drawn = report.figures(published(results))
    return {f"{SUITE}-{name}": figure for name, figure in drawn.items()}


def pages(results: Path) -> dict[str, str]:
    """``libraries-v1.md`` by its path below ``results``; empty if nothing is published."""
    return {PAGE: _page(results)} if (results / FILE).is_file() else {}


def _page(results: Path) -> str:
    board = published(results)
    found = json.loads((results / FILE).read_text(encoding="utf-8"))
    known = {(row.spec, row.task) for row in Store(results).rows(board.suite.hash)}
    sections = [_section(board, section, found["agents"]) for section in played(board)]
    return markdown(
        Path(__file__).with_suffix(".md.jinja"),
        board=board,
        found=found,
        scale=report.SCALE,
        limit=LIMIT,
        sections=[*sections, _given(board, found["agents"])],
        absent=[
            f"{one.name} on {task.name}"
            for one in ROSTER
            for task in board.suite.tasks
            if (one.spec, task.name) not in known
        ],
    )


def _section(board: Board, section: Section, measured: Mapping[str, Any]) -> str:
    names = [task.name for task in section.tasks]
    columns = [("rank", True), ("agent", False), ("library", False), ("learns", False)]
    columns += [("score ↑ [95 %]", True)]
    by_task = names if len(names) > 1 else []  # of one task, the ranking says it all
    columns += [column for name in by_task for column in ((name, True), ("rank", True))]
    columns += [("µs/round", True), ("memory, MiB", True)]
    rows = []
    for standing in section.standings:
        one, told = _contestant(standing), measured.get(standing.spec, {})
        results = [standing.tasks[name] for name in by_task]
        scores = [text for r in results for text in (interval_text(r.score), place_text(r.rank))]
        rows.append(
            [
                rank_text(standing),
                standing.label,
                told.get("library") or NONE,
                one.models,
                interval_text(standing.score),
                *scores,
                time_text(standing),
                _mebibytes(told),
            ]
        )
    remarks = [str(remark) for remark in [*notes(board, section), *of_section(section)]]
    reasons = [(s.label, _contestant(s).reasons.get(section.name)) for s in section.standings]
    remarks += [f"{label}: {reason}" for label, reason in reasons if reason is not None]
    lines = [f"## {escaped(section.name)}", "", *table(columns, rows), ""]
    lines += [f"- {escaped(remark)}" for remark in remarks] + [""] * bool(remarks)
    picture = f"{SUITE}-curves-{section.name}.png"
    return "\n".join([*lines, f"![{section.name}: mean curves]({picture})", ""])


def _given(board: Board, measured: Mapping[str, Any]) -> str:
    """The facts of the task and the hyperparameters that each agent was given."""
    standings = {s.spec: s for section in board.sections for s in section.standings}
    rows = []
    for one in ROSTER:
        standing = standings.get(one.spec)
        if standing is None:
            continue
        told = measured.get(one.spec, {})
        values = ", ".join(f"{name}={value!r}" for name, value in standing.hyperparameters.items())
        version = f"{told.get('library') or NONE} {told.get('version') or ''}".strip()
        facts = ", ".join(standing.facts) or NONE
        rows.append([standing.label, version, one.rule, facts, values or NONE])
    columns = [(name, False) for name in ("agent", "library", "rule", "from the task", "settings")]
    return "\n".join(["## What each was given", "", *table(columns, rows), ""])


def _contestant(standing: Standing) -> Contestant:
    return next(one for one in ROSTER if one.spec == standing.spec)


def _mebibytes(told: Mapping[str, Any]) -> str:
    if "error" in told:
        return f"not measured: {told['error']}"
    return f"{told['mebibytes']:.1f}" if "mebibytes" in told else NONE
