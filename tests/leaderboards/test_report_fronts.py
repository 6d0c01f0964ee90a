"""Pictures of score against time and memory: which agents are on the front, and what is drawn."""

import itertools
import re
import xml.etree.ElementTree

import numpy as np
import pytest

from leaderboards import report
from leaderboards.report.cell_texts import shortened
from leaderboards.report.curves import looks_of
from leaderboards.report.fronts import (
    BACK,
    COSTS,
    LEAST,
    LINE,
    LONGEST,
    draw,
    on_front,
    pictures,
    points_of,
    score_axis,
)
from leaderboards.report.styles import style

from .test_report import HOSTILE, a_board, read_page, several, troubled
from .test_report_choices import timed

NAME = "{http://www.w3.org/2000/svg}"
TIME, MEMORY = COSTS


def dominated(one, points):
    """By the definition: another point is no worse in both, and better in one."""
    return any(
        (other[0] <= one[0] and other[1] >= one[1]) and (other[0] < one[0] or other[1] > one[1])
        for other in points
    )


def test_the_front_is_what_nothing_dominates():
    rng = np.random.default_rng(0)
    for n in range(1, 7):
        for _ in range(50):  # few values, so that there are ties
            points = [tuple(map(float, point)) for point in rng.integers(0, 4, (n, 2))]
            assert on_front(points) == [not dominated(one, points) for one in points]


def drawn(section, looks, cost=TIME):
    """The heights of names, the marks, the fronts and the other lines of a picture."""
    (axes,) = draw(section, looks, [cost]).axes
    fronts, marks, lines = [], [], []
    for line in axes.lines:
        steps = line.get_drawstyle() == "steps-post"
        (fronts if steps else marks if line.get_marker() == "o" else lines).append(line)
    return {text.get_text(): text.xy[1] for text in axes.texts}, marks, fronts, lines


def test_marks_stand_at_cost_and_score_and_the_front_joins_the_filled_ones():
    built = timed({"LinUCB": 5.0, "LinTS": 1.0, "OFUL": 2.0})
    (section,) = built.sections
    points = points_of(section, TIME)
    assert [(p.standing.label, p.front) for p in points] == [
        ("LinUCB", True), ("LinTS", True), ("OFUL", False)
    ]  # fmt: skip
    looks = looks_of(built)
    _, marks, (front,), lines = drawn(section, looks)
    assert [line.get_xdata()[0] for line in marks] == [5.0, 1.0, 2.0]
    assert [line.get_ydata()[0] for line in marks] == [p.score.value for p in points]
    for mark, point in zip(marks, points, strict=True):
        colour = style(point.standing.label).colour
        assert mark.get_markeredgecolor() == colour
        assert mark.get_markerfacecolor() == (colour if point.front else BACK)
    # For each point the line to the axis' end and the interval, then the lines to the names.
    assert [tuple(line.get_ydata()) for line in lines[1:6:2]] == [
        (p.score.low, p.score.high) for p in points
    ]
    for to_end, to_name, mark in zip(lines[:6:2], lines[:5:-1], marks, strict=True):
        assert to_end.get_xdata()[0] == mark.get_xdata()[0]
        assert to_end.get_color() == to_name.get_color() == mark.get_markeredgecolor()
    # From the cheapest to the best, and on to the end of the axis, which is the decade to 10 µs.
    best, cheapest = (p.score.value for p in points[:2])
    assert front.get_xdata() == pytest.approx([1.0, 5.0, 10.0])
    assert list(front.get_ydata()) == [cheapest, best, best]
    picture, memory = pictures(section, looks)
    assert picture.said.startswith("Score against CPU time per round, µs, 3 agents. On the front")
    assert "LinTS (1.00 µs, score 0." in picture.said
    assert "OFUL" not in picture.said
    assert "1.7 kB" in memory.said
    root = xml.etree.ElementTree.fromstring(picture.svg)
    assert root.get("role") == "img"
    assert root.get("aria-label") == picture.said


def test_files_are_drawn_on_white_and_pages_in_their_own_colours():
    built = a_board("whole")
    (name, picture), = report.fronts(built).items()  # fmt: skip
    assert name == "front.svg"
    assert "var(" not in picture.svg
    assert "fill: #ffffff" in picture.svg
    inline = pictures(built.sections[0], looks_of(built))
    for one in inline:
        assert all(f"var(--{name})" in one.svg for name in ("ink", "soft", "line", "back"))
        assert "#ffffff" not in one.svg
        assert "<style" not in one.svg  # it would hold for the whole page
    assert not set(re.findall(r' id="(\w+)"', picture.svg)) - set(
        re.findall(r"#(\w+)", picture.svg)
    )
    assert report.fronts(built) == {name: picture}


def test_only_ranked_agents_are_drawn_and_names_are_text():
    built = troubled()
    (section,) = built.sections
    labels = [point.standing.label for point in points_of(section, MEMORY)]
    assert labels == [s.label for s in section.standings if s.rank is not None]
    assert HOSTILE in labels
    (picture,) = report.fronts(built).values()
    parts = list(xml.etree.ElementTree.fromstring(picture.svg).iter())
    assert {part.tag for part in parts} <= {
        NAME + tag for tag in ("svg", "g", "text", "path", "use", "defs", "clipPath", "rect")
    }
    assert shortened(HOSTILE, LONGEST) in [part.text for part in parts]
    assert report.fronts(a_board("empty")) == report.fronts(a_board("no baseline")) == {}
    page = read_page(several())
    assert len([a for tag, a in page.tags if tag == "svg" and a.get("role") == "img"]) == 6


def test_scores_far_below_are_drawn_at_the_end_of_the_axis():
    built = timed({"LinUCB": 1.0, "OFUL": 2.0}, {"LinUCB": 1.0, "OFUL": 30.0})
    (section,) = built.sections
    low, high = score_axis(section)
    assert (low, high) == (-1.0, 1.0)
    assert section.standings[-1].score.value < -1.5
    _, marks, _, lines = drawn(section, looks_of(built))
    assert marks[-1].get_ydata()[0] == low
    assert all(low <= y <= high for line in lines for y in line.get_ydata())
    assert "drawn at -1" in report.page(built)
    assert "drawn at -1" not in report.page(timed({"LinUCB": 1.0}))


def test_names_lie_apart_in_the_order_of_scores():
    built = a_board("many")
    (section,) = built.sections
    for cost in COSTS:
        names, *_ = drawn(section, looks_of(built), cost)
        heights = [names[s.label] for s in section.standings]
        assert all(
            a - b > 0.99 * LINE / max(LEAST, LINE * len(names))
            for a, b in itertools.pairwise(heights)
        )
