"""``banditgym choose``: what it prints, how it goes on, and one line for each error."""

import json

import pytest

from leaderboards.choosing.choose import Choosing
from tests.leaderboards.choosing.small_tables import separable
