"""Radii of Nyström posteriors against numbers worked out by hand, and against the exact one."""

import math

import numpy as np
import pytest

from agents.parts.confidence import (
    batched,
    nystrom,
    oversampling,
    self_normalized,
)
from banditgym.functions.covariances import RBF

# sqrt(ridge) F = 6, xi = 2, log(1 / delta) = 2
KNOWN = {"ridge": 4.0, "delta": math.exp(-2), "noise_std": 2.0, "param_norm": 3.0}


def test_nystrom_radius():
    """accuracy 3/4: alpha 7, 1 + 1 / sqrt(1/4) = 3; kappa² 8, t = (e - 1) / 2: the log is 1.

    3 * 6 + 2 sqrt(7 * 2 * s + 4), s = 3; before any data 18 + 2 sqrt(4).
    """
    pulls = np.array([(math.e - 1) / 2, 0])
    given = {"accuracy": 0.75, "prior_variance": 8.0, **KNOWN}
    got = nystrom(np.array([3.0, 0.0]), pulls, **given)
    np.testing.assert_allclose(got, [18 + 2 * math.sqrt(46), 22], rtol=1e-14)


def test_radius_of_batches():
    """C 3.5, sum 2: 6 + 2 sqrt(7 + 2)."""
    got = batched(np.array([2.0, 0.0]), threshold=3.5, **KNOWN)
    np.testing.assert_allclose(got, [12, 6 + 2 * math.sqrt(2)], rtol=1e-15)


def test_oversampling():
    """accuracy 1/4: alpha 5/3, 6 * 5/3 * 16 = 160 times the log; T and delta such that it is 3."""
    assert oversampling(5, accuracy=0.25, delta=20 * math.exp(-3)) == pytest.approx(480, rel=1e-14)
    assert round(oversampling(500)) == 713


@pytest.mark.parametrize(
    ("given", "named"),
    [
        ({"horizon": 0}, "horizon"),
        ({"accuracy": 0.0}, "accuracy"),
        ({"accuracy": 1.0}, "accuracy"),
        ({"accuracy": math.nan}, "accuracy"),
        ({"delta": 0.0}, "delta"),
        ({"delta": math.nan}, "delta"),
    ],
)
def test_oversampling_of_bad_numbers(given, named):
    with pytest.raises(ValueError, match=f"{named}.*{next(iter(given.values()))}"):
        oversampling(**{"horizon": 10} | given)


@pytest.mark.parametrize("ridge", [0.01, 1.0])
def test_bkb_s_radius_is_above_the_exact_one(ridge):
    """Its log-determinant is bounded by (1 + log(kappa² t / ridge + 1)) s, by equation (6).

    In any run, with repeated arms too, where the Nyström variances are the exact ones.
    """
    rng = np.random.default_rng(3)
    covariance = RBF(length_scale=0.3, variance=2.0)
    arms = rng.random((6, 2))
    pulled = rng.integers(6, size=40)
    known = {"ridge": ridge, "delta": 0.1, "noise_std": 0.3, "param_norm": 1.5}
    for t in range(len(pulled)):
        x = arms[pulled[:t]]
        scaled = covariance(x, x) / ridge
        inner = np.linalg.solve(scaled + np.eye(t), scaled)
        s = np.array([np.trace(inner)])
        log_det = np.array([np.linalg.slogdet(scaled + np.eye(t))[1]])
        own = nystrom(s, np.array([t]), accuracy=1e-9, prior_variance=2.0, **known)
        assert own >= self_normalized(log_det, **known)
