"""Batches against their definition, from the lists of pulls."""

import math

import numpy as np
import pytest

from agents.parts.batching import VarianceBatches


@pytest.mark.parametrize("threshold", [1.0, 1.7, 2.0, 12.0])
def test_a_batch_ends_with_the_pull_that_passes_the_threshold(threshold):
    """Variances are multiples of 1/16, so that sums are exact and equality is met too."""
    n, n_arms, rng = 4, 6, np.random.default_rng(0)
    state = VarianceBatches(threshold=threshold).reset(n)
    at_start = rng.integers(0, 16, size=(n, n_arms)) / 16
    batch, everything, ended = [[] for _ in range(n)], [[] for _ in range(n)], 0
    for _ in range(200):
        arms, observed = rng.integers(n_arms, size=n), rng.random(n) < 0.8
        before = (state.spent.copy(), state.log_sum.copy())
        ends = state.after(arms, observed, at_start)
        assert ends.dtype == bool
        for i in range(n):
            if not observed[i]:
                assert not ends[i]
                assert (state.spent[i], state.log_sum[i]) == (before[0][i], before[1][i])
                continue
            batch[i].append(at_start[i, arms[i]])
            everything[i].append(at_start[i, arms[i]])
            assert ends[i] == (1 + sum(batch[i]) > threshold)
            assert state.log_sum[i] == pytest.approx(sum(map(math.log1p, everything[i])))
            if ends[i]:
                batch[i] = []
                at_start[i] = rng.integers(0, 16, size=n_arms) / 16
                ended += 1
            assert state.spent[i] == sum(batch[i])
    assert ended > 20


@pytest.mark.parametrize("threshold", [0.99, -1.0, math.nan, math.inf, "2"])
def test_a_threshold_that_no_batch_can_have_is_refused(threshold):
    with pytest.raises(ValueError, match="threshold must be"):
        VarianceBatches(threshold=threshold)


def test_a_batch_ends_at_twice_the_variance_by_default():
    assert VarianceBatches().threshold == 2.0
