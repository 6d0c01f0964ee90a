"""Every table in a terminal of 20 columns shows whole names. 4 seconds."""

import contextlib
import io
import re
import sys
from types import SimpleNamespace

import pytest
from rich.console import Console, Group
from rich.table import Table
from rich.text import Text

import agents
from banditgym.registration import ENVIRONMENTS
from leaderboards import cli, papers
from leaderboards.console.narrow import fitted
from leaderboards.suites.suite import available


def show(monkeypatch, width, *words):
    """The output of a command in a terminal of so many columns."""
    monkeypatch.setenv("COLUMNS", str(width))
    monkeypatch.setattr(sys, "argv", ["banditgym", *map(str, words)])
    out = io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.suppress(SystemExit):
        cli.main()
    lines = out.getvalue().splitlines()
    assert lines
    assert max(map(len, lines)) <= width
    return out.getvalue()


def joined(text):
    """The text with its folded lines put together again, without any space."""
    return re.sub(r"\s", "", text)


@pytest.mark.parametrize("width", [20, 33])
@pytest.mark.parametrize(
    ("what", "names"),
    [
        ("envs", list(ENVIRONMENTS)),
        ("agents", agents.AGENTS),
        ("suites", available()),
        ("papers", papers.NAMES),
    ],
)
def test_lists(monkeypatch, what, names, width):
    text = show(monkeypatch, width, "list", what)
    assert "…" not in text
    for name in names:
        assert f"{what[:-1]}:{name}" in joined(text)


def test_a_terminal_of_no_columns_is_one_of_unknown_width(monkeypatch, capsys):
    monkeypatch.setenv("COLUMNS", "0")
    monkeypatch.setattr(sys, "argv", ["banditgym", "list", "suites"])
    with contextlib.suppress(SystemExit):
        cli.main()
    assert "core-v3" in capsys.readouterr().out


def test_runs_and_leaderboards(monkeypatch, tmp_path):
    store = tmp_path / "store"
    suite = tmp_path / "short.toml"
    suite.write_text(
        'title = "A short suite"\nseeds = 2\n[[task]]\nname = "a"\nenv = "LinearBandit-v0"\n'
        "horizon = 9\nsettings = { n_arms = 3, dim = 2 }\n"
    )
    chosen = ["--agent", "SlidingWindowLinUCB", "--agent", "UniformRandom"]
    run = ["leaderboard", "run", suite, *chosen, "--store", store, "--in-process"]
    for words in (run, ["leaderboard", "show", suite, "--store", store]):
        text = joined(show(monkeypatch, 20, *words))
        assert "agent:SlidingWindowLinUCB" in text
        assert "[95%]:0.000" in text  # the score of uniform play
        assert "rank:1" in text
    words = ["run", "LinearBandit-v0", *chosen, "--horizon", 9, "--seeds", 2]
    text = joined(show(monkeypatch, 20, *words, "--out", tmp_path / "curves.png"))
    assert "agent:SlidingWindowLinUCB" in text
    assert "behindthebest,paired:" in text


def test_speed_and_papers(monkeypatch, tmp_path):
    from leaderboards.speed import measure

    row = {
        "row": "LinUCB d=10 K=10 fresh", "n": 100, "rounds_per_second": 2e6,
        "env_microseconds": 0.2, "agent_microseconds": 0.3,
    }  # fmt: skip
    monkeypatch.setattr(measure, "chosen", lambda rows, every: [SimpleNamespace(name=row["row"])])
    monkeypatch.setattr(measure, "measured", lambda rows, every: iter([row]))
    text = joined(show(monkeypatch, 20, "speed"))
    assert "LinUCBd=10K=10fresh" in text
    assert "rounds/s:2M" in text
    assert "agent,µs:0.3" in text
    words = ["kakade2008", "--claim", "projected-halving", "--out", tmp_path]  # which is not run
    text = joined(show(monkeypatch, 20, "reproduce", *words))
    assert "claim:projected-halving" in text
    assert "number:theobstacle" in text


def test_what_fits_is_left_as_it_is_and_groups_are_looked_through():
    table = Table(box=None, title="a title", caption="a caption")
    table.add_column("name", no_wrap=True)
    table.add_column("words")
    table.add_column("", justify="right")
    table.add_row("a-long-name", "some words to be wrapped", "[red]3[/]")
    table.add_row("another", Text("[x]"))
    console = Console(file=io.StringIO(), width=30)
    assert fitted(table, console, console.options) is table
    assert fitted("text", console, console.options) == "text"
    narrow = Console(file=io.StringIO(), width=12)
    with narrow.capture() as capture:
        narrow.print(fitted(Group("first", table), narrow, narrow.options))
    assert [line.rstrip() for line in capture.get().splitlines()] == [
        "first", "a title", "name:", "a-long-name", "words: some", "words to be", "wrapped", "3",
        "", "name:", "another", "words: [x]", "", "a caption",
    ]  # fmt: skip


def test_a_column_that_says_how_far_it_shrinks_is_believed():
    table = Table(box=None)
    table.add_column("label", min_width=6)
    table.add_row(Text("one-long-label-alone", no_wrap=True, overflow="ellipsis"))
    console = Console(file=io.StringIO(), width=8)
    assert fitted(table, console, console.options) is table
