"""`banditgym speed` measures what it says; no test checks how fast it is."""

import dataclasses
import json
import tempfile
from pathlib import Path

import numpy as np
import pytest

import agents
from banditgym.data.yahoo import YahooLog
from leaderboards.speed import measure
from leaderboards.speed.benchmarks import BY_DEFAULT, FUSED, NUMPY, PLAIN, ROWS
from tools.speed.plain import (
    plain_banditron,
    plain_forward,
    plain_lints,
    plain_linucb,
    plain_ridge,
)

JUDGED = ("beside", "ratio", "floor", "aim")


@pytest.fixture
def small(monkeypatch):
    """The shortest form of every row, played once, however short."""
    rows = tuple(dataclasses.replace(row, horizon=20) for row in ROWS)
    monkeypatch.setattr(measure, "ROWS", rows)
    monkeypatch.setattr(measure, "_REPEATS", 1)
    monkeypatch.setattr(measure, "_LEAST", 0.0)


def test_ten_rows_are_measured_by_default_and_all_on_request():
    assert [row.name for row in measure.chosen()] == [
        row.name for row in ROWS if row.name in BY_DEFAULT
    ]
    assert len(BY_DEFAULT) == len(measure.chosen()) == 10
    assert measure.chosen(every=True) == list(ROWS)
    # A row of every kind of environment that has rows, and an agent alone.
    assert {row.env for row in measure.chosen()} >= {row.env for row in ROWS}
    assert [row.name for row in measure.chosen(["box T", "linucb D=20 k"])] == [
        "LinUCB d=20 K=100 fresh", "LinUCB d=20 K=100 fixed", "GPUCB box T=300",
        "RFFUCB box T=300", "QFFTS box T=300", "DiscountedLinUCB d=20 K=10",
    ]  # fmt: skip


def test_floors_are_below_aims_and_the_fused_loops_aim_is_nine_tenths():
    targets = [row.target for row in ROWS if row.target is not None]
    assert all(0 < target.floor <= target.aim for target in targets)
    assert {target.aim for target in targets if target.of == FUSED} == {0.9}


def test_rows_are_measured_beside_the_plain_and_the_fused_loop(small):
    results = list(measure.measured(["d=10 k=10 f"]))
    assert [result["row"] for result in results] == [
        row.name for row in ROWS if "d=10 K=10 f" in row.name
    ]
    for result in results:
        assert result["of"] == FUSED
        assert result["ratio"] == result["rounds_per_second"] / result["beside"] > 0
        assert 0 < result["floor"] < result["aim"]
        assert result["plain"] > 0
    assert json.loads(json.dumps(results)) == results


def test_the_agent_and_what_is_beside_it_play_the_same_rounds_in_turns(small, monkeypatch):
    played, play, fused = [], agents.play, measure.fused

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
    monkeypatch.setattr(measure, "fused", noted_loop)
    monkeypatch.setattr(measure, "_REPEATS", 3)
    list(measure.measured(["LinTS", "ForwardOFUL"]))
    names = [name for name, _, _ in played]
    # Both are warmed up, then measured in turns.
    assert names == ["LinTS", FUSED] * 4 + ["ForwardOFUL", "OFUL"] * 4
    assert [horizon for _, horizon, _ in played[:4]] == [20, 20, None, 20]
    np.testing.assert_array_equal(played[2][2], played[3][2])  # nor is a round left out


def test_a_third_player_has_the_same_arithmetic_and_its_ratio_is_not_judged(small, monkeypatch):
    played, same = [], measure.fused_same

    def noted(agent, env):
        loop = same(agent, env)

        def rounds(horizon):
            played.append(horizon)
            return loop(horizon)

        return loop and rounds

    monkeypatch.setattr(measure, "fused_same", noted)
    # Seconds of ours, of the textbook's loop, and of this one; LinTS has none of the last.
    spent = [4, 9, 6, 1, 2]
    clock = iter([stop for i, each in enumerate(spent) for stop in (100 * i, 100 * i + each)])
    monkeypatch.setattr(measure, "_plain_speed", lambda row, settings: None)
    monkeypatch.setattr(measure, "process_time", lambda: next(clock))
    [result] = measure.measured(["Forward d=10"])
    assert played == [20, 20]  # warmed up, then measured
    assert (result["ratio"], result["same_arithmetic"]) == (9 / 4, 6 / 4)
    [fresh] = measure.measured(["LinTS"])
    assert (fresh["ratio"], fresh["same_arithmetic"]) == (2, None)


def test_short_plays_take_more_turns(small, monkeypatch):
    played, play = [], agents.play
    monkeypatch.setattr(
        agents, "play", lambda *given, **more: played.append(0) or play(*given, **more)
    )
    monkeypatch.setattr(measure, "_plain_speed", lambda row, settings: None)
    clock = iter(range(100))  # each play takes a second
    monkeypatch.setattr(measure, "process_time", lambda: next(clock))
    monkeypatch.setattr(measure, "_LEAST", 7.0)
    list(measure.measured(["LinTS"]))
    assert len(played) == 1 + 4  # warmed up; two players take two seconds in a turn


def test_the_fastest_of_the_turns_counts_for_each(monkeypatch):
    row = measure.chosen(["d=10 K=10 fresh"])[0]
    row = dataclasses.replace(row, n=7, horizon=30)
    monkeypatch.setattr(measure, "ROWS", (row,))
    monkeypatch.setattr(measure, "_plain_speed", lambda row, settings: None)
    spent = [4, 9, 2, 1, 5, 3]  # seconds of ours and of the loop, in turns
    clock = iter([stop for i, each in enumerate(spent) for stop in (100 * i, 100 * i + each)])
    # The agent's play looks at a clock of its own.
    monkeypatch.setattr(measure, "process_time", lambda: next(clock))
    [result] = measure.measured([row.name])
    assert result["n"] == 7
    assert result["rounds_per_second"] == 7 * 30 / 2
    assert result["beside"] == 7 * 30 / 1
    assert result["ratio"] == 0.5


def test_a_ratio_may_be_to_another_agent_or_to_the_numpy_loop(small):
    [share] = measure.measured(["ForwardOFUL"])
    [row] = [row for row in ROWS if row.agent == "ForwardOFUL"]
    assert share["of"] == row.target.of == "OFUL"
    assert (share["floor"], share["aim"]) == row.target[1:]
    assert share["ratio"] == share["rounds_per_second"] / share["beside"]
    assert share["plain"] is None
    [kernel] = measure.measured(["GPUCB(radius=0.4) T=200"])
    assert kernel["of"] == NUMPY
    assert kernel["beside"] == kernel["plain"]
    assert kernel["ratio"] == kernel["rounds_per_second"] / kernel["beside"]


def test_solo_rows_play_one_environment(small):
    [result] = measure.measured(["solo"])
    assert (result["n"], result["of"]) == (1, FUSED)


def test_loops_by_hand_are_measured_beside_those_around_a_plain_environment(small, monkeypatch):
    played, play = [], measure.play_by_hand

    def noted(env, agent, rounds):
        played.append((type(env.unwrapped).__name__, agent and type(agent).__name__, rounds))
        return play(env, agent, rounds)

    monkeypatch.setattr(measure, "play_by_hand", noted)
    results = list(measure.measured(["by hand"]))
    assert [result["row"] for result in results] == ["step by hand", "LinUCB by hand"]
    for result in results:
        assert (result["n"], result["of"]) == (1, PLAIN)
        assert result["ratio"] == result["rounds_per_second"] / result["beside"] > 0
        assert result["env_microseconds"] is result["agent_microseconds"] is result["plain"] is None
    turns = [("SingleBandit", 20), ("PlainLinear", 20)] * 2  # warmed up, then measured
    assert played == [(env, agent, n) for agent in (None, "LinUCB") for env, n in turns]


def test_news_are_replayed_from_a_file_that_is_gone_afterwards(small, monkeypatch):
    [row] = [row for row in ROWS if row.name == "LinUCB news from a file"]
    seen = []

    def noted(n_lines, folder):
        settings = row.settings(n_lines, folder)
        log = YahooLog(settings["data"])
        (events,) = log.events()
        articles = int((events.ids >= 0).sum(axis=1).max())
        seen.append((folder, len(events), articles, settings["keep"], log.described))
        return settings

    changed = dataclasses.replace(row, settings=noted, horizon=150)
    monkeypatch.setattr(measure, "ROWS", (changed,))
    [result] = measure.measured(every=True)
    assert result["row"] == row.name
    assert result["n"] == 1
    assert min(result["env_microseconds"], result["agent_microseconds"]) > 0
    assert result["plain"] is result["of"] is result["ratio"] is None
    [(folder, lines, articles, keep, described)] = seen
    assert (lines, keep, described) == (150, 1.0, True)
    assert 15 < articles <= 20
    assert not Path(folder).exists()
    assert Path(folder).parent == Path(tempfile.gettempdir())


def test_agents_alone_learn_every_row_of_theirs(small, monkeypatch):
    played = []

    class Noted:
        """An agent whose actions are recorded."""

        def __init__(self, agent):
            self.agent = agent

        def reset(self, task, *, n):
            self.agent.reset(task, n=n)
            return self

        def play_block(self, block):
            played.append((self.agent, block))
            return self.agent.play_block(block)

    resolve = agents.resolve
    monkeypatch.setattr(agents, "resolve", lambda name: Noted(resolve(name)))
    results = list(measure.measured(["GradientDescent T=10000"]))
    assert [result["row"] for result in results] == [
        "GradientDescent T=10000", "GradientDescent T=100000"
    ]  # fmt: skip
    for result in results:
        assert result["rounds_per_second"] == pytest.approx(1e6 / result["agent_microseconds"])
        assert result["n"] == 1
        assert result["env_microseconds"] is result["plain"] is result["of"] is None
    assert played[-1][0].model.count.tolist() == [20]
    assert sum(len(block.outcomes) for _, block in played[1:]) >= 20
    assert json.loads(json.dumps(results)) == results


def test_ready_rows_are_as_many_as_asked_for_and_of_unit_length():
    blocks = measure.ready_rows(1000, 2345)
    assert [block.start for block in blocks] == np.cumsum(
        [0, *(len(block.outcomes) for block in blocks[:-1])]
    ).tolist()
    assert sum(len(block.outcomes) for block in blocks) == 2345
    assert max(len(block.outcomes) for block in blocks) == 261  # in two megabytes of rows
    rows = np.concatenate([block.features for block in blocks])[:, 0, :, 0]
    outcomes = np.concatenate([block.outcomes for block in blocks])[:, 0]
    assert rows.shape == (2345, 1000)
    np.testing.assert_array_equal(rows[1000:], rows[:-1000])
    # Squared lengths are 1 with a deviation of sqrt(2 / 1000).
    assert np.abs((rows**2).sum(axis=1) - 1).max() < 6 * np.sqrt(2 / 1000)
    # <x, theta> has the variance |theta|² / 1000, which is 1/1000 or so, beside the noise's 1/100.
    assert 0.008 < outcomes[:1000].var() < 0.014


def test_unknown_rows_are_refused_with_the_nearest():
    with pytest.raises(ValueError, match="no speed row is called 'LinUBC d=10 K=10 fresh'; did"):
        measure.chosen(["LinUBC d=10 K=10 fresh"])
    with pytest.raises(ValueError, match="no speed row is called 'xyz'; there are LinUCB d=10 K"):
        measure.chosen(["xyz"])


@pytest.mark.parametrize("loop", [plain_linucb, plain_lints])
@pytest.mark.parametrize("fixed", [False, True])
def test_the_loops_beside_ours_learn(loop, fixed):
    # Uniform play loses 0.67 a round, the expected maximum of K = 5 Gaussian means of deviation
    # 1 / sqrt(3) about zero; learning must save most of it.
    assert loop(2000, 3, 5, fixed) < 0.3 * 0.67 * 2000


@pytest.mark.parametrize("loop", [plain_ridge, plain_forward])
def test_the_regressions_beside_ours_learn(loop):
    # Predicting 0 loses 1/3 a round, the variance of <x, theta>. Each of the three coordinates
    # costs about 1/3 once and then 0.01/t in round t: together about 1.2 in 2000 rounds. The terms
    # 2 noise (predicted - expected) add a deviation of 2 * 0.1 * sqrt(1.2) = 0.2.
    assert -1 < loop(2000, 3) < 5


def test_the_banditron_beside_ours_learns():
    # Uniform play is wrong 8 times in 9. Exploring alone costs 0.05 * 8 / 9 a round.
    assert 0.03 * 4000 < plain_banditron(4000) < 0.5 * 8 / 9 * 4000
