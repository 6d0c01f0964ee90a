"""Every output of small made-up boards, including hostile names (about 4 s)."""

import base64
import csv
import dataclasses
import functools
import io
import itertools
import json
import math
import re
from html.parser import HTMLParser

import numpy as np
import pytest
from rich.console import Console

from leaderboards import report
from leaderboards.console.progress import Visible
from leaderboards.rank import board
from leaderboards.rank.standing import Curve, Interval
from leaderboards.report.cell_texts import (
    amount_text,
    bytes_text,
    interval_text,
    measure_text,
    place_text,
    rank_text,
    result_text,
    time_text,
)
from leaderboards.report.curve_lines import Line, Panel, coinciding
from leaderboards.report.curve_panels import draw, spread
from leaderboards.report.curves import curves
from leaderboards.report.drawing import Drawing
from leaderboards.report.remarks import left_out, of_board, of_section
from leaderboards.report.styles import GREY, style
from leaderboards.run.store.store import Row
from leaderboards.suites.baselines_file import Baselines
from leaderboards.suites.suite import Suite, SuiteTask

ROUNDS = [1, 10, 100, 1000]
HOSTILE = '</script><img src=x onerror="alert(1)">[bold]$x$|{{ 7*7 }}'


def a_suite(n_tasks=3, n_seeds=5, families=("linear",), baselines=(500.0, None), **changes):
    """``baselines`` are those of all tasks on every seed, None where a task has none of its own."""
    tasks = tuple(
        SuiteTask(
            name=f"task-{m}",
            env="LinearBandit-v0",
            settings={"dim": 5, "note": "<b>"},
            horizon=1000,
            family=families[m % len(families)],
            **changes,
        )
        for m in range(n_tasks)
    )
    return Suite(
        name="made-up",
        title="Made <up> [red]suite",
        seeds=tuple(range(n_seeds)),
        tasks=tasks,
        hash="5u17e",
        n_seeds=n_seeds,
        baselines={task.name: the_same(n_seeds, *baselines) for task in tasks} if baselines else {},
    )


def the_same(n_seeds, uniform, best=None):
    seeds = range(n_seeds)
    return Baselines(
        dict.fromkeys(seeds, uniform), {} if best is None else dict.fromkeys(seeds, best)
    )


def some_rows(suite, agents=("LinUCB", "LinTS", HOSTILE), sign=1.0, families=()):
    rng = np.random.default_rng(0)
    rows = []
    tasks = [task for task in suite.tasks if not families or task.family in families]
    for level, agent in enumerate(agents, start=1):
        for task, seed in itertools.product(tasks, suite.seeds):
            final = sign * 50 * level * math.exp(0.1 * rng.normal())
            rows.append(
                Row(
                    suite=suite.hash,
                    task=task.name,
                    agent=agent,
                    spec=agent,
                    hyperparameters={"alpha": 1.0, "note": HOSTILE, "noise_std": None},
                    seed=seed,
                    sources="c0ffee",
                    data={"rows.npy": "da7a"},
                    error=None,
                    rounds=ROUNDS,
                    measures={task.measure: [final * math.sqrt(t / 1000) for t in ROUNDS]},
                    seconds=[1e-7, 4e-7],
                    bytes=1720,
                    facts=["noise_std"],
                    paper=HOSTILE if agent == HOSTILE else "Somebody et al. 2011",
                )
            )
    return rows


def without_numbers(row, error, **changes):
    return dataclasses.replace(
        row, error=error, rounds=None, measures=None, seconds=None, bytes=None, **changes
    )


@functools.cache
def troubled():
    """A failure with a hostile message, a refusal, an agent that is not finished."""
    suite = a_suite()
    rows = some_rows(suite, ("LinUCB", "LinTS", HOSTILE, "Late", "Broken"))
    rows[-1] = without_numbers(rows[-1], f"ValueError: {HOSTILE}")
    rows = [row for row in rows if not (row.agent == "Late" and row.seed > 2)]
    rows.append(without_numbers(rows[0], f"no, {HOSTILE}", agent="Picky", seed=-1, refused=True))
    return board.build(suite, rows)


@functools.cache
def several():
    """Four families: armed, linear, news, which has a rate, and losses, which nobody plays.

    Two agents in one family each, one in two, a reference, a failure, one that can play nothing.
    """
    suite = a_suite(8, families=("armed", "linear", "news", "losses"))
    rates = {"measure": "clicks_per_10000", "reference": HOSTILE}
    tasks = [dataclasses.replace(t, **(rates if t.family == "news" else {})) for t in suite.tasks]
    news = {t.name: the_same(5, 40.0, 250.0) for t in tasks if t.family == "news"}
    suite = dataclasses.replace(suite, tasks=tuple(tasks), baselines=suite.baselines | news)
    rows = some_rows(suite, ("UCB1", "Both"), families=("armed",))
    rows += some_rows(suite, ("LinUCB", "LinTS", "Both", "Oracle"), families=("linear",))
    rows = [dataclasses.replace(row, full_information=row.agent == "Oracle") for row in rows]
    rows += some_rows(suite, (HOSTILE, "Other", "Third"), families=("news",))
    rows[-1] = without_numbers(rows[-1], f"ValueError: {HOSTILE}")
    rows[-21] = without_numbers(rows[-21], f"ValueError: {HOSTILE}")
    for task in suite.tasks:
        why = f"not {task.family}, {HOSTILE}"
        rows.append(
            without_numbers(rows[0], why, agent="Picky", task=task.name, seed=-1, refused=True)
        )
    return board.build(suite, rows)


BOARDS = {
    "whole": lambda: board.build(a_suite(), some_rows(a_suite())),
    "troubled": troubled,
    "several": several,
    "empty": lambda: board.build(a_suite(), []),
    "one seed": lambda: board.build(a_suite(1, 1), some_rows(a_suite(1, 1))),
    "no baseline": lambda: board.build(a_suite(baselines=()), some_rows(a_suite())),
    "many": lambda: board.build(
        a_suite(7), some_rows(a_suite(7), [f"Agent{j}" for j in range(16)])
    ),
}


@pytest.fixture(params=BOARDS)
def built(request):
    return a_board(request.param)


@functools.cache
def a_board(name):
    return BOARDS[name]()


def standings_of(built):
    return [(section, s) for section in built.sections for s in section.standings]


def section_of(built, name):
    (section,) = [section for section in built.sections if section.name == name]
    return section


def shown(table, width):
    console = Console(width=width, file=io.StringIO())
    console.print(table)
    return console.file.getvalue()


@pytest.mark.parametrize("width", [120, 100, 70, 50])
def test_the_terminal_shows_every_agent_within_its_width(built, width):
    text = shown(report.terminal(built, width), width)
    assert max(map(len, text.splitlines())) <= width
    for _, standing in standings_of(built):
        assert standing.label[:10] in text
        if standing.score and width > 60:
            assert f"{standing.score.value:.3f}" in text


def test_the_terminal_reads_no_markup_and_tells_the_trouble():
    text = shown(report.terminal(troubled(), 400), 400)
    assert "Made <up> [red]suite" in text
    assert HOSTILE in text
    assert "Broken is not ranked: failed in 1 of 15 episodes" in text
    assert f"Broken failed in 1 episode: ValueError: {HOSTILE}" in text
    assert "Late is not ranked: not yet run in 6 of 15 episodes" in text
    assert f"Picky cannot play task-0: no, {HOSTILE}" in text


def test_who_is_not_ranked_is_dim_in_both_tables():
    console = Console(width=200, file=io.StringIO(), force_terminal=True, color_system="standard")
    console.print(report.terminal(troubled(), 200))
    dim = "\x1b[2m"
    looks = {}
    for line in console.file.getvalue().split("\n\n")[0].splitlines():
        plain = re.sub(r"\x1b\[[0-9;]*m", "", line)
        for name in ("LinUCB", "LinTS", "Late", "Broken"):
            if re.match(rf"(\S+ )?{name}  ", plain.strip()):
                looks.setdefault(name, []).append(line.startswith(dim))
    assert looks == {
        "LinUCB": [False, False],
        "LinTS": [False, False],
        "Late": [True, True],
        "Broken": [True, True],
    }


def test_the_terminal_has_a_table_and_remarks_for_each_family():
    text = shown(report.terminal(several(), 160), 160)
    parts = text.split("\n\n")
    starts = ["Made", "armed: task-0, task-4", "linear: task-1, task-5", "news: task-2, task-6"]
    assert [part.startswith(start) for part, start in zip(parts, starts, strict=False)] == [
        True
    ] * 4
    assert "overall" not in "".join(parts[:4])
    agents = [["UCB1", "Both"], ["LinUCB", "LinTS", "Both", "Oracle"], ["Other", "Third"]]
    for part, names in zip(parts[1:4], agents, strict=True):
        for name in ("UCB1", "LinUCB", "LinTS", "Both", "Oracle", "Other", "Third"):
            assert (f" {name} " in part) == (name in names)
    assert " ref Oracle" in parts[2]
    assert "Oracle is not ranked: has full information: a reference" in parts[2]
    assert f"{HOSTILE}, Third are not ranked: failed in 1 of 10 episodes" in " ".join(
        parts[3].split()
    )
    assert "Picky" not in "".join(parts[:4])
    closing = " ".join(parts[4].split())
    assert "no results yet: losses" in closing
    assert f"Picky can play nothing here: not armed, {HOSTILE} (and 3 more reasons)" in closing


@pytest.mark.parametrize("width", [75, 90, 130])
def test_the_tables_of_all_families_have_columns_of_one_width(width):
    lines = shown(report.terminal(several(), width), width).splitlines()
    heads = {line for line in lines if line.startswith("rank ")}
    assert len(heads) == 1


def test_one_family_is_shown_as_it_stands_among_the_others(monkeypatch):
    monkeypatch.setattr("rich.get_console", lambda: Console(width=160))
    whole = shown(report.terminal(several(), 160), 160).splitlines()
    alone = shown(report.terminal_section(several(), "armed"), 160).splitlines()
    assert alone[1].startswith("armed: task-0, task-4")
    own = {" ".join(line.split()) for line in whole}
    assert {" ".join(line.split()) for line in alone} <= own
    text = "\n".join(alone)
    assert "UCB1" in text
    assert "LinTS" not in text


def test_a_remark_on_several_agents_is_made_once():
    built = several()
    remarks = of_section(section_of(built, "news"))
    assert [str(remark) for remark in remarks] == [
        f"{HOSTILE}, Third are not ranked: failed in 1 of 10 episodes",
        f"{HOSTILE}, Third failed in 1 episode each: ValueError: {HOSTILE}",
    ]
    suite = a_suite(4, 5, families=("armed", "linear"))
    few = dataclasses.replace(suite, n_seeds=9)
    rows = some_rows(suite, ("One", "Two"))
    (note,) = of_board(board.build(few, rows))
    assert str(note) == "scored on 5 of the suite's 9 seeds"  # and not in every section
    text = shown(report.terminal(board.build(few, rows), 90), 90)
    assert text.count("scored on") == 1
    rows = [row for row in rows if row.task != "task-1" or row.seed < 5]
    rows = [row for row in rows if row.task not in ("task-1", "task-3") or row.seed < 4]
    text = shown(report.terminal(board.build(few, rows), 90), 90)
    assert "scored on 5 of" in text
    assert "scored on 4 of" in text


def test_markdown_has_a_heading_for_each_family():
    text = report.markdown(several())
    headings = re.findall(r"^#+ .*", text, flags=re.MULTILINE)
    assert headings[1:] == ["## armed", "### Tasks", "## linear", "### Tasks", "## news",
                            "### Tasks"]  # fmt: skip
    assert "| agent | task-1 | rank | task-5 | rank |" in text
    headings = re.findall(r"^#+ .*", report.markdown(a_board("whole")), flags=re.MULTILINE)
    assert headings[1:] == ["## Tasks"]


@pytest.mark.parametrize("width", [160, 100, 60])
def test_raw_measures_stand_under_every_ranking(built, width):
    text = shown(report.terminal(built, width), width)
    for section, standing in standings_of(built):
        for task in section.tasks:
            measure = standing.tasks[task.name].measure
            if measure is not None:
                assert f"{task.name}: {measure_text(task.measure)} " in text
                assert amount_text(measure) in text
                assert amount_text(measure) in report.markdown(built).replace("\\", "")
    if standings_of(built):
        assert "Mean after the last round, over the seeds [95 %]" in " ".join(text.split())


def test_raw_measures_are_whole_in_a_terminal_too_narrow_for_a_table():
    built = a_board("whole")
    text = shown(Visible(report.terminal(built, 30)), 30).replace("\n", "")
    for _, standing in standings_of(built):
        for result in standing.tasks.values():
            assert amount_text(result.measure).replace(" ", "") in text.replace(" ", "")


def test_a_board_of_no_scored_task_still_has_numbers_and_says_why():
    suite = a_suite(1, baselines=(), measure="reward")
    built = board.build(suite, some_rows(suite, ("LinUCB", "LinTS")))
    for text in (shown(report.terminal(built, 120), 120), report.markdown(built).replace("\\", "")):
        assert "task-0: reward ↑" in text
        assert "↑ higher is better" in text
        assert "name one to score it" in text
        for _, standing in standings_of(built):
            assert standing.score is None
            assert amount_text(standing.tasks["task-0"].measure) in text


def test_which_end_is_good_is_told_of_each_measure():
    text = shown(report.terminal(several(), 160), 160)
    assert "task-1: regret ↓" in text
    assert "task-2: clicks per 10 000 ↑" in text
    assert "[95 %]; ↓ lower is better; rank by task\n" in text
    assert "[95 %]; ↑ higher is better; rank by task\n" in text
    assert "score ↑ [95 %]" in text
    assert "Scores: higher is better; 0 is uniform play" in text


def test_agents_of_others_are_marked_and_ours_are_not():
    suite = a_suite()
    rows = some_rows(suite, ("LinUCB", "LinTS"))
    mine = [dataclasses.replace(r, agent="Mine", spec="mine.py:Mine(alpha=2.0)") for r in rows[:15]]
    built = board.build(suite, [*rows, *mine])
    for text in (shown(report.terminal(built, 120), 120), report.markdown(built)):
        assert text.count("Mine ★") == (2 if text.startswith("Made") else 3)
        assert "LinUCB ★" not in text
        assert text.count("★ an agent that is not banditgym's") == 1
    assert "★" not in report.markdown(board.build(suite, rows))


@pytest.mark.parametrize(
    ("value", "text"),
    [(0.5, "0.5"), (-0.0, "0"), (1234.56, "1235"), (123456.7, "123457"), (1e-5, "1e-05")],
)
def test_amounts_read_well(value, text):
    assert amount_text(Interval(value, None, None)) == text
    assert amount_text(Interval(value, value, value)) == f"{text} [{text}, {text}]"
    assert amount_text(None) == "–"


def test_who_can_play_nothing_for_the_same_reasons_is_told_of_once():
    suite = a_suite(2)
    rows = some_rows(suite, ("One", "Two", "Three", "Four"))
    refused = [
        without_numbers(row, "no" if row.agent != "Four" else "never", seed=-1, refused=True)
        for row in rows
        if row.agent != "One" and row.seed == 0
    ]
    built = board.build(suite, [*rows[:10], *refused])
    assert [str(remark) for remark in left_out(built)] == [
        "Four can play nothing here: never",
        "Three, Two can play nothing here: no",
    ]
    for text in (report.markdown(built), shown(report.terminal(built, 90), 90)):
        assert text.count("Three, Two can play nothing here: no") == 1
    text = " ".join("".join(read_page(built).text).split())
    assert "Three, Two can play nothing here: no" in text


def test_markdown_is_its_sections():
    built = several()
    text = report.markdown(built)
    place = 0
    for section in built.sections[:3]:
        place = text.index(report.markdown_section(built, section, linked=True), place)
    assert "\n\n\n" not in text
    assert text.endswith("|\n")


def test_narrow_terminals_lose_citations_first():
    built = a_board("whole")
    heads = {width: shown(report.terminal(built, width), width) for width in (125, 100, 82, 70)}
    assert "paper" in heads[125]
    assert "paper" not in heads[100]
    assert "from the task" in heads[100]
    assert "from the task" not in heads[82]
    assert "quartiles" in heads[82]
    assert "quartiles" not in heads[70]
    assert "µs/round" in heads[70]


def test_every_table_says_what_its_ranks_hold_for_and_shows_the_rank_by_task(built):
    scope = "on these tasks, at these horizons; seeds vary, tasks are fixed"
    terminal = " ".join(shown(report.terminal(built, 120), 120).split())
    texts = terminal, report.markdown(built), "".join(read_page(built).text)
    lines = list(csv.DictReader(io.StringIO(report.csv(built))))
    for section in built.sections:
        horizons = ", ".join(f"{task.name} T = {task.horizon:,}" for task in section.tasks)
        said = f"scores and ranks hold {scope}: {horizons}"
        if section.standings:
            assert all(said.replace("[", "").replace("]", "") in text for text in texts)
        for s in section.standings:
            (line,) = [
                one for one in lines if (one["section"], one["agent"]) == (section.name, s.label)
            ]
            for task in section.tasks:
                rank = s.tasks[task.name].rank
                assert (rank is None) == (s.rank is None or s.tasks[task.name].score is None)
                both = tuple(line[f"task:{task.name}:rank_{end}"] for end in ("first", "last"))
                assert both == (("", "") if rank is None else tuple(map(str, rank)))


def test_ranks_by_task_are_those_of_a_ranking_of_the_task_alone():
    suite = a_suite()
    rows = some_rows(suite, ("LinUCB", "LinTS", "OFUL", "Greedy"))
    (section,) = board.build(suite, rows).sections
    markdown = report.markdown(board.build(suite, rows))
    for place, task in enumerate(suite.tasks):
        own = dataclasses.replace(suite, tasks=(task,))
        (alone,) = board.build(own, [row for row in rows if row.task == task.name]).sections
        ranks = {s.label: s.rank for s in alone.standings}
        assert len(set(ranks.values())) > 1
        for s in section.standings:
            assert s.tasks[task.name].rank == ranks[s.label]
            line = markdown.partition("Score and rank by task")[2].partition(f"| {s.label} |")[2]
            assert line.split("|")[2 * place + 1].strip() == place_text(ranks[s.label])


def test_markdown_keeps_its_columns_whatever_the_names(built):
    text = report.markdown(built)
    for table in re.findall(r"(?:^\|.*\n)+", text, flags=re.MULTILINE):
        widths = {len(re.findall(r"(?<!\\)\|", line)) for line in table.splitlines()}
        assert len(widths) == 1
    assert "<img" not in re.sub(r"\\<", "", text)
    for _, standing in standings_of(built):
        assert standing.label[:6].replace("<", "\\<") in text


def test_differences_to_a_twin_stand_beside_the_measure():
    suite = a_suite(n_tasks=2)
    tasks = suite.tasks[0], dataclasses.replace(suite.tasks[1], twin="task-0")
    suite = dataclasses.replace(suite, tasks=tasks)
    built = board.build(suite, some_rows(suite, agents=("LinUCB",)))
    (_, standing), *_ = standings_of(built)
    result = standing.tasks["task-1"]
    text = result_text(result)
    value, low, high = (
        f"{x:+.4g}"
        for x in (result.difference.value, result.difference.low, result.difference.high)
    )
    assert text == f"{amount_text(result.measure)} ({value} [{low}, {high}])"
    assert result_text(standing.tasks["task-0"]) == amount_text(standing.tasks["task-0"].measure)
    markdown = report.markdown(built)
    assert "task-1: regret ↓ (– task-0)" in markdown
    assert "in parentheses the difference on the same seeds" in markdown
    wide = shown(report.terminal(built, 200), 200)
    for shown_text in (markdown.replace("\\", ""), report.page(built), wide):
        assert text in shown_text
    (line,) = csv.DictReader(io.StringIO(report.csv(built)))
    assert float(line["task:task-1:difference"]) == result.difference.value
    assert "task:task-0:difference" not in line


def test_csv_holds_the_numbers_in_full(built):
    lines = list(csv.DictReader(io.StringIO(report.csv(built))))
    for line, (section, standing) in zip(lines, standings_of(built), strict=True):
        assert (line["section"], line["agent"]) == (section.name, standing.label)
        if standing.score is None:
            assert line["score"] == line["rank_first"] == ""
        else:
            assert float(line["score"]) == standing.score.value
        if standing.rank is None:
            assert line["rank_first"] == line["rank_last"] == ""
            assert line["unranked"] == standing.unranked
        else:
            assert (int(line["rank_first"]), int(line["rank_last"])) == standing.rank
        for task in built.suite.tasks:
            result = standing.tasks.get(task.name)
            expected = "" if result is None or not result.score else repr(result.score.value)
            assert line[f"task:{task.name}"] == expected
            measure = result and result.measure
            parts = [measure.value, measure.low, measure.high] if measure else [None] * 3
            names = [f"task:{task.name}:measure{end}" for end in ("", ":low", ":high")]
            assert [line[name] for name in names] == ["" if p is None else repr(p) for p in parts]


def test_every_column_of_csv_is_what_it_says():
    built = troubled()
    lines = list(csv.DictReader(io.StringIO(report.csv(built))))
    assert list(lines[0])[:7] == [
        "section", "rank_first", "rank_last", "agent", "score", "score_low", "score_high"
    ]  # fmt: skip
    for line, (_, standing) in zip(lines, standings_of(built), strict=True):
        own = {"score": standing.score}
        for name, result in standing.tasks.items():
            own |= {f"task:{name}": result.score, f"task:{name}:measure": result.measure}
        for column, interval in own.items():
            limits = [line[column], line[f"{column}:low"]] if ":" in column else [
                line["score"], line["score_low"]
            ]  # fmt: skip
            limits.append(line[f"{column}:high" if ":" in column else "score_high"])
            expected = interval and [interval.value, interval.low, interval.high]
            assert limits == ([repr(x) for x in expected] if expected else [""] * 3)
        for column in ("microseconds", "timing", "bytes", "failures"):
            value = getattr(standing, column)
            assert line[column] == ("" if value is None else str(value))
        assert line["unranked"] == (standing.unranked or "")
        assert line["facts"] == " ".join(standing.facts)
        assert line["paper"] == (standing.paper or "")
    assert {line["facts"] for line in lines} == {"noise_std"}
    assert {line["bytes"] for line in lines} == {"1720", ""}  # Picky plays nothing
    times = {float(line["microseconds"]) for line in lines if line["microseconds"]}
    assert list(times) == pytest.approx([0.4])


def test_times_that_include_the_environments_are_starred():
    suite = a_suite()
    rows = some_rows(suite, ("Block", "Apart"))
    rows = [
        dataclasses.replace(row, seconds=[3e-6, None]) if row.agent == "Block" else row
        for row in rows
    ]
    built = board.build(suite, rows)
    text = shown(report.terminal(built, 200), 200)
    assert "3.00*" in text
    assert "0.400*" not in text
    assert text.count("* the environment's time is included") == 1
    assert "| 3.00\\* |" in report.markdown(built)
    without = shown(report.terminal(a_board("whole"), 200), 200)
    assert "0.400*" not in without
    assert "time is included" not in without


def test_scores_of_fewer_seeds_say_of_how_many():
    suite = a_suite()
    rows = [
        row
        for row in some_rows(suite, ("Whole", "Late"))
        if row.agent == "Whole"
        or row.task == "task-0"
        or row.seed < (2 if row.task == "task-1" else 1)
    ]
    text = report.markdown(board.build(suite, rows))
    (late,) = re.findall(r"^\| Late \|.*\((?:1|2) seeds?\).*$", text, flags=re.MULTILINE)
    cells = [cell.strip() for cell in late.strip("|").split("|")]
    assert re.fullmatch(r"-?\d\.\d+", cells[1])
    assert re.fullmatch(r"-?\d\.\d+ \(2 seeds\)", cells[3])
    assert re.fullmatch(r"-?\d\.\d+ \(1 seed\)", cells[5])
    assert cells[2] == cells[4] == cells[6] == "–"  # it has no rank
    assert "Whole" in text
    assert not re.search(r"Whole.*seed", text)


def test_json_is_the_board_without_nan(built):
    def refuse(constant):
        raise AssertionError(constant)

    read = json.loads(report.json(built), parse_constant=refuse)
    assert read["suite"]["hash"] == "5u17e"
    assert [s["name"] for s in read["sections"]] == [s.name for s in built.sections]
    entries = [entry for section in read["sections"] for entry in section["standings"]]
    for entry, (_, standing) in zip(entries, standings_of(built), strict=True):
        assert entry["label"] == standing.label
        score = standing.score and dataclasses.asdict(standing.score)
        assert entry["score"] == score
        for name, result in standing.tasks.items():
            assert entry["tasks"][name]["curve"] == (
                result.curve and json.loads(json.dumps(dataclasses.asdict(result.curve)))
            )


def test_every_section_with_agents_is_drawn(built):
    figures = report.figures(built)
    played = [section for section in built.sections if section.standings]
    if len(built.sections) == 1:
        assert list(figures) == ["curves.png"] * len(played)
    else:
        assert list(figures) == [f"curves-{section.name}.png" for section in played]
    for section, figure in zip(played, figures.values(), strict=True):
        assert len(figure.axes) >= len(section.tasks)  # as an image it is on the board's page


def test_a_panel_shows_means_intervals_and_uniform_play():
    (section,) = a_board("whole").sections
    axes = curves(section).axes[0]
    assert axes.get_title(loc="left") == "task-0"
    lines = {tuple(line.get_ydata()) for line in axes.lines}
    for standing in section.standings:
        assert standing.tasks["task-0"].curve.mean in lines
    assert len(axes.collections) == 3  # one band each
    baseline = named_line(axes, "UniformRandom")
    assert tuple(baseline.get_xdata()) == (1, 1000)
    assert tuple(baseline.get_ydata()) == (0.5, 500.0)
    assert (axes.get_xscale(), axes.get_yscale()) == ("log", "log")
    assert axes.get_ylabel() == "mean regret"


def test_uniform_play_has_the_same_rate_all_along():
    section = section_of(several(), "news")
    axes = curves(section).axes[0]
    assert tuple(named_line(axes, "UniformRandom").get_ydata()) == (40.0, 40.0)
    assert (axes.get_xscale(), axes.get_yscale()) == ("linear", "linear")
    assert axes.get_ylabel() == "mean clicks per 10 000"
    # What is seen are the rates from round 100 on, though at round 1 all of them are less here.
    highest = max(max(s.tasks["task-2"].curve.mean) for s in section.standings)
    assert axes.get_ylim() == (0.0, pytest.approx(1.2 * highest))


def test_the_first_rates_do_not_stretch_the_axis():
    suite = a_suite(1, baselines=(40.0, 250.0), measure="clicks_per_10000", reference="UCB1")
    rows = some_rows(suite, ("One",))
    early = [1000.0, 500.0, 60.0, 50.0]  # at rounds 1, 10, 100 and 1000
    rows = [dataclasses.replace(row, measures={"clicks_per_10000": early}) for row in rows]
    (section,) = board.build(suite, rows).sections
    assert curves(section).axes[0].get_ylim() == (0.0, pytest.approx(1.2 * 60.0))


def test_panels_of_other_measures_have_their_own_labels():
    suite = a_suite(4)
    rate = dataclasses.replace(suite.tasks[2], measure="clicks_per_10000")
    suite = dataclasses.replace(suite, tasks=(*suite.tasks[:2], rate, suite.tasks[3]))
    (section,) = board.build(suite, some_rows(suite)).sections
    labels = [axes.get_ylabel() for axes in curves(section).axes[:4]]  # in rows of two
    assert labels == ["mean regret", "", "mean clicks per 10 000", "mean regret"]


def test_regret_that_may_be_negative_is_drawn_linearly():
    suite = a_suite(families=("losses",))
    (section,) = board.build(suite, some_rows(suite, sign=-1.0)).sections
    axes = curves(section).axes[0]
    assert max(named_line(axes, "LinUCB").get_ydata()) < 0
    assert (axes.get_xscale(), axes.get_yscale()) == ("linear", "linear")
    assert tuple(named_line(axes, "UniformRandom").get_ydata()) == (0.5, 500.0)


def named_line(axes, name):
    (line,) = [line for line in axes.lines if line.get_label() == name]
    return line


def test_a_reference_is_drawn_thin_and_somebody_elses_agent_thick():
    suite = a_suite()
    rows = some_rows(suite, ("LinUCB", "Oracle", "Mine"))
    kinds = {"Oracle": {"full_information": True}, "Mine": {"spec": "mine.py:Mine"}}
    rows = [dataclasses.replace(row, **kinds.get(row.agent, {})) for row in rows]
    built = board.build(suite, rows)
    axes = curves(built.sections[0]).axes[0]
    widths = {name: named_line(axes, name).get_linewidth() for name in ("LinUCB", "Oracle", "Mine")}
    assert widths == {"LinUCB": 1.6, "Oracle": 1.0, "Mine": 2.8}
    (mine,) = [text for text in axes.texts if text.get_text() == "Mine ★"]
    assert mine.get_fontweight() == "bold"
    page = read_page(built)
    assert [attrs.get("class") for tag, attrs in page.tags if tag == "tr"].count("own") == 2 + 3
    (view,) = json.loads(page.scripts[0])
    assert {one["label"]: one["width"] for one in view["agents"]} == {
        "LinUCB": 2,
        "Oracle": 1.2,
        "Mine": 3.5,
    }
    assert "★ an agent that is not banditgym's." in "".join(page.text)


def test_every_agent_is_named_at_the_end_of_its_curve_and_no_two_look_alike():
    (section,) = a_board("many").sections
    names = [s.label for s in section.standings] + ["UniformRandom"]
    for axes in curves(section).axes[: len(section.tasks)]:
        said = {text.get_text().removeprefix("= "): text.get_color() for text in axes.texts}
        assert sorted(said) == sorted(names)
        looks = {
            (line.get_color(), str(line._dash_pattern))
            for line in (named_line(axes, name) for name in names)
        }
        assert len(looks) == 17
        assert said == {name: named_line(axes, name).get_color() for name in names}


def test_the_baseline_is_called_what_it_is_and_drawn_once():
    built = board.build(
        suite := a_suite(2, families=("linear", "regression")),
        [
            *some_rows(suite, ("UniformRandom", "LinUCB"), families=("linear",)),
            *some_rows(suite, ("Forward",), families=("regression",)),
        ],
    )
    linear, regression = (curves(section).axes[0] for section in built.sections[:2])
    assert tuple(named_line(linear, "UniformRandom").get_xdata()) == tuple(ROUNDS)
    assert tuple(named_line(regression, "PredictZero").get_xdata()) == (1, 1000)
    for axes, name in ((linear, "UniformRandom"), (regression, "PredictZero")):
        assert named_line(axes, name).get_color() == GREY
        assert [text.get_text() for text in axes.texts].count(name) == 1
    names = [view["tasks"][0]["baseline_name"] for view in json.loads(read_page(built).scripts[0])]
    assert names == ["UniformRandom", "PredictZero"]


def test_an_agent_looks_the_same_in_all_sections_of_a_board():
    built = several()
    looks = {}
    for section, figure in zip(built.sections, report.figures(built).values(), strict=False):
        for standing in section.standings:
            line = named_line(figure.axes[0], standing.label)
            look = line.get_color(), str(line._dash_pattern[1])
            assert looks.setdefault(standing.label, look) == look
    assert len(set(looks.values())) == len(looks)


def test_whoever_else_plays_a_family_changes_no_look_on_a_board():
    """Two third-party agents whose names alone would give the same style."""
    first = "Mine0"
    same = next(name for j in range(1, 50) if style(name := f"Mine{j}") == style(first))
    suite = a_suite(2, families=("armed", "linear"))
    rows = some_rows(suite, (first, same), families=("armed",))
    rows += some_rows(suite, (same,), families=("linear",))
    figures = report.figures(board.build(suite, rows))
    both, alone = (figures[f"curves-{name}.png"].axes[0] for name in ("armed", "linear"))
    looks = [named_line(axes, same).get_color() for axes in (both, alone)]
    assert looks[0] == looks[1] != named_line(both, first).get_color()


def own_and_ours(mean=(9.0, 20.0, 30.0)):
    """A picture's panel of an agent of ours and a user's, as ``draw`` takes it."""
    lines = [Line("LinUCB", Curve((1, 50, 1000), mean, None, None))]
    lines += [Line("Mine", Curve((1, 50, 1000), (1.0, 2.0, 12.0), None, None), third_party=True)]
    return Panel("a task", "regret", 1000, tuple(lines), 40.0, "UniformRandom")


def test_texts_and_colours_are_the_users():
    drawing = Drawing(labels={"Mine": "ours"}, colours={"Mine": "crimson", "LinUCB": "C1"})
    axes = draw([own_and_ours()], drawing=drawing).axes[0]
    said = {text.get_text(): text.get_color() for text in axes.texts}
    assert said == {"ours": "crimson", "LinUCB": "C1", "UniformRandom": GREY}
    assert named_line(axes, "ours").get_color() == "crimson"


@pytest.mark.parametrize("x_scale", [None, "linear", "log"])
@pytest.mark.parametrize("y_scale", [None, "linear", "log"])
def test_scales_are_the_users(x_scale, y_scale):
    drawing = Drawing(x_scale=x_scale, y_scale=y_scale)
    axes = draw([own_and_ours()], drawing=drawing).axes[0]
    assert (axes.get_xscale(), axes.get_yscale()) == (x_scale or "log", y_scale or "log")
    assert axes.get_xlim() == (0 if x_scale == "linear" else 1, 1000)
    negative = Panel("a task", "regret", 9, (Line("A", Curve((1, 9), (-1, -2), None, None)),))
    axes = draw([negative], drawing=drawing).axes[0]
    assert (axes.get_xscale(), axes.get_yscale()) == (x_scale or "linear", "linear")


def test_an_axis_within_a_decade_has_several_labelled_ticks():
    figure = draw([own_and_ours()])
    figure.draw_without_rendering()
    axes = figure.axes[0]
    low, high = axes.get_ylim()
    ticks = zip(axes.get_yticks(), axes.get_yticklabels(), strict=True)
    labels = [text.get_text() for tick, text in ticks if low <= tick <= high]
    assert labels == ["1", "2", "5", "10", "20", "50"]


def test_long_titles_are_whole():
    panel = dataclasses.replace(own_and_ours(), title="Env-v0(" + "alpha=0.123, " * 10 + "b=1)")
    title = draw([panel]).axes[0].get_title(loc="left")
    assert title.replace("\n", " ") == panel.title
    assert title.count("\n") == 1


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"labels": {"Mien": "ours"}}, "the picture has no agent 'Mien'; did you mean Mine"),
        ({"colours": {"EXP3": "red"}}, "the picture has no agent 'EXP3'; it has LinUCB, Mine"),
        ({"labels": {"Mine": "LinUCB"}}, "two agents would be called 'LinUCB'"),
        ({"colours": {"Mine": "rde"}}, "the colour of Mine is a name or #rrggbb, .* got 'rde'"),
        ({"x_scale": "symlog"}, "the x-scale is linear or log, got 'symlog'"),
        ({"y_scale": ""}, "the y-scale is linear or log, got ''"),
    ],
)
def test_what_a_picture_cannot_have_is_refused(given, message):
    with pytest.raises(ValueError, match=message):
        Drawing(**given).check(["LinUCB", "Mine"])


def test_curves_that_lie_on_one_another_have_one_name():
    def line(label, *mean):
        return Line(label, Curve((1, 50, 1000), mean, None, None))

    lines = [
        line("A", 9.0, 2.0, 3.0),
        line("B", 1.0, 2.0, 4.0),
        line("C", 9.0, 2.004, 2.995),
        line("D", 9.0, 2.0, 3.2),
        line("E", 9.0, 2.0, 3.0),
    ]
    assert coinciding(lines, 1000) == [["A", "C", "E"], ["B"], ["D"]]
    # Before a thousandth of the horizon nothing is seen.
    assert coinciding([line("A", 1.0, 2.0, 3.0), line("B", 7.0, 2.0, 3.0)], 10_000) == [["A", "B"]]
    axes = draw([Panel("a task", "regret", 1000, tuple(lines))]).axes[0]
    assert [text.get_text() for text in axes.texts] == ["A", "= C", "= E", "D", "B"]
    many = [line("N" * 30 + str(j), 1.0, 2.0, 3.0) for j in range(5)]
    axes = draw([Panel("a task", "regret", 1000, tuple(many))]).axes[0]
    assert [text.get_text()[-1] for text in axes.texts[:-1]] == ["0"]
    assert axes.texts[-1].get_text() == "= 4 more"


def test_the_page_tells_of_curves_that_lie_on_one_another():
    suite = a_suite()
    rows = some_rows(suite, ("LinUCB", "OFUL"))
    rows += [dataclasses.replace(row, agent="SOFUL", spec="SOFUL") for row in rows[15:]]
    (view,) = json.loads(read_page(board.build(suite, rows)).scripts[0])
    assert [task["same"] for task in view["tasks"]] == [["OFUL = SOFUL"]] * 3


@pytest.mark.parametrize("n_tasks", [1, 3])
@pytest.mark.parametrize("n_agents", [12, 21])
def test_names_take_no_room_from_the_panels_nor_from_one_another(n_tasks, n_agents):
    suite = a_suite(n_tasks, 2)
    names = [f"AgentOfSomeLength{j}" for j in range(n_agents)]
    (section,) = board.build(suite, some_rows(suite, names)).sections
    figure = curves(section)
    figure.draw_without_rendering()  # so that it is laid out
    whole = figure.bbox
    for axes in figure.axes[:n_tasks]:
        box = axes.get_window_extent().transformed(figure.dpi_scale_trans.inverted())
        assert box.width > 1.8
        assert box.height > 1.6  # inches
        boxes = [text.get_window_extent() for text in axes.texts]
        for one, other in itertools.combinations(boxes, 2):
            beside = one.x1 < other.x0 or other.x1 < one.x0  # where curves coincide
            assert beside or abs(one.y0 - other.y0) > 0.7 * one.height
        assert all(whole.x0 <= b.x0 and b.x1 <= whole.x1 for b in boxes)
        assert all(whole.y0 <= b.y0 and b.y1 <= whole.y1 for b in boxes)


def test_labels_at_the_ends_are_moved_apart_as_little_as_needed():
    rng = np.random.default_rng(1)
    for _ in range(50):
        heights = np.sort(rng.random(8))
        moved = np.array(spread(heights, 0.1))
        assert np.all(np.diff(moved) >= 0.1 - 1e-12)
        # A least squares solution beats every feasible neighbour.
        loss = ((moved - heights) ** 2).sum()
        for _ in range(20):
            other = moved + 0.02 * rng.normal(size=8)
            if np.all(np.diff(other) >= 0.1):
                assert ((other - heights) ** 2).sum() >= loss - 1e-12
    assert spread([0.0, 0.5, 1.0], 0.1) == [0.0, 0.5, 1.0]
    assert spread([0.9, 0.9, 1.0], 0.25, 1.0) == [0.5, 0.75, 1.0]
    assert spread([0.0, 0.0], 0.25, 1.0) == [0.0, 0.25]


class Reader(HTMLParser):
    """Collects tags, visible text and the data."""

    def __init__(self):
        super().__init__()
        self.tags, self.text, self.scripts = [], [], []
        self.inside = None

    def handle_starttag(self, tag, attrs):
        self.tags.append((tag, dict(attrs)))
        self.inside = tag
        if tag == "script":
            self.scripts.append("")

    def handle_endtag(self, tag):
        self.inside = None

    def handle_data(self, data):
        if self.inside == "script":
            self.scripts[-1] += data
        else:
            self.text.append(data)


_pages = {}  # by the identity of their boards, which are kept so that no other has it


def read_page(built):
    """The page of a board, which takes a second to draw: once in a process."""
    if id(built) not in _pages:
        reader = Reader()
        reader.feed(report.page(built))
        _pages[id(built)] = built, reader
    return _pages[id(built)][1]


def test_every_board_has_a_page_that_needs_nothing_else(built):
    page = read_page(built)
    names = {tag for tag, _ in page.tags}
    assert names.isdisjoint({"link", "iframe", "object", "base", "form"})
    assert not [attrs for _, attrs in page.tags if "srcset" in attrs]
    ids = [attrs["id"] for _, attrs in page.tags if "id" in attrs]
    assert len(ids) == len(set(ids))
    links = [attrs["href"] for _, attrs in page.tags if "href" in attrs]
    assert {link.removeprefix("#") for link in links} <= set(ids)
    # Where scripts do not run a picture of each section takes their place.
    pictures = [attrs["src"] for tag, attrs in page.tags if tag == "img"]
    assert len(pictures) == len([section for section in built.sections if section.standings])
    for picture in pictures:
        png = base64.b64decode(picture.removeprefix("data:image/png;base64,"), validate=True)
        assert png.startswith(b"\x89PNG")
    assert len([attrs for _, attrs in page.tags if "src" in attrs]) == len(pictures)
    policy = next(a for tag, a in page.tags if tag == "meta" and "http-equiv" in a)
    assert policy["content"].startswith("default-src 'none'")
    data, plotly, own = page.scripts
    assert len(plotly) > 1_000_000
    assert "http" not in own
    drawn = json.loads(data)
    played = [section for section in built.sections if section.standings]
    assert [view["name"] for view in drawn] == [s.name for s in played or built.sections]
    for view, section in zip(drawn, played, strict=bool(played)):
        labels = [standing.label for standing in section.standings]
        assert [agent["label"] for agent in view["agents"]] == labels
        assert [task["name"] for task in view["tasks"]] == [task.name for task in section.tasks]
        for task in view["tasks"]:
            for label, curve in task["curves"].items():
                mean = section.standings[labels.index(label)].tasks[task["name"]].curve.mean
                assert curve["mean"] == pytest.approx(mean, rel=1e-4)
    assert "5u17e" in "".join(page.text)


def test_names_and_messages_are_text_in_the_page():
    page = read_page(troubled())
    assert not [attrs for _, attrs in page.tags if any(key.startswith("on") for key in attrs)]
    text = " ".join("".join(page.text).split())
    assert text.count(HOSTILE) >= 6  # tables, citation, message, refusal, hyperparameters
    assert "Made <up> [red]suite" in text
    assert f"Broken failed in 1 episode: ValueError: {HOSTILE}" in text
    assert f"Picky cannot play task-0: no, {HOSTILE}" in text
    assert "Late is not ranked: not yet run in 6 of 15 episodes" in text
    assert "None." not in text


def test_scores_ranks_and_unscored_tasks_are_in_the_page():
    built = a_board("whole")
    text = "".join(read_page(built).text)
    best = built.sections[0].standings[0]
    assert f"{best.score.value:.3f} [{best.score.low:.3f}, {best.score.high:.3f}]" in text
    assert "None." in text
    text = " ".join("".join(read_page(a_board("no baseline")).text).split())
    assert "task-0 is not scored: the baseline has no result on 5 of 5 seeds" in text


def test_every_task_has_a_table_of_its_raw_measure():
    built = several()
    text = report.page(built)
    tables = re.findall(r'<details class="task"><summary>(.*?)</details>', text, re.DOTALL)
    played = [section for section in built.sections if section.standings]
    tasks = [(section, task) for section in played for task in section.tasks]
    assert len(tables) == len(tasks)
    for table, (section, task) in zip(tables, tasks, strict=True):
        name = measure_text(task.measure)
        assert table.startswith(f"{task.name}: {name} and score</summary>")
        assert f">{name.capitalize()} {'↑' if task.family == 'news' else '↓'} [95 %]<" in table
        rows = re.findall(r"<tr(?! id).*?</tr>", table, re.DOTALL)[1:]
        for row, standing in zip(rows, section.standings, strict=True):
            result = standing.tasks[task.name]
            assert f'data-value="{result.measure.value}">{amount_text(result.measure)}<' in row
            assert f">{interval_text(result.score)}<" in row
            assert f">{result.seeds}<" in row
            assert ">0.400<" in row


def test_a_page_of_several_families_shows_one_of_them_at_a_time():
    page = read_page(several())
    names = ["armed", "linear", "news"]
    buttons = [a["data-view"] for tag, a in page.tags if tag == "button" and "data-view" in a]
    articles = [attrs for tag, attrs in page.tags if tag == "article"]
    assert buttons == [a["data-view"] for a in articles] == ["0", "1", "2"]
    assert ["hidden" in attrs for attrs in articles] == [False, True, True]
    drawn = json.loads(page.scripts[0])
    assert [view["name"] for view in drawn] == names
    assert [task["rate"] for task in drawn[2]["tasks"]] == [True, True]
    assert drawn[2]["tasks"][0]["measure"] == "clicks per 10 000"
    text = " ".join("".join(page.text).split())
    assert "4 agents on task-1, task-5." in text
    assert "no results yet: losses" in text
    assert "no agent plays every family, so there is no overall ranking" in text
    assert f"Picky can play nothing here: not armed, {HOSTILE} (and 3 more reasons)" in text
    assert f"{HOSTILE}, Third failed in 1 episode each: ValueError: {HOSTILE}" in text
    assert f"clicks per 10 000 402500{HOSTILE}" in text  # baseline, best, noise, reference
    # One line an agent of all sections says how to name it again.
    assert text.count("noise_std=from the task") == 8


def test_a_page_of_one_family_has_nothing_to_choose():
    page = read_page(a_board("whole"))
    assert "Reference" not in page.text
    assert not [a for tag, a in page.tags if tag == "nav" or ("data-view" in a and tag == "button")]


@pytest.mark.parametrize(
    ("size", "expected"),
    [(None, "–"), (0, "0 B"), (999, "999 B"), (1720, "1.7 kB"), (99_900, "100 kB"),
     (999_600, "1 MB"), (39_200, "39 kB"), (5_400_000_000_000, "5400 GB")],
)  # fmt: skip
def test_sizes_read_well(size, expected):
    assert bytes_text(size) == expected


def test_numbers_read_well():
    one = a_board("whole").sections[0].standings[0]
    for microseconds, expected in (
        (None, "–"), (0.0, "0.000"), (0.01234, "0.012"), (0.4, "0.400"), (1.234, "1.23"),
        (12.34, "12.3"), (123.4, "123"), (12_345.6, "12346"),
    ):  # fmt: skip
        assert time_text(dataclasses.replace(one, microseconds=microseconds)) == expected
    for rank, expected in (((1, 1), "1"), ((2, 4), "2–4"), (None, "–")):
        assert rank_text(dataclasses.replace(one, rank=rank)) == expected
    assert interval_text(Interval(-0.0001, -0.0004, 0.1236)) == "0.000 [0.000, 0.124]"
    assert interval_text(Interval(-0.5, None, None)) == "-0.500"


def test_remarks_of_some_sections_alone_stay_there():
    suite = a_suite(6, families=("armed", "linear", "news"))
    rows = some_rows(suite, ("One", "Two"))
    twice = dataclasses.replace(rows[0], measures={"regret": [1.0] * 4})
    built = board.build(suite, [*rows, twice])
    assert of_board(built) == []
    text = shown(report.terminal(built, 150), 150)
    assert text.count("1 episodes are stored more than once") == 2  # of its family, and overall


def test_measures_are_words():
    assert measure_text("clicks_per_10000") == "clicks per 10 000"
    assert measure_text("regret") == "regret"
