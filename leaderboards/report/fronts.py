"""Score against time and memory: pictures with the Pareto front, as SVG.

An agent is on the front if no other one costs at most as much and scores at least as well, and is
strictly better in one of the two. On a page the pictures take the page's colours, light or dark; a
picture in a file is drawn on white, as those of curves are.
"""

import io
import math
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from markupsafe import Markup, escape

from leaderboards.rank.board import Board
from leaderboards.rank.section import Section
from leaderboards.rank.standing import Interval, Standing
from leaderboards.report.cell_texts import bytes_text, marked, time_text
from leaderboards.report.curve_panels import short_text, write_names
from leaderboards.report.curves import looks_of
from leaderboards.report.remarks import counted
from leaderboards.report.styles import BLACK, Style

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

LONGEST = 22  # characters of a name
LEFT, AXES, WIDTH, TOP, BOTTOM = 38.0, 230.0, 460.0, 18.0, 40.0  # of a panel, in points
LEAST = 200.0  # height of the axes
LINE = 13.0  # height of a name
INK, SOFT, GRID, BACK = "#1d2329", "#5f6a75", "#dde2e7", "#ffffff"
# What the page calls these colours.
THEMED = {INK: "var(--ink)", SOFT: "var(--soft)", GRID: "var(--line)", BACK: "var(--back)"}


@dataclass(frozen=True)
class Cost:
    """A cost: the axis' title, an agent's number, and texts of it and of a tick."""

    title: str
    of: Callable[[Standing], float | None]
    text: Callable[[Standing], str]
    tick: Callable[[float], str]


COSTS = (
    Cost(
        "CPU time per round, µs",
        lambda s: s.microseconds,
        lambda s: f"{time_text(s)} µs",
        lambda number: f"{number:g}",
    ),
    Cost(
        "state of a replicate",
        lambda s: s.bytes,
        lambda s: bytes_text(s.bytes),
        lambda number: bytes_text(int(number)) if number >= 1 else f"{number:g} B",
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
    """A picture for each cost, for a page; none without ranked agents of known cost."""
    found = [_picture(section, looks, [cost]) for cost in COSTS if points_of(section, cost)]
    return [Picture(Markup(re.sub("(?<=: )#.{6}", _themed, one.svg)), one.said) for one in found]


def fronts(board: Board) -> dict[str, Picture]:
    """A picture of each ranking with ranked agents of known cost, by file name."""
    several, looks = len(board.sections) > 1, looks_of(board)
    return {
        f"front-{section.name}.svg" if several else "front.svg": _picture(section, looks, costs)
        for section in board.sections
        if (costs := [cost for cost in COSTS if points_of(section, cost)])
    }


def draw(section: Section, looks: Mapping[str, Style], costs: Sequence[Cost]) -> "Figure":
    """Scores of the ranked agents against each cost, in panels side by side."""
    from matplotlib.figure import Figure  # half a second, which tables do not wait for

    panels = [points_of(section, cost) for cost in costs]
    size = max(LEAST, LINE * max(map(len, panels)))
    width, height = WIDTH * len(panels), TOP + size + BOTTOM
    figure = Figure(figsize=(width / 72, height / 72), facecolor=BACK)
    for place, (cost, points) in enumerate(zip(costs, panels, strict=True)):
        box = (WIDTH * place + LEFT) / width, BOTTOM / height, AXES / width, size / height
        axes = figure.add_axes(box, facecolor="none")
        axes.set(xscale="log", ylim=score_axis(section))
        axes.set_title("score", loc="left", fontsize=11, color=INK, pad=7)
        axes.set_xlabel(cost.title, fontsize=11, color=INK)
        _draw_points(axes, points, looks, LINE / size)
        axes.xaxis.set_major_formatter(lambda number, _, cost=cost: cost.tick(number))
        axes.set_yticks([k / 4 for k in range(math.ceil(4 * axes.get_ylim()[0]), 5)])
        axes.minorticks_off()
        axes.tick_params(length=0, pad=6, labelsize=11, labelcolor=SOFT)
        axes.grid(color=GRID)
        axes.set_axisbelow(True)
        axes.spines[:].set_visible(False)
    return figure


def _draw_points(
    axes: "Axes", points: Sequence[Point], looks: Mapping[str, Style], gap: float
) -> None:
    """Marks with intervals, the front as steps, and lines from the marks to the names."""
    low, high = axes.get_ylim()
    across = [max(p.cost, 1e-3) for p in points]
    last = 10.0 ** (math.floor(math.log10(max(across))) + 1)
    axes.set_xlim(10.0 ** math.floor(math.log10(min(across))), last)
    down, names = [max(p.score.value, low) for p in points], []
    for p, x, y in zip(points, across, down, strict=True):
        look, theirs = looks[p.standing.label], p.standing.third_party
        if look.colour == BLACK:
            look = replace(look, colour=INK)
        text = short_text(p.standing.label, LONGEST)
        names.append([(marked(text, theirs), look, theirs)])
        alpha = 1.0 if p.front else 0.55
        axes.plot([x, last], [y, y], color=look.colour, ls=look.line, lw=1.2, alpha=alpha)
        ends = [y if end is None else max(end, low) for end in (p.score.low, p.score.high)]
        axes.plot([x, x], ends, color=look.colour, lw=1.4, zorder=4)
        face = look.colour if p.front else BACK
        style = {"color": look.colour, "mfc": face, "mew": 1.8, "ms": 10 if theirs else 8}
        axes.plot(x, y, "o", **style, clip_on=False, zorder=5)
    front = sorted((x, y) for p, x, y in zip(points, across, down, strict=True) if p.front)
    front.append((last, front[-1][1]))
    axes.step(*zip(*front, strict=True), where="post", color=INK, lw=2, clip_on=False, zorder=3)
    heights = [(y - low) / (high - low) for y in down]
    write_names(axes, heights[::-1], names[::-1], 11, gap, INK)


def _picture(section: Section, looks: Mapping[str, Style], costs: Sequence[Cost]) -> Picture:
    """A figure as SVG, with the same text whenever it is drawn, and as words."""
    from matplotlib import rc_context

    said = " ".join(sentence_about(points_of(section, cost), cost) for cost in costs)
    text = io.StringIO()
    settings: Any = {"svg.fonttype": "none", "font.sans-serif": ["DejaVu Sans"]}
    settings["svg.hashsalt"] = section.name + said  # ids of its own on a page of many pictures
    with rc_context(settings):
        figure = draw(section, looks, costs)
        figure.savefig(text, format="svg", metadata={"Date": None, "Creator": None})
    # No style that holds for a whole page, and no ids but those that are used.
    drawn = re.sub(r'(?s)<metadata>.*?</defs>| id="[^"]*_\d+"', "", text.getvalue())
    svg = drawn.partition("<svg")[2].rstrip()
    start = f'<svg class="fronts" role="img" aria-label="{escape(said)}"'
    return Picture(Markup(f"{start}{svg}"), said)


def sentence_about(points: Sequence[Point], cost: Cost) -> str:
    """A picture in words: how many agents it has, and those on its front."""
    best = sorted((p for p in points if p.front), key=lambda p: (p.cost, p.standing.label))
    listed = ", ".join(
        f"{p.standing.label} ({cost.text(p.standing)}, score {p.score.value:.3f})" for p in best
    )
    count = counted(len(points), "agent")
    return f"Score against {cost.title}, {count}. On the front, from the cheapest: {listed}."


def _themed(colour: re.Match[str]) -> str:
    return THEMED.get(colour[0], colour[0])
