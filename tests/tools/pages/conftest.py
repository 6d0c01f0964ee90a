"""Epochs and submissions of the judge's tests."""

from ...leaderboards.conftest import held as held
from ...leaderboards.conftest import mine as mine
from ...leaderboards.conftest import unconfined as unconfined
