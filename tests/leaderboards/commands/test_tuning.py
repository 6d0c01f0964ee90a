"""``banditgym tune``: what it prints, and one line for each error."""

import json

import pytest

from leaderboards.tuning import tune as tuning


@pytest.fixture(autouse=True)
def smaller(monkeypatch):
    """Fewer seeds: a command starts processes, which take their time."""
    monkeypatch.setattr(tuning, "SEEDS", 4)
    monkeypatch.setattr(tuning, "FURTHER", 4)


def test_an_agent_is_tuned_and_shown_beside_its_defaults(call, tmp_path):
    command = ["tune", "UCB1(noise_std=2.0)", "small.toml", "--trials", "3", "--workers", "1"]
    code, out, err = call(*command, "--store", "mine")
    assert code == 0, err
    assert "with tuned settings" in out
    assert "of 3 trials on 4 seeds from 500000 on" in out
    assert "noise_std=" in out
    (journal,) = (tmp_path / "mine").glob("UCB1*.armed.journal")
    assert {path.name for path in (tmp_path / "mine").iterdir()} == {
        "baselines", "rows", "settings.json", journal.name, journal.with_suffix(".lock").name
    }  # fmt: skip
    (one,) = json.loads((tmp_path / "mine/settings.json").read_text())
    assert one["setting"]
    code, again, _ = call(*command, "--store", "mine", "--json")
    assert code == 0
    assert json.loads(again) == [one]
    code, _, err = call(*command[:3], "--trials", "4", "--store", "mine")
    assert code == 2
    assert "on armed with other trials: name another folder with --store" in err

    # The column of a board: of the agents that were tuned, beside those of a store.
    code, _, err = call(
        "leaderboard", "run", "small.toml", "--in-process", "--agent", "UCB1(noise_std=2.0)",
        "--agent", "KLUCB",
    )  # fmt: skip
    assert code == 0, err
    code, shown, _ = call("leaderboard", "show", "small.toml", "--tuned", "mine")
    assert code == 0
    assert "with tuned settings" in shown
    assert "KLUCB" in shown.partition("with tuned settings")[2]
    assert "with tuned settings" not in call("leaderboard", "show", "small.toml")[1]
    code, _, _ = call("leaderboard", "report", "small.toml", "--tuned", "mine", "--out", "report")
    assert code == 0
    assert "## Tuned" in (tmp_path / "report/leaderboard.md").read_text()
    assert "<h2>Tuned</h2>" in (tmp_path / "report/index.html").read_text()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["UCB1"], "name the suite too: banditgym tune UCB1 core-v3"),
        (["mine.py:Mine"], "name the suite too: banditgym tune mine.py:Mine core-v3"),
        (["cor-v2"], "unknown suite 'cor-v2'; did you mean core-v2?"),
        (["UCB1", "small.toml", "more"], "got UCB1 small.toml more"),
        (["UBC1", "small.toml"], "unknown agent 'UBC1'; did you mean UCB1?"),
        (["UniformRandom", "small.toml"], "UniformRandom has nothing to tune"),
        (["LinUCB", "small.toml"], "LinUCB cannot play a task of small"),
        (["UCB1", "small.toml", "--family", "linear"], "small has no family 'linear'; there are"),
        (["UCB1", "small.toml", "--trials", "0"], "trials must be >= 1, got 0"),
        (["UCB1", "small.toml", "--trials", "x"], "--trials"),
        (["UCB1", "small.toml", "--workers", "0"], "workers must be >= 1, got 0"),
        (["UCB1", "small.toml", "--store", "small.toml"], "--store small.toml is a file"),
        (["UCB1", "small.toml", "--trials", "100000000"], "start it anyway with --yes"),
        (["UCB1(nose_std=1)", "small.toml"], "did you mean noise_std?"),
    ],
)
def test_a_wrong_argument_is_one_line(call, tmp_path, arguments, message):
    code, out, err = call("tune", *arguments)
    assert (code, out) == (2, "")
    assert message in err
    assert len(err.strip().splitlines()) == 1
    assert not (tmp_path / "banditgym-tuned").exists()


def test_a_missing_folder_of_settings_is_one_line(call):
    call("leaderboard", "run", "small.toml", "--in-process", "--agent", "UCB1")
    code, _, err = call("leaderboard", "show", "small.toml", "--tuned", "gone")
    assert code == 2
    assert err.strip() == "error: gone has no tuned settings: banditgym tune writes them there"


def test_without_optuna_one_line_says_what_to_install(call, monkeypatch):
    from leaderboards.tuning.optional import optuna

    optuna.cache_clear()
    monkeypatch.setitem(__import__("sys").modules, "optuna", None)
    code, _, err = call("tune", "UCB1", "small.toml")
    optuna.cache_clear()
    assert code == 2
    assert "tuning needs Optuna: pip install 'banditgym[tune]'" in err
    assert len(err.strip().splitlines()) == 1
