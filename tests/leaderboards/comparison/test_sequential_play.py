"""Comparisons as they are played, against the definition. 5 seconds."""

import gymnasium
import numpy as np
import pytest

import agents
from leaderboards.comparison import sequential_play
from leaderboards.comparison.contest import contest_of
from leaderboards.comparison.sequential_play import BATCH, FROZEN, SequentialPlay, Until
from leaderboards.rank import betting
from leaderboards.suites.seed_ranges import BASELINES, SCORING

from .small_comparisons import HORIZON, SETTINGS, SUITE, rows_of


def final(agent, seeds, horizon=HORIZON, measure="regret", **settings):
    """The measure after the last round, by ``agents.play``."""
    env = gymnasium.make_vec(
        "ArmedBandit-v0", num_envs=len(seeds), horizon=horizon, **(settings or SETTINGS)
    )
    trace = agents.play(env, agents.naming.resolve(agent), seed=list(seeds))
    return np.asarray(trace.measures[measure])[:, -1]


def test_the_numbers_are_those_of_the_definition(course, tmp_path):
    told = []
    found = course("UCB1", "UniformRandom", say=told.append).play()
    (pair,) = found.pairs
    frozen = range(10**6, 10**6 + 100)
    uniform = np.array([final("UniformRandom", [seed])[0] for seed in frozen])  # the best is 0
    unit, seeds = uniform.mean(), range(pair.seeds)
    regrets = [final(agent, seeds) for agent in ("UCB1", "UniformRandom")]
    assert found.denominators == {"ArmedBandit-v0": pytest.approx(unit)}
    bound = 1.5  # of an agent that never plays the best of three arms; uniform play varies little
    assert uniform.max() < bound * unit
    assert found.rule.bound == pytest.approx(bound)
    assert (found.rule.measure, found.rule.unit) == ("regret", pytest.approx(unit))
    assert pair.regrets == pytest.approx([own.mean() for own in regrets])
    assert pair.difference.value == pytest.approx(np.subtract(*regrets).mean())
    # In the unit of the measure, or scaled: the interval is the same.
    low, high = betting.interval(np.subtract(*regrets), bound * unit)
    assert (pair.difference.low, pair.difference.high) == pytest.approx((low, high))
    scaled = (own / unit for own in regrets)
    code, seen = betting.first_verdict(*scaled, 0.1, bound)
    assert (code, seen) == (betting.LOWER, pair.seeds)
    assert pair.verdict == "better"
    assert pair.above == sum((own > bound * unit).sum() for own in regrets)
    assert told == [
        f"uniform play has a mean regret of {unit:.4g} on ArmedBandit-v0: seeds 1000000..1000099"
    ]


def test_the_denominators_are_told_before_the_first_seed_is_played(course, tmp_path):
    seen = []
    course("UCB1", "UniformRandom", say=lambda _: seen.extend(rows_of(tmp_path / "store"))).play()
    assert {(agent, seed in BASELINES) for agent, _, seed in seen} == {("UniformRandom", True)}
    assert [seed for *_, seed in seen] == list(FROZEN)
    later = {seed for *_, seed in rows_of(tmp_path / "store")} - set(FROZEN)
    assert later
    assert all(seed in SCORING for seed in later)


def test_on_a_suite_measures_and_references_are_the_tasks_own(course, tmp_path):
    (tmp_path / "two.toml").write_text(SUITE)
    found = course("KLUCB", "UniformRandom", on=str(tmp_path / "two.toml"), seeds=9).play()
    (pair,) = found.pairs
    frozen, seeds = range(10**6, 10**6 + 100), range(9)
    drawn = {"horizon": 30, "measure": "reward", "n_arms": 10}
    gaps = final("UniformRandom", frozen, **drawn) - final("UCB1", frozen, **drawn)
    uniform = final("UniformRandom", frozen)
    units = uniform.mean(), -gaps.mean()
    assert found.denominators == {
        "arms": pytest.approx(units[0]),
        "clicks": pytest.approx(units[1]),
    }
    assert found.rule.bound == pytest.approx(
        np.mean([1.5, (-gaps).max() / units[1]])  # three arms, and the largest of uniform play
    )
    assert (found.rule.measure, found.rule.unit) == ("scaled regret", 1.0)
    total = []
    for agent in ("KLUCB", "UniformRandom"):
        short = final("UCB1", seeds, **drawn) - final(agent, seeds, **drawn)
        total.append((final(agent, seeds) / units[0] + short / units[1]) / 2)
    assert pair.regrets == pytest.approx([np.mean(own) for own in total])
    assert pair.difference.value == pytest.approx(np.mean(total[0] - total[1]))
    assert pair.seeds == 9
    assert found.on == "two"


def test_a_maximised_measure_is_told_as_what_the_reference_has_more(course, tmp_path):
    head, _, clicks = SUITE.split("[[task]]")
    (tmp_path / "one.toml").write_text(f"{head}[[task]]{clicks}")
    found = course("KLUCB", "UniformRandom", on=str(tmp_path / "one.toml"), seeds=9).play()
    (pair,) = found.pairs
    drawn = {"horizon": 30, "measure": "reward", "n_arms": 10}
    best = final("UCB1", range(9), **drawn)
    short = [(best - final(own, range(9), **drawn)).mean() for own in ("KLUCB", "UniformRandom")]
    assert pair.regrets == pytest.approx(short)
    assert found.rule.measure == "reward below the reference's"
    assert "reward below the reference's" in pair.found


def test_linucb_against_uniform_play_ends_within_16_seeds(tmp_path):
    contest = contest_of("LinearBandit-v0", ["LinUCB", "UniformRandom"])
    found = SequentialPlay(contest, Until(store=tmp_path), workers=1).play()
    assert found.pairs[0].verdict == "better"
    assert found.pairs[0].seeds <= 16
    played = {seed for _, _, seed in rows_of(tmp_path)}
    assert played == {*range(16), *FROZEN}


def test_two_copies_are_equivalent_within_300_seeds(course):
    found = course("UCB1", "UCB1()").play()
    assert [(p.first, p.second, p.verdict) for p in found.pairs] == [
        ("UCB1", "UCB1 #2", "equivalent")
    ]
    assert found.pairs[0].seeds <= 300


def test_the_size_of_batches_has_no_influence(course, monkeypatch):
    expected = course("UCB1", "KLUCB", "UniformRandom").play()
    monkeypatch.setattr(sequential_play, "BATCH", 5)
    found = course("UCB1", "KLUCB", "UniformRandom", store="other").play()
    assert found.pairs == expected.pairs


def test_batches_are_16_and_then_double_up_to_the_budget(course):
    until = {"budget": 100}
    assert list(course("UCB1", "KLUCB", until=until)._sizes()) == [16, 32, 64, 100]
    assert list(course("UCB1", "KLUCB", until={"budget": 9})._sizes()) == [9]
    assert list(course("UCB1", "KLUCB", seeds=70)._sizes()) == [70]
    assert BATCH == 16


WORST = """
import numpy as np
import agents

class Worst(agents.UCB1):
    def _choose(self, contexts):
        return np.full(self.n, 2)
"""


def test_agents_whose_pairs_are_decided_play_no_longer(course, tmp_path):
    (tmp_path / "worst.py").write_text(WORST)
    found = course("UCB1(scale='theory')", "KLUCB", f"{tmp_path}/worst.py:Worst").play()
    assert [pair.verdict for pair in found.pairs] == ["worse", "better", "better"]
    assert [pair.seeds <= 16 for pair in found.pairs] == [False, True, True]
    most = {}
    for agent, _, seed in rows_of(tmp_path / "store"):
        if seed in SCORING:
            most[agent] = max(seed, most.get(agent, 0))
    others = {most[agent] for agent in ("UCB1(scale='theory')", "KLUCB", "UniformRandom")}
    assert most["Worst"] == 15
    assert others <= {31, 63, 127}
    assert len(others) == 1


def test_pairs_share_alpha(course):
    assert course("UCB1", "KLUCB").rule.alpha == 0.05
    assert course("UCB1", "KLUCB", "UCB1").rule.alpha == pytest.approx(0.05 / 3)
    assert course("UCB1", "KLUCB", "UCB1", "UCB1").rule.alpha == pytest.approx(0.05 / 6)


@pytest.mark.parametrize(
    ("env", "settings", "least"),
    [
        ("ArmedBandit-v0", {"means": [0.2, 0.9]}, 2.0),
        ("SynNonSep-v0", {}, 9 / 8),
        ("MulticlassBandit-v0", {"data": "digits", "slots": 3}, 10 / 7),
        ("LinearBandit-v0", {"n_arms": 4, "dim": 3}, 4 / 3),
        ("OnlineRegression-v0", {}, 1.0),
    ],
)
def test_the_bound_allows_for_an_agent_that_is_never_right(tmp_path, env, settings, least):
    zero = "PredictZero" if env == "OnlineRegression-v0" else "UniformRandom"
    contest = contest_of(env, [zero, zero], settings=settings, horizon=30)
    found = SequentialPlay(contest, Until(store=tmp_path), seeds=1, workers=1).play()
    envs = gymnasium.make_vec(env, num_envs=100, horizon=30, **settings)
    uniform = agents.play(envs, agents.naming.resolve(zero), seed=list(FROZEN)).regret[:, -1]
    assert found.rule.bound == pytest.approx(max(least, uniform.max() / uniform.mean()))
