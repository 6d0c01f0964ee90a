"""Trials: played as a plain loop would, scored as the board scores, and stopped in the end."""

import gymnasium
import numpy as np
import pytest

import agents
from agents.play import play as play_agent
from leaderboards.suites.seed_ranges import TUNING
from leaderboards.tuning import trials
from leaderboards.tuning.trials import Played, Scoring, limit_of, play, spec_of

from .tunable import PLACE, baselines_of

SEEDS = range(TUNING.start, TUNING.start + 6)


def finals_of(agent, env, seeds, **settings):
    """Regret after the last round, seed by seed."""
    return [
        float(play_agent(gymnasium.make(env, **settings), agent, seed=seed).regret[0, -1])
        for seed in seeds
    ]


@pytest.fixture
def armed(tasks):
    return tasks.on(SEEDS, ["coins", "rare"])


def test_a_trial_plays_every_task_and_seed(armed):
    found = play("UCB1(noise_std=0.2)", armed)
    agent = agents.UCB1(noise_std=0.2)
    coins = finals_of(agent, "ArmedBandit-v0", SEEDS, n_arms=3, horizon=60)
    rare = finals_of(agent, "ArmedBandit-v0", SEEDS, means=[0.1, 0.05, 0.02], horizon=40)
    assert found.finals == {"coins": coins, "rare": rare}
    assert found.error is None
    assert found.seconds > 0


def test_the_score_is_the_boards_by_ranking_and_their_mean(armed):
    baselines = baselines_of(armed)
    scoring = Scoring(armed, baselines)
    finals = play("UCB1", armed).finals
    uniform = agents.UniformRandom()
    expected = {}
    for name, ranking, settings in (
        ("coins", "armed", {"n_arms": 3, "horizon": 60}),
        ("rare", "armed-rare", {"means": [0.1, 0.05, 0.02], "horizon": 40}),
    ):
        baseline = np.array(finals_of(uniform, "ArmedBandit-v0", SEEDS, **settings))
        expected[ranking] = 1 - np.mean(finals[name]) / baseline.mean()  # no regret scores 1
    assert scoring.by_ranking(finals) == pytest.approx(expected, rel=1e-12)
    assert scoring.score(finals) == pytest.approx(np.mean([*expected.values()]), rel=1e-12)


def test_the_difference_is_paired(armed):
    scoring = Scoring(armed, baselines_of(armed))
    good = play("BetaThompson", armed).finals
    worse = {name: [value + 3.0 for value in values] for name, values in good.items()}
    value, low, high = scoring.difference(good, worse)
    assert 0 < low <= value <= high
    assert scoring.difference(good, good) == (0.0, 0.0, 0.0)
    back = scoring.difference(worse, good)
    assert back == pytest.approx((-value, -high, -low))


def test_a_setting_is_named_as_it_is_typed():
    assert spec_of("LinUCB", {"alpha": 0.5}) == "LinUCB(alpha=0.5)"
    assert spec_of("OFUL(delta=0.05)", {"radius": 0.5}) == "OFUL(delta=0.05, radius=0.5)"
    assert spec_of(PLACE + "Fixed", {"arm": 3}) == PLACE + "Fixed(arm=3)"
    nested = spec_of("FastLinUCB", {"estimator.step": 50.0})
    assert agents.resolve(nested).estimator.step == 50.0


def test_an_error_is_a_trial_that_failed(armed):
    found = play(PLACE + "Wide(width=9.0)", armed)
    assert found.finals == {}
    assert found.error.startswith("coins: ArithmeticError: too wide")


def test_a_trial_over_the_limit_fails(armed):
    assert limit_of(Played({}, 10.0)) == 200.0
    assert limit_of(Played({}, 0.001)) == 1.0  # a hiccup of the machine fails nothing
    spec = PLACE + "Heavy(seconds=0.4)"
    assert play(spec, armed, limit=100.0).error is None
    found = play(spec, armed, limit=0.1)
    assert found.error.startswith("took 0.4")
    assert found.finals == {}


def test_a_trial_that_does_not_end_is_stopped(armed, monkeypatch):
    monkeypatch.setattr(trials, "COMPILING", 0.3)
    found = play(PLACE + "Heavy(seconds=1000.0)", armed, limit=0.1)
    assert found.error.startswith("coins: _Overdue: took over 0.4 CPU seconds, and was stopped")


def test_a_task_that_is_not_scored_on_the_seeds_is_refused(armed):
    baselines = baselines_of(armed)
    with pytest.raises(ValueError, match="task 'coins' is not scored here: uniform play is as"):
        Scoring(armed, {**baselines, "coins": type(baselines["coins"])(dict.fromkeys(SEEDS, 0.0))})
