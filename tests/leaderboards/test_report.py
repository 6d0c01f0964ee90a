"""Every output of small made-up boards, hostile names included (about 4 s)."""

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

from leaderboards import board, report
from leaderboards.report.curves import _spread
from leaderboards.report.tables import bytes_text
from leaderboards.store import Row
from leaderboards.suite import Suite, SuiteTask

ROUNDS = [1, 10, 100, 1000]
HOSTILE = '</script><img src=x onerror="alert(1)">[bold]$x$|{{ 7*7 }}'


def a_suite(n_tasks=3, n_seeds=5, **changes):
    settings = {"baseline": 500.0, "best": 0.0, "noise": 2.0, "family": "linear"} | changes
    tasks = tuple(
        SuiteTask(
            name=f"task-{m}",
            env="LinearBandit-v0",
            settings={"dim": 5, "note": "<b>"},
            horizon=1000,
            **settings,
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
    )


def some_rows(suite, learners=("LinUCB", "LinTS", HOSTILE), sign=1.0):
    rng = np.random.default_rng(0)
    rows = []
    for level, agent in enumerate(learners, start=1):
        for task, seed in itertools.product(suite.tasks, suite.seeds):
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
                    measures={"regret": [final * math.sqrt(t / 1000) for t in ROUNDS]},
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
    """A failure with a hostile message, a refusal, a learner that is not finished."""
    suite = a_suite()
    rows = some_rows(suite, ("LinUCB", "LinTS", HOSTILE, "Late", "Broken"))
    rows[-1] = without_numbers(rows[-1], f"ValueError: {HOSTILE}")
    rows = [row for row in rows if not (row.agent == "Late" and row.seed > 2)]
    rows.append(without_numbers(rows[0], f"no, {HOSTILE}", agent="Picky", seed=-1, refused=True))
    return board.build(suite, rows)


BOARDS = {
    "whole": lambda: board.build(a_suite(), some_rows(a_suite())),
    "troubled": troubled,
    "empty": lambda: board.build(a_suite(), []),
    "one seed": lambda: board.build(a_suite(1, 1), some_rows(a_suite(1, 1))),
    "no baseline": lambda: board.build(
        a_suite(baseline=math.nan, best=math.nan, noise=math.nan), some_rows(a_suite())
    ),
    "many": lambda: board.build(
        a_suite(7), some_rows(a_suite(7), [f"Learner{j}" for j in range(16)])
    ),
}


@pytest.fixture(params=BOARDS)
def built(request):
    return a_board(request.param)


@functools.cache
def a_board(name):
    return BOARDS[name]()


def shown(table, width):
    console = Console(width=width, file=io.StringIO())
    console.print(table)
    return console.file.getvalue()


@pytest.mark.parametrize("width", [120, 100, 70, 50])
def test_the_terminal_shows_every_learner_within_its_width(built, width):
    text = shown(report.terminal(built, width), width)
    assert max(map(len, text.splitlines())) <= width
    for standing in built.standings:
        assert standing.label[:10] in text
        if standing.score and width > 60:
            assert f"{standing.score.value:.3f}" in text


def test_the_terminal_reads_no_markup_and_tells_the_trouble():
    text = shown(report.terminal(troubled(), 400), 400)
    assert "Made <up> [red]suite" in text
    assert HOSTILE in text
    assert "Broken is not ranked: failed in 1 of 15 cells" in text
    assert f"Broken, 1 cell: ValueError: {HOSTILE}" in text
    assert "Late is not ranked: not yet run in 6 of 15 cells" in text
    assert f"Picky cannot play task-0: no, {HOSTILE}" in text


def test_narrow_terminals_lose_citations_first():
    built = a_board("whole")
    heads = {width: shown(report.terminal(built, width), width) for width in (110, 85, 70)}
    assert "paper" in heads[110]
    assert "paper" not in heads[85]
    assert "from the task" in heads[85]
    assert "from the task" not in heads[70]
    assert "µs/round" in heads[70]


def test_markdown_keeps_its_columns_whatever_the_names(built):
    text = report.markdown(built)
    for table in re.findall(r"(?:^\|.*\n)+", text, flags=re.MULTILINE):
        widths = {len(re.findall(r"(?<!\\)\|", line)) for line in table.splitlines()}
        assert len(widths) == 1
    assert "<img" not in re.sub(r"\\<", "", text)
    for standing in built.standings:
        assert standing.label[:6].replace("<", "\\<") in text


def test_csv_holds_the_numbers_in_full(built):
    lines = list(csv.DictReader(io.StringIO(report.csv(built))))
    assert [line["learner"] for line in lines] == [s.label for s in built.standings]
    for line, standing in zip(lines, built.standings, strict=True):
        if standing.score is None:
            assert line["score"] == line["rank_first"] == ""
            assert line["unranked"] == standing.unranked
        else:
            assert float(line["score"]) == standing.score.value
            assert (int(line["rank_first"]), int(line["rank_last"])) == standing.rank
        for name, result in standing.tasks.items():
            expected = "" if result.score is None else repr(result.score.value)
            assert line[f"task:{name}"] == expected


def test_json_is_the_board_without_nan(built):
    def refuse(constant):
        raise AssertionError(constant)

    read = json.loads(report.json(built), parse_constant=refuse)
    assert read["suite"]["hash"] == "5u17e"
    assert [s["label"] for s in read["standings"]] == [s.label for s in built.standings]
    for entry, standing in zip(read["standings"], built.standings, strict=True):
        score = standing.score and dataclasses.asdict(standing.score)
        assert entry["score"] == score
        for name, result in standing.tasks.items():
            assert entry["tasks"][name]["curve"] == (
                result.curve and json.loads(json.dumps(dataclasses.asdict(result.curve)))
            )


def test_every_board_is_drawn(built):
    figure = report.curves(built)
    assert len(figure.axes) >= len(built.suite.tasks)
    figure.savefig(io.BytesIO(), dpi=40)


def test_a_panel_shows_means_intervals_and_uniform_play():
    built = a_board("whole")
    axes = report.curves(built).axes[0]
    assert axes.get_title(loc="left") == "task-0"
    lines = {tuple(line.get_ydata()) for line in axes.lines}
    for standing in built.standings:
        assert standing.tasks["task-0"].curve.mean in lines
    assert len(axes.collections) == 3  # one band each
    baseline = axes.lines[-1]
    assert (baseline.get_xdata()[-1], baseline.get_ydata()[-1]) == (1000, 500.0)
    assert (axes.get_xscale(), axes.get_yscale()) == ("log", "log")


def test_regret_that_may_be_negative_is_drawn_linearly():
    suite = a_suite()
    axes = report.curves(board.build(suite, some_rows(suite, sign=-1.0))).axes[0]
    assert (axes.get_xscale(), axes.get_yscale()) == ("linear", "linear")


def test_the_legend_names_every_learner_once_and_no_two_look_alike():
    built = a_board("many")
    figure = report.curves(built)
    (legend,) = figure.legends  # too long for a panel
    assert figure.axes[0].get_gridspec().ncols == 4
    names = [text.get_text() for text in legend.get_texts()]
    assert names == [s.label for s in built.standings] + ["uniform play"]
    looks = {(line.get_color(), str(line.get_linestyle()), line._dash_pattern[1] and
              tuple(line._dash_pattern[1])) for line in legend.get_lines()}  # fmt: skip
    assert len(looks) == 17


def test_a_short_legend_takes_the_free_panel():
    figure = report.curves(a_board("whole"))
    assert not figure.legends
    assert figure.axes[-1].get_legend() is not None


def test_labels_at_the_ends_are_moved_apart_as_little_as_needed():
    rng = np.random.default_rng(1)
    for _ in range(50):
        heights = np.sort(rng.random(8))
        moved = np.array(_spread(heights, 0.1))
        assert np.all(np.diff(moved) >= 0.1 - 1e-12)
        # A least squares solution beats every feasible neighbour.
        loss = ((moved - heights) ** 2).sum()
        for _ in range(20):
            other = moved + 0.02 * rng.normal(size=8)
            if np.all(np.diff(other) >= 0.1):
                assert ((other - heights) ** 2).sum() >= loss - 1e-12
    assert _spread([0.0, 0.5, 1.0], 0.1) == [0.0, 0.5, 1.0]


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


def read_page(built):
    reader = Reader()
    reader.feed(report.page(built))
    return reader


def test_every_board_has_a_page_that_needs_nothing_else(built):
    page = read_page(built)
    names = {tag for tag, _ in page.tags}
    assert names.isdisjoint({"link", "img", "iframe", "object", "base", "form"})
    assert not [attrs for _, attrs in page.tags if {"src", "href", "srcset"} & attrs.keys()]
    policy = next(a for tag, a in page.tags if tag == "meta" and "http-equiv" in a)
    assert policy["content"].startswith("default-src 'none'")
    data, plotly, own = page.scripts
    assert len(plotly) > 1_000_000
    assert "http" not in own
    drawn = json.loads(data)
    assert [learner["label"] for learner in drawn["learners"]] == [
        standing.label for standing in built.standings
    ]
    for task in drawn["tasks"]:
        for label, curve in task["curves"].items():
            (standing,) = [s for s in built.standings if s.label == label]
            mean = standing.tasks[task["name"]].curve.mean
            assert curve["mean"] == pytest.approx(mean, rel=1e-4)
    assert "5u17e" in "".join(page.text)


def test_names_and_messages_are_text_in_the_page():
    page = read_page(troubled())
    assert not [attrs for _, attrs in page.tags if any(key.startswith("on") for key in attrs)]
    text = " ".join("".join(page.text).split())
    assert text.count(HOSTILE) >= 6  # tables, citation, message, refusal, hyperparameters
    assert "Made <up> [red]suite" in text
    assert f"Broken failed in 1 cell: ValueError: {HOSTILE}" in text
    assert f"Picky cannot play task-0: no, {HOSTILE}" in text
    assert "Late is not ranked: not yet run in 6 of 15 cells" in text
    assert "None." not in text


def test_scores_ranks_and_unscored_tasks_are_in_the_page():
    built = a_board("whole")
    text = "".join(read_page(built).text)
    best = built.standings[0]
    assert f"{best.score.value:.3f} [{best.score.low:.3f}, {best.score.high:.3f}]" in text
    assert "None." in text
    text = " ".join("".join(read_page(a_board("no baseline")).text).split())
    assert "task-0 is not scored: the suite holds no baseline for it" in text


@pytest.mark.parametrize(
    ("size", "expected"),
    [(None, "–"), (0, "0 B"), (999, "999 B"), (1720, "1.7 kB"), (99_900, "100 kB"),
     (999_600, "1 MB"), (39_200, "39 kB"), (5_400_000_000_000, "5400 GB")],
)  # fmt: skip
def test_sizes_read_well(size, expected):
    assert bytes_text(size) == expected
