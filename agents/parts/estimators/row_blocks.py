"""Ridge regression and the forward algorithm: many rounds of prediction in one compiled loop."""

import numpy as np

from agents.parts.estimators.forward_ridge import ForwardArms, count_as_played
from agents.parts.estimators.row_regression import Rows, check_rows
from banditgym.compiled import compiled
from banditgym.linalg.triangular_rounds import absorb_rows
from banditgym.rounds.blocks import RowsBlock


def play_rows_block(model: Rows | ForwardArms, block: RowsBlock, bound: float | None) -> np.ndarray:
    """Predict and learn in each round of a block; predictions (m, n), clipped to ``bound``."""
    forward = isinstance(model, ForwardArms)
    rows: Rows = model.regression if forward else model  # type: ignore[assignment]
    mean, variance = np.empty(block.outcomes.shape), np.empty(block.outcomes.shape)
    # No D_j is 0, since there is a ridge.
    check_rows(absorb_rows(rows.factor, block.across, 1.0, block.outcomes, mean, variance, None))
    rows.mean[:, 0], rows.variance[:, 0] = mean[-1], variance[-1]
    if forward:
        count_as_played(mean, variance, mean, variance)
        model.mean[:, 0], model.variance[:, 0] = mean[-1], variance[-1]
    if bound is not None:
        _clip(mean, float(bound))
    return mean


@compiled
def _clip(predictions, bound):
    for t in range(predictions.shape[0]):
        for i in range(predictions.shape[1]):
            predictions[t, i] = min(max(predictions[t, i], -bound), bound)
