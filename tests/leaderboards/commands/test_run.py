"""``banditgym run``: a table, a picture and JSON."""

import json

import pytest


def test_an_environment_of_ones_own_is_compared(call, tmp_path):
    source = "from banditgym.envs.armed import ArmedBandit\nclass Mine(ArmedBandit): pass\n"
    (tmp_path / "mine.py").write_text(source)
    shared = ["--agent", "UCB1", "--horizon", "50", "--seeds", "3", "--set", "n_arms=4", "--json"]
    code, out, _ = call("run", "mine.py:Mine", *shared)
    assert code == 0
    (own,), (ours,) = json.loads(out), json.loads(call("run", "ArmedBandit-v0", *shared)[1])
    assert own["mean"] == ours["mean"]


def test_a_quick_comparison(call, tmp_path):
    arguments = ["run", "LinearBandit-v0", "--agent", "LinUCB", "--agent", "UniformRandom"]
    arguments += ["--set", "dim=3", "--set", "noise=uniform", "--set", "fixed_arms=true"]
    arguments += ["--horizon", "100", "--seeds", "5"]
    code, out, err = call(*arguments)
    assert code == 0
    assert "LinUCB" in out
    assert "fixed_arms=True" in out
    assert "noise='uniform'" in out
    assert "wrote curves.png" in err
    assert (tmp_path / "curves.png").stat().st_size > 1000
    code, out, _ = call(*arguments, "--json", "--out", "other.png")
    assert code == 0
    assert [row["agent"] for row in json.loads(out)] == ["LinUCB", "UniformRandom"]


@pytest.mark.filterwarnings("always::UserWarning")
def test_a_doubtful_column_is_named_once(call, tmp_path):
    """Although the environment is made several times."""
    lines = [f'"1,{234 + i}",{i % 7},{"ab"[i % 2]}' for i in range(30)]
    (tmp_path / "rows.csv").write_text("\n".join(["price,x,kind", *lines]))
    arguments = ["--agent", "Confidit", "--seeds", "2", "--set", "data=('rows.csv', 'kind')"]
    code, _, err = call("run", "MulticlassBandit-v0", *arguments, "--json")
    assert code == 0
    told = [line for line in err.splitlines() if line.startswith("warning: ")]
    assert len(told) == 1
    assert told[0].startswith("warning: rows.csv: the column 'price' is left out: its text has two")


@pytest.mark.parametrize("option", ["--workers", "--threads"])
def test_a_run_without_a_worker_or_a_thread_is_refused_in_one_line(call, option):
    code, out, err = call("run", "ArmedBandit-v0", "--agent", "UCB1", option, "0")
    assert (code, out, err) == (2, "", f"error: {option[2:]} must be >= 1, got 0\n")
