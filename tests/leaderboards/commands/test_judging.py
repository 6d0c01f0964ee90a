"""``banditgym task`` and ``judge``: one document, exit codes, and one line for each error."""

import json
import subprocess
import sys

import pytest

from leaderboards.processes.workers import Here
from leaderboards.sandbox import isolation
from leaderboards.submit import playing
from leaderboards.submit.judge import judged_tasks

from ..small_files import replaced


@pytest.fixture
def few(monkeypatch):
    """Few instances, played in a process without bubblewrap."""
    monkeypatch.setattr(judged_tasks, "DRAWS", 1)
    monkeypatch.setattr(judged_tasks, "REPLICATES", 2)
    monkeypatch.setattr(playing, "Processes", lambda workers: Here())


def test_export_write_rehearse(call, few, unconfined, tmp_path):
    assert call("task", "export", "coins", "mine")[0] == 0
    given = ("judge", "mine", "--task", "coins", "--isolation", "process")
    code, out, err = call(*given)
    found = json.loads(out)
    assert (code, found["faults"], found["isolation"], err) == (0, [], "process", "")
    assert list(found["scores"]) == ["coins/0"]
    assert found["score"] > 0.3
    replaced(tmp_path / "mine", "self.total[arm] += reward", "1 / 0", "agent.py")
    code, out, err = call(*given)
    assert (code, json.loads(out)["faults"]) == (1, ["unplayed"])
    assert err == "coins/0: ZeroDivisionError: division by zero (agent.py:27)\n"
    replaced(tmp_path / "mine", '"agent.py:MyAgent"', '"agent.py:Other"')
    code, out, err = call(*given)
    assert (code, json.loads(out)["faults"]) == (1, ["folder"])
    assert err.startswith("submission.toml, entry: agent.py has no class 'Other'; there are My")


def test_a_secret_is_used_up(tmp_path):
    """In processes of their own: code is compiled anew where a secret is used."""

    def call(*words):
        program = [sys.executable, "-c", "from leaderboards.cli import main; main()"]
        return subprocess.run([*program, *words], cwd=tmp_path, capture_output=True, text=True)

    (tmp_path / "mine").mkdir()
    assert call("task", "secret", "coins", "own", "--attempts", "1").returncode == 0
    assert (tmp_path / "own").stat().st_mode & 0o777 == 0o600
    judge = ("judge", "mine", "--secret", "own", "--isolation", "process")
    done = call(*judge)  # its files are refused
    assert (done.returncode, done.stderr) == (1, "")
    assert json.loads(done.stdout)["faults"] == ["folder"]
    done = call(*judge)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith("error: all 1 attempts of own are used: make a new secret")
    assert done.stderr.count("\n") == 1


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["judge", "mine"], "name either --secret FILE, to judge, or --task NAME"),
        (["judge", "mine", "--secret", "a", "--task", "b"], "name either --secret FILE"),
        (["judge", "mine", "--task", "liner"], "did you mean linear?"),
        (["judge", "mine", "--secret", "none"], "the secret none cannot be read"),
        (["task", "export", "news", "mine"], "no task 'news'; there are armed, armed-bounded"),
        (["task", "secret", "armd", "own"], "did you mean armed?"),
        (["task", "secret", "armed", "nowhere/own"], "the secret cannot be written to nowhere"),
    ],
)
def test_an_error_of_use_is_one_line_and_exit_2(call, arguments, message):
    given = ["--isolation", "process"] if arguments[0] == "judge" else []
    code, out, err = call(*arguments, *given)
    assert (code, out, err.count("\n")) == (2, "", 1)
    assert err.startswith("error: ")
    assert message in err


def test_below_full_isolation_it_refuses_unless_it_may(call, monkeypatch, tmp_path):
    found = isolation.Isolation("process", (), "there is no bwrap: install it")
    monkeypatch.setattr(isolation, "isolation", lambda: found)
    code, out, err = call("judge", "mine", "--secret", str(tmp_path / "own"))
    assert (code, out) == (2, "")
    assert "the judge needs full isolation, and here it is 'process': there is no bwrap" in err
    assert "For agents that you trust there is --isolation process" in err
