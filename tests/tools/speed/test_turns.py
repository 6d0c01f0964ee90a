"""Plays are timed in turns."""

import pytest

from tools.speed import turns
from tools.speed.turns import in_turns


@pytest.fixture
def clock(monkeypatch):
    """CPU seconds, which a play advances."""
    now = [0.0]
    monkeypatch.setattr(turns, "process_time", lambda: now[0])
    return now


def test_plays_take_turns_and_each_turn_is_timed(clock):
    played = []

    def play(name, seconds):
        clock[0] += seconds + 0.1 * len(played)
        played.append(name)

    found = in_turns([lambda: play("a", 1.0), lambda: play("b", 2.0)], 2)
    assert played == ["a", "b"] * 2
    assert [[round(x, 6) for x in own] for own in found] == [[1.0, 1.2], [2.1, 2.3]]


def test_there_are_turns_until_enough_seconds_are_spent(clock):
    def play():
        clock[0] += 1.0

    for least_turns, least, expected in ((2, 0.0, 2), (2, 3.5, 2), (2, 4.5, 3), (1, 10.0, 5)):
        assert in_turns([play, play], least_turns, least) == [[1.0] * expected] * 2
    assert in_turns([], 2, 1.0) == []
