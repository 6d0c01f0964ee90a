"""A board as one self-contained HTML page, which needs no network and no other files."""

import math
import pkgutil
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from markupsafe import Markup

from banditgym.measures import LEVELS
from leaderboards.rank import scores_and_ranks
from leaderboards.rank.board import Board
from leaderboards.rank.section import Section
from leaderboards.rank.standing import Curve, Interval, Standing
from leaderboards.report import cell_texts, choices, tuned_tables
from leaderboards.report.bounds import bounds_of, captions
from leaderboards.report.cell_texts import OWN, measure_text, span_text
from leaderboards.report.curve_lines import coinciding
from leaderboards.report.curves import as_source, curves, lines_of, looks_of
from leaderboards.report.fronts import pictures, score_axis
from leaderboards.report.remarks import SCOPE, counted, left_out, notes, of_board, of_section
from leaderboards.report.styles import Style
from leaderboards.report.tables import MARKED, SCALE
from leaderboards.report.templates import templates
from leaderboards.report.tuned_curves import ALT, tuned_figure
from leaderboards.suites.baselines_file import baseline_of

DIGITS = 5  # digits of numbers that are only drawn; a curve is a few pixels wide


def page(board: Board) -> str:
    """The leaderboard as a self-contained interactive page of about 5 MB, nearly all plotly.js.

    Without scripts it shows each section's curves as a picture.
    Everything that comes from agents and suites (labels, messages, citations, settings) is escaped,
    so it shows as text and is never markup.

    Returns
    -------
    str
        HTML.
    """
    environment = templates()
    environment.filters |= vars(cell_texts) | {
        "counted": counted,
        "shade": _shade,
        "ranges": _ranges,
    }
    # A suite with one family has a page even if nothing has been played.
    shown = [s for s in board.sections if s.standings] or list(board.sections[:1])
    looks = looks_of(board)
    agents: dict[str, Standing] = {}
    for standing in (s for section in shown for s in section.standings):
        agents.setdefault(standing.label, standing)
    return environment.get_template("page.html.jinja").render(
        board=board,
        suite=board.suite,
        views=[_view(board, section, looks) for section in shown],
        choices=choices,
        tuned=tuned_tables,
        looks=looks,
        own=OWN,
        marked=MARKED,
        remarks=of_board(board),
        left_out=left_out(board),
        agents=list(agents.values()),
        seeds=sorted({seed for section in board.sections for seed in section.seeds}),
        data=[_drawn(section, looks) for section in shown],
        resamples=scores_and_ranks.RESAMPLES,
        scale=SCALE,
        scope=SCOPE,
        scales={name: scale for s in shown for name, scale in s.scales.items()},
        isnan=math.isnan,
        tuned_alt=ALT,
        # The script of the installed plotly; importing plotly itself takes a second.
        plotly=Markup((pkgutil.get_data("plotly", "package_data/plotly.min.js") or b"").decode()),
    )


def _view(board: Board, section: Section, looks: Mapping[str, Style]) -> dict[str, Any]:
    """What the template shows of a section."""
    tuned, figure = board.tuned.get(section.name, ()), tuned_figure(board, section)
    return {
        "section": section,
        "picture": as_source(curves(section, looks)) if section.standings else None,
        "axis": score_axis(section),
        "fronts": pictures(section, looks),
        "bounds": captions(section),
        "notes": notes(board, section),
        "remarks": of_section(section),
        "tuned": [tuned_tables.cells(section, one) for one in tuned],
        "tuned_picture": None if figure is None else as_source(figure),
        "tuned_remarks": tuned_tables.remarks(section, tuned),
    }


def _drawn(section: Section, looks: Mapping[str, Style]) -> dict[str, Any]:
    """The data of a section for the page's script."""
    bounds = bounds_of(section)
    return {
        "name": section.name,
        "agents": [_agent(s, looks[s.label]) for s in section.standings],
        "tasks": [
            {
                "name": task.name,
                "measure": measure_text(task.measure),
                "rate": task.measure in LEVELS,
                "horizon": task.horizon,
                "baseline": section.baseline(task),
                "baseline_name": baseline_of(task.family),
                "bounds": [
                    {
                        "name": bound.title,
                        "rounds": _short(bound.rounds),
                        "values": _short(bound.values),
                        "colour": bound.look(looks).colour,
                        "dash": bound.look(looks).plotly,
                    }
                    for bound in bounds.get(task.name, ())
                    if bound.rounds
                ],
                "same": [
                    " = ".join(labels)
                    for labels in coinciding(lines_of(section, task.name), task.horizon)
                    if len(labels) > 1
                ],
                "curves": {
                    s.label: _curve(curve)
                    for s in section.standings
                    if (curve := s.tasks[task.name].curve) is not None
                },
            }
            for task in section.tasks
        ],
        "profile": section.profile
        and {
            "thresholds": _short(section.profile.thresholds),
            "shares": {
                label: _short(share.value for share in shares)
                for label, shares in section.profile.shares.items()
            },
        },
        "pairs": section.pairs
        and {
            "labels": section.pairs.labels,
            "improvement": _limits(section.pairs.improvement),
            "difference": _limits(section.pairs.difference),
        },
    }


def _agent(standing: Standing, look: Style) -> dict[str, Any]:
    return {
        "label": standing.label,
        "colour": look.colour,
        "dash": look.plotly,
        "width": 1.2 if standing.full_information else 3.5 if standing.third_party else 2,
    }


def _curve(curve: Curve) -> dict[str, Any]:
    limits = {"low": curve.low and _short(curve.low), "high": curve.high and _short(curve.high)}
    return {"rounds": curve.rounds, "mean": _short(curve.mean), **limits}


def _limits(cells: Iterable[Iterable[Interval]]) -> list[list[list[float | None]]]:
    return [[_short((cell.value, cell.low, cell.high)) for cell in row] for row in cells]


def _short(values: Iterable[float | None]) -> list[float | None]:
    return [None if value is None else float(f"{value:.{DIGITS}g}") for value in values]


def _shade(value: float) -> float:
    """The strength of the colour of a score in a table, in percent."""
    return round(40 * min(1.0, max(0.0, value)) ** 2, 1)


def _ranges(seeds: Sequence[int]) -> str:
    """``0–49, 60``."""
    runs: list[list[int]] = []
    for seed in sorted(seeds):
        if runs and seed == runs[-1][1] + 1:
            runs[-1][1] = seed
        else:
            runs.append([seed, seed])
    return ", ".join(span_text(first, last) for first, last in runs)
