"""The supervised score is of a model that saw no row of the report."""

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression, Ridge

from leaderboards.choosing.bandit_problem import bandit_problem
from leaderboards.choosing.labelled_table import labelled_table
from leaderboards.choosing.supervised import supervised

from .small_tables import separable


def parts(problem):
    """Features at their own scale, without the constant, of both parts, and their labels."""
    rows = problem.encoder.columns(problem.table.features)
    split = problem.split
    return [(rows[part], problem.labels[part]) for part in (split.tuning, split.reporting)]


def test_classes_are_labelled_by_a_regression_of_the_tuning_rows(tmp_path):
    problem = bandit_problem(labelled_table(separable(120), "label"), tmp_path, 2)
    (seen, labels), (fresh, right) = parts(problem)
    model = LogisticRegression(max_iter=1000).fit(seen, labels)
    name, score = supervised(problem)
    assert name == "LogisticRegression"
    # The constant is a feature more, whose weight is penalised beside the free intercept.
    assert score == pytest.approx(100 * np.mean(model.predict(fresh) == right), abs=2)
    assert score > 80


def test_numbers_are_predicted_by_a_regression_of_the_tuning_rows(tmp_path):
    frame = separable(120).drop(columns="label")
    frame["y"] = 100 + 3 * frame["z"] + np.random.default_rng(0).standard_normal(120)
    problem = bandit_problem(labelled_table(frame, "y", "predicted"), tmp_path, 2)
    (seen, numbers), (fresh, right) = parts(problem)
    predicted = Ridge().fit(seen, numbers).predict(fresh)
    name, score = supervised(problem)
    assert name == "Ridge"
    assert score == pytest.approx(((predicted - right) ** 2).mean(), rel=1e-9)
    assert score < 0.3  # of a variance of 1


def test_rows_that_are_arms_have_no_such_score(tmp_path):
    assert supervised(bandit_problem(labelled_table(separable(), "z"), tmp_path, 2)) is None
