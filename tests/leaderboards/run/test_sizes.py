"""Runs that would take days are refused without --yes. 3 seconds."""

import contextlib
import dataclasses
import json
import sys

import pytest

from leaderboards import cli, compare
from leaderboards.run import sizes
from leaderboards.run.plan import work
from leaderboards.suites.suite import available, load


def command(monkeypatch, *words):
    monkeypatch.setattr(sys, "argv", ["banditgym", *map(str, words)])
    with contextlib.suppress(SystemExit):
        cli.main()


def suite_file(folder, seeds, horizon, settings="{ n_arms = 3 }"):
    path = folder / "mine.toml"
    path.write_text(
        f'title = "mine"\nseeds = {seeds}\n[[task]]\nname = "a"\nenv = "ArmedBandit-v0"\n'
        f"horizon = {horizon}\nsettings = {settings}\n"
    )
    return path


def test_no_shipped_suite_is_long():
    for name in available():
        suite = load(name)
        # On cores seven times as slow; linear-v1 is the longest, with the agents of all families.
        assert 0 < 7 * sizes.of_suite(suite, None) < sizes.LONG


def test_the_estimate_is_that_of_the_progress_bar(tmp_path):
    suite = load(suite_file(tmp_path, 7, 2000))
    one = 7 * work(suite.tasks[0])
    assert sizes.of_suite(suite, ["UCB1", "KLUCB"]) == pytest.approx(2 * one)
    # UCB1, KLUCB, BetaThompson, DiscountedUCB, SlidingWindowUCB, GLRklUCB, IMED, MOSS, UCBV,
    # KLUCBPlusPlus, KLUCBSwitch, GaussianThompson, BayesUCB, Softmax, GradientBandit,
    # EpsilonGreedy, ExploreThenCommit, EXP3, EXP3IX, TsallisINF and UniformRandom.
    assert sizes.of_suite(suite, None) == pytest.approx(21 * one)
    few = dataclasses.replace(suite, agents=("UCB1(scale=0.5)", "KLUCB"))
    assert sizes.of_suite(few, None) == pytest.approx(2 * one)
    assert sizes.of_baselines(suite) == pytest.approx(one)
    reference = 'measure = "reward"\nreference = "agents:UCB1"\n'
    path = suite_file(tmp_path, 7, 2000)
    path.write_text(path.read_text() + reference)
    assert sizes.of_baselines(load(path)) == pytest.approx(2 * one)
    seconds, size = sizes.of_comparison("ArmedBandit-v0", {"n_arms": 3}, 2000, 7, 2)
    assert seconds == pytest.approx(2 * one)
    assert 0 < size < 1e5


@pytest.mark.parametrize(
    ("words", "message"),
    [
        # 1.06 microseconds a round of ten arms
        (["--horizon", 10**9], "would take about 5.89 hours of one core:"),
        (["--horizon", 10**10, "--seeds", 30], "would take about 3.68 days of one core:"),
        (["--horizon", 2**63 - 1], "would take about 6.2e+06 years of one core:"),
        (["--seeds", 5 * 10**6], "hours of one core and 2.96 GB of memory:"),
        (["--horizon", 10**9, "--set", "n_arms=1000"], "would take about 1.62 days of one core:"),
    ],
)
def test_a_long_run_is_refused_with_its_time(monkeypatch, capsys, tmp_path, words, message):
    picture = tmp_path / "curves.png"
    env = ["run", "ArmedBandit-v0", "--agent", "UCB1", "--out", picture]
    command(monkeypatch, *env, *words)
    told = capsys.readouterr().err
    assert told.startswith("error: this would take about")
    assert message in told
    assert told.count("\n") == 1
    assert "--yes" in told
    assert not picture.exists()


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--horizon", 2**63], "horizon must be at most 9223372036854775807, got"),
        (["--horizon", 10**400], "horizon must be at most 9223372036854775807, got"),
        (["--seeds", 99999999999], "99999999999 seeds would take about "),
        (["--set", f"n_arms={10**400}"], "would take about 1e+291 GB of memory"),
        (["--set", "n_arms=10000000000000"], "GB of memory, and this machine has"),
    ],
)
def test_what_is_impossible_is_refused_with_yes_too(monkeypatch, capsys, tmp_path, words, message):
    env = ["run", "ArmedBandit-v0", "--agent", "UCB1", "--out", tmp_path / "curves.png", "--yes"]
    command(monkeypatch, *env, *words)
    told = capsys.readouterr().err
    assert told.startswith("error: ")
    assert message in told
    assert told.count("\n") == 1
    assert "--yes" not in told


def test_suites_are_asked_for_too(monkeypatch, capsys, tmp_path):
    store = ["--store", tmp_path / "store"]
    suite = suite_file(tmp_path, 30, 2**62)
    with monkeypatch.context() as patch:
        for begin in ("leaderboards.run.runner.run", "leaderboards.rank.baselines.write"):
            patch.setattr(begin, lambda *_, **__: pytest.fail("it began"))
        for words in (["run", suite, *store], ["baselines", suite]):
            command(monkeypatch, "leaderboard", *words)
            assert "error: this would take about" in (told := capsys.readouterr().err)
            assert "years of one core" in told
    assert not (tmp_path / "store").exists()
    command(monkeypatch, "leaderboard", "run", suite_file(tmp_path, 30, 2**63), "--yes", *store)
    assert "horizon must be in 1..9223372036854775807" in capsys.readouterr().err
    command(monkeypatch, "leaderboard", "run", suite_file(tmp_path, 10**7, 10), "--yes", *store)
    assert "seeds is a number of replicates in 1..500000" in capsys.readouterr().err
    for yes in ([], ["--yes"]):
        suite = suite_file(tmp_path, 2, 10, f"{{ n_arms = {10**400} }}")
        command(monkeypatch, "leaderboard", "run", suite, *yes, *store)
        assert "GB of memory" in capsys.readouterr().err or not yes


def test_with_yes_it_begins(monkeypatch, capsys, tmp_path):
    monkeypatch.setattr(sizes, "LONG", 0.0)
    out = ["--out", tmp_path / "curves.png"]
    env = ["run", "ArmedBandit-v0", "--agent", "UCB1", "--horizon", 9, "--seeds", 2, "--json", *out]
    suite = suite_file(tmp_path, 2, 9)
    run = ["leaderboard", "run", suite, "--agent", "UCB1", "--store", tmp_path / "store"]
    run += ["--in-process", "--json"]
    monkeypatch.setattr(sizes, "_UNITS", (("years", 1e-9),))
    for words in (env, run):
        command(monkeypatch, *words)
        assert "this would take about" in capsys.readouterr().err
        command(monkeypatch, *words, "--yes")
        assert json.loads(capsys.readouterr().out)


def test_seeds_beyond_memory_are_refused_by_compare():
    with pytest.raises(ValueError, match="99999999999999 seeds are more than fit"):
        compare("ArmedBandit-v0", ["UCB1"], seeds=99999999999999)
