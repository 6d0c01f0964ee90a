"""Rows as pairs of index and value, weights (d, k) of one replicate: scores and updates.

A row is ``indices`` (w,) and ``values`` (w,), padded at its end with values 0; a dense row has
every index. The k weights of a feature lie together, so that a pair reads one stretch of memory. A
score is summed in the order of the row, for any number of labels.
"""

import numpy as np

from agents.drivers.rule import first_largest
from banditgym.compiled import borrowing, inlined


@inlined
def used(values):
    """Number of pairs before the padding, which changes nothing."""
    width = values.shape[0]
    while width > 0 and values[width - 1] == 0.0:
        width -= 1
    return width


@borrowing
def fill_scores(weights, indices, values, width, scores):
    """Fill ``scores`` (k,) with the products of weights (d, k) and the first pairs of a row."""
    n_labels = scores.shape[0]
    for r in range(n_labels):
        scores[r] = 0.0
    p = 0
    while p + 8 <= width:  # many pairs for each load and store of a sum
        x0, x1, x2, x3 = values[p], values[p + 1], values[p + 2], values[p + 3]
        x4, x5, x6, x7 = values[p + 4], values[p + 5], values[p + 6], values[p + 7]
        # An unsigned index is not wrapped around, so that LLVM sees what the loop reads.
        j0, j1 = np.uint64(indices[p]), np.uint64(indices[p + 1])
        j2, j3 = np.uint64(indices[p + 2]), np.uint64(indices[p + 3])
        j4, j5 = np.uint64(indices[p + 4]), np.uint64(indices[p + 5])
        j6, j7 = np.uint64(indices[p + 6]), np.uint64(indices[p + 7])
        for r in range(n_labels):
            partial = (scores[r] + x0 * weights[j0, r]) + x1 * weights[j1, r]
            partial = (partial + x2 * weights[j2, r]) + x3 * weights[j3, r]
            partial = (partial + x4 * weights[j4, r]) + x5 * weights[j5, r]
            scores[r] = (partial + x6 * weights[j6, r]) + x7 * weights[j7, r]
        p += 8
    while p + 2 <= width:
        x0, x1 = values[p], values[p + 1]
        j0, j1 = np.uint64(indices[p]), np.uint64(indices[p + 1])
        for r in range(n_labels):
            scores[r] = (scores[r] + x0 * weights[j0, r]) + x1 * weights[j1, r]
        p += 2
    while p < width:
        x0, j0 = values[p], np.uint64(indices[p])
        for r in range(n_labels):
            scores[r] += x0 * weights[j0, r]
        p += 1


@inlined
def best_label(weights, indices, values, width, scores):
    """The label with the largest score, the first of equals; fills ``scores`` (k,)."""
    fill_scores(weights, indices, values, width, scores)
    return first_largest(scores)


@inlined
def label_score(weights, indices, values, width, label):
    """The product of a label's weights with the first pairs of a row."""
    column = np.uint64(label)
    score = 0.0
    for p in range(width):
        score += values[p] * weights[np.uint64(indices[p]), column]
    return score


@inlined
def add_row(weights, indices, values, width, label, step):
    """Add ``step`` times the first pairs of a row to the weights (d, k) of a label."""
    column = np.uint64(label)
    for p in range(width):
        weights[np.uint64(indices[p]), column] += step * values[p]
