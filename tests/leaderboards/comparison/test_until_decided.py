"""Comparisons as they are played: against the definition, stopped, and gone on. 10 seconds."""

from dataclasses import replace

import gymnasium
import numpy as np
import pytest

import agents
from leaderboards.comparison import until_decided
from leaderboards.comparison.decision import Decision
from leaderboards.comparison.question import posed
from leaderboards.comparison.until_decided import BATCH, FROZEN, Course, Until
from leaderboards.rank import betting
from leaderboards.seed_ranges import BASELINES, SCORING
from leaderboards.store import Store

SETTINGS = {"means": [0.5, 0.4, 0.2]}
HORIZON = 40

SUITE = """
title = "two"
seeds = 3

[[task]]
name = "arms"
env = "ArmedBandit-v0"
horizon = 40
settings = { means = [0.5, 0.4, 0.2] }

[[task]]
name = "clicks"
env = "ArmedBandit-v0"
horizon = 30
measure = "reward"
reference = "UCB1"
"""


@pytest.fixture
def course(tmp_path):
    """A comparison on a small environment."""

    def course(*specs, store="store", until=None, on="ArmedBandit-v0", **more):
        small = {"settings": SETTINGS, "horizon": HORIZON} if on == "ArmedBandit-v0" else {}
        given = Until(**{"store": tmp_path / store, **(until or {})})
        return Course(posed(on, specs, **small), given, **{"workers": 1, **more})

    return course


def final(agent, seeds, horizon=HORIZON, measure="regret", **settings):
    """The measure after the last round, by ``agents.play``."""
    env = gymnasium.make_vec(
        "ArmedBandit-v0", num_envs=len(seeds), horizon=horizon, **(settings or SETTINGS)
    )
    trace = agents.play(env, agents.naming.resolve(agent), seed=list(seeds))
    return np.asarray(trace.measures[measure])[:, -1]


def rows_of(store):
    return sorted((row.agent, row.task, row.seed) for row in Store(store).rows())


def test_the_numbers_are_those_of_the_definition(course, tmp_path):
    told = []
    found = course("UCB1", "UniformRandom", tell=told.append).play()
    (pair,) = found.pairs
    frozen = range(10**6, 10**6 + 100)
    unit = np.mean([final("UniformRandom", [seed])[0] for seed in frozen])  # the best is 0
    seeds = range(pair.seeds)
    base = final("UniformRandom", seeds)
    scores = [(base - final(agent, seeds)) / unit for agent in ("UCB1", "UniformRandom")]
    differences = np.subtract(*(np.clip(own, -1, 1) for own in scores))
    assert found.denominators == {"ArmedBandit-v0": pytest.approx(unit)}
    assert pair.difference.value == pytest.approx(differences.mean())
    low, high = betting.interval((differences + 2) / 4)
    assert (pair.difference.low, pair.difference.high) == pytest.approx((4 * low - 2, 4 * high - 2))
    assert pair.verdict == "better"
    assert pair.clipped == sum((abs(own) > 1).sum() for own in scores)
    assert told == [
        f"a score of 1 is {unit:.4g} on ArmedBandit-v0: baseline - best, mean of seeds "
        "1000000..1000099"
    ]


def test_the_denominators_are_told_before_the_first_seed_is_played(course, tmp_path):
    seen = []
    course("UCB1", "UniformRandom", tell=lambda _: seen.extend(rows_of(tmp_path / "store"))).play()
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
    units = final("UniformRandom", frozen).mean(), gaps.mean()
    assert found.denominators == {
        "arms": pytest.approx(units[0]),
        "clicks": pytest.approx(units[1]),
    }
    total = 0
    for own, unit in (({}, units[0]), (drawn, units[1])):
        score = (final("UniformRandom", seeds, **own) - final("KLUCB", seeds, **own)) / unit
        total = total + np.clip(score, -1, 1) / 2
    assert pair.difference.value == pytest.approx(np.mean(total))
    assert (pair.seeds, pair.cells) == (9, 36)
    assert found.on == "two"


def test_linucb_against_uniform_play_ends_within_16_seeds(tmp_path):
    question = posed("LinearBandit-v0", ["LinUCB", "UniformRandom"])
    found = Course(question, Until(store=tmp_path), workers=1).play()
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
    monkeypatch.setattr(until_decided, "BATCH", 5)
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
    found = course("UCB1", "KLUCB", f"{tmp_path}/worst.py:Worst").play()
    assert [pair.verdict for pair in found.pairs] == ["worse", "better", "better"]
    assert [pair.seeds <= 16 for pair in found.pairs] == [False, True, True]
    most = {}
    for agent, _, seed in rows_of(tmp_path / "store"):
        if seed in SCORING:
            most[agent] = max(seed, most.get(agent, 0))
    others = {most[agent] for agent in ("UCB1", "KLUCB", "UniformRandom")}
    assert most["Worst"] == 15
    assert others <= {31, 63, 127}
    assert len(others) == 1


def test_pairs_share_alpha(course):
    assert course("UCB1", "KLUCB").rule.alpha == 0.05
    assert course("UCB1", "KLUCB", "UCB1").rule.alpha == pytest.approx(0.05 / 3)
    assert course("UCB1", "KLUCB", "UCB1", "UCB1").rule.alpha == pytest.approx(0.05 / 6)


def test_a_budget_that_ran_out_says_what_it_found_and_a_larger_one_goes_on(course, tmp_path):
    names = "UCB1", "KLUCB"
    short = course(*names, until={"budget": 20}).play()
    assert (short.pairs[0].verdict, short.pairs[0].seeds) == (None, 20)
    assert "undecided after 20 seeds" in repr(short)
    before = rows_of(tmp_path / "store")
    played = []
    more = course(*names, until={"budget": 40}, progress=lambda *_: played.append(1))
    found = more.play()
    assert len(played) > 0
    after = rows_of(tmp_path / "store")
    assert len(after) == len(set(after)) == len(before) + 3 * 20  # two agents and the baseline
    assert found.pairs == course(*names, until={"budget": 40}, store="fresh").play().pairs
    assert course(*names, until={"budget": 20}).play().pairs == short.pairs


@pytest.mark.parametrize("after", [1, 3, 6, 9])
def test_a_comparison_that_is_interrupted_tells_and_goes_on(course, tmp_path, after):
    names, until = ("UCB1", "KLUCB"), {"budget": 64}
    expected = course(*names, until=until, store="whole").play()
    calls = []

    def interrupt(*_):
        calls.append(1)
        if len(calls) == after:
            raise KeyboardInterrupt

    stopped = course(*names, until=until, progress=interrupt)
    with pytest.raises(KeyboardInterrupt):
        stopped.play()
    so_far = stopped.found()
    if so_far is not None:
        assert so_far.pairs[0].seeds < 64
        whole = course(*names, store="whole", seeds=so_far.pairs[0].seeds)
        assert so_far.pairs[0].difference.value == whole.play().pairs[0].difference.value
    assert course(*names, until=until).play().pairs == expected.pairs
    assert rows_of(tmp_path / "store") == rows_of(tmp_path / "whole")


def test_before_the_denominators_are_fixed_nothing_is_found(course):
    assert course("UCB1", "KLUCB").found() is None


FAILS = """
import agents

class Fails(agents.UCB1):
    def _choose(self, contexts):
        if (self.decisions > 5).any():
            raise RuntimeError("it broke")
        return super()._choose(contexts)
"""


def test_an_agent_that_fails_is_not_left_out(course, tmp_path):
    (tmp_path / "fails.py").write_text(FAILS)
    with pytest.raises(
        ValueError, match="^Fails failed on ArmedBandit-v0, seed 0, and no seed may"
    ):
        course("UCB1", f"{tmp_path}/fails.py:Fails").play()


def test_what_has_no_scale_is_refused_or_not_counted(tmp_path):
    fair = posed("ArmedBandit-v0", ["UCB1", "KLUCB"], settings={"means": [0.5, 0.5]}, horizon=20)
    with pytest.raises(ValueError, match="no scale for scores on .*: uniform play is as good"):
        Course(fair, Until(store=tmp_path / "a"), workers=1).play()
    text = SUITE.replace('reference = "UCB1"', "")
    (tmp_path / "two.toml").write_text(text)
    question = posed(str(tmp_path / "two.toml"), ["UCB1", "KLUCB"])
    found = Course(question, Until(store=tmp_path / "b"), seeds=2, workers=1).play()
    assert list(found.denominators) == ["arms"]
    assert found.notes[0].startswith("not counted: clicks: the suite names no reference")


ALIKE = """
from banditgym.envs.armed import ArmedBandit

class Alike(ArmedBandit):
    def reset(self, *, seed=None, options=None):
        return super().reset(seed=[1] * self.num_envs, options=options)
"""


def test_a_task_that_is_the_same_on_every_seed_is_told(tmp_path):
    (tmp_path / "alike.py").write_text(ALIKE)
    text = SUITE.replace("ArmedBandit-v0", "alike.py:Alike", 1)
    (tmp_path / "two.toml").write_text(text)
    question = posed(str(tmp_path / "two.toml"), ["UCB1", "KLUCB"], trust=True)
    found = Course(question, Until(store=tmp_path / "b"), seeds=2, workers=1).play()
    assert found.notes == ("the environment is the same on every seed of arms: only agents vary",)
    alone = posed(f"{tmp_path}/alike.py:Alike", ["UCB1", "KLUCB"], horizon=30)
    course = Course(alone, Until(store=tmp_path / "b"), seeds=2, workers=1)
    with pytest.raises(ValueError, match="Alike is the same on every seed"):
        course.play()


def test_rows_of_a_leaderboard_are_used_and_those_of_other_code_are_not(course, tmp_path):
    (tmp_path / "two.toml").write_text(SUITE)
    on = str(tmp_path / "two.toml")
    first = course("UCB1", "KLUCB", on=on, seeds=3)
    expected = first.play()
    store = Store(tmp_path / "other")
    with store:
        store.append(
            replace(row, sources="0" * 16, measures={"regret": [9e9], "reward": [9e9]}, rounds=[40])
            for row in Store(tmp_path / "store").rows()
        )
    assert course("UCB1", "KLUCB", on=on, seeds=3, store="other").play().pairs == expected.pairs


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"margin": 0.0}, r"margin is a difference of scores in \(0, 2\), got 0.0"),
        ({"margin": float("nan")}, "margin .* got nan"),
        ({"margin": 2}, "margin .* got 2"),
        ({"budget": 0}, "budget is a number of seeds in 1..500000, got 0"),
        ({"budget": 500_001}, "budget .* got 500001"),
        ({"budget": True}, "budget .* got True"),
        ({"budget": 2.5}, "budget .* got 2.5"),
    ],
)
def test_limits_are_checked(given, message):
    with pytest.raises(ValueError, match=message):
        Until(**given)
    assert Until(margin=1.9, budget=500_000).budget == 500_000


def test_given_seeds_are_checked(course):
    with pytest.raises(ValueError, match="seeds is a number of seeds in 1..500000, got 0"):
        course("UCB1", "KLUCB", seeds=0)


def test_long_batches_play_in_processes_and_short_ones_here(course, monkeypatch):
    asked = []

    class Stop(Exception):
        pass

    def run(suite, specs, **given):
        asked.append((given["workers"], given["executor"]))
        raise Stop

    monkeypatch.setattr(until_decided, "run", run)
    monkeypatch.setattr(until_decided, "workers_for", lambda seconds: 1 if seconds < 20 else 7)
    for workers in (None, 1, 3):
        with pytest.raises(Stop):
            course("UCB1", "KLUCB", workers=workers).play()
    monkeypatch.setattr(until_decided.Question, "seconds", lambda self, n: 21.0)
    with pytest.raises(Stop):
        course("UCB1", "KLUCB", workers=None).play()
    here = until_decided.Here
    assert asked == [(1, here), (1, here), (3, None), (7, None)]


def test_it_is_a_decision(course):
    assert isinstance(course("UCB1", "UniformRandom", seeds=2).play(), Decision)
