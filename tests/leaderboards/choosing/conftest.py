import pytest

from leaderboards.processes.workers import Here
from leaderboards.rank import baselines
from leaderboards.tuning import tune as tuning


@pytest.fixture(autouse=True)
def few(monkeypatch):
    """Fewer seeds of tuning, and their baselines in this process."""
    monkeypatch.setattr(tuning, "SEEDS", 4)
    monkeypatch.setattr(tuning, "FURTHER", 6)
    monkeypatch.setattr(baselines, "Processes", lambda workers: Here())
