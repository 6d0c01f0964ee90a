"""Rounds in which each replicate predicts the outcome of a row."""

import math

import numpy as np

from agents.numerics.steps.gradient_steps import play_rows_block
from agents.numerics.steps.sample_chunks import make_room
from agents.parts.estimators.forward_ridge import ForwardArms, count_as_played
from agents.parts.estimators.row_regression import Rows, check_rows
from agents.parts.estimators.samples import Descending, check_lengths
from banditgym.compiled import compiled
from banditgym.linalg.triangular_rounds import absorb_rows
from banditgym.rounds.blocks import RowsBlock


def play_rows(
    model: Rows | ForwardArms | Descending, block: RowsBlock, bound: float | None
) -> np.ndarray:
    """Predict and learn in each round of a block; predictions (m, n), clipped to ``bound``."""
    if isinstance(model, Descending):
        return _descend(model, block, bound)
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


def _descend(model: Descending, block: RowsBlock, bound: float | None) -> np.ndarray:
    predictions = np.empty(block.outcomes.shape)
    make_room(model.samples.chunks, int(model.count.max()) + len(predictions))
    limit = math.inf if bound is None else float(bound)
    known = model.steps, model.theta, model.samples.kept
    features = np.ascontiguousarray(block.features)
    features.flags.writeable = False  # kernels are compiled for one mutability
    check_lengths(play_rows_block(*known, limit, features, block.outcomes, predictions))
    return predictions


@compiled
def _clip(predictions, bound):
    for t in range(predictions.shape[0]):
        for i in range(predictions.shape[1]):
            predictions[t, i] = min(max(predictions[t, i], -bound), bound)
