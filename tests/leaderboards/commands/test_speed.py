"""``banditgym speed``: what it shows while it measures, and what it refuses."""

from contextlib import contextmanager

import pytest

from leaderboards import cli
from leaderboards.commands.speed import speed
from leaderboards.console import progress
from leaderboards.speed import measure
from leaderboards.speed.benchmarks import SpeedRow


def test_speed_names_the_row_that_is_measured(monkeypatch, capsys):
    said = []

    @contextmanager
    def noted(title):
        yield lambda fraction, compiling, now="": said.append((fraction, now))

    rows = tuple(SpeedRow(name, "UCB1", "ArmedBandit-v0", {}, 2, 40) for name in ("a", "b"))
    monkeypatch.setattr(measure, "ROWS", rows)
    monkeypatch.setattr(progress, "bar", noted)
    monkeypatch.setattr("sys.argv", ["banditgym", "speed", "--all", "--json"])
    with pytest.raises(SystemExit):
        cli.main()
    assert said == [
        (0.0, "0 of 2 done, now: a"),
        (0.5, "1 of 2 done, now: b"),
        (1.0, "2 of 2 done"),
    ]


def test_names_and_all_rows_exclude_each_other():
    with pytest.raises(ValueError, match="name rows or give --all, not both"):
        speed(["LinUCB"], every=True)
