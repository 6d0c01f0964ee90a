"""A simulated run against a count by hand."""

import math
import sys
from dataclasses import replace

import pytest

from leaderboards.cluster import forecast as module
from leaderboards.cluster.forecast import PUBLISHED, forecast, seconds_per_seed
from leaderboards.run import plan, runner
from leaderboards.run.execution import IN_PROCESS
from leaderboards.store import Store
from leaderboards.suite import load

TASK = """
[[task]]
name = "{name}"
env = "ArmedBandit-v0"
horizon = {horizon}
settings = {{ means = [0.2, 0.9] }}
"""


@pytest.fixture
def suite(tmp_path):
    text = 'title = "two"\nseeds = 2\n' + TASK.format(name="short", horizon=100)
    (tmp_path / "two.toml").write_text(text + TASK.format(name="long", horizon=200))
    return load(tmp_path / "two.toml")


@pytest.fixture
def rows(suite, tmp_path):
    """UCB1 takes 1 s for an episode of the short task, and 4 s for one of the long task."""
    store = Store(tmp_path / "store")
    runner.run(suite, ["UCB1"], store=store, execution=IN_PROCESS)
    played = [row for row in store.rows() if row.agent == "UCB1"]
    of_two = {
        ("short", 0): [0.002, 0.001], ("short", 1): [math.nan, 0.017],
        ("long", 0): [0.01, 0.01], ("long", 1): [0.01, 0.01],
    }  # fmt: skip
    return [replace(row, seconds=of_two[row.task, row.seed]) for row in played]


def test_seconds_are_of_environment_and_agent_for_an_episode(suite, rows):
    assert seconds_per_seed(suite, rows) == pytest.approx(
        {("short", "UCB1"): 1.0, ("long", "UCB1"): 4.0}
    )


def test_cells_go_to_the_worker_that_is_free_first(suite, rows, monkeypatch):
    monkeypatch.setattr(plan, "MOST_SEEDS", 2)
    # Five seeds in blocks of 1, 2, 2: the long ones first, 4, 8, 8, then 1, 2, 2, and 0.5 each.
    found = forecast(suite, rows, seeds=5, workers=2, overhead=0.5)
    assert (found.pairs, found.cells) == (2, 6)
    assert found.playing == pytest.approx(25.0)
    assert found.overhead == pytest.approx(3.0)
    assert found.longest == pytest.approx(8.5)
    # The first worker has 4.5 and 8.5, to 13; the other 8.5, 1.5, 2.5, and 2.5, to 15.
    assert (found.makespan, found.idle) == pytest.approx((15.0, 2.0))


@pytest.mark.parametrize("given", [{"seeds": 0, "workers": 1}, {"seeds": 1, "workers": 0}])
def test_there_is_a_seed_and_a_worker(suite, rows, given):
    with pytest.raises(ValueError, match="must be >= 1, got 0"):
        forecast(suite, rows, **given)


def test_without_seconds_there_is_no_forecast(suite):
    with pytest.raises(ValueError, match="no row of two has seconds"):
        forecast(suite, [], seeds=1, workers=1)


def test_the_published_suite_keeps_64_workers_busy():
    """No cell runs long after the others: what docs/cluster.md promises of 1000 seeds."""
    suite = load("core-v2")
    found = forecast(suite, Store(PUBLISHED).rows(suite.hash), seeds=1000, workers=64)
    assert found.cells > 20 * 64
    assert found.longest < found.makespan / 3
    assert found.idle < 0.1 * found.makespan
    assert found.makespan < 1.1 * (found.playing + found.overhead) / 64


def test_the_command_prints_it(monkeypatch, capsys):
    monkeypatch.setattr(sys, "argv", ["forecast", "core-v2", "--seeds", "1000", "--workers", "64"])
    module.main()
    said = capsys.readouterr().out
    assert said.startswith("core-v2, 1000 seeds: 198 pairs of task and agent, 2080 cells\n")
    assert "\n64 workers: 25 s, of which the last 0.3 s" in said
    monkeypatch.setattr(sys, "argv", ["forecast", "nowhere-v1"])
    with pytest.raises(SystemExit, match="error: "):
        module.main()
