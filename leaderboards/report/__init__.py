"""A board as a terminal table, Markdown, CSV, JSON, a figure of curves and a page."""

from leaderboards.report.curves import curves
from leaderboards.report.page import page
from leaderboards.report.tables import csv, json, markdown, terminal

__all__ = ["csv", "curves", "json", "markdown", "page", "terminal"]
