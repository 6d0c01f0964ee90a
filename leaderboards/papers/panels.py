"""Shared parts of the redrawn figures: axes, curves with bands, colours."""

from collections.abc import Callable, Iterable, Mapping
from typing import Any, Literal

import numpy as np

from leaderboards.papers.claim import Axes, Figure, Sample
from leaderboards.report.curve_panels import plain_axes
from leaderboards.report.styles import COLOURS, Style, styles

Place = Literal["upper left", "upper right", "lower left", "lower right"]
LOG_LOG: dict[str, Any] = {"xscale": "log", "yscale": "log"}


def panels(
    titles: Iterable[str],
    *,
    columns: int | None = None,
    height: float = 3.4,
    xlabel: str = "round",
    ylabel: str = "",
    shared: bool | Literal["row"] = True,
    **settings: Any,
) -> tuple[Figure, list[Axes]]:
    """A figure with a panel for each title, with these settings of matplotlib for their axes.

    The y axis is the same in all panels, in those of a row, or in none.
    """
    titles = list(titles)
    columns = columns or len(titles)
    rows = -(-len(titles) // columns)
    width = 6.4 if columns == 1 else 4.4 * columns
    from matplotlib.figure import Figure as Made  # takes half a second to import

    figure = Made(figsize=(width, height * rows), layout="constrained")
    grid = figure.subplots(rows, columns, squeeze=False, sharey=shared)
    for axes, title in zip(grid.flat, titles, strict=True):
        axes.set_title(title, fontsize=10, loc="left")
        plain_axes(axes)
        axes.set_xlabel(xlabel, fontsize=9)
        axes.set(**settings)
    for axes in grid[:, 0]:
        axes.set_ylabel(ylabel, fontsize=9)
    return figure, list(grid.flat)


def look(own: Style) -> dict[str, Any]:
    """A style as options of ``curve``."""
    return {"color": own.colour, "ls": own.line}


def looks(labels: Iterable[str]) -> dict[str, dict[str, Any]]:
    """The style of every agent of a figure, as options of ``curve``."""
    return {name: look(own) for name, own in styles(labels).items()}


def growth(
    sample: Sample, title: str, xlabel: str = "T", ylabel: str = "mean regret at T"
) -> Figure:
    """Means at a few lengths of runs, or other sizes, with logarithmic axes."""
    figure, (axes,) = panels([title], xlabel=xlabel, ylabel=ylabel, **LOG_LOG)
    lines(axes, sample.rounds, sample.measures, marker="o")
    legend(axes, "upper left")
    return figure


def lines(
    axes: Axes,
    rounds: np.ndarray,
    values: Mapping[str, np.ndarray],
    own: Mapping[str, Mapping[str, Any]] | None = None,
    **options: Any,
) -> None:
    """Draw a curve for each label; ``own`` has its options, by default the next colour."""
    own = own or {label: {"color": c} for label, c in zip(values, COLOURS, strict=False)}
    for label, each in values.items():
        curve(axes, rounds, each, label, **{**options, **own[label]})


def curve(
    axes: Axes,
    rounds: np.ndarray,
    values: np.ndarray,
    label: str,
    *,
    quartiles: bool = False,
    middle: Callable[..., np.ndarray] = np.mean,
    **options: Any,
) -> None:
    """Draw the mean of values (n, c), optionally with the band between the quartiles.

    ``middle`` replaces the mean by another statistic, such as ``np.median``; ``options`` are those
    of matplotlib's lines.
    """
    options = {"lw": 1.5, **options}
    zorder = 2 - 0.1 * options["lw"]
    axes.plot(rounds, middle(values, axis=0), label=label, zorder=zorder, **options)
    if quartiles:
        low, high = np.quantile(values, [0.25, 0.75], axis=0)
        axes.fill_between(rounds, low, high, color=options["color"], alpha=0.15, lw=0)


def legend(axes: Axes, place: Place, columns: int = 1) -> None:
    """Write the names of a panel's lines inside it."""
    axes.legend(frameon=False, fontsize=8.5, loc=place, ncols=columns)


def legend_below(figure: Figure, columns: int) -> None:
    """Write the names of the first panel's lines below all panels."""
    handles, names = figure.axes[0].get_legend_handles_labels()
    figure.legend(
        handles, names, loc="outside lower center", ncols=columns, fontsize=8.5, frameon=False
    )
