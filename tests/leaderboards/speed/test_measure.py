"""`banditgym speed` measures what it says; no test checks how fast it is."""

import dataclasses
import json
import tempfile
from pathlib import Path

import gymnasium
import numpy as np
import pytest

import agents
from banditgym.data.yahoo import YahooLog
from leaderboards.speed import measure
from leaderboards.speed.benchmarks import BY_DEFAULT, ROWS


@pytest.fixture
def small(monkeypatch):
    """The shortest form of every row, played once, however short."""
    rows = tuple(dataclasses.replace(row, horizon=20) for row in ROWS)
    monkeypatch.setattr(measure, "ROWS", rows)
    monkeypatch.setattr(measure, "REPEATS", 1)
    monkeypatch.setattr(measure, "LEAST", 0.0)


def test_fifteen_rows_are_measured_by_default_and_all_on_request():
    assert [row.name for row in measure.chosen()] == [
        row.name for row in ROWS if row.name in BY_DEFAULT
    ]
    assert len(BY_DEFAULT) == len(measure.chosen()) == 15
    assert measure.chosen(every=True) == list(ROWS)
    # A row of every kind of environment that has rows, and an agent alone.
    assert {row.env for row in measure.chosen()} >= {row.env for row in ROWS}
    assert [row.name for row in measure.chosen(["box T", "linucb D=20 k"])] == [
        "LinUCB d=20 K=100 fresh", "LinUCB d=20 K=100 fixed", "GPUCB box T=300",
        "RFFUCB box T=300", "QFFTS box T=300", "DiscountedLinUCB d=20 K=10",
    ]  # fmt: skip


def test_rows_are_measured_with_the_shares_of_environment_and_agent(small):
    results = list(measure.measured(["d=10 k=10 f"]))
    assert [result["row"] for result in results] == [
        row.name for row in ROWS if "d=10 K=10 f" in row.name
    ]
    for result in results:
        assert result["n"] == 100
        together = result["env_microseconds"] + result["agent_microseconds"]
        assert 0 < together < 100 * 1e6 / result["rounds_per_second"]
    assert json.loads(json.dumps(results)) == results


@pytest.fixture
def noted(monkeypatch):
    """The horizons that ``agents.play`` is called with."""
    played, play = [], agents.play

    def noted_play(env, agent, **given):
        played.append(given.get("horizon"))
        return play(env, agent, **given)

    monkeypatch.setattr(agents, "play", noted_play)
    return played


def test_short_plays_are_repeated_until_they_took_enough(small, noted, monkeypatch):
    clock = iter(range(100))  # each play takes a second
    monkeypatch.setattr(measure, "process_time", lambda: next(clock))
    monkeypatch.setattr(measure, "LEAST", 4.5)
    list(measure.measured(["LinTS"]))
    assert noted == [20] + 5 * [None]  # the first compiles, and is not measured


def test_the_fastest_play_counts(small, noted, monkeypatch):
    row = dataclasses.replace(measure.chosen(["d=10 K=10 fresh"])[0], n=7, horizon=30)
    monkeypatch.setattr(measure, "ROWS", (row,))
    monkeypatch.setattr(measure, "REPEATS", 3)
    clock = iter([0, 4, 100, 102, 200, 205])  # 4, 2 and 5 seconds
    # The agent's play looks at a clock of its own.
    monkeypatch.setattr(measure, "process_time", lambda: next(clock))
    [result] = measure.measured([row.name])
    assert result["n"] == 7
    assert result["rounds_per_second"] == 7 * 30 / 2
    assert noted == [20, None, None, None]


def test_solo_rows_play_one_environment(small):
    [result] = measure.measured(["solo"])
    assert result["n"] == 1


def test_loops_by_hand_are_measured_whole(small, monkeypatch):
    played, play = [], measure.play_by_hand

    def noted(env, agent, rounds):
        played.append((type(env.unwrapped).__name__, agent and type(agent).__name__, rounds))
        return play(env, agent, rounds)

    monkeypatch.setattr(measure, "play_by_hand", noted)
    results = list(measure.measured(["by hand"]))
    assert [result["row"] for result in results] == ["step by hand", "LinUCB by hand"]
    for result in results:
        assert result["n"] == 1
        assert result["rounds_per_second"] > 0
        assert result["env_microseconds"] is result["agent_microseconds"] is None
    # Warmed up, then measured.
    assert played == [("SingleBandit", agent, 20) for agent in (None, "LinUCB") for _ in range(2)]


def _one(horizon=40):
    return gymnasium.make("LinearBandit-v0", horizon=horizon)


def test_arms_are_stepped_in_turn():
    batch = gymnasium.make_vec("LinearBandit-v0", num_envs=1, horizon=40)
    batch.reset(seed=0)
    expected = sum(float(batch.step([t % 10])[4]["regret"][0]) for t in range(40))
    assert measure.play_by_hand(_one(), None, 40) == expected


def test_an_agent_acts_and_observes_in_every_round():
    class Noted(agents.LinUCB):
        def _learn(self, contexts, actions, reward, observed):
            learned.append((contexts[0].T.copy(), int(actions[0]), float(reward[0])))
            super()._learn(contexts, actions, reward, observed)

    learned = []
    measure.play_by_hand(_one(), Noted(), 40)
    again = _one()
    observation, _ = again.reset(seed=0)
    assert len(learned) == 40
    for shown, arm, reward in learned:
        np.testing.assert_array_equal(shown, observation)
        observation, paid, *_ = again.step(arm)
        assert paid == reward


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
        assert result["env_microseconds"] is None
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


def test_logs_are_written_replayed_and_evaluated(small, monkeypatch):
    rows = [row for row in ROWS if row.name.startswith("log ")]
    short = [dataclasses.replace(row, horizon=200, n=min(row.n, 3)) for row in rows]
    monkeypatch.setattr(measure, "ROWS", tuple(short))
    results = list(measure.measured(every=True))
    assert [one["row"].split()[1] for one in results] == ["written", "replayed", "evaluated"]
    assert all(one["rounds_per_second"] > 0 for one in results)
    assert [one["env_microseconds"] is None for one in results] == [True, False, True]
