"""A comparison on a small environment."""

import pytest

from leaderboards.comparison.question import posed
from leaderboards.comparison.until_decided import Course, Until

from .small_comparisons import HORIZON, SETTINGS


@pytest.fixture
def course(tmp_path):
    """A comparison on a small environment."""

    def course(*specs, store="store", until=None, on="ArmedBandit-v0", **more):
        small = {"settings": SETTINGS, "horizon": HORIZON} if on == "ArmedBandit-v0" else {}
        given = Until(**{"store": tmp_path / store, **(until or {})})
        return Course(posed(on, specs, **small), given, **{"workers": 1, **more})

    return course
