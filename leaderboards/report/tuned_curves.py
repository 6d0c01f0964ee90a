"""The effect of tuned settings: curves of the best three tuned agents beside their defaults."""

from typing import TYPE_CHECKING

from leaderboards.rank.board import Board
from leaderboards.rank.section import Section
from leaderboards.report.curve_lines import Line, Panel
from leaderboards.report.curve_panels import draw

if TYPE_CHECKING:
    from matplotlib.figure import Figure

MOST = 3  # agents
ALT = "Mean curves of the best tuned agents, with their defaults and as tuned"


def tuned_figure(board: Board, section: Section) -> "Figure | None":
    """A panel for each task; None if no agent of the ranking has a tuned setting.

    The agents are the best three of the tuned ranking that do not keep their defaults.
    """
    tuned = [one for one in board.tuned.get(section.name, ()) if one.curves][:MOST]
    if not tuned:
        return None
    defaults = {standing.label: standing for standing in section.standings}
    panels = []
    for task in section.tasks:
        lines = []
        for one in tuned:
            before, after = defaults[one.label].tasks[task.name].curve, one.curves.get(task.name)
            if before is not None:
                lines.append(Line(one.label, before))
            if after is not None:
                lines.append(Line(f"{one.label}(tuned)", after))
        baseline = section.baseline(task)
        panels.append(
            Panel(task.name, task.measure, task.horizon, tuple(lines), baseline, "baseline")
        )
    return draw(panels)
