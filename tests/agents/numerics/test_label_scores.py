"""Scores of labels, and the labels that are chosen by them."""

import numpy as np
import pytest

from agents.numerics.label_scores import choose, choose_exploring
from banditgym.streams import AGENT, Stream, uniform_at

N, D, K = 40, 9, 5


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


@pytest.mark.parametrize("width", [1, 4, 6, 7])  # four pairs are summed at a time
def test_the_label_of_the_largest_product_is_chosen(width):
    weights = np.random.default_rng(1).normal(size=(N, D, K))
    indices, values, dense = pairs(width)
    best = np.einsum("nd,ndk->nk", dense, weights).argmax(axis=1)
    np.testing.assert_array_equal(choose(weights, (indices, values)), best)


def test_a_label_is_drawn_uniformly_where_the_uniform_is_below_gamma():
    weights, gamma = np.random.default_rng(1).normal(size=(N, D, K)), 0.5
    indices, values, _ = pairs(4)
    keys, decisions = Stream(range(N), AGENT, 0, 0).keys, np.full(N, 3)
    labels, guesses = choose_exploring(weights, (indices, values), keys, decisions, gamma)
    best = choose(weights, (indices, values))
    np.testing.assert_array_equal(guesses[:, 0], best)
    u = np.array([uniform_at(*key, 3, 0) for key in keys])
    expected = np.where(u < gamma, np.floor(u / gamma * K), best)
    np.testing.assert_array_equal(labels, expected)
    assert 0.2 < (u < gamma).mean() < 0.8
