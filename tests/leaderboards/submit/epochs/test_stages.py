"""An epoch from its beginning to its reveal. 20 seconds."""

import gzip
import json
import secrets
from datetime import timedelta

import pytest

from leaderboards.run.confinement import HERE
from leaderboards.run.store.store import Store
from leaderboards.submit import replaying
from leaderboards.submit.epochs import auditing
from leaderboards.submit.epochs import stages as holding
from leaderboards.submit.epochs.auditing import faults, ledger_of, rows_of
from leaderboards.submit.epochs.epoch import load, read_secret
from leaderboards.submit.epochs.instances import instances

from ...small_files import FIRST, REVEALS


def everything_public(held):
    """All bytes that an epoch shows before its reveal, the maintainer's store too."""
    paths = [*held.path.parent.iterdir(), *held.store.rglob("*")]
    return {path: path.read_bytes() for path in paths if path.is_file()}


def hidden_forms(held):
    secret = read_secret(held.secret)
    yield secret.hex().encode()
    for task in instances(load(held.path), secret).suite.tasks:
        for seed in task.hidden:
            yield from (str(seed).encode(), f"{seed:x}".encode())


def test_the_whole_way(held, submission, unconfined, capsys):
    epoch = held.new()
    with pytest.raises(ValueError, match="epoch first is not open"):
        held.verify(submission)
    rows = held.open()
    assert rows == held.open()  # again: nothing is left to do, and the ledger says it once
    assert held.verify(submission) == epoch
    entries = ledger_of(held.path).entries()
    assert [entry["event"] for entry in entries] == [
        "opened", "verification begun", "verification ended",
    ]  # fmt: skip
    assert entries[2].keys() == entries[1].keys() | {"schema", "rows_hmac"}
    assert not {"regret", "score", "measures"} & set(json.dumps(entries).split('"'))
    stored = Store(held.store).rows(epoch.hash)
    assert {row.isolation for row in stored if "==" in row.spec} == {"full"}

    # Until the reveal nothing holds the secret or a seed: no file, no line that was printed.
    shown = everything_public(held)
    captured = capsys.readouterr()
    printed = (captured.out + captured.err).encode()
    for form in hidden_forms(held):
        assert form not in printed
        for path, contents in shown.items():
            assert form not in contents, path
    assert faults(held.path) == []
    with pytest.raises(ValueError, match="is revealed on 2030-03-01: until then no seed"):
        holding.replayable(held.path)

    with pytest.raises(ValueError, match="is revealed on 2030-03-01, not before"):
        held.reveal(today=REVEALS - timedelta(days=1))
    published = held.reveal()
    assert len(published) == rows + 6
    assert load(held.path).revealed == read_secret(held.secret)
    assert faults(held.path) == []
    for row in published:
        if not row.refused:
            assert len(row.seed_hex) == 32
    assert held.reveal() == published  # again: nothing more is written
    assert [e["event"] for e in ledger_of(held.path).entries()].count("revealed") == 1

    # Anyone plays every row again, from the public files alone.
    suite, found = holding.replayable(held.path)
    own = [row for row in found if row.spec == submission.spec]
    assert replaying.replay(submission, suite, own, confinement=HERE, workers=1) == []
    with pytest.raises(ValueError, match="epoch first closed on"):
        held.verify(submission)


def test_rows_that_were_altered_are_not_revealed(held):
    held.new()
    held.open()
    (path,) = [p for p in held.store.glob("*.jsonl") if p.stat().st_size]
    lines = path.read_text().splitlines(keepends=True)
    record = json.loads(lines[-1])
    record["measures"]["regret"][-1] -= 1.0
    path.write_text("".join(lines[:-1]) + json.dumps(record) + "\n")
    with pytest.raises(ValueError, match="the rows of our agents are not those that the ledger"):
        held.reveal()
    assert load(held.path).secret is None


@pytest.mark.parametrize(
    "what", ["rows", "seed", "replicate", "task", "ledger", "keys", "lock", "ranges", "secret gone"]
)
def test_an_audit_finds_what_was_changed_afterwards(held, what):
    held.new()
    held.open()
    held.reveal()
    if what == "ledger":
        path = ledger_of(held.path).path
        path.write_text(path.read_text().replace('"failed": 0', '"failed": 1'))
    elif what == "keys":
        ledger_of(held.path).path.unlink()
        for event in ("opened", "revealed"):
            ledger_of(held.path).append({"event": event, "epoch": load(held.path).hash})
    elif what == "lock":
        auditing.lock_of(held.path).write_text(f"a==1 \\\n    --hash=sha256:{'1' * 64}\n")
    elif what == "ranges":
        path = held.folder / "small.held-out.toml"
        path.write_text(path.read_text().replace("[2, 6]", "[2, 7]"))
    elif what == "secret gone":
        rows_of(held.path).unlink()
    else:
        lines = gzip.decompress(rows_of(held.path).read_bytes()).splitlines(keepends=True)
        place = next(i for i, line in enumerate(lines) if json.loads(line)["measures"])
        record = json.loads(lines[place])
        if what == "seed":
            record["seed_hex"] = "0" * 32
        elif what == "replicate":
            record["seed"] = 10**6
        elif what == "task":
            record["task"] = "nowhere/0"
        else:
            record["measures"]["regret"][0] += 1.0
        lines[place] = (json.dumps(record) + "\n").encode()
        rows_of(held.path).write_bytes(gzip.compress(b"".join(lines)))
    assert faults(held.path)


def test_a_refused_draw_is_a_refused_row(held, submission, unconfined, monkeypatch):
    monkeypatch.setattr(secrets, "token_bytes", bytes)  # some of its draws are refused
    path = held.folder / "small.held-out.toml"
    path.write_text(path.read_text().replace("n_arms = [2, 6]", "n_arms = [0, 2]"))
    held.new(draws=12)
    held.open()
    epoch = load(held.path)
    refused = {task.name for task, _ in instances(epoch, read_secret(held.secret)).refused}
    assert 0 < len(refused) < 12
    held.verify(submission)
    rows = [row for row in Store(held.store).rows(epoch.hash) if row.task in refused]
    assert {row.spec for row in rows} == {"UCB1", "UniformRandom", submission.spec}
    for row in rows:
        assert row.refused
        assert row.error.startswith("the environment refuses this draw: ")
    held.reveal()
    assert faults(held.path) == []


def test_the_dates_are_those_of_the_call(held):
    held.new()
    held.open()
    assert ledger_of(held.path).entries()[0]["date"] == FIRST.isoformat()
