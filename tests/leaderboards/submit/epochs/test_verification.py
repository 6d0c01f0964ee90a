"""A submission is verified once in an epoch, and the ledger keeps every attempt."""

from datetime import timedelta

import pytest

from leaderboards.run.store.store import Store
from leaderboards.submit import playing, scoring
from leaderboards.submit.catalogue import WITHDRAWN, opened
from leaderboards.submit.epochs import auditing
from leaderboards.submit.epochs.auditing import digest, faults, ledger_of
from leaderboards.submit.epochs.epoch import load

from ...small_files import CLOSES


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
        monkeypatch.setattr(auditing, "source_hash", lambda: "0" * 16)
        said = "check out the version that it names"
    elif what == "lock":
        auditing.lock_of(held.path).write_text("")
        said = "is not the lock file that epoch first names"
    elif what == "packages":
        monkeypatch.setattr(auditing.locks, "differences", lambda path: ["numpy 1, locked 2"])
        said = "numpy 1, locked 2; install them with pip install --require-hashes"
    else:
        held.secret.chmod(0o644)
        said = "can be read by others"
    before = ledger_of(held.path).path.read_bytes()
    with pytest.raises(ValueError, match=said):
        held.verify(submission, today=today)
    assert ledger_of(held.path).path.read_bytes() == before
