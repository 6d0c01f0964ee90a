"""Rows are measured beside what their targets name; no test checks how fast they are."""

import dataclasses
import json

import numpy as np
import pytest

import agents
from leaderboards.speed import measure
from leaderboards.speed.benchmarks import BY_DEFAULT, ROWS
from tools.speed import ratios, turns
from tools.speed.ratios import FUSED, NUMPY, PLAIN, TARGETS, compared, judged


@pytest.fixture
def small(monkeypatch):
    """The shortest form of every row, played once, however short."""
    rows = tuple(dataclasses.replace(row, horizon=20) for row in ROWS)
    monkeypatch.setattr(measure, "ROWS", rows)
    monkeypatch.setattr(ratios, "REPEATS", 1)
    monkeypatch.setattr(ratios, "LEAST", 0.0)
    return {row.name: row for row in rows}


def test_targets_are_of_rows_and_floors_are_below_aims():
    assert TARGETS.keys() <= {row.name for row in ROWS}
    assert all(0 < target.floor <= target.aim for target in TARGETS.values())
    assert {target.aim for target in TARGETS.values() if target.of == FUSED} == {0.9}


def test_rows_without_a_target_are_left_out():
    assert judged(every=True) == [row for row in ROWS if row.name in TARGETS]
    assert [row.name for row in judged()] == [name for name in BY_DEFAULT if name in TARGETS]
    assert [row.name for row in judged(["OnlineRidge", "stream"])] == ["OnlineRidge d=10"]
    with pytest.raises(ValueError, match="no row of GradientDescent is compared with anything"):
        judged(["GradientDescent"])


def test_rows_are_measured_beside_the_plain_and_the_fused_loop(small):
    for row in judged(["d=10 k=10 f"]):
        result = compared(row)
        assert (result["row"], result["of"], result["n"]) == (row.name, FUSED, 100)
        assert result["ratio"] == result["rounds_per_second"] / result["beside"] > 0
        assert (result["floor"], result["aim"]) == TARGETS[row.name][1:]
        assert result["plain"] > 0
        assert json.loads(json.dumps(result)) == result


def test_the_agent_and_what_is_beside_it_play_the_same_rounds_in_turns(small, monkeypatch):
    played, play, fused = [], agents.play, ratios.fused

    def noted_play(env, agent, **given):
        trace = play(env, agent, **given)
        played.append((trace.agent, given.get("horizon"), trace.measures["regret"]))
        return trace

    def noted_loop(agent, settings, n):
        loop = fused(agent, settings, n)

        def rounds(horizon):
            measures = loop(horizon)
            played.append((FUSED, horizon, measures["regret"]))
            return measures

        return rounds

    monkeypatch.setattr(agents, "play", noted_play)
    monkeypatch.setattr(ratios, "fused", noted_loop)
    monkeypatch.setattr(ratios, "REPEATS", 3)
    for row in judged(["LinTS", "ForwardOFUL"]):
        compared(row)
    names = [name for name, _, _ in played]
    # Both are warmed up, then measured in turns.
    assert names == ["LinTS", FUSED] * 4 + ["ForwardOFUL", "OFUL"] * 4
    assert [horizon for _, horizon, _ in played[:4]] == [20, 20, None, 20]
    np.testing.assert_array_equal(played[2][2], played[3][2])  # nor is a round left out


def seconds_of_turns(monkeypatch, spent):
    """A clock on which the turns of all players take these seconds; there is no numpy loop."""
    clock = iter([stop for i, each in enumerate(spent) for stop in (100 * i, 100 * i + each)])
    monkeypatch.setattr(turns, "process_time", lambda: next(clock))
    monkeypatch.setattr(ratios, "_numpy_speed", lambda row: None)


def test_a_third_player_has_the_same_arithmetic_and_its_ratio_is_not_judged(small, monkeypatch):
    played, same = [], ratios.fused_same

    def noted(agent, env):
        loop = same(agent, env)

        def rounds(horizon):
            played.append(horizon)
            return loop(horizon)

        return loop and rounds

    monkeypatch.setattr(ratios, "fused_same", noted)
    # Seconds of ours, of the textbook's loop, and of this one; LinTS has none of the last.
    seconds_of_turns(monkeypatch, [4, 9, 6, 1, 2])
    result = compared(small["Forward d=10"])
    assert played == [20, 20]  # warmed up, then measured
    assert (result["ratio"], result["same_arithmetic"]) == (9 / 4, 6 / 4)
    fresh = compared(small["LinTS d=10 K=10 fresh"])
    assert (fresh["ratio"], fresh["same_arithmetic"]) == (2, None)


def test_the_fastest_of_the_turns_counts_for_each(small, monkeypatch):
    row = dataclasses.replace(small["LinUCB d=10 K=10 fresh"], n=7, horizon=30)
    monkeypatch.setattr(ratios, "REPEATS", 3)
    seconds_of_turns(monkeypatch, [4, 9, 2, 1, 5, 3])  # of ours and of the loop, in turns
    result = compared(row)
    assert result["n"] == 7
    assert result["rounds_per_second"] == 7 * 30 / 2
    assert result["beside"] == 7 * 30 / 1
    assert result["ratio"] == 0.5


def test_a_ratio_may_be_to_another_agent_or_to_the_numpy_loop(small):
    share = compared(small["ForwardOFUL d=10 K=10"])
    assert share["of"] == "OFUL"
    assert share["ratio"] == share["rounds_per_second"] / share["beside"]
    assert share["plain"] is None
    kernel = compared(small["GPUCB(radius=0.4) T=200"])
    assert kernel["of"] == NUMPY
    assert kernel["beside"] == kernel["plain"]
    assert kernel["ratio"] == kernel["rounds_per_second"] / kernel["beside"]


def test_solo_rows_have_a_fused_loop(small):
    result = compared(small["LinUCB d=10 K=10 solo"])
    assert (result["n"], result["of"], result["same_arithmetic"]) == (1, FUSED, None)


def test_loops_by_hand_are_measured_beside_those_around_a_plain_environment(small, monkeypatch):
    played, play = [], measure.play_by_hand

    def noted(env, agent, rounds):
        played.append((type(env.unwrapped).__name__, agent and type(agent).__name__, rounds))
        return play(env, agent, rounds)

    for module in (measure, ratios):
        monkeypatch.setattr(module, "play_by_hand", noted)
    for row in judged(["by hand"]):
        result = compared(row)
        assert (result["n"], result["of"]) == (1, PLAIN)
        assert result["ratio"] == result["rounds_per_second"] / result["beside"] > 0
        assert result["plain"] is None
    envs = [("SingleBandit", 20), ("PlainLinear", 20)] * 2  # warmed up, then measured
    assert played == [(env, agent, n) for agent in (None, "LinUCB") for env, n in envs]
