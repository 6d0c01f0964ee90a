"""``banditgym epoch``: its commands and options, and one line for each error."""

import contextlib
import json
import sys
from datetime import date

import pytest

from banditgym.compiled import cache
from leaderboards.cli import main
from leaderboards.commands import epochs, submitting
from leaderboards.run.confinement import Confinement
from leaderboards.submit.epochs import stages as holding

from ..small_files import AGENTS, FIRST


class Day(date):
    """A clock that stands still."""

    now = FIRST

    @classmethod
    def today(cls):
        return cls.now


@pytest.fixture
def call(monkeypatch, capsys, tmp_path):
    """Run the command in this process: exit code, stdout, stderr."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(cache, "fresh_caches", contextlib.nullcontext)  # they take a minute
    for module in (epochs, submitting):
        monkeypatch.setattr(module, "date", Day)
    monkeypatch.setattr(Day, "now", FIRST)
    monkeypatch.setattr(holding, "own_agents", lambda: dict.fromkeys(AGENTS))

    def call(*arguments):
        monkeypatch.setattr(sys, "argv", ["banditgym", *map(str, arguments)])
        with pytest.raises(SystemExit) as left:
            main()
        captured = capsys.readouterr()
        return left.value.code or 0, captured.out, captured.err

    return call


NEW = ["--maintainer", "M", "--closes", "2030-02-01", "--reveals", "2030-03-01"]


def new(call, held, *more):
    return call(
        "epoch",
        "new",
        held.path,
        "--secret",
        held.secret,
        "--suite",
        held.suite,
        *NEW,
        *more,
    )


def test_an_epoch_from_the_command_line(call, held, mine, unconfined, monkeypatch):
    code, out, _ = new(call, held, "--draws", 1, "--replicates", 2, "--demonstration")
    assert code == 0
    assert f"wrote {held.path} and its lock" in out
    found = json.loads(held.path.read_text())
    assert (found["draws"], found["replicates"], found["demonstration"]) == (1, 2, True)
    assert found["committed"] == "2030-01-01"
    secret = ["--secret", held.secret]
    code, out, _ = call("epoch", "open", held.path, *secret, "--workers", 1)
    assert (code, out.startswith(f"epoch {held.path} is open: ")) == (0, True)
    assert held.secret.with_name("first.secret.results").is_dir()

    def confine(isolation):
        found = Confinement(isolation=isolation)
        monkeypatch.setattr(submitting, "_confinement", lambda audit=False: found)

    verify = ["submit", "verify", mine, "--epoch", held.path, *secret, "--workers", 1]
    confine("process")
    code, out, err = call(*verify)
    assert (code, out) == (2, "")
    assert "verification needs the isolation 'full', and here it is 'process'" in err
    confine("full")
    code, out, _ = call(*verify)
    assert (code, out) == (
        0, "turns==1.0.0 is verified in first: scores are shown 2030-03-01\n",
    )  # fmt: skip
    assert call("epoch", "check", held.path)[:2] == (
        0,
        f"epoch {held.path} is in order\n",
    )

    code, _, err = call("epoch", "reveal", held.path, *secret)
    assert (code, err) == (2, "error: epoch first is revealed on 2030-03-01, not before\n")
    monkeypatch.setattr(Day, "now", date(2030, 3, 1))
    assert call("epoch", "reveal", held.path, *secret)[0] == 0
    confine("none")
    code, out, _ = call("submit", "replay", mine, "--epoch", held.path)
    assert (code, out) == (0, "2 of 2 rows are equal in every bit\n")
    assert call("epoch", "check", held.path)[0] == 0
    held.path.with_suffix(".jsonl.gz").unlink()
    code, out, _ = call("epoch", "check", held.path)
    assert code == 1
    assert "are not those that the ledger names" in out


def test_a_store_of_ones_own(call, held):
    new(call, held)
    secret = ["--secret", held.secret, "--store", held.store]
    assert call("epoch", "open", held.path, *secret)[0] == 0
    assert list(held.store.glob("*.jsonl"))


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["new", "x.json", "--secret", "s"], "--maintainer"),
        (["new", "x.json", "--secret", "s", *NEW[:3], "soon", *NEW[4:]], "--closes must be a day"),
        (["new", "x.json", "--secret", "s", *NEW, "--suite", "core-v9"], "did you mean core-v"),
        (["new", "x.json", "--secret", "s", *NEW, "--suite", "armed-v1"], "cannot be read"),
        (["open", "nonsense", "--secret", "s"], "there is no epoch 'nonsense'"),
        (["reveal", "nonsense", "--secret", "s"], "there is no epoch 'nonsense'"),
        (["check", "nonsense"], "there is no epoch 'nonsense'"),
        (["chekc"], "No such command 'chekc'"),
    ],
)
def test_an_error_of_use_is_one_line_and_exit_2(call, held, arguments, message):
    code, out, err = call("epoch", *arguments)
    assert (code, out, err.count("\n")) == (2, "", 1)
    assert message in err


def test_help_comes_without_a_command(call):
    code, out, _ = call("epoch")
    assert code == 0
    for name in ("new", "open", "reveal", "check"):
        assert name in out
