"""Shows the measurements of ``python -m tools.speed --peers`` as a picture and as Markdown."""

from typing import Any

from matplotlib.figure import Figure

from leaderboards.report.markup import table
from leaderboards.speed.machine_facts import line
from tools.speed.peers import COLUMNS, cells, name_of

_OURS, _THEIRS = "#0b6e4f", "#8a8f98"


def markdown(found: dict[str, Any]) -> str:
    """A table of all rows, and a line of versions, date and machine.

    Parameters
    ----------
    found : dict
        The result of `tools.speed.peers.compared`.
    """
    rows = [cells(row) for row in found["rows"]]
    return "\n".join([*table(COLUMNS, rows), "", f"{line(found)}."])


def picture(found: dict[str, Any]) -> Figure:
    """Rounds per second of every row on a logarithmic axis; a bar from slowest to fastest turn."""
    rows = [row for row in found["rows"] if row["rounds_per_second"] is not None]
    figure = Figure(figsize=(7.5, 0.8 + 0.28 * len(rows)), layout="constrained")
    axes = figure.subplots()
    for place, row in enumerate(reversed(rows)):
        colour = _THEIRS if row["of"] else _OURS
        axes.barh(place, row["rounds_per_second"], color=colour, height=0.7)
        axes.plot([row["slowest"], row["fastest"]], [place, place], color="black", lw=1)
        axes.text(
            row["fastest"] * 1.1, place, f"{row['rounds_per_second']:,.0f}", va="center", fontsize=8
        )
    names = [f"{name_of(row)}, n = {row['n']}" for row in reversed(rows)]
    axes.set_yticks(range(len(rows)), names, fontsize=8)
    axes.set_xscale("log")
    axes.set_xlim(100, 10 * max(row["fastest"] for row in rows))
    axes.set_xlabel("rounds of all n replicates per second of CPU time", fontsize=9)
    axes.spines[["top", "right"]].set_visible(False)
    axes.set_title(line(found), fontsize=6, loc="left", color="#555555", wrap=True)
    return figure
