"""The listing's steps against a slow recomputation, its rule, and a small run."""

import numpy as np
import pytest

from leaderboards.papers.claim import Finding, Verdict
from leaderboards.papers.korda2015 import listed_step as paper

from ..module_claims import number

(CLAIM,) = paper.CLAIMS
SEEDS = [3, 4, 7]


def test_listing_step():
    for value, verdict in {
        2.98: "reproduced",
        2.995: "inconclusive",
        3.1: "not reproduced",
    }.items():
        found = CLAIM.judge({key: number(value) for key in paper.JUDGED})
        assert found == dict.fromkeys(paper.JUDGED, verdict)
    assert set(CLAIM.headline) < set(paper.JUDGED)


def test_steps_as_listed():
    dim, n = 3, 12
    outcomes = np.random.default_rng(1).normal(size=(len(SEEDS), n))
    at = np.array([3, 12])
    found = paper.descend_as_listed(SEEDS, outcomes, dim, at)
    for i, seed in enumerate(SEEDS):
        uniform, theta = np.random.default_rng([seed, 15]).random(n), np.zeros(dim)
        for s in range(1, n + 1):
            j = int(uniform[s - 1] * s)  # of the samples 0 .. s - 1
            x = np.eye(dim)[j % dim]
            theta = theta + (4 * dim / 3) / s * (outcomes[i, j] - theta @ x) * x
            if s in at:
                np.testing.assert_allclose(found[i, at.tolist().index(s)], theta)


def test_a_small_run():
    sample = paper.listing(SEEDS)
    alone = paper.listing(SEEDS[1:2])
    for name, values in sample.measures.items():
        assert values.shape == (3, 2)
        np.testing.assert_array_equal(values[1], alone.measures[name][0])
    truth, outcomes = paper.draws(SEEDS, 100, 10)
    theta = paper.descend_as_listed(SEEDS, outcomes, 10, np.array([10, 100]))
    exact = outcomes.reshape(3, 10, 10).mean(axis=1)
    away = np.sqrt(((theta[:, 1] - truth) ** 2).sum(axis=1))
    np.testing.assert_allclose(sample.measures["c/n, d = 10"][:, 1], away)
    ratio = away / np.sqrt(((exact - truth) ** 2).sum(axis=1))
    found = Finding.of(CLAIM, sample, True)
    assert found.verdict in Verdict
    key = "c/n / least squares, d = 10, cycles: 10"
    assert float(found.numbers[key].value) == pytest.approx(np.median(ratio))
