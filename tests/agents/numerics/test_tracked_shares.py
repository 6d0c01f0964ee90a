"""The fastest shares of pulls against their definition as a maximum, and its conditions."""

import numpy as np
import pytest
from scipy.special import rel_entr

from agents.numerics.tracked_shares import fastest_shares
from banditgym.compiled import compiled


@compiled
def shares_of(mean, best, noise_std):
    shares = np.empty_like(mean)
    fastest_shares(mean, best, noise_std, shares)
    return shares


def divergence(p, q, noise_std):
    if noise_std > 0:
        return (p - q) ** 2 / (2 * noise_std**2)
    return rel_entr(p, q) + rel_entr(1 - p, 1 - q)


def evidence(shares, mean, best, noise_std):
    """What is to be maximised: the least transport cost from the best arm, per pull."""
    others = np.delete(np.arange(len(mean)), best)
    w, v = shares[..., [best]], shares[..., others]
    middle = (w * mean[best] + v * mean[others]) / (w + v)
    own = divergence(mean[best], middle, noise_std)
    return (w * own + v * divergence(mean[others], middle, noise_std)).min(axis=-1)


@pytest.mark.parametrize("noise_std", [0.0, 0.5, 3.0])
@pytest.mark.parametrize("n_arms", [2, 3, 10])
def test_no_other_shares_have_more_evidence(noise_std, n_arms):
    rng = np.random.default_rng(n_arms)
    for _ in range(20):
        mean = rng.random(n_arms)
        best = int(np.argmax(mean))
        shares = shares_of(mean, best, noise_std)
        assert shares.sum() == pytest.approx(1.0)
        most = evidence(shares, mean, best, noise_std)
        for scale in (1e-4, 1e-2, 1.0):
            others = np.abs(shares + scale * rng.standard_normal((300, n_arms)) * shares)
            others /= others.sum(axis=1, keepdims=True)
            assert (evidence(others, mean, best, noise_std) <= most * (1 + 1e-9)).all()


def test_means_at_the_ends_and_equal_second_ones():
    for mean in ([1.0, 0.5, 0.0], [0.9, 0.0, 0.0], [1.0, 0.0], [1 / 3, 0.0, 0.0, 0.0]):
        shares = shares_of(np.array(mean), 0, 0.0)
        assert shares.sum() == pytest.approx(1.0)
        assert (shares > 0).all()
        assert all(shares[k] == shares[-1] for k in range(1, len(mean)) if mean[k] == mean[-1])
    # Two Gaussian arms: half of the pulls each, whatever the gap.
    np.testing.assert_allclose(shares_of(np.array([0.2, 0.1]), 0, 0.7), 0.5)
