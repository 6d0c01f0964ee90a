"""A board as one HTML page that needs nothing else: no network, no files beside it."""

import math
import pkgutil
from typing import Any

import jinja2
from markupsafe import Markup

from leaderboards import statistics
from leaderboards.board import Board, Curve, Interval, Standing
from leaderboards.report.curves import COLOURS
from leaderboards.report.tables import (
    SCALE,
    bytes_text,
    interval_text,
    rank_text,
    refusals,
    time_text,
)

PLOTLY_DASHES = ("solid", "dash", "dot")  # as the figure's
DIGITS = 5  # of numbers that are only drawn; a curve is a few pixels wide


def page(board: Board) -> str:
    """The leaderboard as a self-contained interactive page of about 5 MB, nearly all plotly.js.

    Everything that comes from learners and suites (labels, messages, citations, settings) is
    escaped: it shows as text and is never markup.

    Returns
    -------
    str
        HTML.
    """
    environment = jinja2.Environment(
        loader=jinja2.PackageLoader("leaderboards.report", ""),
        autoescape=True,
        trim_blocks=True,
        lstrip_blocks=True,
        undefined=jinja2.StrictUndefined,
    )
    environment.filters |= {
        "rank": rank_text,
        "interval": interval_text,
        "size": bytes_text,
        "time": time_text,
        "shade": _shade,
        "refusals": refusals,
    }
    return environment.get_template("page.html.jinja").render(
        board=board,
        suite=board.suite,
        standings=board.standings,
        colours={s.label: _style(position)[0] for position, s in enumerate(board.standings)},
        axis=_axis(board),
        seeds=_ranges(board.seeds),
        smooth=_is_smooth(board),
        data=_drawn(board),
        resamples=statistics.RESAMPLES,
        scale=SCALE,
        isnan=math.isnan,
        # The script of the plotly that is installed; importing plotly itself takes a second.
        plotly=Markup((pkgutil.get_data("plotly", "package_data/plotly.min.js") or b"").decode()),
    )


def _drawn(board: Board) -> dict[str, Any]:
    """What the page's script draws, as plain data."""
    return {
        "learners": [_learner(position, s) for position, s in enumerate(board.standings)],
        "tasks": [
            {
                "name": task.name,
                "measure": task.measure,
                "horizon": task.horizon,
                "baseline": None if math.isnan(task.baseline) else task.baseline,
                "curves": {
                    s.label: _curve(curve)
                    for s in board.standings
                    if (curve := s.tasks[task.name].curve) is not None
                },
            }
            for task in board.suite.tasks
        ],
        "profile": board.profile
        and {
            "thresholds": _short(board.profile.thresholds),
            "shares": {
                label: _short([share.value for share in shares])
                for label, shares in board.profile.shares.items()
            },
        },
        "pairs": board.pairs
        and {
            "labels": board.pairs.labels,
            "improvement": [[_three(cell) for cell in row] for row in board.pairs.improvement],
            "difference": [[_three(cell) for cell in row] for row in board.pairs.difference],
        },
    }


def _learner(position: int, standing: Standing) -> dict[str, Any]:
    colour, dash = _style(position)
    return {
        "label": standing.label,
        "colour": colour,
        "dash": dash,
        "reference": standing.full_information,
    }


def _style(position: int) -> tuple[str, str]:
    turn, place = divmod(position, len(COLOURS))
    return COLOURS[place], PLOTLY_DASHES[turn % len(PLOTLY_DASHES)]


def _curve(curve: Curve) -> dict[str, Any]:
    return {
        "rounds": curve.rounds,
        "mean": _short(curve.mean),
        "low": None if curve.low is None else _short(curve.low),
        "high": None if curve.high is None else _short(curve.high),
    }


def _short(values) -> list[float]:
    return [float(f"{value:.{DIGITS}g}") for value in values]


def _three(interval: Interval) -> list[float | None]:
    return [
        None if part is None else float(f"{part:.{DIGITS}g}")
        for part in (interval.value, interval.low, interval.high)
    ]


def _is_smooth(board: Board) -> bool:
    """Whether everybody played everything, and everything counts."""
    return not board.unscored and all(
        s.unranked is None and not s.messages and not any(r.refusal for r in s.tasks.values())
        for s in board.standings
    )


def _axis(board: Board) -> tuple[float, float]:
    """Ends of the little axis on which the table draws the scores."""
    ends = [
        end
        for s in board.standings
        if s.score is not None
        for end in (s.score.value, s.score.low, s.score.high)
        if end is not None
    ]
    return max(-1.0, min([0.0, *ends])), max([1.0, *ends])


def _shade(value: float) -> float:
    """How strongly a table colours a score, in percent."""
    return round(40 * min(1.0, max(0.0, value)) ** 2, 1)


def _ranges(seeds: tuple[int, ...]) -> str:
    """``0–49, 60``."""
    runs: list[list[int]] = []
    for seed in sorted(seeds):
        if runs and seed == runs[-1][1] + 1:
            runs[-1][1] = seed
        else:
            runs.append([seed, seed])
    return ", ".join(str(first) if first == last else f"{first}–{last}" for first, last in runs)
