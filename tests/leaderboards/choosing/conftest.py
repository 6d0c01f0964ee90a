import pytest

from leaderboards.tuning import tune as tuning


@pytest.fixture(autouse=True)
def few(monkeypatch):
    """Fewer seeds of tuning."""
    monkeypatch.setattr(tuning, "SEEDS", 4)
    monkeypatch.setattr(tuning, "FURTHER", 6)
