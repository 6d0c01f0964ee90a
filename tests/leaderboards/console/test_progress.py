"""Progress bars: how much is done, and what runs now."""

import ast
import re
from pathlib import Path

import pytest

from leaderboards import commands
from leaderboards.console.progress import bar, silent, words
from leaderboards.processes.workers import Here
from leaderboards.rank import baselines
from leaderboards.run import runner
from leaderboards.run.execution import Execution
from leaderboards.run.store.store import Store
from leaderboards.suites.suite import load


@pytest.mark.parametrize(
    ("running", "text"),
    [
        ([], "2 of 9 done"),
        (["b", "a", "b"], "2 of 9 done, now: b, a"),
    ],
)
def test_words_count_and_name(running, text):
    assert words(2, 9, running) == text


def test_the_bar_shows_what_is_done_and_what_runs_and_no_markup(monkeypatch, capfd):
    monkeypatch.setenv("FORCE_COLOR", "1")  # rich then takes the captured stream for a terminal
    monkeypatch.setenv("COLUMNS", "120")
    with bar("core") as progress:
        progress(0.25, False, words(3, 12, ["LinUCB[red]\x1b[2J on small"]))
    shown = re.sub("\x1b\\[[0-9;?]*[A-Za-z]", "", capfd.readouterr().err)
    assert "core" in shown
    assert "25%" in shown
    assert r"3 of 12 done, now: LinUCB[red]\x1b[2J on small" in shown


def test_a_narrow_bar_stays_one_line(monkeypatch, capfd):
    monkeypatch.setenv("FORCE_COLOR", "1")
    monkeypatch.setenv("COLUMNS", "70")
    with bar("core") as progress:
        progress(0.25, False, words(3, 12, [f"agent {i}" for i in range(20)]))
    lines = re.sub("\x1b\\[[0-9;?]*[A-Za-z]", "", capfd.readouterr().err).splitlines()
    assert max(map(len, lines)) <= 70
    assert all("core" in line for line in lines if line.strip())


def test_without_a_word_nothing_is_shown(capfd):
    silent(0.5, True)
    with bar("core"):
        pass
    assert capfd.readouterr() == ("", "")


@pytest.mark.parametrize(
    ("kept", "often"),
    [
        (True, "once for this version: later runs start at once"),
        (False, "for this command alone: it uses no machine code from before, and leaves none"),
    ],
)
def test_compiling_is_reported_once_and_whether_later_runs_compile_too(capfd, kept, often):
    with bar("core", kept=kept) as progress:
        progress(0.0, True)
        progress(0.5, True)
    assert capfd.readouterr().err.count(f"compiling the kernels, {often}\n") == 1


def test_commands_that_judge_do_not_promise_that_later_runs_start_at_once():
    """Within fresh caches every bar says that its machine code is not kept."""
    found = []
    for path in sorted(Path(commands.__file__).parent.glob("*.py")):
        tree = ast.parse(path.read_text(encoding="utf-8"))
        whole = any("within=fresh_caches" in ast.unparse(node) for node in tree.body)
        for function in (x for x in tree.body if isinstance(x, ast.FunctionDef)):
            text = ast.unparse(function)
            if (whole or "fresh_caches()" in text) and "bar(" in text:
                found.append(function.name)
                assert len(re.findall(r"\bbar\(", text)) == len(re.findall(r"\bkept=", text)) == 1
    assert found == ["open_", "replay", "attest", "run", "replay", "verify"]


SUITE = """
title = "small"
seeds = 3

[[task]]
name = "one"
env = "ArmedBandit-v0"
horizon = 30
"""


def test_a_run_and_its_baselines_count_results_and_name_what_runs(tmp_path):
    (tmp_path / "small.toml").write_text(SUITE)
    said = []

    def note(fraction, compiling, now=""):
        said.append(now)

    suite = load(tmp_path / "small.toml")
    store = Store(tmp_path / "store")
    runner.run(
        suite, ["UCB1"], store=store, execution=Execution(workers=1, executor=Here), progress=note
    )
    assert said[0] == "3 of 6 done, now: UniformRandom on one"  # the baseline, some of the seeds
    assert said[-1] == "6 of 6 done"
    said.clear()
    baselines.write(tmp_path / "small.toml", workers=1, progress=note)
    assert said[-1] == "3 of 3 done"
