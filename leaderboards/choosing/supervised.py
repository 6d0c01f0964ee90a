"""What a regression that is given all labels makes of the same rows, for comparison."""

import warnings
from typing import Any

import numpy as np

from leaderboards.choosing.bandit_problem import BanditProblem


def supervised(problem: BanditProblem) -> tuple[str, float] | None:
    """A model of scikit-learn, fitted to the tuning rows, and its score on the reporting rows.

    Logistic regression of classes, with the number of right labels of a hundred; ridge regression
    of numbers, with the mean squared error. None where the rows are the arms.
    """
    from sklearn.exceptions import ConvergenceWarning
    from sklearn.linear_model import LogisticRegression, Ridge

    if problem.encoder is None:
        return None
    # On its own scale, mean 0 and deviation 1, as their penalties expect.
    rows, labels = problem.rows * problem.encoder.dim**0.5, problem.labels
    tuning, reporting = problem.split.tuning, problem.split.reporting
    model: Any = LogisticRegression(max_iter=1000) if problem.encoder.labels else Ridge()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        model.fit(rows[tuning], labels[tuning])
    said = model.predict(rows[reporting])
    name = type(model).__name__
    if problem.encoder.labels:
        return name, 100 * float(np.mean(said == labels[reporting]))
    return name, float(np.mean((said - labels[reporting]) ** 2))
