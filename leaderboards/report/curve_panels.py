"""Panels of curves: one for each task, with the agents' names at the ends of their curves.

Figures are made without pyplot, so they use no global state and need no display.
"""

import math
import textwrap
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np

from banditgym.measures import LEVELS
from leaderboards.report.cell_texts import marked, measure_text, shortened
from leaderboards.report.curve_lines import Panel, coinciding
from leaderboards.report.drawing import AS_USUAL, Drawing
from leaderboards.report.styles import BASELINE, Style, styles

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.axis import Axis
    from matplotlib.figure import Figure

LONGEST = 40  # characters of a label
FONT = {True: 9.0, False: 7.5}  # font size of names, in a single panel and in several
TITLE_WIDTH = 0.08  # inches of a character of a title
MARGIN = 0.75  # inches of a panel's height for its title and axis


def draw(
    panels: Sequence[Panel],
    looks: Mapping[str, Style] | None = None,
    drawing: Drawing = AS_USUAL,
) -> "Figure":
    """Small multiples, or one panel, with the agents' names at the ends of their curves.

    Parameters
    ----------
    looks : mapping of str to Style, optional
        The style of each agent by label; by default from ``styles``.
    drawing : Drawing
        What a user wants otherwise.
    """
    if looks is None:
        looks = styles(line.label for panel in panels for line in panel.lines)
    panels, looks = drawing.applied(panels, looks)
    single = len(panels) == 1
    columns = min(len(panels), 2 if len(panels) <= 6 else 3)
    rows = math.ceil(len(panels) / columns)
    font = FONT[single]
    most = max(
        len(panel.lines) + (panel.baseline is not None) + len(panel.drawn) for panel in panels
    )
    least, axes_width, least_height = (7.2, 4.7, 4.2) if single else (4.4, 2.8, 2.8)
    width = max(least, axes_width + 0.6 * font / 72 * max(map(_longest_name, panels)))
    height = max(least_height, MARGIN + most * _line_height(font))
    from matplotlib.figure import Figure  # half a second, which tables do not wait for

    figure = Figure(figsize=(width * columns, height * rows), layout="constrained")
    grid = figure.subplots(rows, columns, squeeze=False)
    for axes, panel in zip(grid.flat, panels, strict=False):
        _draw_panel(axes, panel, looks, drawing)
        title = short_text(panel.title, 5 * LONGEST)
        lines = textwrap.wrap(title, int((width - 0.8) / TITLE_WIDTH), break_on_hyphens=False)
        axes.set_title("\n".join(lines), fontsize=10, loc="left")
        _label_ends(axes, panel, looks, font, _line_height(font) / (height - MARGIN))
    for axes in grid.flat[len(panels) :]:
        axes.set_axis_off()
    for place, panel in enumerate(panels):
        if place % columns == 0 or panel.measure != panels[place - 1].measure:
            grid.flat[place].set_ylabel(f"mean {measure_text(panel.measure)}", fontsize=9)
        if place + columns >= len(panels):
            grid.flat[place].set_xlabel("round", fontsize=9)
    return figure


def _longest_name(panel: Panel) -> int:
    """Number of characters of the longest name beside the curves."""
    groups = coinciding(panel.lines, panel.horizon)
    titles = [panel.baseline_name, *(bound.title for bound in panel.drawn)]
    return max([*map(len, titles), *(len(" ".join(_texts(labels))) for labels in groups)])


def _line_height(font: float) -> float:
    """The height of a line of text, in inches."""
    return 1.3 * font / 72


def _draw_panel(axes: "Axes", panel: Panel, looks: Mapping[str, Style], drawing: Drawing) -> None:
    usual = "log" if _suits_logarithms(panel) else "linear"
    of_rounds, of_values = drawing.x_scale or usual, drawing.y_scale or usual
    start = panel.horizon / 1000 if of_rounds == "log" else 0
    if not any(max(line.curve.mean) > 0 for line in panel.lines):
        of_values = "linear"
    seen = []
    for line in reversed(panel.lines):  # the best one is drawn on top
        rounds, mean = np.array(line.curve.rounds), np.array(line.curve.mean)
        look = looks[line.label]
        seen.append(mean[rounds >= start])
        axes.plot(
            rounds,
            mean,
            color=look.colour,
            ls=look.line,
            lw=1.0 if line.reference else 2.8 if line.third_party else 1.6,
            label=line.label,
            zorder=2.5 if line.third_party else 2.0,
        )
        if line.curve.low is not None and line.curve.high is not None:
            low, high = np.array(line.curve.low), np.array(line.curve.high)
            if of_values == "log":  # an interval that reaches 0 has no lower end on this axis
                low = np.maximum(low, 1e-3 * np.maximum(mean, 1e-12))
            # The bands of many lines overlap: together they must not hide the lines.
            alpha = min(0.18, 1.3 / len(panel.lines))
            axes.fill_between(rounds, low, high, color=look.colour, alpha=alpha, lw=0)
    if panel.baseline is not None and not _plays_baseline(panel):
        begin = max(start, 1)
        axes.plot(
            [begin, panel.horizon],
            [panel.baseline * _share(panel, begin), panel.baseline],
            color=BASELINE.colour,
            ls=BASELINE.line,
            lw=1.4,
            zorder=1,
            label=panel.baseline_name,
        )
    for bound in panel.drawn:
        look = bound.look(looks)
        axes.plot(bound.rounds, bound.values, color=look.colour, ls=look.line, lw=1.2, zorder=1)
    if of_values == "log":
        values = np.concatenate(seen)
        top = max(values.max(), panel.baseline or 0)
        axes.set_yscale("log")
        axes.set_ylim(max(values[values > 0].min(), 1e-4 * top) / 1.5, top * 1.5)
        _mark(axes.yaxis)
    elif panel.measure in LEVELS:
        axes.set_ylim(0, 1.2 * _largest_late_rate(panel))
    if of_rounds == "log":
        axes.set_xscale("log")
    axes.set_xlim(max(start, 1) if of_rounds == "log" else 0, panel.horizon)
    if of_rounds == "log":
        _mark(axes.xaxis)
    plain_axes(axes)
    axes.minorticks_off()


def _mark(axis: "Axis") -> None:
    """Several labelled ticks on a logarithmic axis, also if it spans a single decade."""
    from matplotlib.ticker import FuncFormatter, LogLocator

    low, high = axis.get_view_interval()
    decades = math.log10(high / low)
    axis.set_major_locator(LogLocator(subs=(1, 2, 5) if decades < 2 else (1,)))
    if low > 1e-3 and high < 1e6:  # else as powers of 10
        axis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:,.7g}"))


def plain_axes(axes: "Axes") -> None:
    """A light grid, and no frame."""
    axes.grid(True, which="major", color="#e4e4e4", lw=0.6)
    axes.set_axisbelow(True)
    axes.tick_params(labelsize=8, color="#bbbbbb")
    axes.spines[["top", "right"]].set_visible(False)
    axes.spines[["left", "bottom"]].set_color("#bbbbbb")


def _plays_baseline(panel: Panel) -> bool:
    """Whether the baseline is among the agents."""
    return any(line.label == panel.baseline_name for line in panel.lines)


def _share(panel: Panel, t: float) -> float:
    """The share of its final measure that uniform play has after t rounds."""
    return 1.0 if panel.measure in LEVELS else t / panel.horizon


def _largest_late_rate(panel: Panel) -> float:
    """The largest mean rate after a tenth of the rounds; earlier rates vary too much."""
    means = [
        value
        for line in panel.lines
        for t, value in zip(line.curve.rounds, line.curve.mean, strict=True)
        if t >= panel.horizon / 10
    ]
    return max([*means, panel.baseline or 0.0]) or 1.0


def _suits_logarithms(panel: Panel) -> bool:
    """Whether all curves grow and stay positive: not rates, nor always hindsight regret."""
    if panel.horizon < 100 or not panel.lines or panel.per_round or panel.measure in LEVELS:
        return False
    return all(
        value > 0
        for line in panel.lines
        for t, value in zip(line.curve.rounds, line.curve.mean, strict=True)
        if t >= panel.horizon / 100
    ) and (panel.baseline is None or panel.baseline > 0)


def _label_ends(
    axes: "Axes", panel: Panel, looks: Mapping[str, Style], font: float, gap: float
) -> None:
    """Write names right of the lines' ends, ``gap`` of the axes' height apart, one per group."""
    lines = {line.label: line for line in panel.lines}
    ends: list[tuple[float, list[str]]] = [
        (lines[labels[0]].curve.mean[-1], labels)
        for labels in coinciding(panel.lines, panel.horizon)
    ]
    if panel.baseline is not None and not _plays_baseline(panel):
        ends.append((panel.baseline, [panel.baseline_name]))
        looks = {**looks, panel.baseline_name: BASELINE}
    for bound in panel.drawn:
        ends.append((bound.values[-1], [bound.title]))
        looks = {**looks, bound.title: bound.look(looks)}
    ends.sort(key=lambda end: end[0])
    to_axes = axes.transData + axes.transAxes.inverted()
    heights = [float(to_axes.transform((panel.horizon, end))[1]) for end, _ in ends]
    names = [
        [
            (
                marked(text, mine and not lines[label].renamed),
                looks[label],
                mine,
            )
            for label, text in zip(labels, _texts(labels), strict=False)
            for mine in [label in lines and lines[label].third_party]
        ]
        for _, labels in ends
    ]
    write_names(axes, heights, names, font, gap)


def write_names(
    axes: "Axes",
    heights: Sequence[float],
    names: Sequence[Sequence[tuple[str, Style, bool]]],
    font: float,
    gap: float,
    ink: str | None = None,
) -> None:
    """Write names right of the axes, with connections from the ends of lines to them.

    Parameters
    ----------
    heights : sequence of float
        Of the lines' ends, in increasing order, as shares of the axes' height.
    names : sequence of sequence of (str, Style, bool)
        The names at each end, their styles, and whether they are written in bold.
    gap : float
        The least distance between two names, as a share too.
    ink : str, optional
        The colour of the names; by default each has that of its style.
    """
    heights = [min(max(height, 0.0), 1.0) for height in heights]
    for height, place, group in zip(heights, spread(heights, gap, 1.0), names, strict=True):
        axes.plot(
            [1.0, 1.02, 1.06],
            [height, place, place],
            transform=axes.transAxes,
            color=group[0][1].colour,
            ls=group[0][1].line,
            lw=1.2,
            clip_on=False,
            scalex=False,
            scaley=False,
        )
        after = {"xy": (1.06, place), "xycoords": "axes fraction", "xytext": (4, 0)}
        for text, look, bold in group:
            written = axes.annotate(
                text,
                **after,
                textcoords="offset points",
                va="center",
                fontsize=font,
                color=ink or look.colour,
                fontweight="bold" if bold else "normal",
                annotation_clip=False,
            )
            after = {"xy": (1.0, 0.5), "xycoords": written, "xytext": (3, 0)}


def _texts(labels: Sequence[str]) -> list[str]:
    """``BKB``, ``= GPUCB``, and so on, with the number of further labels if it gets too long."""
    texts, length = [short_text(labels[0])], len(labels[0])
    for place, label in enumerate(labels[1:], start=1):
        length += len(label)
        if length > 1.5 * LONGEST and place < len(labels) - 1:
            return [*texts, f"= {len(labels) - place} more"]
        texts.append(f"= {short_text(label)}")
    return texts


def spread(heights: Sequence[float], gap: float, top: float = math.inf) -> list[float]:
    """Sorted heights, moved as little as possible (least squares) to be ``gap`` apart.

    They are also moved to within 0 .. ``top``, if ``top`` is given and there is room for all.
    """
    from scipy.optimize import isotonic_regression

    steps = gap * np.arange(len(heights))
    flat = isotonic_regression(np.array(heights) - steps).x
    if top < math.inf:
        flat = np.clip(flat, 0.0, max(0.0, top - steps[-1]))
    return (flat + steps).tolist()


def short_text(label: str, longest: int = LONGEST) -> str:
    """A label with a bounded length and escaped dollar signs, which matplotlib reads as maths."""
    return shortened(label, longest).replace("$", r"\$")
