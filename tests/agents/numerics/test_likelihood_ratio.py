"""The likelihood ratio of every split, with sums that are kept of some."""

import numpy as np
import pytest

from agents.numerics.likelihood_ratio import has_changed, keep_split
from banditgym.compiled import compiled
from tests.agents.definitions.general.restarting import divergence


@compiled
def _keep(kept, gap, values):
    total = 0.0
    for s in range(1, values.shape[0] + 1):
        total += values[s - 1]
        if (s - 1) % gap[0, 0] == 0:
            keep_split(kept, gap, 0, 0, s, total)


@compiled
def _has_changed(kept, gap, count, total, threshold, noise_std):
    return has_changed(kept, gap, count, total, threshold, noise_std)


@pytest.mark.parametrize("noise_std", [0.0, 0.7])
@pytest.mark.parametrize(("room", "gap"), [(40, 1), (8, 1), (4, 3)])
def test_the_largest_ratio_of_the_kept_splits_decides(noise_std, room, gap):
    values = np.random.default_rng(2).random(37)
    kept, gaps = np.zeros(room), np.full((1, 1), gap)
    _keep(kept, gaps, values)
    after = gap
    while 36 // after >= room:
        after *= 2
    assert gaps[0, 0] == after
    splits = range(1, 37, after)
    for s in splits:
        assert kept[(s - 1) // after] == pytest.approx(values[:s].sum())
    ratio = max(
        s * divergence(values[:s].mean(), values.mean(), noise_std or None)
        + (37 - s) * divergence(values[s:].mean(), values.mean(), noise_std or None)
        for s in splits
    )
    for factor, changed in ((0.999, True), (1.001, False)):
        known = after, 37, values.sum(), factor * ratio, noise_std
        assert _has_changed(kept, *known) == changed
