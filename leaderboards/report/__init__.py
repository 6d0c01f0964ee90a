"""A board as a terminal table, Markdown, CSV, JSON, pictures and a page."""

from leaderboards.report.choices import markdown_choices
from leaderboards.report.curves import figures
from leaderboards.report.fronts import fronts
from leaderboards.report.page import page
from leaderboards.report.tables import (
    SCALE,
    csv,
    json,
    markdown,
    markdown_section,
)
from leaderboards.report.terminal_board import terminal, terminal_section

__all__ = [
    "SCALE",
    "csv",
    "figures",
    "fronts",
    "json",
    "markdown",
    "markdown_choices",
    "markdown_section",
    "page",
    "terminal",
    "terminal_section",
]
