"""What a page says of an agent's use follows from the rows of the boards."""

from dataclasses import replace

import pytest

from docs.site.advice import advice
from leaderboards.rank.board import Board
from leaderboards.suites.suite import load
from tools import publish


@pytest.fixture(scope="module")
def board():
    return publish.published(load("adversarial-v1"), publish.FOLDER)


def swapped(board: Board, one: str, other: str) -> Board:
    """The board as if two agents had each other's rows."""
    names = {one: other, other: one}
    sections = [
        replace(
            section,
            standings=tuple(
                replace(standing, label=names.get(standing.label, standing.label))
                for standing in section.standings
            ),
        )
        for section in board.sections
    ]
    return replace(board, sections=tuple(sections))


def test_first_places_are_those_of_the_ranks(board):
    for name in ("EXP3", "KLUCB", "TsallisINF"):
        first = "\n".join(advice(name, [board])).partition("Ahead of it")[0]
        for section in board.sections:
            for task in section.tasks:
                ranks = {one.label: one.tasks[task.name].rank for one in section.standings}
                if ranks.get(name):
                    is_named = f" {task.name}," in f"{first.replace(' (', ', (')},"
                    assert is_named == (ranks[name][0] == 1)


def test_swapped_rows_change_the_page(board):
    before = {name: advice(name, [board]) for name in ("EXP3", "TsallisINF")}
    other = swapped(board, "EXP3", "TsallisINF")
    assert advice("EXP3", [other]) != before["EXP3"]
    firsts = [line for line in advice("EXP3", [other]) if "first" in line.lower()]
    assert firsts == [line for line in before["TsallisINF"] if "first" in line.lower()]


def test_uniform_play_is_what_scores_are_measured_against(board):
    assert advice("UniformRandom", [board])[0].startswith("It is what scores are measured against")
    text = "\n".join(advice("KLUCB", [board]))
    assert "UniformRandom" not in text


def test_who_is_on_no_board_says_so(board):
    assert advice("DQN", [board])[0].startswith("It is on none of the published boards")
