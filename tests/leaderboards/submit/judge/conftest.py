"""A judge with few instances."""

from types import SimpleNamespace

import pytest

from leaderboards.processes.workers import Here
from leaderboards.run.confinement import Confinement
from leaderboards.submit import playing
from leaderboards.submit.judge import exporting, judged_tasks, judgement

from ...small_files import CLOSES


@pytest.fixture
def few(monkeypatch):
    """One draw of each task, three replicates, all played from this process."""
    monkeypatch.setattr(judged_tasks, "DRAWS", 1)
    monkeypatch.setattr(judged_tasks, "REPLICATES", 3)
    monkeypatch.setattr(playing, "Processes", lambda workers: Here())


@pytest.fixture
def task(few, tmp_path):
    """The exported task ``fresh-arms``, its secret, and a call of the judge."""
    folder, secret = tmp_path / "agent", tmp_path / "kept" / "judge.secret"
    secret.parent.mkdir()
    exporting.export("fresh-arms", folder)
    judgement.new_secret("fresh-arms", secret, 3, CLOSES)

    def judge(isolation="full", path=folder):
        confinement = Confinement(isolation=isolation)
        return judgement.judge(path, secret, confinement=confinement, workers=1, today=CLOSES)

    return SimpleNamespace(folder=folder, secret=secret, judge=judge)
