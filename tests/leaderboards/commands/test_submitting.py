"""``banditgym submit``: every command and option, and one line for each error. 20 seconds."""

import contextlib
import gzip
import json
import sys

import pytest

from banditgym.compiled import cache
from leaderboards.cli import main
from leaderboards.commands import submitting
from leaderboards.processes.workers import Here
from leaderboards.run.confinement import HERE
from leaderboards.submit import playing
from leaderboards.submit.catalogue import opened

from ..small_files import replaced


@pytest.fixture
def call(monkeypatch, capsys, tmp_path):
    """Run the command in this process: exit code, stdout, stderr."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(cache, "fresh_caches", contextlib.nullcontext)  # they take a minute
    monkeypatch.setattr(submitting, "_confinement", lambda audit=False: HERE)
    monkeypatch.setattr(playing, "Processes", lambda workers: Here())

    def call(*arguments):
        monkeypatch.setattr(sys, "argv", ["banditgym", "submit", *map(str, arguments)])
        with pytest.raises(SystemExit) as left:
            main()
        captured = capsys.readouterr()
        return left.value.code or 0, captured.out, captured.err

    return call


def test_from_an_empty_folder_to_a_row(call, small, tmp_path):
    """The way that docs/submissions.md describes."""
    assert call("new", "my-first")[0] == 0
    code, out, _ = call("check", "my-first")
    assert code == 0
    assert "passes check_agent" in out
    assert "linear: 50 rounds of LinearBandit-v0, mean reward" in out
    code, out, err = call("run", "my-first", small)
    assert code == 0
    assert out.startswith("## my-first\n")
    assert "rows are in my-first/results/1.0.0.small.jsonl.gz" in err
    code, out, _ = call("replay", "my-first", small)
    assert (code, out) == (0, "3 of 3 rows are equal in every bit\n")
    assert call("withdraw", "my-first", "--why", "a fault")[0] == 0
    events = [e["event"] for e in opened(tmp_path / "my-first").ledger.entries()]
    assert events == ["self-run", "withdrawn"]


@pytest.mark.parametrize("command", ["run", "replay", "verify"])
def test_a_number_of_workers_is_checked_before_anything_begins(command, call, mine):
    """A verification that has begun cannot be begun again."""
    epoch = ("--epoch", "demonstration", "--secret", "none") if command == "verify" else ()
    code, out, err = call(command, mine, *epoch, "--workers", "0")
    assert (code, out, err) == (2, "", "error: workers must be >= 1, got 0\n")


def test_options_have_effects(call, mine, small, tmp_path):
    assert call("run", mine, small, "--out", "table.md", "--workers", "1")[:2] == (0, "")
    assert (tmp_path / "table.md").read_text().startswith("## turns\n")
    code, out, _ = call("replay", mine, small, "--seeds", "2", "--task", "one", "--workers", "1")
    assert (code, out) == (0, "2 of 2 rows are equal in every bit\n")
    assert call("replay", mine, small, "--task", "other")[0] == 2


def test_workers_reach_the_executor(call, mine, small, monkeypatch):
    asked = []

    def processes(workers):
        asked.append(workers)
        return Here()

    monkeypatch.setattr(playing, "Processes", processes)
    text = small.read_text() + '\n[[task]]\nname = "more"\nenv = "ArmedBandit-v0"\nhorizon = 9\n'
    small.write_text(text)
    call("run", mine, small, "--workers", "1")
    call("replay", mine, small, "--workers", "2")
    assert asked == [1, 2]


def test_a_row_that_comes_out_otherwise_exits_1(call, mine, small):
    call("run", mine, small)
    (packed,) = (mine / "results").iterdir()
    lines = gzip.decompress(packed.read_bytes()).splitlines()
    row = json.loads(lines[0])
    row["measures"]["regret"][-1] -= 0.5
    packed.write_bytes(gzip.compress(b"\n".join([json.dumps(row).encode(), *lines[1:]]) + b"\n"))
    code, out, _ = call("replay", mine, small)
    assert code == 1
    assert out.splitlines()[0].startswith("turns on one, seed 0: regret ends at ")
    assert out.splitlines()[1] == "2 of 3 rows are equal in every bit"


def test_all_problems_are_printed_a_line_each(call, mine):
    replaced(mine, '"MIT"', '"MTI"')
    replaced(mine, "trials = 0", "trials = -1")
    for name in ("check", "run", "replay", "withdraw"):
        more = ["--why", "x"] if name == "withdraw" else []
        code, out, err = call(name, mine, *more)
        assert (code, out) == (2, "")
        lines = err.splitlines()
        assert len(lines) == 2
        assert all(line.startswith("error: submission.toml, ") for line in lines)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["chekc", "mine"], "No such command 'chekc'"),
        (["new"], "Missing argument"),
        (["new", "mine"], "mine already exists"),
        (["check", "missing"], "there is no such folder; name the folder"),
        (["run", "mine", "core-v9"], "did you mean core-v"),
        (["run", "mine", "--workers", "x"], "--workers"),
        (["replay", "mine"], "has no rows of this version on core-v3"),
        (["replay", "mine", "--seeds", "0"], "seeds must be >= 1, got 0"),
        (["replay", "mine", "--task", "coin"], "core-v3 has no task 'coin'"),
        (["replay", "mine", "--epoch", "nonsense"], "there is no epoch 'nonsense'"),
        (["withdraw", "mine", "--why", "  "], "--why must be a reason of 1 to 300 characters"),
        (["withdraw", "mine"], "--why"),
        (["verify", "mine", "--epoch", "x", "--secret", "y"], "there is no epoch 'x'"),
        (["verify", "mine", "--secret", "y"], "--epoch"),
    ],
)
def test_an_error_of_use_is_one_line_and_exit_2(call, mine, arguments, message):
    code, out, err = call(*arguments)
    assert (code, out, err.count("\n")) == (2, "", 1)
    assert err.startswith("error: ")
    assert message in err


def test_a_version_is_withdrawn_once(call, mine):
    assert call("withdraw", mine, "--why", "a\nfault\x1b[2J")[0] == 0
    (entry,) = opened(mine).ledger.entries()
    assert entry["why"] == "a fault\\x1b[2J"
    code, _, err = call("withdraw", mine, "--why", "again")
    assert (code, err) == (2, "error: turns==1.0.0 is already withdrawn\n")


def test_help_comes_without_a_command(call):
    code, out, _ = call()
    assert code == 0
    for name in ("new", "check", "run", "verify", "replay", "withdraw"):
        assert name in out
