"""Plays are timed in turns."""

from tools.speed import timed_turns
from tools.speed.timed_turns import in_turns


def test_plays_take_turns_and_each_turn_is_timed(monkeypatch):
    clock, played = [0.0], []

    def play(name, seconds):
        clock[0] += seconds + 0.1 * len(played)
        played.append(name)

    plays = [lambda: play("a", 1.0), lambda: play("b", 2.0)]
    found = in_turns(plays, 2, lambda: clock[0])
    assert played == ["a", "b"] * 2
    assert [[round(x, 6) for x in own] for own in found] == [[1.0, 1.2], [2.1, 2.3]]
    monkeypatch.setattr(timed_turns, "process_time", lambda: 10 * clock[0])
    assert [round(x, 6) for (x,) in in_turns(plays, 1)] == [14.0, 25.0]


def test_there_are_turns_until_enough_seconds_are_spent():
    clock = [0.0]

    def play():
        clock[0] += 1.0

    for turns, least, expected in ((2, 0.0, 2), (2, 3.5, 2), (2, 4.5, 3), (1, 10.0, 5)):
        found = in_turns([play, play], turns, lambda: clock[0], least)
        assert found == [[1.0] * expected] * 2
    assert in_turns([], 2, lambda: clock[0], 1.0) == []
