"""The table of which agent to take, on small made-up boards: its entries and their links."""

import dataclasses
import re

from leaderboards import report
from leaderboards.rank.board import build
from leaderboards.report import choices

from .test_report import HOSTILE, a_board, a_suite, read_page, several, some_rows
from .test_report_tuned import board, plain  # noqa: F401 (a fixture)

# Of these, on five seeds, the first two share the first rank and the others do not.
LEVELS = {"LinUCB": 1.0, "LinTS": 1.001, "OFUL": 3.0, "SOFUL": 4.0, "CBRAP": 5.0}


def timed(times, levels=LEVELS):
    """A board on which agents have these microseconds per round; None where none are known."""
    suite = a_suite()
    rows = []
    for row in some_rows(suite, ["Some"]):
        for place, (agent, level) in enumerate(levels.items()):
            shaken = level * (1 + 1e-3 * (-1) ** (row.seed + place))
            curve = [shaken * value for value in row.measures["regret"]]
            us = times.get(agent)
            rows.append(
                dataclasses.replace(
                    row, agent=agent, spec=agent, measures={"regret": curve},
                    seconds=None if us is None else [1e-7, us * 1e-6],
                )
            )  # fmt: skip
    return build(suite, rows)


def only(built):
    (choice,) = choices.choices(built)
    return choice


def test_the_fastest_is_one_that_may_be_the_best():
    built = timed({"LinUCB": 5.0, "LinTS": 2.0, "OFUL": 1.0})
    standings = built.sections[0].standings
    assert [(s.label, s.rank) for s in standings][:3] == [
        ("LinUCB", (1, 2)), ("LinTS", (1, 2)), ("OFUL", (3, 3))
    ]  # fmt: skip
    choice = only(built)
    assert (choice.best.label, choice.best.place) == ("LinUCB", "linear-row-1")
    assert choice.best.said == f"{standings[0].score.value:.3f} [{standings[0].score.low:.3f}, " + (
        f"{standings[0].score.high:.3f}]"
    )
    assert choice.fastest == choices.Entry("linear-row-2", "LinTS", "2.00 µs/round, of 2 agents")
    assert only(timed({"LinUCB": 2.0, "OFUL": 1.0})).fastest.label == "LinUCB"
    assert only(timed({"OFUL": 1.0})).fastest is None


def test_a_ranking_whose_first_rank_holds_half_of_its_agents_is_undecided():
    place = "linear-row-1"
    for agents, best in (
        (5, "LinUCB"),  # two of five share the first rank
        (4, "undecided"),  # two of four
        (2, "undecided"),
    ):
        levels = dict(list(LEVELS.items())[:agents])
        built = timed(dict.fromkeys(levels, 1.0), levels)
        choice = only(built)
        assert (choice.best.label, choice.best.place) == (best, place)
        text = f'<a href="#{place}">{best}</a>'
        assert text in report.markdown(built)
        assert text in report.page(built)
        if best == "undecided":
            assert choice.best.said == f"2 of {agents} agents share the first rank"
    # One agent of two that is alone at the top is the best.
    built = timed({"LinUCB": 1.0, "OFUL": 1.0}, {"LinUCB": 1.0, "OFUL": 3.0})
    assert only(built).best.label == "LinUCB"


def test_a_tuned_ranking_may_be_undecided(board):  # noqa: F811
    tuned = tuple(dataclasses.replace(one, rank=(1, 4)) for one in board.tuned["linear"])
    choice = only(dataclasses.replace(board, tuned={"linear": tuned}))
    assert choice.tuned == choices.Entry(
        "linear-tuned-1", "undecided", "4 of 4 agents share the first rank"
    )
    assert choice.best.label != "undecided"


def test_the_baseline_is_not_the_fastest():
    levels = {"LinUCB": 1.0, "UniformRandom": 1.0001}
    choice = only(timed({"LinUCB": 5.0, "UniformRandom": 0.1}, levels))
    assert choice.fastest.label == "LinUCB"
    assert choice.fastest.said.endswith("of 1 agent")


def test_every_family_with_ranked_agents_has_a_line():
    lines = [(one.section.name, one.best.label) for one in choices.choices(several())]
    assert lines == [("armed", "UCB1"), ("linear", "LinUCB"), ("news", "Other")]
    assert choices.choices(a_board("empty")) == choices.choices(a_board("no baseline")) == []


def test_in_markdown_each_entry_links_to_the_row_of_its_agent(board):  # noqa: F811
    text = report.markdown(board)
    lines = text.splitlines()
    row = lines.index("|---|---|---|---|") + 1
    links = re.findall(r'<a href="#([^"]*)">([^<]*)</a>', lines[row])
    assert [label for _, label in links] == ["LinTS", "LinTS", "LinTS"]
    for place, label in links:
        (target,) = [line for line in lines if f'<a id="{place}"></a>' in line]
        assert f"| {label} |" in target
    tuned = next(one for one in board.tuned["linear"] if one.label == "LinTS")
    assert f"{tuned.score.value:.3f}" in lines[row]
    without = report.markdown(plain(board))
    assert "best tuned" not in without
    assert "linear-tuned-1" not in without
    assert HOSTILE not in text


def test_in_the_page_each_entry_links_to_the_row_of_its_agent(board):  # noqa: F811
    text = report.page(board)
    table = re.search(r'<table class="choices">.*?</table>', text, re.DOTALL)[0]
    links = re.findall(r'<a href="#([^"]*)">([^<]*)</a>', table)
    assert [place for place, _ in links][1] == "linear-tuned-1"
    for place, label in links:
        row = re.search(rf'<tr id="{place}".*?</tr>', text, re.DOTALL)[0]
        assert label in row
    assert ">Best tuned</th>" in table
    assert ">Best tuned</th>" not in report.page(plain(board))


def test_a_board_without_ranks_has_no_such_table():
    for name in ("empty", "no baseline"):
        assert choices.TITLE not in report.markdown(a_board(name))
        assert choices.TITLE not in "".join(read_page(a_board(name)).text)
