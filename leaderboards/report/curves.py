"""Curves with intervals: of a section, one panel per task, and of traces, one panel.

Figures are made without pyplot, so nothing global is touched and no display is needed.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from banditgym.measures import RATES
from leaderboards import statistics
from leaderboards.board import Board
from leaderboards.report.tables import measure_text
from leaderboards.section import Section
from leaderboards.standing import Curve

if TYPE_CHECKING:
    from agents import Trace

# Okabe and Ito's colours, which the colour-blind can tell apart, without the yellow, which is too
# faint for a line. The second time round lines are dashed, the third dotted.
COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000")
DASHES = ("solid", (0, (5, 1.5)), (0, (1, 1)))
GREY = "#767676"
BASELINE = (0, (1, 2))
LONGEST = 40  # characters of a label
LEGEND_LINES = 11  # that fit beside the panels
LINE = 0.18  # height of a line of the legend, in inches


@dataclass(frozen=True)
class Line:
    """One learner's curve. A reference is drawn thin: it is no competitor."""

    label: str
    curve: Curve
    reference: bool = False


@dataclass(frozen=True)
class Panel:
    """One task: its lines, and what uniform play ends at."""

    title: str
    measure: str
    horizon: int
    lines: tuple[Line, ...]
    baseline: float | None = None


def figures(board: Board) -> dict[str, Figure]:
    """A figure for each section that has learners, by the name of its file."""
    several = len(board.sections) > 1
    return {
        f"curves-{section.name}.png" if several else "curves.png": curves(section)
        for section in board.sections
        if section.standings
    }


def curves(section: Section) -> Figure:
    """Mean cumulative measure of every learner on every task, with 95 % intervals.

    Intervals are Student's t over the seeds. The dotted line is uniform play on the same seeds:
    straight to its mean at the horizon; a rate of uniform play does not change.
    """
    panels = []
    for task in section.tasks:
        lines = tuple(
            Line(s.label, curve, s.full_information)
            for s in section.standings
            if (curve := s.tasks[task.name].curve) is not None
        )
        scale = section.scales.get(task.name)
        baseline = None if scale is None else scale.baseline
        panels.append(Panel(task.name, task.measure, task.horizon, lines, baseline))
    return draw(panels, order=[s.label for s in section.standings])


def trace_curves(traces: Mapping[str, "Trace"], measure: str = "regret", title: str = "") -> Figure:
    """The same for traces, by label, in one panel with the labels beside the lines.

    Raises
    ------
    ValueError
        If a trace does not hold the measure.
    """
    lines = []
    for label, trace in traces.items():
        values = trace.measures.get(measure)
        if values is None:
            raise ValueError(f"the trace of {label} holds no {measure!r}")
        estimate = statistics.mean_interval(np.asarray(values))
        limits = len(values) > 1
        lines.append(
            Line(
                label,
                Curve(
                    tuple(int(t) for t in trace.rounds),
                    tuple(estimate.value.tolist()),
                    tuple(estimate.low.tolist()) if limits else None,
                    tuple(estimate.high.tolist()) if limits else None,
                ),
            )
        )
    horizon = max(line.curve.rounds[-1] for line in lines)
    return draw([Panel(title, measure, horizon, tuple(lines))])


def draw(panels: Sequence[Panel], order: Sequence[str] | None = None) -> Figure:
    """Small multiples, or one panel with its labels beside the lines.

    Parameters
    ----------
    panels : sequence of Panel
    order : sequence of str, optional
        Labels in the order of their colours and of the legend; by default that of the lines.
    """
    labels = list(order or dict.fromkeys(line.label for panel in panels for line in panel.lines))
    drawn = {line.label for panel in panels for line in panel.lines}
    labels = [label for label in labels if label in drawn]
    single = len(panels) == 1
    # A short legend takes a place of its own, a long one lies below all.
    below = len(labels) > LEGEND_LINES
    places = len(panels) + (not single and not below)
    widths = (4, 3) if places > 4 else (3,) if places == 3 else (2,)
    columns = 1 if single else min(widths, key=lambda width: -places % width)  # fewest empty places
    rows = math.ceil(places / columns)
    handles = _handles(panels, labels)
    legend = LINE * math.ceil(len(handles) / columns) if below else 0.0
    size = (7.2, 4.2) if single else (3.1 * columns, 2.6 * rows + legend)
    figure = Figure(figsize=size, layout="constrained")
    grid = figure.subplots(rows, columns, squeeze=False)
    for axes, panel in zip(grid.flat, panels, strict=False):
        _draw_panel(axes, panel, labels)
        if not single:
            axes.set_title(_text(panel.title), fontsize=10, loc="left")
    for axes in grid.flat[len(panels) :]:
        axes.set_axis_off()
    if single:
        if panels[0].title:
            grid[0, 0].set_title(_text(panels[0].title, 3 * LONGEST), fontsize=10, loc="left")
        _label_ends(figure, grid[0, 0], panels[0], labels)
    else:
        look = {"frameon": False, "fontsize": 8.5, "handlelength": 2.2}
        if below:
            figure.legend(handles=handles, loc="outside lower center", ncols=columns, **look)
        else:
            grid.flat[len(panels)].legend(handles=handles, loc="center left", **look)
    for place, panel in enumerate(panels):
        if place % columns == 0 or panel.measure != panels[place - 1].measure:
            grid.flat[place].set_ylabel(f"mean {measure_text(panel.measure)}", fontsize=9)
        if place + columns >= len(panels):
            grid.flat[place].set_xlabel("round", fontsize=9)
    return figure


def _draw_panel(axes: Axes, panel: Panel, labels: Sequence[str]) -> None:
    logarithmic = _suits_logarithms(panel)
    start = panel.horizon / 1000 if logarithmic else 0
    seen = []
    for line in panel.lines:
        rounds, mean = np.array(line.curve.rounds), np.array(line.curve.mean)
        colour, dash = _style(labels.index(line.label))
        visible = rounds >= start
        seen.append(mean[visible])
        axes.plot(rounds, mean, color=colour, ls=dash, lw=_width(line))
        if line.curve.low is not None and line.curve.high is not None:
            low, high = np.array(line.curve.low), np.array(line.curve.high)
            if logarithmic:  # an interval that reaches 0 has no lower end on this axis
                low = np.maximum(low, 1e-3 * np.maximum(mean, 1e-12))
            # Bands of many lines lie on one another: together they must not hide the lines.
            alpha = min(0.18, 1.3 / len(panel.lines))
            axes.fill_between(rounds, low, high, color=colour, alpha=alpha, lw=0)
    if panel.baseline is not None:
        begin = max(start, 1)
        axes.plot(
            [begin, panel.horizon],
            [panel.baseline * _share(panel, begin), panel.baseline],
            color=GREY,
            ls=BASELINE,
            lw=1.4,
            zorder=1,
        )
    if logarithmic:
        axes.set_xscale("log")
        axes.set_yscale("log")
        values = np.concatenate(seen)
        top = max(values.max(), panel.baseline or 0)
        axes.set_ylim(max(values[values > 0].min(), 1e-4 * top) / 1.5, top * 1.5)
    elif panel.measure in RATES:
        axes.set_ylim(0, 1.2 * _settled(panel))
    axes.set_xlim(max(start, 1) if logarithmic else 0, panel.horizon)
    axes.grid(True, which="major", color="#e4e4e4", lw=0.6)
    axes.set_axisbelow(True)
    axes.tick_params(labelsize=8, color="#bbbbbb")
    axes.minorticks_off()
    axes.spines[["top", "right"]].set_visible(False)
    axes.spines[["left", "bottom"]].set_color("#bbbbbb")


def _share(panel: Panel, t: float) -> float:
    """What uniform play has of its final measure after t rounds."""
    return 1.0 if panel.measure in RATES else t / panel.horizon


def _settled(panel: Panel) -> float:
    """The largest mean rate once a tenth of the rounds is over: before, few have counted."""
    means = [
        value
        for line in panel.lines
        for t, value in zip(line.curve.rounds, line.curve.mean, strict=True)
        if t >= panel.horizon / 10
    ]
    return max([*means, panel.baseline or 0.0]) or 1.0


def _suits_logarithms(panel: Panel) -> bool:
    """Whether all curves grow and stay positive; rates do not, regret in hindsight may not."""
    if panel.horizon < 100 or not panel.lines or panel.measure in RATES:
        return False
    return all(
        value > 0
        for line in panel.lines
        for t, value in zip(line.curve.rounds, line.curve.mean, strict=True)
        if t >= panel.horizon / 100
    ) and (panel.baseline is None or panel.baseline > 0)


def _style(position: int):
    turn, place = divmod(position, len(COLOURS))
    return COLOURS[place], DASHES[turn % len(DASHES)]


def _width(line: Line) -> float:
    return 1.0 if line.reference else 1.6


def _handles(panels: Sequence[Panel], labels: Sequence[str]) -> list[Line2D]:
    widths = {line.label: _width(line) for panel in panels for line in panel.lines}
    handles = []
    for position, label in enumerate(labels):
        colour, dash = _style(position)
        handles.append(Line2D([], [], color=colour, ls=dash, lw=widths[label], label=_text(label)))
    if any(panel.baseline is not None for panel in panels):
        handles.append(Line2D([], [], color=GREY, ls=BASELINE, lw=1.4, label="uniform play"))
    return handles


def _label_ends(figure: Figure, axes: Axes, panel: Panel, labels: Sequence[str]) -> None:
    """Labels right of the lines' ends, moved apart so that none covers another."""
    ends: list[tuple[float, str, str, Any]] = [
        (line.curve.mean[-1], _text(line.label), *_style(labels.index(line.label)))
        for line in panel.lines
    ]
    if panel.baseline is not None:
        ends.append((panel.baseline, "uniform play", GREY, BASELINE))
    ends.sort(key=lambda end: end[:2])
    # In fractions of the axes' height; 0.052 of it is a line of text.
    to_axes = axes.transData + axes.transAxes.inverted()
    heights = [float(to_axes.transform((panel.horizon, end[0]))[1]) for end in ends]
    places = _spread(heights, 0.052)
    for (_, label, colour, dash), height, place in zip(ends, heights, places, strict=True):
        # From the line's end to its name, in its colour and dash.
        axes.plot(
            [1.0, 1.02, 1.06],
            [min(max(height, 0.0), 1.0), place, place],
            transform=axes.transAxes,
            color=colour,
            ls=dash,
            lw=1.2,
            clip_on=False,
            scalex=False,
            scaley=False,
        )
        axes.annotate(
            label,
            xy=(1.06, place),
            xytext=(4, 0),
            xycoords="axes fraction",
            textcoords="offset points",
            va="center",
            fontsize=9,
            color=colour,
            annotation_clip=False,
        )


def _spread(heights: Sequence[float], gap: float) -> list[float]:
    """Sorted heights moved as little as needed to lie ``gap`` apart (least squares)."""
    # Isotonic regression of heights minus the steps: blocks that collide share their mean.
    blocks: list[tuple[float, int]] = []
    for position, height in enumerate(heights):
        total, count = height - position * gap, 1
        while blocks and blocks[-1][0] / blocks[-1][1] > total / count:
            earlier, many = blocks.pop()
            total, count = total + earlier, count + many
        blocks.append((total, count))
    flat = [total / count for total, count in blocks for _ in range(count)]
    return [height + position * gap for position, height in enumerate(flat)]


def _text(label: str, longest: int = LONGEST) -> str:
    """A label as it is, to some length: matplotlib reads dollar signs as mathematics."""
    brief = label if len(label) <= longest else label[: longest - 1] + "…"
    return brief.replace("$", r"\$")
