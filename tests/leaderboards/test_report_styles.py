"""Styles of agents: fixed by their names, distinct in a picture."""

import itertools

import pytest

from agents.naming import named
from leaderboards.report.styles import BASELINE, BLACK, COLOURS, DASHES, Style, style, styles


def test_agents_that_play_one_family_never_look_alike():
    families = {}
    for name, kind in named().items():
        for task in kind.accepts:
            families.setdefault(task.family, set()).add(name)
    assert len(families) == 9
    for names in families.values():
        looks = styles(names)
        assert len(set(looks.values())) == len(names)
        assert looks == {name: style(name) for name in names}  # whoever else is there


def test_baselines_are_grey_and_dotted():
    assert style("UniformRandom") == style("PredictZero") == BASELINE


def test_a_version_has_the_colour_of_its_class_and_a_dash_of_its_own():
    labels = ["LinUCB", "LinUCB(alpha=0.5)", "LinUCB(alpha=2.0)", "LinUCB #2", "LinUCB [c0ffee]"]
    looks = styles(labels)
    assert {look.colour for look in looks.values()} == {style("LinUCB").colour}
    assert looks["LinUCB"] == style("LinUCB")
    others = {style(name) for name in named()}
    assert not {looks[label] for label in labels[1:]} & others
    assert len(set(looks.values())) >= 4


def test_agents_of_others_are_black():
    assert style("Mine").colour == style("Yours(x=1)").colour == BLACK
    assert style("Mine") == style("Mine")
    black = {name for name in named() if style(name).colour == BLACK}
    assert black == {"Pending", "Restarting"}  # whose colour is that of no agent of ours


def test_agents_of_others_in_one_picture_have_colours_of_their_own():
    looks = styles(["LinUCB", "LinTS", "Mine", "Yours", "Theirs(x=1)", "Theirs(x=2)"])
    assert len({look.colour for look in looks.values()}) == 6
    assert looks["Mine"] == Style(BLACK, ())


@pytest.mark.parametrize("n", [2, 7, 49])
def test_no_two_of_a_picture_look_alike_in_whatever_order_they_come(n):
    labels = ["LinUCB", *(f"Mine{j}" for j in range(n - 1))]
    looks = styles(labels)
    assert len(set(looks.values())) == n
    assert styles(reversed(labels)) == looks
    assert looks["LinUCB"] == style("LinUCB")


def test_more_than_there_are_looks_are_drawn_all_the_same():
    assert len(styles(f"Mine{j}" for j in range(80))) == 80


def test_every_output_is_told_the_same_dash():
    look = Style(COLOURS[0], (5, 1.5))
    assert look.line == (0, (5, 1.5))
    assert look.plotly == "10px,3px"
    assert look.svg == "10 3"
    solid = Style(COLOURS[0], ())
    assert (solid.line, solid.plotly, solid.svg) == ("solid", "solid", "")
    assert len(set(itertools.product(COLOURS, DASHES))) == 49
