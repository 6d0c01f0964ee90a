"""``banditgym speed``: what it shows while it measures, and what it refuses."""

import pytest

from leaderboards import cli
from leaderboards.commands.speed import speed


def test_speed_names_the_row_that_is_measured(monkeypatch, capsys):
    from contextlib import contextmanager

    from leaderboards.console import progress
    from leaderboards.speed import measure
    from leaderboards.speed.benchmarks import SpeedRow

    said = []

    @contextmanager
    def noted(title):
        yield lambda fraction, compiling, now="": said.append((fraction, now))

    rows = tuple(SpeedRow(name, "UCB1", "ArmedBandit-v0", {}, 2, 400, 1, 2) for name in ("a", "b"))
    monkeypatch.setattr(measure, "ROWS", rows)
    monkeypatch.setattr(progress, "bar", noted)
    monkeypatch.setattr("sys.argv", ["banditgym", "speed", "--quick", "--json"])
    with pytest.raises(SystemExit):
        cli.main()
    assert said == [
        (0.0, "0 of 2 done, now: a"),
        (0.5, "1 of 2 done, now: b"),
        (1.0, "2 of 2 done"),
    ]


def test_rows_cannot_be_chosen():
    with pytest.raises(ValueError, match="name none"):
        speed(["LinUCB"], peers=True)
