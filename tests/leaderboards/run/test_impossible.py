"""Which curves are impossible."""

from dataclasses import replace
from typing import get_args

import gymnasium
import numpy as np
import pytest
from scipy import stats

import banditgym  # noqa: F401 (registers the environments)
from banditgym.tasks import Task
from leaderboards.run.impossible import (
    NEVER_NEGATIVE,
    impossible,
    possible_range,
    too_many_errors,
)
from leaderboards.suites.suite import SuiteTask


def test_the_families_are_those_whose_tasks_say_so():
    assert {kind.family for kind in get_args(Task) if kind.never_negative} == NEVER_NEGATIVE


@pytest.mark.parametrize(
    "family", ["armed", "linear", "kernelized", "strongly_convex", "multiclass"]
)
def test_a_negative_regret_is_impossible(family):
    assert impossible(family, {"regret": [0.0, 0.0, 3.0], "reward": [1.0, 2.0, 3.0]}) is None
    assert "a regret -3:" in (impossible(family, {"regret": [1.0, -3.0]}) or "")
    falls = impossible(family, {"regret": [1.0, 7.0, 5.0], "reward": [1.0, 2.0, 3.0]})
    assert "a regret that falls to 5:" in (falls or "")
    # Rounding, and a point 1e-9 outside its set, are told from that by the size of the sums.
    assert impossible(family, {"regret": [-1e-9, -1e-7], "reward": [1.0, 200.0]}) is None
    assert impossible(family, {"regret": [-1e-3, -1e-3], "reward": [1.0, 200.0]}) is not None
    assert impossible(family, {"clicks": [-1.0]}) is None


@pytest.mark.parametrize("family", ["regression", "losses", "news"])
def test_against_the_best_in_hindsight_it_may_be_negative(family):
    assert impossible(family, {"regret": [0.0, -3.0], "reward": [1.0, 2.0]}) is None


def test_a_point_on_the_edge_of_what_is_legal_is_no_fault():
    """The optimum, 1e-9 outside the ball: the most that is to be gained on the best point."""
    env = gymnasium.make_vec("BallBandit-v0", num_envs=50, dim=3, horizon=20)
    env.reset(seed=list(range(50)))
    best = env.unwrapped._set.argmax(env.unwrapped._theta) * (1.0 + 0.99e-9)
    regret = np.cumsum([env.step(best)[4]["regret"] for _ in range(20)], axis=0).T
    assert regret.min() < 0
    env.reset(seed=list(range(50)))
    reward = np.cumsum([env.step(best)[1] for _ in range(20)], axis=0).T
    for i in range(50):
        curves = {"regret": regret[i].tolist(), "reward": reward[i].tolist()}
        assert impossible("strongly_convex", curves) is None


def test_a_mean_lies_where_its_values_can():
    assert possible_range("news", "clicks_per_10000", 500) == (0.0, 10_000.0)
    assert possible_range("linear", "regret", 500) == (0.0, np.inf)
    low, high = possible_range("multiclass", "regret", [1, 10, 500])
    assert low == 0.0
    np.testing.assert_array_equal(high, [1, 10, 500])  # a wrong label costs 1
    for family, measure in (("regression", "regret"), ("losses", "regret"), ("armed", "reward")):
        assert possible_range(family, measure, 500) == (-np.inf, np.inf)


def test_an_agent_that_errs_significantly_more_often_than_delta_is_refused():
    task = SuiteTask(
        name="one", env="x", settings={"objective": "best_arm", "delta": 0.1}, horizon=10,
        family="armed", measure="error",
    )  # fmt: skip

    def said(wrong, n, of=task):
        return too_many_errors(of, [[1.0, float(i < wrong)] for i in range(n)])

    # The least number with an upper tail below a thousandth, by the binomial law of scipy.
    for n in (5, 40, 1000):
        limit = int(stats.binom.isf(1e-3, n, 0.1)) + 1
        assert stats.binom.sf(limit - 1, n, 0.1) < 1e-3 <= stats.binom.sf(limit - 2, n, 0.1)
        assert said(limit - 1, n) is None
        assert said(limit, n) == f"{limit} of {n} recommendations are wrong, and delta is 0.1"
    assert too_many_errors(task, []) is None
    assert said(40, 40, replace(task, settings={"objective": "best_arm"})) is None
