"""Comparisons that are stopped and go on, that fail, and that are refused. 6 seconds."""

from dataclasses import replace

import pytest

from leaderboards.comparison import sequential_play
from leaderboards.comparison.contest import contest_of
from leaderboards.comparison.sequential_play import SequentialPlay, Until
from leaderboards.processes.workers import Here
from leaderboards.run import sizes
from leaderboards.run.store.store import Store

from .small_comparisons import ALIKE, SUITE, rows_of


def test_a_budget_that_ran_out_says_what_it_found_and_a_larger_one_goes_on(course, tmp_path):
    names = "UCB1", "KLUCB"
    short = course(*names, until={"budget": 10}).play()
    assert (short.pairs[0].verdict, short.pairs[0].seeds) == (None, 10)
    assert "undecided after 10 seeds" in repr(short)
    before = rows_of(tmp_path / "store")
    played = []
    more = course(*names, until={"budget": 20}, progress=lambda *_: played.append(1))
    found = more.play()
    assert len(played) > 0
    after = rows_of(tmp_path / "store")
    assert len(after) == len(set(after)) == len(before) + 3 * 10  # two agents and the baseline
    assert found.pairs == course(*names, until={"budget": 20}, store="fresh").play().pairs
    assert course(*names, until={"budget": 10}).play().pairs == short.pairs


@pytest.mark.parametrize("after", [1, 3, 6, 9])
def test_a_comparison_that_is_interrupted_tells_and_goes_on(course, tmp_path, after):
    names, until = ("UCB1", "KLUCB"), {"budget": 64}
    expected = course(*names, until=until, store="whole").play()
    calls = []

    def interrupt(*_):
        calls.append(1)
        if len(calls) == after:
            raise KeyboardInterrupt

    stopped = course(*names, until=until, progress=interrupt)
    with pytest.raises(KeyboardInterrupt):
        stopped.play()
    so_far = stopped.found()
    if so_far is not None:
        assert so_far.pairs[0].seeds < 64
        whole = course(*names, store="whole", seeds=so_far.pairs[0].seeds)
        assert so_far.pairs[0].difference.value == whole.play().pairs[0].difference.value
    assert course(*names, until=until).play().pairs == expected.pairs
    assert rows_of(tmp_path / "store") == rows_of(tmp_path / "whole")


def test_before_the_denominators_are_fixed_nothing_is_found(course):
    assert course("UCB1", "KLUCB").found() is None


FAILS = """
import agents

class Fails(agents.UCB1):
    def _choose(self, contexts):
        if (self.decisions > 5).any():
            raise RuntimeError("it broke")
        return super()._choose(contexts)
"""


def test_an_agent_that_fails_is_not_left_out(course, tmp_path):
    (tmp_path / "fails.py").write_text(FAILS)
    with pytest.raises(
        ValueError, match="^Fails failed on ArmedBandit-v0, seed 0, and no seed may"
    ):
        course("UCB1", f"{tmp_path}/fails.py:Fails").play()


def test_what_has_no_scale_is_refused_or_not_counted(tmp_path):
    fair = contest_of(
        "ArmedBandit-v0", ["UCB1", "KLUCB"], settings={"means": [0.5, 0.5]}, horizon=20
    )
    with pytest.raises(ValueError, match="no scale for scores on .*: uniform play is as good"):
        SequentialPlay(fair, Until(store=tmp_path / "a"), workers=1).play()
    text = SUITE.replace('reference = "UCB1"', "")
    (tmp_path / "two.toml").write_text(text)
    contest = contest_of(str(tmp_path / "two.toml"), ["UCB1", "KLUCB"])
    found = SequentialPlay(contest, Until(store=tmp_path / "b"), seeds=2, workers=1).play()
    assert list(found.denominators) == ["arms"]
    assert found.notes[0].startswith("not counted: clicks: the suite names no reference")


def test_a_task_that_is_the_same_on_every_seed_is_told(tmp_path):
    (tmp_path / "alike.py").write_text(ALIKE)
    text = SUITE.replace("ArmedBandit-v0", "alike.py:Alike", 1)
    (tmp_path / "two.toml").write_text(text)
    contest = contest_of(str(tmp_path / "two.toml"), ["UCB1", "KLUCB"], trust=True)
    found = SequentialPlay(contest, Until(store=tmp_path / "b"), seeds=2, workers=1).play()
    assert found.notes == ("the environment is the same on every seed of arms: only agents vary",)
    alone = contest_of(f"{tmp_path}/alike.py:Alike", ["UCB1", "KLUCB"], horizon=30)
    course = SequentialPlay(alone, Until(store=tmp_path / "b"), seeds=2, workers=1)
    with pytest.raises(ValueError, match="Alike is the same on every seed"):
        course.play()


def test_rows_of_a_leaderboard_are_used_and_those_of_other_code_are_not(course, tmp_path):
    (tmp_path / "two.toml").write_text(SUITE)
    on = str(tmp_path / "two.toml")
    first = course("UCB1", "KLUCB", on=on, seeds=3)
    expected = first.play()
    store = Store(tmp_path / "other")
    with store:
        store.append(
            replace(row, sources="0" * 16, measures={"regret": [9e9], "reward": [9e9]}, rounds=[40])
            for row in Store(tmp_path / "store").rows()
        )
    assert course("UCB1", "KLUCB", on=on, seeds=3, store="other").play().pairs == expected.pairs


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"margin": 0.0}, r"margin is a share in \(0, 1\), got 0.0"),
        ({"margin": float("nan")}, "margin .* got nan"),
        ({"margin": 1}, "margin .* got 1"),
        ({"budget": 0}, "budget is a number of seeds in 1..500000, got 0"),
        ({"budget": 500_001}, "budget .* got 500001"),
        ({"budget": True}, "budget .* got True"),
        ({"budget": 2.5}, "budget .* got 2.5"),
    ],
)
def test_limits_are_checked(given, message):
    with pytest.raises(ValueError, match=message):
        Until(**given)
    assert Until(margin=0.9, budget=500_000).budget == 500_000


def test_given_seeds_are_checked(course):
    with pytest.raises(ValueError, match="seeds is a number of seeds in 1..500000, got 0"):
        course("UCB1", "KLUCB", seeds=0)


def test_long_batches_play_in_processes_and_short_ones_here(course, monkeypatch):
    asked = []

    class Stop(Exception):
        pass

    def baselines(suite, **given):
        asked.append((given["execution"].workers, given["execution"].executor))
        raise Stop

    monkeypatch.setattr(sequential_play, "played_baselines", baselines)
    monkeypatch.setattr(sizes, "workers_for", lambda seconds: 1 if seconds < 20 else 7)
    for workers in (None, 1, 3):
        with pytest.raises(Stop):
            course("UCB1", "KLUCB", workers=workers).play()
    monkeypatch.setattr(sequential_play.Contest, "seconds", lambda self, n: 21.0)
    with pytest.raises(Stop):
        course("UCB1", "KLUCB", workers=None).play()
    assert asked == [(1, Here), (1, Here), (3, None), (7, None)]
