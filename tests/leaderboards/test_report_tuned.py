"""The tuned column in every output of a small made-up board, with hostile settings."""

import csv
import dataclasses
import io
import json
import re

import pytest
from rich.console import Console

from leaderboards import report
from leaderboards.rank.board import build
from leaderboards.rank.tuned import with_tuned
from leaderboards.rank.tuned_records import Tuned
from leaderboards.report import tuned_tables
from leaderboards.report.styles import style
from leaderboards.report.tuned_curves import ALT, tuned_figure

from .test_report import HOSTILE, a_suite, some_rows

AGENTS = ("LinTS", "LinUCB", "OFUL", "UniformRandom", "Greedy")


def tuned_of(suite, agent, **changes):
    fields = {
        "agent": agent,
        "spec": agent,
        "tuned": f"{agent}(x=1)",
        "family": "linear",
        "tasks": tuple(task.name for task in suite.tasks),
        "setting": {"x": 1, "y": "theory"},
        "best": {},
        "trials": 32,
        "failed": 0,
        "seeds": (500_000, 16),
        "further": (500_016, 64),
        "scores": {"linear": (0.125, 0.75)},
        "gain": (0.1, 0.05, 0.2),
        "same_data": (),
        "space": {},
        "suite": suite.hash,
        "sources": "c0ffee",
    }
    return Tuned(**{**fields, **changes})


@pytest.fixture(scope="module")
def board():
    """LinTS gains much, OFUL loses, LinUCB keeps its defaults, Greedy was not tuned.

    UniformRandom has nothing to tune.
    """
    suite = a_suite()
    rows = some_rows(suite, AGENTS)
    settings = {"LinTS": 0.2, "OFUL": 1.5}  # factors on the regret
    for row in list(rows):
        if row.agent in settings:
            factor = settings[row.agent]
            curve = [factor * value for value in row.measures["regret"]]
            rows.append(
                dataclasses.replace(
                    row, spec=f"{row.agent}(x=1)", measures={"regret": curve},
                    hyperparameters={"x": 1},
                )
            )  # fmt: skip
    found = [
        tuned_of(
            suite,
            "LinTS",
            failed=3,
            setting={"x": 0.5, "note": HOSTILE},
            space={"x": ["Log", 0.01, 100.0], "note": ["Choice", HOSTILE, ""]},
        ),
        tuned_of(suite, "OFUL", same_data=("task-1", "elsewhere")),
        tuned_of(suite, "LinUCB", tuned="LinUCB", setting={}, gain=(0.1, -0.1, 0.2)),
    ]
    defaults = build(suite, [row for row in rows if "(" not in row.spec])
    return with_tuned(defaults, rows, found)


def plain(board):
    return dataclasses.replace(board, tuned={})


def table_of(board):
    (section,) = board.sections
    cells = [tuned_tables.cells(section, one) for one in board.tuned["linear"]]
    names = [name for name, _ in tuned_tables.COLUMNS]
    return {row[1]: dict(zip(names, row, strict=True)) for row in cells}


def test_each_line_has_its_score_beside_the_defaults_and_the_setting(board):
    found = table_of(board)
    (section,) = board.sections
    scores = {s.label: f"{s.score.value:.3f}" for s in section.standings}
    assert list(found) == ["LinTS", "LinUCB", "UniformRandom", "OFUL"]
    for label, row in found.items():
        assert row["defaults ↑"] == scores[label]
        own = next(one for one in board.tuned["linear"] if one.label == label)
        assert row["tuned ↑ [95 %]"] == (
            f"{own.score.value:.3f} [{own.score.low:.3f}, {own.score.high:.3f}]"
        )
    assert found["LinTS"]["trials"] == "32, 3 failed"
    assert found["LinTS"]["gain, paired [95 %]"].startswith("0.078 [")
    assert found["OFUL"]["gain, paired [95 %]"].startswith("-0.15")
    assert found["OFUL"]["setting"] == 'x=1, y="theory" (tuned on the same data: task-1)'
    assert found["LinUCB"]["setting"] == "the defaults"
    assert found["LinUCB"]["gain, paired [95 %]"] == "–"
    assert found["UniformRandom"]["setting"] == "nothing to tune"
    assert found["UniformRandom"]["trials"] == "–"


def test_what_was_merely_not_tuned_has_no_rank_beside_what_was(board):
    (section,) = board.sections
    assert {s.label for s in section.standings if s.rank} == set(AGENTS)
    assert "Greedy" not in table_of(board)
    assert [one.rank[1] for one in board.tuned["linear"]][-1] == 4
    (greedy,) = [s for s in section.standings if s.label == "Greedy"]
    assert tuned_tables.tuned_text(board, section, greedy) == "–"
    said = tuned_tables.remarks(section, board.tuned["linear"])
    assert "not tuned, so not ranked here: Greedy" in said
    assert report.markdown(board).count("nothing to tune") == 1
    assert report.page(board).count(">nothing to tune<") == 1


@pytest.mark.parametrize(
    ("value", "space", "text"),
    [
        (0.0108, ["Log", 0.01, 10.0], "x=0.0108 (edge of 0.01..10)"),
        (9.9, ["Log", 0.01, 10.0], "x=9.9 (edge of 0.01..10)"),
        (0.02, ["Log", 0.01, 10.0], "x=0.02"),  # a tenth of the way, on its own scale
        (0.5, ["Linear", 0.0, 20.0], "x=0.5 (edge of 0..20)"),
        (2.0, ["Linear", 0.0, 20.0], "x=2.0"),
        (200, ["Log", 5, 200], "x=200 (edge of 5..200)"),
        (5, ["Choice", 5, 20], "x=5"),  # a choice has no edge
    ],
)
def test_a_value_at_the_edge_of_its_range_is_marked(board, value, space, text):
    (section,) = board.sections
    (first, *rest) = board.tuned["linear"]
    one = tuned_of(board.suite, "LinTS", setting={"x": value}, space={"x": space})
    assert tuned_tables.setting_text(section, one) == text
    standings = [dataclasses.replace(first, tuned=one), *rest]
    said = " ".join(tuned_tables.remarks(section, standings))
    assert ("edge: the value lies in the outer 5 % of the range" in said) == ("edge" in text)
    shown = dataclasses.replace(board, tuned={"linear": tuple(standings)})
    for where in (report.markdown(shown), report.page(shown)):
        assert (" (edge of" in where) == ("edge" in text)


def test_what_a_reader_must_know_is_said(board):
    (section,) = board.sections
    said = tuned_tables.remarks(section, board.tuned["linear"])
    assert "of 32 trials on 16 seeds from 500000 on" in said[0]
    assert "beats them on 64 further seeds" in said[0]
    assert said[2] == "on the seeds that are scored, tuning lost here: OFUL"
    assert said[3] == (
        "places by score that tuning changes: UniformRandom from 4 to 3, OFUL from 3 to 4"
    )
    good = [one for one in board.tuned["linear"] if one.label != "OFUL"]
    rest = tuned_tables.remarks(section, good)
    assert "places by score that tuning changes: none" in rest
    assert not [line for line in rest if "lost" in line]


def test_markdown_has_a_second_column_and_a_table(board):
    text = report.markdown(board)
    assert (
        "| rank | agent | score ↑ \\[95 %\\] | quartiles | tuned ↑ \\[95 %\\] | µs/round |" in text
    )
    assert "\n## Tuned\n" in text
    assert HOSTILE not in text
    (line,) = re.findall(r"^\| (?:<a id=\S*</a>)?\d.*\| LinTS \|.*Somebody.*$", text, re.MULTILINE)
    own = table_of(board)["LinTS"]["tuned ↑ [95 %]"]
    assert line.split(" | ")[4] == own.replace("[", r"\[").replace("]", r"\]")
    without = report.markdown(plain(board))
    assert "tuned" not in without.lower()
    assert without.splitlines()[0] == text.splitlines()[0]


def test_csv_has_the_score_and_the_setting(board):
    lines = {row["agent"]: row for row in csv.DictReader(io.StringIO(report.csv(board)))}
    one = next(one for one in board.tuned["linear"] if one.label == "LinTS")
    assert float(lines["LinTS"]["tuned"]) == one.score.value
    assert float(lines["LinTS"]["tuned_low"]) == one.score.low
    assert lines["LinTS"]["setting"] == f"x=0.5, note={json.dumps(HOSTILE)}"
    assert lines["Greedy"]["setting"] == ""
    without = list(csv.DictReader(io.StringIO(report.csv(plain(board)))))
    assert {row["tuned"] for row in without} == {""}


def test_json_has_all_of_it(board):
    whole = json.loads(report.json(board))
    found = whole["tuned"]["linear"]
    assert [one["label"] for one in found] == ["LinTS", "LinUCB", "UniformRandom", "OFUL"]
    assert found[0]["tuned"]["setting"] == {"x": 0.5, "note": HOSTILE}


def test_the_terminal_shows_it_below_the_ranking(board):
    console = Console(width=200, record=True, file=io.StringIO())
    console.print(report.terminal(board, 200))
    text = console.export_text()
    assert "with tuned settings" in text
    assert "the defaults" in text
    assert "tuning lost here: OFUL" in text
    console.print(report.terminal(plain(board), 200))
    assert "tuned" not in console.export_text()


@pytest.mark.parametrize("width", [60, 80, 120])
def test_a_narrow_terminal_shows_the_settings(board, width):
    console = Console(width=width, record=True, file=io.StringIO())
    console.print(report.terminal(board, width))
    table = console.export_text().partition("with tuned settings")[2]
    assert 'x=1, y="theory"' in " ".join(table.split())
    assert "the defaults" in table
    assert ("gain, paired" in table) == (width == 120)


def test_the_page_shows_it_and_escapes_it(board):
    text = report.page(board)
    assert "<h2>Tuned</h2>" in text
    assert ">Tuned [95 %]</button>" in text
    assert "tuning lost here: OFUL" in text
    assert HOSTILE not in text
    (cell,) = re.findall(r'<td class="n" data-value="([^"]*)">32, 3 failed</td>', text)
    assert cell == "32"  # by which the column sorts
    without = report.page(plain(board))
    assert "<h2>Tuned</h2>" not in without
    assert "Tuned [95 %]" not in without


def test_curves_show_the_best_tuned_agents_beside_their_defaults(board):
    (section,) = board.sections
    figure = tuned_figure(board, section)
    assert [axes.get_title("left") for axes in figure.axes[:3]] == ["task-0", "task-1", "task-2"]
    lines = {one.get_label(): one for one in figure.axes[0].lines}
    tuned = {"LinTS(tuned)": 0.2, "OFUL(tuned)": 1.5}  # LinUCB kept its defaults
    assert {label for label in lines if "(tuned)" in label} == tuned.keys()
    for label, factor in tuned.items():
        before = lines[label.removesuffix("(tuned)")]
        assert list(lines[label].get_ydata()) == pytest.approx(list(factor * before.get_ydata()))
        assert lines[label].get_color() == style(before.get_label()).colour
    assert "LinUCB" not in lines
    assert f'alt="{ALT}"' in report.page(board)
    assert tuned_figure(plain(board), section) is None
    assert ALT not in report.page(plain(board))
    four = dataclasses.replace(board, tuned={"linear": board.tuned["linear"][:1] * 4})
    assert (
        len([x for x in tuned_figure(four, section).axes[0].lines if "tuned" in x.get_label()]) == 3
    )
