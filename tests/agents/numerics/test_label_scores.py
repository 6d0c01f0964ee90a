"""Scores of labels are products of weights and rows, and the largest is found."""

import numpy as np
import pytest

from agents.numerics.label_scores import best_label, label_score, used

N, D, K = 40, 30, 5


def pairs(width: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Rows of ``width`` pairs before two of padding, and the same rows as dense ones (n, d)."""
    rng = np.random.default_rng(width)
    indices = np.array([rng.permutation(D)[: width + 2] for _ in range(N)], np.int32)
    values = rng.normal(size=(N, width + 2))
    indices[:, width:], values[:, width:] = 0, 0.0
    dense = np.zeros((N, D))
    for i in range(N):
        dense[i, indices[i, :width]] = values[i, :width]
    return indices, values, dense


@pytest.mark.parametrize("width", [0, 1, 4, 6, 7, 9, 16, 27])  # pairs are summed by eights and twos
def test_the_labels_of_the_largest_products_are_found(width):
    weights = np.random.default_rng(1).normal(size=(N, D, K))
    indices, values, dense = pairs(width)
    scores = np.empty(K)
    for i, products in enumerate(np.einsum("nd,ndk->nk", dense, weights)):
        assert used(values[i]) == width
        best = best_label(weights[i], indices[i], values[i], width, scores)
        np.testing.assert_allclose(scores, products, rtol=1e-13, atol=1e-13)
        for label in range(K):  # summed in the order of the row
            own = label_score(weights[i], indices[i], values[i], width, label)
            assert scores[label] == own
        assert best == products.argmax()
