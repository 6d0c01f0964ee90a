"""Curves with intervals: one panel per task for a section, and one panel for traces."""

import base64
import io
from collections.abc import Collection, Mapping
from typing import TYPE_CHECKING

import numpy as np

from leaderboards.rank.board import Board
from leaderboards.rank.section import Section
from leaderboards.rank.standing import curve_of
from leaderboards.report.bounds import bounds_of
from leaderboards.report.curve_lines import Line, Panel
from leaderboards.report.curve_panels import draw
from leaderboards.report.drawing import AS_USUAL, Drawing
from leaderboards.report.styles import Style, styles
from leaderboards.suites.baselines_file import baseline_of

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from agents import Trace


def figures(board: Board, drawing: Drawing = AS_USUAL, suffix: str = "png") -> "dict[str, Figure]":
    """A figure for each section that has agents, by file name."""
    several = len(board.sections) > 1
    looks = looks_of(board)
    drawing.check(looks)
    return {
        f"curves{f'-{section.name}' * several}.{suffix}": curves(section, looks, drawing)
        for section in board.sections
        if section.standings
    }


def looks_of(board: Board) -> dict[str, Style]:
    """The style of every agent of a board, the same in all of its sections."""
    return styles(s.label for section in board.sections for s in section.standings)


def curves(
    section: Section, looks: Mapping[str, Style] | None = None, drawing: Drawing = AS_USUAL
) -> "Figure":
    """Mean cumulative measure of every agent on every task, with 95 % intervals.

    Intervals are Student's t over the seeds. The dotted grey line is the baseline on the same
    seeds: its own curve if it was played, else a straight line to its mean at the horizon, or a
    constant for a rate.
    """
    bounds = bounds_of(section)
    panels = [
        Panel(
            task.name,
            task.measure,
            task.horizon,
            lines_of(section, task.name),
            section.baseline(task),
            baseline_of(task.family),
            bounds.get(task.name, ()),
        )
        for task in section.tasks
    ]
    return draw(panels, looks, drawing)


def lines_of(section: Section, task: str) -> tuple[Line, ...]:
    """The curves of a section's agents on a task, best agent first."""
    return tuple(
        Line(s.label, curve, s.full_information, s.third_party)
        for s in section.standings
        if (curve := s.tasks[task].curve) is not None
    )


def trace_curves(
    traces: Mapping[str, "Trace"],
    measure: str = "regret",
    title: str = "",
    own: Collection[str] = (),
    family: str = "",
    per_round: bool = False,
    drawing: Drawing = AS_USUAL,
) -> "Figure":
    """The same for traces, by label, in one panel; ``own`` has the labels of the user's agents.

    Intervals stay within the range of the measure if ``family`` names the environment's. Measures
    that are means of a round (``per_round``) are drawn on linear axes.

    Raises
    ------
    ValueError
        If a trace does not have the measure, or ``drawing`` names an agent that has none.
    """
    drawing.check(traces)
    lines = []
    for label, trace in traces.items():
        values = trace.measures.get(measure)
        if values is None:
            there = ", ".join(trace.measures)
            raise ValueError(f"the trace of {label} holds no {measure!r}; it has {there}")
        curve = curve_of([int(t) for t in trace.rounds], np.asarray(values), family, measure)
        lines.append(Line(label, curve, third_party=label in own))
    horizon = max(line.curve.rounds[-1] for line in lines)
    panel = Panel(title, measure, horizon, tuple(lines), per_round=per_round)
    return draw([panel], drawing=drawing)


def as_source(figure: "Figure") -> str:
    """A figure as a data URL of a PNG, for an HTML image."""
    png = io.BytesIO()
    figure.savefig(png, format="png", dpi=110)
    return f"data:image/png;base64,{base64.b64encode(png.getvalue()).decode()}"
