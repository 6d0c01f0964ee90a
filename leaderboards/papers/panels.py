"""Shared parts of the redrawn figures: axes, curves with bands, colours."""

from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from leaderboards.report.styles import COLOURS, Style, style, styles

__all__ = ["COLOURS", "Style", "curve", "legend", "legend_below", "panels", "style", "styles"]


def panels(titles: list[str], *, columns: int | None = None, height: float = 3.4):
    """A figure with a panel for each title, on common axes."""
    columns = columns or len(titles)
    rows = -(-len(titles) // columns)
    width = 6.4 if columns == 1 else 4.4 * columns
    figure = Figure(figsize=(width, height * rows), layout="constrained")
    grid = figure.subplots(rows, columns, squeeze=False, sharey=True)
    for axes, title in zip(grid.flat, titles, strict=True):
        axes.set_title(title, fontsize=10, loc="left")
        axes.grid(True, which="major", color="#e4e4e4", lw=0.6)
        axes.set_axisbelow(True)
        axes.tick_params(labelsize=8, color="#bbbbbb")
        axes.spines[["top", "right"]].set_visible(False)
        axes.spines[["left", "bottom"]].set_color("#bbbbbb")
        axes.set_xlabel("round", fontsize=9)
    return figure, list(grid.flat)


def curve(
    axes: Axes, rounds: np.ndarray, values: np.ndarray, label: str, colour: str, *,
    dashes: Any = "solid", quartiles: bool = False, median: bool = False, width: float = 1.5,
) -> None:  # fmt: skip
    """Draw the mean or median of values (n, c), optionally with the band between the quartiles."""
    centre = np.median(values, axis=0) if median else values.mean(axis=0)
    axes.plot(
        rounds, centre, color=colour, ls=dashes, lw=width, label=label, zorder=2 - 0.1 * width
    )
    if quartiles:
        low, high = np.quantile(values, [0.25, 0.75], axis=0)
        axes.fill_between(rounds, low, high, color=colour, alpha=0.15, lw=0)


def legend(axes: Axes, place: Any, columns: int = 1) -> None:
    """Write the names of a panel's lines inside it."""
    axes.legend(frameon=False, fontsize=8.5, loc=place, ncols=columns)


def legend_below(figure: Figure, axes: Axes, columns: int) -> None:
    """Write the names of one panel's lines below all panels."""
    handles, names = axes.get_legend_handles_labels()
    figure.legend(
        handles, names, loc="outside lower center", ncols=columns, fontsize=8.5, frameon=False
    )
