"""``banditgym leaderboard``: its outputs, and what it asks for before code runs. 15 seconds."""

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest

from leaderboards.run.store.store import Store
from leaderboards.suites.suite import load

TOYS = f"{Path(__file__).parents[1] / 'toys.py'}:"
LINEAR = """
[[task]]
name = "other"
env = "LinearBandit-v0"
horizon = 60
settings = { dim = 3 }
"""


def test_run_then_show_then_report(call, tmp_path):
    agents = ["--agent", "UCB1", "--agent", "UniformRandom", "--agent", "LinUCB"]
    agents += ["--agent", TOYS + "Raises", "--agent", TOYS + "Slow(seconds=0.0)"]
    code, ran, err = call("leaderboard", "run", "small.toml", "--in-process", *agents)
    assert code == 0
    assert "--limit is off" in err
    for word in ("UCB1", "UniformRandom", "LinUCB", "Raises", "no idea"):
        assert word in ran
    assert len(Store("banditgym-results").rows()) == 4 * 4 + 1  # UniformRandom is the baseline

    code, shown, _ = call("leaderboard", "show", "small.toml")
    assert (code, shown) == (0, ran.replace("noise on stdout\n", ""))
    code, out, _ = call("leaderboard", "show", "small.toml", "--json")
    assert code == 0
    assert "UCB1" in json.dumps(json.loads(out))

    code, out, _ = call("leaderboard", "pairs", "small.toml", "--against", "UniformRandom")
    assert code == 0
    assert "| UCB1 | regret |" in out
    code, out, _ = call(
        "leaderboard", "pairs", "small.toml", "--against", "UCB1", "--out", "pairs.tex"
    )
    assert (code, out) == (0, "wrote pairs.tex\n")
    assert "UniformRandom" in Path("pairs.tex").read_text()
    code, _, err = call(
        "leaderboard", "pairs", "small.toml", "--against", "UCB1", "--out", "pairs.txt"
    )
    reason = "its name must end in .md, .csv or .tex"
    assert (code, err) == (2, f"error: --out pairs.txt cannot be written: {reason}\n")

    code, out, _ = call("leaderboard", "report", "small.toml", "--out", "deep/report")
    assert code == 0
    names = {"leaderboard.md", "leaderboard.csv", "leaderboard.json", "curves.png", "index.html"}
    names.add("front.svg")
    assert {path.name for path in (tmp_path / "deep/report").iterdir()} == names
    assert all((tmp_path / "deep/report" / name).stat().st_size > 100 for name in names)


def test_a_suite_of_two_families_has_two_rankings(call, tmp_path):
    (tmp_path / "two.toml").write_text((tmp_path / "small.toml").read_text() + LINEAR)
    agents = ["--agent", "UCB1", "--agent", "LinUCB"]
    code, ran, _ = call("leaderboard", "run", "two.toml", "--in-process", *agents)
    assert code == 0
    _, armed, linear = re.split("armed: one\n|linear: other\n", ran)
    assert "UCB1" in armed
    assert "LinUCB" not in armed
    assert "LinUCB" in linear
    assert "UCB1" not in linear
    assert "cannot play" not in ran  # nor is it said who plays other families alone
    code, out, _ = call("leaderboard", "report", "two.toml", "--out", "report")
    assert code == 0
    figures = {"curves-armed.png", "curves-linear.png", "front-armed.svg", "front-linear.svg"}
    names = {"leaderboard.md", "leaderboard.csv", "leaderboard.json", "index.html"} | figures
    assert {path.name for path in (tmp_path / "report").iterdir()} == names
    assert all(name in out for name in names)


def test_failures_that_are_final_are_told(call):
    for _ in range(2):
        call("leaderboard", "run", "small.toml", "--in-process", "--agent", TOYS + "Raises")
    code, _, err = call(
        "leaderboard", "run", "small.toml", "--in-process", "--agent", TOYS + "Raises"
    )
    assert code == 0
    assert "4 results in banditgym-results failed twice" in err


def test_rows_of_earlier_sources_are_shown_with_a_warning(call, monkeypatch):
    from leaderboards.run.keys import sources

    call("leaderboard", "run", "small.toml", "--in-process", "--agent", "UCB1", "--seeds", "2")
    code, shown, err = call("leaderboard", "show", "small.toml")
    assert (code, err) == (0, "")
    monkeypatch.setattr(sources, "of_agent", lambda spec: "0" * 16)
    code, out, err = call("leaderboard", "show", "small.toml")
    assert (code, out) == (0, shown)
    said = "warning: played with earlier sources, run them again: "
    assert err.removeprefix(said).strip().split(", ") == ["UniformRandom", "UCB1"]
    assert err.startswith(said)


@pytest.mark.filterwarnings("default")
def test_a_foreign_line_is_a_warning_of_one_line(call, tmp_path):
    call("leaderboard", "run", "small.toml", "--in-process", "--agent", "UCB1", "--seeds", "2")
    (tmp_path / "banditgym-results" / "0.jsonl").write_text("hello\n")
    code, out, err = call("leaderboard", "show", "small.toml")
    assert code == 0
    assert "UCB1" in out
    assert (
        err == "warning: skipped 1 line(s) of banditgym-results that are not results: 0.jsonl:1\n"
    )


@pytest.mark.parametrize("command", ["run", "show", "report", "baselines"])
def test_a_suite_with_code_asks_for_trust_on_every_command(call, command, tmp_path):
    source = "from banditgym.envs.armed import ArmedBandit\nclass Mine(ArmedBandit): pass\n"
    (tmp_path / "mine.py").write_text(source + "open(__file__ + '.ran', 'w').close()\n")
    text = (tmp_path / "small.toml").read_text()
    (tmp_path / "small.toml").write_text(text.replace("ArmedBandit-v0", "mine.py:Mine"))
    code, out, err = call("leaderboard", command, "small.toml")
    assert (code, out) == (2, "")
    assert "mine.py:Mine is code that is not banditgym's: read it, then run it with --trust" in err
    assert not (tmp_path / "mine.py.ran").exists()
    if command in ("show", "report"):
        run = ["run", "small.toml", "--trust", "--in-process", "--agent", "UCB1"]
        assert call("leaderboard", *run)[0] == 0
    extra = {"run": ["--in-process", "--agent", "UCB1"], "baselines": ["--workers", "1"]}
    code, out, _ = call("leaderboard", command, "small.toml", "--trust", *extra.get(command, []))
    assert code == 0
    assert ("UCB1" in out) is (command in ("run", "show"))


def test_json_stays_clean_whatever_agents_print(call, tmp_path):
    done = subprocess.run(
        [sys.executable, "-c", "from leaderboards.cli import main; main()", "leaderboard", "run"]
        + ["small.toml", "--json", "--workers", "1", "--agent", TOYS + "Slow(seconds=0.0)"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)
    assert "noise on stdout" in done.stderr


def test_baselines_are_written_beside_the_suite(call):
    code, out, _ = call("leaderboard", "baselines", "small.toml", "--workers", "1")
    assert (code, out) == (0, "wrote small.baselines.json\n")
    known = load("small.toml").baselines["one"].uniform
    assert list(known) == [0, 1, 2, 3]
    # A run that finds them plays no baseline.
    call("leaderboard", "run", "small.toml", "--in-process", "--agent", "UCB1")
    assert {row.agent for row in Store("banditgym-results").rows()} == {"UCB1"}
