"""A stand-in for pytest-benchmark, which calls once what it should time."""

from typing import Any

import pytest


class Once:
    """Calls a function once, without a clock."""

    group = ""

    def pedantic(self, play, args=(), kwargs=None, setup=None, **times: int) -> Any:
        """Call it as pytest-benchmark does, in one round."""
        assert times.keys() <= {"rounds", "iterations", "warmup_rounds"}
        if setup is not None:
            args, kwargs = setup()
        return play(*args, **(kwargs or {}))


@pytest.fixture
def once() -> Once:
    return Once()
