"""Score against time and memory: pictures with the Pareto front, as SVG.

An agent is on the front if no other one costs at most as much and scores at least as well, and is
strictly better in one of the two. On a page the pictures take the page's colours, light or dark; a
picture in a file is drawn on white, as those of curves are.
"""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from markupsafe import Markup

from leaderboards.rank.board import Board
from leaderboards.rank.section import Section
from leaderboards.rank.standing import Interval, Standing
from leaderboards.report.cell_texts import bytes_text, marked, shortened, time_text
from leaderboards.report.curve_panels import spread
from leaderboards.report.curves import looks_of
from leaderboards.report.remarks import counted
from leaderboards.report.styles import BLACK, Style
from leaderboards.report.templates import templates

LONGEST = 22  # characters of a name
LEFT, RIGHT, WIDTH, TOP, BOTTOM = 38.0, 268.0, 440.0, 18.0, 40.0  # of a panel, in user units
LEAST = 200.0  # height of the axes
LINE = 13.0  # height of a name
GAP = 20.0  # between the panels of a file

THEMED = {name: f"var(--{name})" for name in ("ink", "soft", "line", "back")}
ON_WHITE = {"ink": "#1d2329", "soft": "#5f6a75", "line": "#dde2e7", "back": "#ffffff"}


@dataclass(frozen=True)
class Cost:
    """A cost: its name, the axis' title, an agent's number, and texts of it and of a tick."""

    name: str
    title: str
    of: Callable[[Standing], float | None]
    text: Callable[[Standing], str]
    tick: Callable[[int], str]


COSTS = (
    Cost(
        "time",
        "CPU time per round, µs",
        lambda s: s.microseconds,
        lambda s: f"{time_text(s)} µs",
        lambda power: f"{10.0**power:g}",
    ),
    Cost(
        "memory",
        "state of a replicate",
        lambda s: s.bytes,
        lambda s: bytes_text(s.bytes),
        lambda power: bytes_text(10**power) if power >= 0 else f"{10.0**power:g} B",
    ),
)


@dataclass(frozen=True)
class Point:
    """A ranked agent with its cost and score; ``front`` says whether it is on the front."""

    standing: Standing
    cost: float
    score: Interval
    front: bool


@dataclass(frozen=True)
class Picture:
    """A picture as SVG, and what it shows in words."""

    svg: Markup
    said: str


def points_of(section: Section, cost: Cost) -> list[Point]:
    """The ranked agents whose cost is known, best first."""
    known = [
        (standing, float(number), standing.score)
        for standing in section.standings
        if standing.rank is not None
        and standing.score is not None
        and (number := cost.of(standing)) is not None
    ]
    front = on_front([(number, score.value) for _, number, score in known])
    return [Point(*one, on) for one, on in zip(known, front, strict=True)]


def on_front(points: Sequence[tuple[float, float]]) -> list[bool]:
    """Whether each of the points (cost, score) is on the Pareto front."""
    return [
        not any(
            other_cost <= cost and other >= score and (other_cost, other) != (cost, score)
            for other_cost, other in points
        )
        for cost, score in points
    ]


def score_axis(section: Section) -> tuple[float, float]:
    """Ends of the axis on which scores are drawn; scores below -1 are drawn at its end."""
    ends = [
        end
        for s in section.standings
        if s.score is not None
        for end in (s.score.value, s.score.low, s.score.high)
        if end is not None
    ]
    return max(-1.0, min([0.0, *ends])), max([1.0, *ends])


def pictures(section: Section, looks: Mapping[str, Style]) -> list[Picture]:
    """The panels of a ranking for a page; none without ranked agents of known cost."""
    found = _panels(section, looks, THEMED)
    draw: Any = templates().get_template("fronts.svg.jinja").module
    return [
        Picture(
            draw.picture([panel | {"offset": 0.0}], panel["said"], WIDTH, panel["height"], THEMED),
            panel["said"],
        )
        for panel in found
    ]


def fronts(board: Board) -> dict[str, Picture]:
    """A picture of each ranking with ranked agents of known cost, by file name."""
    several, looks = len(board.sections) > 1, looks_of(board)
    draw: Any = templates().get_template("fronts.svg.jinja").module
    found = {}
    for section in board.sections:
        panels = _panels(section, looks, ON_WHITE)
        if panels:
            width = len(panels) * (WIDTH + GAP) - GAP
            height = max(panel["height"] for panel in panels)
            said = " ".join(panel["said"] for panel in panels)
            name = f"front-{section.name}.svg" if several else "front.svg"
            found[name] = Picture(draw.picture(panels, said, width, height, ON_WHITE), said)
    return found


def sentence_about(points: Sequence[Point], cost: Cost) -> str:
    """A picture in words: how many agents it has, and those on its front."""
    best = sorted((p for p in points if p.front), key=lambda p: (p.cost, p.standing.label))
    listed = ", ".join(
        f"{p.standing.label} ({cost.text(p.standing)}, score {p.score.value:.3f})" for p in best
    )
    count = counted(len(points), "agent")
    return f"Score against {cost.title}, {count}. On the front, from the cheapest: {listed}."


def _panels(
    section: Section, looks: Mapping[str, Style], colours: Mapping[str, str]
) -> list[dict[str, Any]]:
    found = [(cost, points_of(section, cost)) for cost in COSTS]
    return [
        _panel(section, cost, points, looks, colours, (WIDTH + GAP) * place)
        for place, (cost, points) in enumerate(found)
        if points
    ]


def _panel(
    section: Section,
    cost: Cost,
    points: Sequence[Point],
    looks: Mapping[str, Style],
    colours: Mapping[str, str],
    offset: float,
) -> dict[str, Any]:
    """The numbers and texts of a panel, as the template takes them."""
    powers = [math.log10(max(p.cost, 1e-3)) for p in points]
    first, last = math.floor(min(powers)), math.floor(max(powers)) + 1
    low, high = score_axis(section)
    size = max(LEAST, LINE * len(points))

    def across(power: float) -> float:
        return LEFT + (RIGHT - LEFT) * (power - first) / (last - first)

    def down(score: float) -> float:
        return TOP + size * (high - min(max(score, low), high)) / (high - low)

    heights = [TOP + size - down(p.score.value) for p in points]
    places = spread(heights[::-1], LINE, size)[::-1]  # best first, and so from the top
    marks = [
        {
            "x": across(power),
            "y": down(p.score.value),
            "low": down(p.score.value if p.score.low is None else p.score.low),
            "high": down(p.score.value if p.score.high is None else p.score.high),
            "name_y": TOP + size - place,
            "name": marked(shortened(p.standing.label, LONGEST), p.standing.own),
            "colour": _colour(looks[p.standing.label], colours),
            "dash": looks[p.standing.label].svg,
            "own": p.standing.own,
            "front": p.front,
        }
        for p, power, place in zip(points, powers, places, strict=True)
    ]
    return {
        "offset": offset,
        "left": LEFT,
        "right": RIGHT,
        "top": TOP,
        "bottom": TOP + size,
        "height": TOP + size + BOTTOM,
        "title": cost.title,
        "said": sentence_about(points, cost),
        "columns": [(across(power), cost.tick(power)) for power in range(first, last + 1)],
        "rows": [(down(k / 4), f"{k / 4:g}") for k in range(math.ceil(4 * low), 5)],
        "marks": marks,
        "steps": _steps([mark for mark in marks if mark["front"]]),
    }


def _steps(front: Sequence[Mapping[str, Any]]) -> list[tuple[float, float]]:
    """The corners of the front's line, which ends at the right of the axes."""
    corners: list[tuple[float, float]] = []
    for mark in sorted(front, key=lambda mark: (mark["x"], -mark["y"])):
        if corners:
            corners.append((mark["x"], corners[-1][1]))
        corners.append((mark["x"], mark["y"]))
    return [*corners, (RIGHT, corners[-1][1])]


def _colour(look: Style, colours: Mapping[str, str]) -> str:
    return colours["ink"] if look.colour == BLACK else look.colour
