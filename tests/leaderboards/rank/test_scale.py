"""The scale of scores, and when there is none. Boards are in test_section.py."""

import dataclasses
import math

import numpy as np
import pytest

from leaderboards.rank.scale import Scale, baselines_of, scale_of
from leaderboards.run.store.store import Row
from leaderboards.suites.baselines_file import Baselines
from leaderboards.suites.suite import Suite, SuiteTask

REGRET = SuiteTask(name="one", env="x", settings={}, horizon=10, family="armed")
REWARD = SuiteTask(
    name="one", env="x", settings={}, horizon=10, family="armed", measure="reward",
    reference="UCB1",
)  # fmt: skip


def test_a_scale_is_paired_by_seed():
    uniform, best = np.array([5.0, 9.0, 4.0]), np.array([1.0, 2.0, 0.5])
    scale, reason = scale_of(
        REWARD, Baselines(dict(enumerate(-uniform)), dict(enumerate(-best))), (0, 1, 2)
    )
    assert reason is None
    assert scale is not None
    np.testing.assert_array_equal(scale.gaps, best - uniform)
    assert scale.baseline == pytest.approx(-6.0)
    assert scale.ceiling == pytest.approx(-3.5 / 3)
    assert scale.noise == pytest.approx(np.std([4.0, 7.0, 3.5], ddof=1) / math.sqrt(3))
    some, _ = scale_of(REWARD, Baselines(dict(enumerate(-uniform)), dict(enumerate(-best))), (2, 1))
    assert some == Scale((-4.0, -9.0), (-0.5, -2.0))


def test_a_task_counts_if_there_is_clearly_something_to_gain():
    def reason(task, uniform, best=()):
        baselines = Baselines(dict(enumerate(uniform)), dict(enumerate(best)))
        return scale_of(task, baselines, range(len(uniform)))[1]

    assert reason(REGRET, [3.0, 4.0, 5.0]) is None
    # Mean 4 and standard error 2 or a little more.
    assert reason(REGRET, [4 - 3.4, 4.0, 4 + 3.4]) is None
    assert "differ by less than 2 standard errors, 4" in reason(REGRET, [0.5, 4.0, 7.5])
    assert "no better" not in reason(REGRET, [0.5, 4.0, 7.5])
    # Mean 2 and standard error 1 exactly: no less than two of them.
    assert reason(REGRET, [1.0, 3.0]) is None
    assert "differ by less" in reason(REGRET, [1.0 - 1e-9, 3.0])
    assert reason(REGRET, [3.0]) is None  # one seed has no standard error
    for uniform in ([0.0], [-1.0], [0.0, 0.0]):
        assert "uniform play is as good as the best" in reason(REGRET, uniform)
    # Rewards are to be high: their best lies above.
    assert reason(REWARD, [1.0, 1.5], [3.0, 3.1]) is None
    assert "uniform play is as good" in reason(REWARD, [3.0, 3.1], [1.0, 1.5])


def test_one_task_without_reference_has_no_best_but_no_regret():
    task = SuiteTask(name="one", env="x", settings={}, horizon=10, family="armed", measure="reward")
    assert scale_of(task, Baselines({0: 1.0}), (0,)) == (
        None,
        "the suite names no reference, so the best reward is not known: name one to score it",
    )  # fmt: skip


def test_an_error_and_a_stopping_time_of_0_score_1():
    for measure in ("error", "simple_regret", "stopping_time"):
        task = SuiteTask(
            name="one", env="x", settings={}, horizon=10, family="armed", measure=measure
        )
        scale, reason = scale_of(task, Baselines({0: 1.0, 1: 0.5}), (0, 1))
        assert (scale and scale.ceiling, reason) == (0.0, None)


def test_a_reference_that_is_gone_has_no_rows():
    task = SuiteTask(
        name="one", env="x", settings={}, horizon=10, family="armed", measure="reward",
        reference="nowhere.py:Gone",
    )  # fmt: skip
    suite = Suite(name="s", title="t", seeds=(0,), tasks=(task,), hash="h", n_seeds=1)
    assert baselines_of(suite, []) == {"one": Baselines()}


def row_of(seed, value, spec="UniformRandom", rounds=10, **changes):
    row = Row(
        suite="h", task="one", agent=spec, spec=spec, hyperparameters={}, seed=seed, sources="",
        data={}, error=None, rounds=[1, rounds], measures={"regret": [0.0, value]}, seconds=None,
        bytes=None, facts=[], paper=None,
    )  # fmt: skip
    return dataclasses.replace(row, **changes)


def test_ends_are_the_smallest_of_whole_and_finite_rows():
    suite = Suite(name="s", title="t", seeds=(0, 1, 2), tasks=(REGRET,), hash="h", n_seeds=3)
    rows = [row_of(0, 5.0), row_of(0, 4.0), row_of(0, 6.0), row_of(1, 7.0, spec="UCB1")]
    rows += [row_of(1, 3.0, rounds=9), row_of(1, math.inf), row_of(2, math.nan)]
    rows += [row_of(2, 1.0, error="ValueError: no")]
    for some in (rows, rows[::-1]):
        assert baselines_of(suite, some) == {"one": Baselines({0: 4.0})}
    # What comes with the suite is its own.
    known = dataclasses.replace(suite, baselines={"one": Baselines({0: 9.0})})
    assert baselines_of(known, [*rows, row_of(1, 2.0)]) == {"one": Baselines({0: 9.0, 1: 2.0})}


def test_a_seed_that_lacks_both_ends_is_missing_once():
    _, reason = scale_of(REWARD, Baselines({2: 1.0}, {1: 2.0, 2: 3.0}), (0, 1, 2))
    assert "the baseline or reference has no result on 2 of 3 seeds" in reason
    _, reason = scale_of(REWARD, Baselines({2: 1.0}, {0: 2.0, 2: 3.0}), (0, 1, 2))
    assert "the baseline or reference has no result on 2 of 3 seeds" in reason


def test_a_reference_is_described_only_where_the_file_beside_the_suite_lacks_a_seed(monkeypatch):
    asked = []

    def entrants(specs):
        asked.extend(specs)
        raise ValueError("nobody")

    monkeypatch.setattr("leaderboards.run.entrants.entrants", entrants)
    task = dataclasses.replace(REWARD, reference="nowhere.py:Gone")
    row = Row(
        suite="s", task="one", agent="Gone", spec="Gone", hyperparameters={}, seed=1, sources="",
        data={}, error=None, rounds=[10], measures={"reward": [2.0]}, seconds=None, bytes=None,
        facts=[], paper=None,
    )  # fmt: skip
    for known, expected in (({0: 1.0, 1: 1.5}, []), ({0: 1.0}, [task.reference_place])):
        suite = Suite(
            name="s", title="", seeds=(0, 1), tasks=(task,), hash="s", n_seeds=2,
            baselines={"one": Baselines(known, known)},
        )  # fmt: skip
        assert baselines_of(suite, [row, row]) == {"one": Baselines(known, known)}
        assert asked == expected  # once for all rows
