"""Attempts are counted before anything is played, and the document tells what it says it tells."""

import json
import os

import pytest

from leaderboards.run.confinement import Confinement
from leaderboards.submit import playing
from leaderboards.submit.judge import exporting, judged_tasks, judgement
from leaderboards.submit.judge.judgement import ledger_of, new_secret

from ...small_files import CLOSES, replaced

KEYS = {
    *("task", "score", "interval", "faults", "isolation", "hash", "sources"),
    *("attempts_used", "attempts_allowed"),
}


def test_equal_folders_have_equal_scores_and_use_an_attempt_each(task, unconfined):
    first, second = task.judge(), task.judge()
    assert first | {"attempts_used": 2} == second
    assert set(first) == KEYS
    assert (first["attempts_used"], first["attempts_allowed"]) == (1, 3)
    assert first["interval"][0] <= first["score"] <= first["interval"][1] < 1
    events = [(e["event"], e.get("attempt")) for e in ledger_of(task.secret).entries()]
    assert events == [("made", None), ("begun", 1), ("ended", None), ("begun", 2), ("ended", None)]
    task.judge()
    with pytest.raises(ValueError, match="all 3 attempts of .*judge.secret are used"):
        task.judge()


def test_an_attempt_that_is_stopped_counts(task, unconfined, monkeypatch):
    def stopped(*_, **__):
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(playing, "rows", stopped)
        # Raised by code that is judged, it is no interrupt of the user: the attempt ends.
        assert task.judge()["faults"] == ["judge"]
        patch.setattr(judgement, "_judged", stopped)
        patch.setattr(judgement, "attempt", lambda call: (call(), None))
        with pytest.raises(KeyboardInterrupt):
            task.judge()
    assert task.judge()["attempts_used"] == 3


def test_two_at_a_time_are_refused(task, unconfined, monkeypatch):
    original = playing.rows

    def meanwhile(*given, **named):
        with pytest.raises(ValueError, match="another command works with the secret"):
            task.judge()
        return original(*given, **named)

    monkeypatch.setattr(playing, "rows", meanwhile)
    found = task.judge()
    assert (found["faults"], found["attempts_used"]) == ([], 1)
    assert len(ledger_of(task.secret).entries()) == 3


def test_an_error_of_the_judge_tells_nothing(task, unconfined, monkeypatch):
    def fails(*_, **__):
        raise ValueError("hidden")

    monkeypatch.setattr(playing, "rows", fails)
    found = task.judge()
    assert (found["score"], found["faults"]) == (None, ["judge"])
    assert "hidden" not in json.dumps(found)
    assert "hidden" not in ledger_of(task.secret).path.read_text()


def test_what_an_agent_says_stays_out_of_the_document_and_the_ledger(task, unconfined):
    head = "    def begin(self, task, rng):\n"
    says = f'{head}        raise ValueError(f"told {{task.n_arms}} {{task.dim}}")\n'
    replaced(task.folder, head, says, "agent.py")
    found = task.judge()
    assert (found["score"], found["faults"]) == (None, ["unplayed"])
    assert len(found["hash"]) == 64
    assert "told" not in json.dumps(found) + ledger_of(task.secret).path.read_text()


def test_regrets_that_overflow_together_are_no_score(few, unconfined, tmp_path):
    folder, secret = tmp_path / "own", tmp_path / "secret"
    exporting.export("noisy-rows", folder)
    new_secret("noisy-rows", secret, 9, CLOSES)
    replaced(folder, "class MyAgent(agents.ScalarAgent):", HUGE, "agent.py")
    found = judgement.judge(
        folder, secret, confinement=Confinement(isolation="full"), workers=1, today=CLOSES
    )
    assert (found["score"], found["interval"], found["faults"]) == (None, None, ["unplayed"])


HUGE = """class MyAgent(agents.Agent):
    accepts = (RegressionTask,)

    def _start(self):
        pass

    def _choose(self, rows):
        return np.full(self.n, np.sqrt(1.2e308 / 3000))

    def _learn(self, *given):
        pass


class Starter(agents.ScalarAgent):"""


def link(folder, secret):
    (folder / "data").symlink_to(secret)


def hard_link(folder, secret):
    os.link(secret, folder / "data")


def swapped(folder, secret):
    """A folder that becomes a link while it is read would show the same file."""
    (folder / "data").write_bytes(secret.read_bytes())


def large(folder, secret):
    with open(folder / "data", "wb") as file:
        file.truncate(1 << 40)


def many(folder, secret):
    for number in range(300):
        (folder / f"f{number}").write_text("")


def ignored(folder, secret):
    """Files that are not read are listed all the same."""
    (folder / "__pycache__").mkdir()
    (folder / "more").mkdir()
    for number in range(10_001):
        (folder / "more" / f"f{number}.pyc").write_text("")


def unreadable(folder, secret):
    """A folder that is gone, or may not be listed, when it is its turn."""
    (folder / "data").mkdir()


def pipe(folder, secret):
    os.mkfifo(folder / "data")


def no_manifest(folder, secret):
    (folder / "submission.toml").unlink()


def other_entry(folder, secret):
    replaced(folder, "agent.py:MyAgent", "../agent.py:MyAgent")


def gone(folder, secret):
    folder.rename(folder.with_name("elsewhere"))


@pytest.mark.parametrize(
    "attack",
    [
        link,
        hard_link,
        swapped,
        large,
        many,
        ignored,
        unreadable,
        pipe,
        no_manifest,
        other_entry,
        gone,
    ],
)
def test_a_folder_that_is_refused_has_a_fault_that_says_so(attack, task, monkeypatch):
    attack(task.folder, task.secret)
    original = os.scandir

    def scandir(path):
        if attack is unreadable and str(path).endswith("data"):
            raise PermissionError(13, "Permission denied")
        return original(path)

    monkeypatch.setattr(os, "scandir", scandir)
    found = task.judge()
    assert (found["score"], found["hash"], found["faults"]) == (None, None, ["folder"])
    assert found["attempts_used"] == 1


def test_the_secret_lies_elsewhere(task):
    inside = task.secret.parent
    with pytest.raises(ValueError, match="lies in the folder that is judged"):
        task.judge(path=inside)


def test_a_ledger_is_neither_dropped_nor_changed(task, tmp_path):
    path = ledger_of(task.secret).path
    text = path.read_text()
    path.write_text(text.replace('"attempts": 3', '"attempts": 300'))
    other = tmp_path / "other.secret"
    new_secret("coins", other, 9, CLOSES)
    assert json.loads(text)["attempts"] == 3
    for contents in ("", ledger_of(other).path.read_text()):
        path.write_text(contents)
        with pytest.raises(ValueError, match="is not the ledger of"):
            task.judge()
    path.write_text(text)
    task.secret.chmod(0o644)
    with pytest.raises(ValueError, match="can be read by others"):
        task.judge()


def test_a_secret_is_for_the_ranges_that_it_was_made_for(task, monkeypatch):
    suite, ranges = judged_tasks.chosen("fresh-arms")
    other = type(ranges)(ranges.suite, ranges.tasks, ranges.public, "0" * 16)
    monkeypatch.setattr(judged_tasks, "chosen", lambda name: (suite, other))
    with pytest.raises(ValueError, match="was made for other ranges of core-v3"):
        task.judge()


def test_a_new_secret_needs_a_new_ledger(tmp_path):
    path = tmp_path / "own"
    ledger_of(path).path.write_text("")
    with pytest.raises(ValueError, match="already exists"):
        new_secret("coins", path, 3, CLOSES)
    assert not path.exists()
