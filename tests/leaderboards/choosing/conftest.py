import pytest

from leaderboards.tuning import tune as tuning


@pytest.fixture
def few(monkeypatch):
    """Fewer seeds of tuning."""
    monkeypatch.setattr(tuning, "SEEDS", 4)
    monkeypatch.setattr(tuning, "FURTHER", 6)
