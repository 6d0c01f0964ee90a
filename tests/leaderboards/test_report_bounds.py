"""Bounds beside the curves: their values by definition, where they are drawn, what is said."""

import dataclasses
import math

import numpy as np
import pytest

from agents import bounds as theorems
from banditgym.envs.armed import ArmedBandit
from leaderboards import report
from leaderboards.rank.board import build
from leaderboards.report import bounds
from leaderboards.report.curves import curves
from leaderboards.report.styles import style

from .test_report import a_suite, read_page, some_rows

ROUNDS = [1, 10, 100, 1000]


def a_board(env, family, agents, settings, given, uniform=500.0):
    suite = a_suite(1, baselines=(uniform, None), families=(family,))
    task = dataclasses.replace(suite.tasks[0], env=env, settings=settings)
    suite = dataclasses.replace(suite, tasks=(task,))
    rows = [dataclasses.replace(row, hyperparameters=given) for row in some_rows(suite, agents)]
    return build(suite, rows)


def linear(uniform, **settings):
    given = {"ridge": 0.5, "delta": 0.05, "noise_std": None, "param_norm": 2.0}
    settings = {"n_arms": 5, "dim": 2, "noise_std": 0.3, "contexts": "sphere", **settings}
    return a_board("LinearBandit-v0", "linear", ("OFUL", "LinUCB"), settings, given, uniform)


def only(built):
    (section,) = built.sections
    ((bound,),) = bounds.bounds_of(section).values()
    return section, bound


def test_a_bound_is_drawn_only_where_it_lies_below_uniform_play():
    known = {"dim": 2, "ridge": 0.5, "feature_norm": 1.0, "noise_std": 0.3, "param_norm": 2.0,
             "delta": 0.05}  # fmt: skip
    last = float(theorems.oful_unbounded(1000, **known))
    section, bound = only(linear(3 * last))
    assert (bound.name, bound.last) == ("OFUL", pytest.approx(last))
    assert 0 < len(bound.rounds) < bounds.POINTS
    assert bound.values == pytest.approx(theorems.oful_unbounded(np.array(bound.rounds), **known))
    assert all(v < 3 * last * t / 1000 for t, v in zip(bound.rounds, bound.values, strict=True))
    every = np.geomspace(1, 1000, bounds.POINTS)
    assert len(bound.rounds) == sum(
        theorems.oful_unbounded(every, **known) < 3 * last * every / 1e3
    )
    assert "dashed, where it lies below uniform play's regret" in bound.said
    axes = curves(section).axes[0]
    (line,) = [one for one in axes.lines if len(one.get_xdata()) == len(bound.rounds)]
    assert line.get_color() == style("OFUL").colour
    assert line.get_linestyle() == "--"
    assert "bound of OFUL" in [text.get_text() for text in axes.texts]


def test_a_bound_above_uniform_play_is_said_and_not_drawn():
    built = linear(500.0)
    section, bound = only(built)
    assert bound.rounds == bound.values == ()
    assert bound.last > 500
    assert (
        bound.said == f"bound of OFUL after the last round: {bound.last:.4g}, above uniform play's"
    )
    axes = curves(section).axes[0]
    assert "bound of OFUL" not in [text.get_text() for text in axes.texts]
    assert f"task-0: {bound.said}." in "".join(read_page(built).text)


def test_lai_and_robbins_slope_is_the_definition():
    means = np.array([[0.9, 0.5, 0.5], [0.2, 0.1, 0.2]])

    def kl(p, q):
        return p * math.log(p / q) + (1 - p) * math.log((1 - p) / (1 - q))

    expected = (2 * 0.4 / kl(0.5, 0.9) + 0.1 / kl(0.1, 0.2)) / 2
    assert bounds.lai_robbins(means) == pytest.approx(expected)
    assert bounds.lai_robbins(np.array([[1.0, 0.0], [0.3, 0.0]])) == pytest.approx(
        0.3 / math.log(1 / 0.7) / 2
    )
    section, bound = only(a_board("ArmedBandit-v0", "armed", ("UCB1",), {"n_arms": 4}, {}))
    env = ArmedBandit(5, n_arms=4)
    env.reset(seed=list(range(5)))
    factor = bounds.lai_robbins(env._means)
    assert bound.last == pytest.approx(factor * math.log(1000))
    assert bound.values == pytest.approx(factor * np.log(bound.rounds))
    assert bound.said == "Lai–Robbins, dashed: asymptotic, may lie above the curves"
    (line,) = [one for one in curves(section).axes[0].lines if len(one.get_xdata()) > 4]
    assert line.get_linestyle() == "--"


def test_gradient_descent_has_its_bound():
    given = {"gradient_norm": 2.0}
    built = a_board("OnlineConvex-v0", "losses", ("OnlineGradientDescent",), {"dim": 3}, given, 1e6)
    _, bound = only(built)
    assert bound.last == pytest.approx(3 * 1.0 * 2.0 * math.sqrt(1000))


def test_nothing_is_said_where_no_theorem_applies():
    given = {"ridge": 1.0, "delta": 0.1, "noise_std": None, "param_norm": None}
    drift = a_board("DriftingLinearBandit-v0", "linear", ("OFUL",), {"changes": [500]}, given)
    walk = a_board("DriftingArmedBandit-v0", "armed", ("UCB1",), {"walk_std": 0.1}, {})
    theirs = a_board("mine.py:Mine", "linear", ("OFUL",), {}, given)
    normal = a_board("ArmedBandit-v0", "armed", ("UCB1",), {"noise": "gaussian"}, {})
    settings = {"n_arms": 5, "dim": 2, "contexts": "sphere"}
    earlier = a_board("LinearBandit-v0", "linear", ("OFUL",), settings, {"ridge": 1.0})
    descent = a_board("OnlineConvex-v0", "losses", ("OnlineGradientDescent",), {"dim": 3}, {})
    per_arm = settings | {"parameters": "per_arm"}
    blocks = a_board("LinearBandit-v0", "linear", ("OFUL",), per_arm, given)
    of_means = {"arms": [[1.0, 0.0], [0.0, 1.0]], "means": [0.3, 0.5]}
    misspecified = a_board("LinearBandit-v0", "linear", ("OFUL",), of_means, given)
    for built in (drift, walk, theirs, normal, earlier, descent, blocks, misspecified):
        assert bounds.bounds_of(built.sections[0]) == {}
    assert report.page(linear(500.0)) == report.page(linear(500.0))
