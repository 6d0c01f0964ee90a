"""Ridge regression and the forward algorithm: many rounds of prediction in one compiled loop."""

import math

import numpy as np

from agents.parts.estimators.forward_ridge import ForwardArms, count_as_played
from agents.parts.estimators.row_regression import Rows, check_rows
from banditgym.blocks import RowsBlock
from banditgym.compiled import compiled
from banditgym.linalg.triangular import absorb_row, predict_row


def play_rows(model: Rows | ForwardArms, block: RowsBlock, bound: float | None) -> np.ndarray:
    """Predict and learn in each round of a block; predictions (m, n), clipped to ``bound``."""
    forward = isinstance(model, ForwardArms)
    rows: Rows = model.regression if forward else model  # type: ignore[assignment]
    factor = rows.factor, rows.tolerance
    predicted = rows.mean, rows.variance, model.mean, model.variance
    limit, predictions = math.inf if bound is None else float(bound), np.empty(block.outcomes.shape)
    check_rows(
        _play_rows(factor, predicted, forward, limit, block.features, block.outcomes, predictions)
    )
    return predictions


@compiled
def _play_rows(factor, predicted, forward, bound, features, outcomes, predictions):
    """Returns the code of the first bad replicate, as the kernels that it calls do, or -1.

    ``factor`` is the factor of the rows, and the tolerance; ``predicted`` are mean and variance by
    ridge regression, and by the estimate that predicts, which are the same arrays unless
    ``forward``.
    """
    rows, tolerance = factor
    ridge_mean, ridge_variance, mean, variance = predicted
    rounds, n = outcomes.shape
    everyone, outcome, residual = np.ones(n, np.bool_), np.empty(n), np.empty(n)
    for t in range(rounds):
        bad = predict_row(rows, features[t], tolerance, ridge_mean, ridge_variance)
        if bad != -1:
            return bad
        if forward:
            count_as_played(ridge_mean, ridge_variance, mean, variance)
        for i in range(n):
            predictions[t, i] = min(max(mean[i, 0], -bound), bound)
            outcome[i] = outcomes[t, i]  # a copy: a read-only array would be another type
        bad = absorb_row(rows, features[t], outcome, everyone, tolerance, residual)
        if bad != -1:
            return bad
    return -1
