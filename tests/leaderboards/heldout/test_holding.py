"""An epoch from its beginning to its reveal. 20 seconds."""

import gzip
import json
from datetime import timedelta

import pytest

from leaderboards.heldout import holding
from leaderboards.heldout.auditing import digest, faults, ledger_of, rows_of
from leaderboards.heldout.epoch import load, read_secret
from leaderboards.heldout.instances import instances
from leaderboards.run.confinement import HERE
from leaderboards.store import Store
from leaderboards.submit import playing, replaying, scoring
from leaderboards.submit.catalogue import WITHDRAWN, opened

from ..small_files import CLOSES, FIRST, REVEALS


@pytest.fixture
def submission(mine, tmp_path):
    """The submission of the tests, read."""
    return opened(mine, tmp_path / "nowhere")


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


def test_a_verification_goes_on_as_it_was_begun(held, submission, unconfined, monkeypatch):
    """Rows in lockstep and apart are never those of one verification."""
    held.new()
    held.open()
    original = scoring.completed

    def stopped(*given, **named):
        original(*given, **named)
        raise KeyboardInterrupt

    monkeypatch.setattr(scoring, "completed", stopped)
    with pytest.raises(KeyboardInterrupt):
        held.verify(submission)
    with pytest.raises(ValueError, match="was begun without --one-process-per-replicate"):
        held.verify(submission, audit=True)


def test_below_full_isolation_nothing_is_verified(held, submission):
    held.new()
    held.open()
    before = ledger_of(held.path).entries()
    for level in ("none", "process"):
        with pytest.raises(
            ValueError, match=f"needs the isolation 'full', and here it is '{level}'"
        ):
            held.verify(submission, isolation=level)
    assert ledger_of(held.path).entries() == before


def test_the_ledger_tells_nothing_that_a_submission_says_of_hidden_settings(
    held, mine, unconfined, tmp_path
):
    """An agent that fails with the settings in its error: then all else of its rows is known."""
    held.new()
    held.open()
    text = (mine / "agent.py").read_text()
    said = '        raise ValueError(f"{self.task.n_arms} arms")'
    (mine / "agent.py").write_text(text.replace("        pass", said, 1))
    held.verify(opened(mine, tmp_path / "nowhere"))
    epoch, ledger = load(held.path), ledger_of(held.path)
    rows = [row for row in Store(held.store).rows(epoch.hash) if row.agent == "turns"]
    assert all(" arms (agent.py:" in row.error for row in rows)
    public = ledger.path.read_text()
    assert "arms" not in public
    assert digest(rows) not in public
    held.reveal()
    assert faults(held.path) == []


def test_a_version_is_verified_once(held, submission, mine, unconfined, tmp_path):
    held.new()
    held.open()
    held.verify(submission)
    with pytest.raises(ValueError, match=r"turns==1.0.0 was verified in epoch first on 2030-02-01"):
        held.verify(submission)
    text = (mine / "submission.toml").read_text()
    (mine / "submission.toml").write_text(text.replace("1.0.0", "1.0.1"))
    held.verify(opened(mine, tmp_path / "nowhere"))
    versions = [e.get("version") for e in ledger_of(held.path).entries() if "name" in e]
    assert versions == ["1.0.0", "1.0.0", "1.0.1", "1.0.1"]


def test_two_at_a_time_are_one_after_the_other(held, submission, unconfined, monkeypatch):
    held.new()
    held.open()
    original, refused = playing.rows, []

    def meanwhile(*args, **kwargs):
        for call in (
            held.verify,
            lambda _: held.open(),
            lambda _: held.reveal(),
        ):
            with pytest.raises(ValueError, match="another command works with the secret") as error:
                call(submission)
            refused.append(error)
        yield from original(*args, **kwargs)

    monkeypatch.setattr(playing, "rows", meanwhile)
    held.verify(submission)
    assert len(refused) == 3
    events = [entry["event"] for entry in ledger_of(held.path).entries()]
    assert events == ["opened", "verification begun", "verification ended"]
    held.reveal()  # what is held is let go


def test_failed_attempts_stay_in_the_ledger(held, mine, unconfined, tmp_path):
    held.new()
    held.open()
    text = (mine / "agent.py").read_text()
    (mine / "agent.py").write_text(text.replace("import agents\n", "import agents\n1 / 0\n"))
    broken = opened(mine, tmp_path / "nowhere")
    with pytest.raises(ValueError, match="ZeroDivisionError"):
        held.verify(broken)
    last = ledger_of(held.path).entries()[-1]
    assert (last["event"], last["version"]) == ("verification ended", "1.0.0")
    # What a submission says could be the settings that it was told.
    assert last["error"] == "it could not be played"
    (mine / "agent.py").write_text(text)
    with pytest.raises(ValueError, match="was verified in epoch first"):
        held.verify(opened(mine, tmp_path / "nowhere"))


def test_a_verification_that_was_stopped_goes_on_with_the_same_contents(
    held, submission, mine, unconfined, tmp_path, monkeypatch
):
    held.new()
    held.open()
    original = playing.rows

    def stopped(*args, **kwargs):
        yield next(original(*args, **kwargs))
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(playing, "rows", stopped)
        with pytest.raises(KeyboardInterrupt):
            held.verify(submission)
    with pytest.raises(ValueError, match="the verification of turns==1.0.0 has not ended"):
        held.reveal()
    text = (mine / "agent.py").read_text()
    (mine / "agent.py").write_text(text + "# better\n")
    with pytest.raises(ValueError, match="a version is verified once an epoch"):
        held.verify(opened(mine, tmp_path / "nowhere"))
    (mine / "agent.py").write_text(text)
    held.verify(submission)
    events = [entry["event"] for entry in ledger_of(held.path).entries()]
    assert events == ["opened", "verification begun", "verification ended"]
    assert len(held.reveal()) > 6


@pytest.mark.parametrize("what", ["closed", "withdrawn", "sources", "lock", "packages", "secret"])
def test_nothing_is_verified_that_is_not_as_committed_to(
    held, submission, unconfined, monkeypatch, what
):
    held.new()
    held.open()
    today, said = CLOSES, ""
    if what == "closed":
        today, said = CLOSES + timedelta(days=1), "epoch first closed on 2030-02-01"
    elif what == "withdrawn":
        submission.ledger.append({"event": WITHDRAWN, "version": "1.0.0"})
        said = "turns==1.0.0 is withdrawn"
    elif what == "sources":
        monkeypatch.setattr(holding, "source_hash", lambda: "0" * 16)
        said = "check out the version that it names"
    elif what == "lock":
        holding.lock_of(held.path).write_text("")
        said = "is not the lock file that epoch first names"
    elif what == "packages":
        monkeypatch.setattr(holding.locks, "differences", lambda path: ["numpy 1, locked 2"])
        said = "numpy 1, locked 2; install them with pip install --require-hashes"
    else:
        held.secret.chmod(0o644)
        said = "can be read by others"
    before = ledger_of(held.path).path.read_bytes()
    with pytest.raises(ValueError, match=said):
        held.verify(submission, today=today)
    assert ledger_of(held.path).path.read_bytes() == before


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
        holding.lock_of(held.path).write_text(f"a==1 \\\n    --hash=sha256:{'1' * 64}\n")
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


def test_a_refused_draw_is_a_refused_row(held, submission, unconfined):
    path = held.folder / "small.held-out.toml"
    path.write_text(path.read_text().replace("n_arms = [2, 6]", "n_arms = [0, 2]"))
    held.new(draws=12)
    held.open()
    epoch = load(held.path)
    refused = instances(epoch, read_secret(held.secret)).refused
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
