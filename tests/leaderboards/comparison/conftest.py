"""A comparison on a small environment."""

import pytest

from leaderboards.comparison.contest import contest_of
from leaderboards.comparison.sequential_play import SequentialPlay, Until

from .small_comparisons import HORIZON, SETTINGS


@pytest.fixture
def course(tmp_path):
    """A comparison on a small environment."""

    def course(*specs, store="store", until=None, on="ArmedBandit-v0", **more):
        small = {"settings": SETTINGS, "horizon": HORIZON} if on == "ArmedBandit-v0" else {}
        given = Until(**{"store": tmp_path / store, **(until or {})})
        return SequentialPlay(contest_of(on, specs, **small), given, **{"workers": 1, **more})

    return course
