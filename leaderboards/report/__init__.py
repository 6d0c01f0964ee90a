"""A board as a terminal table, Markdown, CSV, JSON, pictures and a page."""

from leaderboards.report.choices import markdown_choices as markdown_choices
from leaderboards.report.curves import figures as figures
from leaderboards.report.fronts import fronts as fronts
from leaderboards.report.page import page as page
from leaderboards.report.tables import SCALE as SCALE
from leaderboards.report.tables import csv as csv
from leaderboards.report.tables import json as json
from leaderboards.report.tables import markdown as markdown
from leaderboards.report.tables import markdown_section as markdown_section
from leaderboards.report.terminal_board import terminal as terminal
from leaderboards.report.terminal_board import terminal_section as terminal_section
