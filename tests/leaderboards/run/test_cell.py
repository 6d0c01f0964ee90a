"""The unit of work, as played by the process that hands out third-party cells."""

import functools
from dataclasses import replace

import gymnasium
import pytest

import agents
from leaderboards.processes.workers import Lost
from leaderboards.run import cell as module
from leaderboards.run import outcomes
from leaderboards.run.cell import play_cell
from leaderboards.run.entrants import entrants
from leaderboards.run.outcomes import make, play_warm
from leaderboards.run.plan import Cell
from leaderboards.sandbox import warming
from leaderboards.suites.suite import load

SUITE = """
title = "small"
seeds = 3
[[task]]
name = "armed"
env = "ArmedBandit-v0"
horizon = 60
settings = { means = [0.2, 0.9] }
[[task]]
name = "numbers"
env = "OnlineRegression-v0"
horizon = 60
"""


def lose():
    raise Lost("asked")


@pytest.fixture
def cells(tmp_path):
    (tmp_path / "small.toml").write_text(SUITE)
    suite = load(tmp_path / "small.toml")
    (entrant,) = entrants(["UCB1"])
    blanks = [replace(entrant.row(suite, task), spec="mine.py:Mine") for task in suite.tasks]
    return [
        Cell(number=i, task=task, blank=blank, seeds=(0, 1))
        for i, (task, blank) in enumerate(zip(suite.tasks, blanks, strict=True))
    ]


def test_what_all_need_is_compiled_before_others_code_plays(cells, monkeypatch):
    done, whole = [], warming.play
    monkeypatch.setattr(outcomes, "_compiled", set())
    monkeypatch.setattr(warming, "play", lambda *a, **k: done.append(whole(*a, **k)))
    monkeypatch.setattr(module, "ask", lambda *a, **k: done.append(None) or lose())
    armed, numbers = cells
    for cell in (armed, armed, numbers):
        assert play_cell(cell, limit=600.0).lost == "asked"
    traces = [trace and (trace.agent, trace.env) for trace in done]
    assert traces == [
        ("UniformRandom", "ArmedBandit-v0"),
        None,
        None,
        ("PredictZero", "OnlineRegression-v0"),
        None,
    ]

    done.clear()
    outside = replace(armed.task, env="theirs.py:Theirs")
    assert play_cell(replace(armed, task=outside), limit=600.0).lost == "asked"
    assert done == [None]  # third-party environments never run in a shared process


@pytest.mark.parametrize(
    "forged",
    [
        {"rounds": [], "measures": {"regret": [[], []]}},
        {"rounds": [1, 10**30], "measures": {"regret": [[0.0, 0.0]] * 2}},
        {"bytes": -7},
        {"bytes": 2**62},
        {"seconds": [-5.0, 0.0]},
        {"measures": {"\ud800": [[1.0]] * 2, "regret": [[1.0]] * 2}},
    ],
)
def test_what_no_reader_would_take_is_a_failure(cells, monkeypatch, forged):
    cell = replace(cells[0], blank=replace(cells[0].blank, spec="UCB1"))
    true = {"rounds": [60], "measures": {"regret": [[1.0]] * 2}, "seconds": [0.0] * 2, "bytes": 8}
    monkeypatch.setattr(module, "outcome", lambda *_: true)
    assert [row.error for row in play_cell(cell).rows] == [None, None]
    monkeypatch.setattr(module, "outcome", lambda *_: true | forged)
    for row in play_cell(cell).rows:
        assert row.error is not None
        assert row.error.startswith("the result is invalid")


def test_an_impossible_result_of_any_seed_is_told(cells, monkeypatch):
    cell = replace(cells[0], blank=replace(cells[0].blank, spec="UCB1"))
    found = {"rounds": [60], "measures": {"regret": [[1.0], [-1.0]]}, "seconds": [0.0] * 2}
    monkeypatch.setattr(module, "outcome", lambda *_: found | {"bytes": 8})
    for row in play_cell(cell).rows:
        assert "no round's regret is negative here" in (row.error or "")


def test_the_rounds_before_the_clock_starts_are_on_no_seed_that_counts(cells, monkeypatch):
    played, whole = [], outcomes.play
    monkeypatch.setattr(
        outcomes, "play", lambda *a, **k: played.append(k["seed"]) or whole(*a, **k)
    )
    assert outcomes.outcome(cells[0].task, "UCB1", (0, 1, 2, 5))["rounds"][-1] == 60
    before, counted = played
    assert counted == [0, 1, 2, 5]
    assert len(before) == 4
    assert not {*before} & {*counted}


def test_what_another_library_computes_is_ours_and_plays_in_a_process_of_its_own(
    cells, monkeypatch, tmp_path
):
    asked = []
    monkeypatch.setattr(module, "ask", lambda *a, **k: asked.append(a) or lose())
    armed = cells[0]
    for spec in ("PPO(n_steps=8, batch_size=8)", "agents.deep.ppo:PPO", "UCB1"):
        cell = replace(armed, blank=replace(armed.blank, spec=spec))
        assert (play_cell(cell, tmp_path, 600.0).lost == "asked") is (spec != "UCB1")
    assert [question["spec"] for question, in asked] == [
        "PPO(n_steps=8, batch_size=8)", "agents.deep.ppo:PPO",
    ]  # fmt: skip
    # Held-out seeds are not hidden from it, but are from third-party code.
    ours = replace(armed.blank, spec="PPO")
    hidden = replace(armed, blank=ours, task=replace(armed.task, hidden=(5, 6, 7)))
    assert play_cell(hidden, tmp_path, 600.0).lost == "asked"


def test_the_judge_warms_up_with_no_library(cells, monkeypatch):
    warmed = []
    monkeypatch.setattr(warming, "play", lambda envs, agent, **k: warmed.append(agent))
    for spec in ("PPO", "UCB1"):
        warming.warm(make(cells[0].task, 2), spec)
    assert [type(agent).__name__ for agent in warmed] == ["UniformRandom", "UCB1"]


def test_its_rows_are_those_of_this_process(cells):
    pytest.importorskip("stable_baselines3", reason="needs stable-baselines3")
    armed = replace(cells[0], blank=replace(cells[0].blank, spec="A2C(n_steps=20)"), seeds=(0,))
    (apart,), (here,) = (play_cell(armed, limit=limit).rows for limit in (600.0, None))
    assert apart.error is None
    assert apart.measures == here.measures


BEST_ARM = """
title = "best arms"
seeds = 12
[[task]]
name = "error"
env = "ArmedBandit-v0"
horizon = 400
measure = "error"
settings = { means = [0.2, 0.9], objective = "best_arm", delta = 0.1 }
[[task]]
name = "time"
env = "ArmedBandit-v0"
horizon = 400
measure = "stopping_time"
settings = { means = [0.2, 0.9], objective = "best_arm", delta = 0.1, shuffled = true }
"""


def test_agents_are_scored_by_errors_and_times_and_fail_if_they_err_too_often(tmp_path):
    (tmp_path / "best.toml").write_text(BEST_ARM)
    suite = load(tmp_path / "best.toml")

    def played(spec, task):
        (entrant,) = entrants([spec])
        cell = Cell(number=0, task=task, blank=entrant.row(suite, task), seeds=suite.seeds)
        return play_cell(cell).rows

    for task in suite.tasks:
        rows = played("TTUCB", task)
        assert [row.error for row in rows] == [None] * 12
        assert all(0 < row.measures["stopping_time"][-1] < 400 for row in rows)
        assert all(row.error is None for row in played("UniformRandom", task))  # it scores 0
    wrong = replace(suite.tasks[0], settings={**suite.tasks[0].settings, "delta": 1e-9})
    worse = replace(wrong, horizon=1)  # after one round the first arm, the worse, is recommended
    assert {row.error for row in played("TTUCB", worse)} == {
        "12 of 12 recommendations are wrong, and delta is 1e-09"
    }


def test_an_agent_that_needs_many_rounds_has_them_in_the_warm_up_too():
    """Two rounds are fewer than successive rejects takes: it would refuse them."""
    env = functools.partial(
        gymnasium.make_vec, "ArmedBandit-v0", num_envs=2, n_arms=4, objective="best_arm", horizon=60
    )
    trace = play_warm(env, agents.SuccessiveRejects(), [0, 1], horizon=60)
    assert trace.recommended is not None
    assert trace.rounds[-1] == 60
