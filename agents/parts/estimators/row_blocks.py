"""Ridge regression and the forward algorithm: many rounds of prediction in one compiled loop."""

import math

import numpy as np

from agents.parts.estimators.forward import ForwardArms, count_as_played
from agents.parts.estimators.row_regression import Rows, check_rows
from banditgym.blocks import RowsBlock
from banditgym.compiled import compiled
from banditgym.linalg.triangular import absorb_row, predict_row


def play_rows(model: Rows | ForwardArms, block: RowsBlock, bound: float | None) -> np.ndarray:
    """Predict and learn in each round of a block; predictions (m, n), clipped to ``bound``."""
    forward = isinstance(model, ForwardArms)
    rows: Rows = model.regression if forward else model  # type: ignore[assignment]
    predictions = np.empty(block.outcomes.shape)
    bad = _play_rows(
        rows.factor, rows.tolerance, rows.mean, rows.variance, forward, model.mean,
        model.variance, math.inf if bound is None else float(bound), block.features,
        block.outcomes, predictions,
    )  # fmt: skip
    check_rows(bad)
    return predictions


@compiled
def _play_rows(
    factor, tolerance, ridge_mean, ridge_variance, forward, mean, variance, bound, features,
    outcomes, predictions,
):  # fmt: skip
    """Returns the code of the first bad replicate, as the kernels that it calls do, or -1."""
    rounds, n = outcomes.shape
    everyone, outcome, residual = np.ones(n, np.bool_), np.empty(n), np.empty(n)
    for t in range(rounds):
        bad = predict_row(factor, features[t], tolerance, ridge_mean, ridge_variance)
        if bad != -1:
            return bad
        if forward:
            count_as_played(ridge_mean, ridge_variance, mean, variance)
        for i in range(n):
            prediction = mean[i, 0]
            if prediction < -bound:
                prediction = -bound
            elif prediction > bound:
                prediction = bound
            predictions[t, i] = prediction
            outcome[i] = outcomes[t, i]  # a copy: a read-only array would be another type
        bad = absorb_row(factor, features[t], outcome, everyone, tolerance, residual)
        if bad != -1:
            return bad
    return -1
