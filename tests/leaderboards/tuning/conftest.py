import pytest

from leaderboards.tuning.tuning_tasks import tuning_tasks

from .tunable import TINY


@pytest.fixture
def tasks(tmp_path):
    """A suite of two families, one of which has two rankings."""
    (tmp_path / "tiny.toml").write_text(TINY)
    return tuning_tasks(tmp_path / "tiny.toml")
