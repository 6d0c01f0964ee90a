"""Pictures of score against time and memory: which agents are on the front, and what is drawn."""

import itertools
import xml.etree.ElementTree

import numpy as np
import pytest

from leaderboards import report
from leaderboards.report.curves import looks_of
from leaderboards.report.fronts import (
    COSTS,
    LEFT,
    RIGHT,
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


def drawn(svg):
    """The parts of a picture by tag, without namespace."""
    root = xml.etree.ElementTree.fromstring(str(svg))
    parts = {}
    for part in root.iter():
        parts.setdefault(part.tag.removeprefix(NAME), []).append(part)
    return root, parts


def test_marks_stand_at_cost_and_score_and_the_front_joins_the_filled_ones():
    built = timed({"LinUCB": 5.0, "LinTS": 1.0, "OFUL": 2.0})
    (section,) = built.sections
    points = points_of(section, TIME)
    assert [(p.standing.label, p.front) for p in points] == [
        ("LinUCB", True), ("LinTS", True), ("OFUL", False)
    ]  # fmt: skip
    picture, memory = pictures(section, looks_of(built))
    root, parts = drawn(picture.svg)
    marks = [(float(c.get("cx")), float(c.get("cy"))) for c in parts["circle"]]
    # The axis has the decade from 1 to 10 µs.
    expected = [LEFT + (RIGHT - LEFT) * np.log10(us) for us in (5.0, 1.0, 2.0)]
    assert [x for x, _ in marks] == pytest.approx(expected, abs=0.06)
    scores = [s.score.value for s in section.standings]
    heights = [y for _, y in marks]
    assert (heights[2] - heights[0]) / (scores[0] - scores[2]) == pytest.approx(200, rel=0.01)
    for circle, label in zip(parts["circle"], ("LinUCB", "LinTS", "OFUL"), strict=True):
        assert (f"fill:{style(label).colour}" in circle.get("style")) == (label != "OFUL")
        assert f"stroke:{style(label).colour}" in circle.get("style")
    dashes = [path.get("stroke-dasharray") for path in parts["path"]]
    assert dashes == [style(label).svg for label in ("LinUCB", "LinTS", "OFUL")]
    (front,) = parts["polyline"]
    corners = [tuple(map(float, corner.split(","))) for corner in front.get("points").split()]
    assert corners[0] == marks[1]
    assert corners[-2] == marks[0]
    assert corners[-1] == (RIGHT, marks[0][1])
    assert root.get("role") == "img"
    assert root.get("aria-label") == picture.said
    assert picture.said.startswith("Score against CPU time per round, µs, 3 agents. On the front")
    assert "LinTS (1.00 µs, score 0." in picture.said
    assert "OFUL" not in picture.said
    assert "1.7 kB" in memory.said


def test_files_are_drawn_on_white_and_pages_in_their_own_colours():
    built = a_board("whole")
    (name, picture), = report.fronts(built).items()  # fmt: skip
    assert name == "front.svg"
    assert "var(" not in picture.svg
    assert "fill:#ffffff" in picture.svg
    inline = pictures(built.sections[0], looks_of(built))
    assert all("var(--back)" in one.svg for one in inline)
    _, parts = drawn(picture.svg)
    left, right = parts["g"]
    assert (left.get("transform"), right.get("transform")) == (
        "translate(0.0 0)", "translate(460.0 0)"
    )  # fmt: skip
    assert report.fronts(built) == {name: picture}


def test_only_ranked_agents_are_drawn_and_names_are_text():
    built = troubled()
    (section,) = built.sections
    labels = [point.standing.label for point in points_of(section, MEMORY)]
    assert labels == [s.label for s in section.standings if s.rank is not None]
    assert HOSTILE in labels
    (picture,) = report.fronts(built).values()
    _, parts = drawn(picture.svg)
    assert {part.tag for group in parts.values() for part in group} <= {
        NAME + tag for tag in ("svg", "rect", "g", "line", "text", "path", "polyline", "circle")
    }
    assert report.fronts(a_board("empty")) == report.fronts(a_board("no baseline")) == {}
    page = read_page(several())
    assert len([a for tag, a in page.tags if tag == "svg" and a.get("role") == "img"]) == 6


def test_scores_far_below_are_drawn_at_the_end_of_the_axis():
    built = timed({"LinUCB": 1.0, "OFUL": 2.0}, {"LinUCB": 1.0, "OFUL": 30.0})
    (section,) = built.sections
    low, high = score_axis(section)
    assert (low, high) == (-1.0, 1.0)
    assert section.standings[-1].score.value < -1.5
    _, parts = drawn(pictures(section, looks_of(built))[0].svg)
    lines = {float(line.get("y1")) for line in parts["line"]}
    heights = [float(circle.get("cy")) for circle in parts["circle"]]
    assert heights[-1] == max(lines)
    assert "drawn at -1" in report.page(built)
    assert "drawn at -1" not in report.page(timed({"LinUCB": 1.0}))


def test_names_lie_apart_in_the_order_of_scores():
    built = a_board("many")
    (section,) = built.sections
    for picture in pictures(section, looks_of(built)):
        _, parts = drawn(picture.svg)
        names = {text.text: float(text.get("y")) for text in parts["text"]}
        heights = [names[s.label] for s in section.standings]
        assert all(b - a >= 12.8 for a, b in itertools.pairwise(heights))
