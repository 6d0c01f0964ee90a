"""``banditgym compare``: tables, errors of one line, Ctrl-C. 5 seconds."""

import json

import pytest

from leaderboards.comparison import sequential_play

SMALL = ["--on", "ArmedBandit-v0", "--set", "means=[0.2, 0.9]", "--horizon", "30"]


def test_without_the_option_the_difference_on_given_seeds_is_shown(call):
    code, out, err = call("compare", "UCB1", "KLUCB", *SMALL)
    assert code == 0
    assert "difference [95 %]" in out
    assert "found and interval: by betting" in " ".join(out.split())
    assert "Student's t" not in out
    assert "more to decide" in out
    assert "20" in out
    assert "uniform play has a mean regret of" in err


def test_a_second_call_plays_nothing_again(call, tmp_path):
    first = call("compare", "UCB1", "UniformRandom", *SMALL, "--until-decided", "--json")
    stored = {path: path.read_bytes() for path in (tmp_path / "banditgym-results").iterdir()}
    again = call("compare", "UCB1", "UniformRandom", *SMALL, "--until-decided", "--json")
    assert again[:2] == first[:2]
    assert json.loads(first[1])["pairs"][0]["verdict"] == "better"
    assert {p: p.read_bytes() for p in (tmp_path / "banditgym-results").iterdir()} == stored


@pytest.mark.parametrize("batches", [0, 1])
def test_an_interrupted_comparison_says_what_it_found_and_how_to_go_on(call, monkeypatch, batches):
    real, runs = sequential_play.run, []

    def run(suite, specs, **given):
        runs.append(suite.seeds)
        if len(runs) > batches:
            raise KeyboardInterrupt
        real(suite, specs, **given)

    monkeypatch.setattr(sequential_play, "run", run)
    code, out, err = call("compare", "UCB1", "KLUCB", *SMALL, "--until-decided")
    assert code == 130
    assert ("undecided after 16 seeds" in out) == (batches == 1)
    assert (out == "") == (batches == 0)
    assert "interrupted: finished cells are kept in banditgym-results; continue with" in err
    assert "banditgym compare UCB1 KLUCB --on ArmedBandit-v0" in err


def test_an_interrupt_before_anything_is_known_is_told(call, monkeypatch):
    def contest_of(*_, **__):
        raise KeyboardInterrupt

    monkeypatch.setattr("leaderboards.comparison.contest.contest_of", contest_of)
    code, out, err = call("compare", "UCB1", "KLUCB", *SMALL)
    assert (code, out) == (130, "")
    assert err.startswith("interrupted")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["UCB1", "--on", "ArmedBandit-v0"], "compare at least two agents, got UCB1"),
        (["UCB1", "KLUCB"], "Missing option '--on'"),
        (["--on", "ArmedBandit-v0"], "missing argument 'agents"),
        (["UCB1", "KLUCB", *SMALL, "--margin", "0"], "margin is a share in (0, 1)"),
        (["UCB1", "KLUCB", *SMALL, "--budget", "600000"], "budget is a number of seeds"),
        (["UCB1", "KLUCB", *SMALL, "--seeds", "0"], "in 1..500000, got 0"),
        (["UCB1", "KLUCB", *SMALL, "--seeds", "5", "--until-decided"], "drop --seeds"),
        (["UCB1", "KLUCB", "--on", "ArmedBandits-v0"], "did you mean ArmedBandit-v0?"),
        (["UCB1", "KLUCB", *SMALL, "--set", "horizon=5"], "horizon is not a setting"),
        (["UCB1", "KLUCB", "--on", "core-v3", "--horizon", "5"], "core-v3 is a suite"),
        (["UCB1", "KLUCB", "--on", "ArmedBandit-v0", "--horizon", "10000000000"], "with --yes"),
        (["UCB1", "KLUCB", *SMALL, "--workers", "0"], "workers must be >= 1, got 0"),
        (["UCB1", "LinUCB", *SMALL], "LinUCB cannot play ArmedBandit-v0"),
    ],
)  # fmt: skip
def test_wrong_arguments_are_one_line(call, arguments, message, tmp_path):
    code, out, err = call("compare", *arguments)
    assert (code, out) == (2, "")
    assert message.lower() in err.lower()  # typer's versions differ in capitals
    assert len(err.splitlines()) == 1
    assert not (tmp_path / "banditgym-results").exists()
