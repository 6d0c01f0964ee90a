"""Verification in the sandbox: an agent that looks for the secret finds nothing."""

import pytest

from leaderboards.run.confinement import HERE
from leaderboards.run.store.store import Store
from leaderboards.submit import playing
from leaderboards.submit.catalogue import opened
from leaderboards.submit.epochs.epoch import load
from leaderboards.suites import suite

pytestmark = [pytest.mark.sandbox, pytest.mark.usefixtures("full")]

SPY = """
    def _start(self):
        import glob, os, gc
        seen = [os.path.exists(SECRET), *map(os.path.exists, glob.glob(STORE + "/*"))]
        seen += [SECRET in str(value) for value in os.environ.values()]
        seen += [type(thing).__name__ in ("Epoch", "SuiteTask") for thing in gc.get_objects()]
        seen += ["leaderboards.suites.suite" in __import__("sys").modules]
        try:
            with open(SECRET) as file:
                seen.append(bool(file.read()))
        except OSError:
            seen.append(False)
        if any(seen):
            raise ValueError("found")
"""


def spy(mine, held):
    text = (mine / "agent.py").read_text()
    start = "    def _start(self):\n        pass\n"
    assert start in text
    text = text.replace(start, SPY.lstrip("\n"))
    head = f"SECRET, STORE = {str(held.secret)!r}, {str(held.store)!r}\n"
    (mine / "agent.py").write_text(head + text)


def test_what_is_verified_reaches_neither_secret_nor_store(held, mine, tmp_path):
    held.new()
    held.open()
    spy(mine, held)
    submission = opened(mine, tmp_path / "nowhere")
    held.verify(submission)
    rows = [r for r in Store(held.store).rows(load(held.path).hash) if r.spec == submission.spec]
    assert len(rows) == 6
    assert {(row.isolation, row.error) for row in rows} == {("full", None)}
    assert [row.faults for row in rows] == [[]] * 6


def test_the_same_looks_succeed_without_the_sandbox(held, mine, tmp_path):
    """Else the test above would show nothing."""
    held.new()
    held.open()
    spy(mine, held)
    submission = opened(mine, tmp_path / "nowhere")
    with playing.staged(submission) as folder:
        (task, *_) = [t for t in suite.load(held.suite).tasks if t.family == "armed"]
        game = playing.Game(task, (0,), submission.code(folder), str(folder), HERE)
        error = playing.played(game)["error"]
    assert error.startswith("ValueError: found (agent.py:")
