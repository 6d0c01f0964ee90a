"""Rounds played with the replicates side by side are those played one after the other."""

import numpy as np
import pytest

from agents.numerics.choice import most_optimistic
from agents.numerics.ridge import fixed_arms_across
from agents.numerics.ridge.fixed_arms_across import play_few_arms_block_across, width
from agents.parts.estimators.fixed_arms import FewFixedArms


def initial(n, n_arms, ridge, rng, dependent):
    """The state that knows its arms: 12 features, with the first two arms equal if dependent."""
    model = FewFixedArms.initial(n, n_arms, ridge)
    features = rng.standard_normal((n, 12, n_arms))
    if dependent:
        features[:, :, 0] = features[:, :, -1]
    features.flags.writeable = False
    model.predict(features)
    return model


@pytest.mark.parametrize(("n", "together"), [(1, 1), (8, 8), (9, 9), (20, 7), (37, 19)])
@pytest.mark.parametrize("n_arms", [1, 3, 10])
@pytest.mark.parametrize("ridge", [0.3, 1e-5])
def test_it_has_the_state_and_the_arms_of_single_rounds(n, together, n_arms, ridge, monkeypatch):
    rng, rounds = np.random.default_rng(n + n_arms), 150
    once = initial(n, n_arms, ridge, rng, dependent=n_arms == 3)
    alone = FewFixedArms(*(np.copy(part) for part in once))._replace(ridge=ridge)
    radius, means = rng.uniform(0.0, 2.0, n), rng.standard_normal((1, n, n_arms))
    noise, arms = rng.standard_normal((rounds, n)), np.empty((rounds, n), np.int64)
    for part in (slice(0, 60), slice(60, rounds)):  # the second begins where variances have fallen
        play_few_arms_block_across(once[:], radius, means, noise[part], arms[part], together)
    everyone, places, nowhere = np.ones(n, bool), np.arange(n), np.empty((n, 12, n_arms))
    for t in range(rounds):
        chosen = most_optimistic(*alone.predict(nowhere), radius)
        np.testing.assert_array_equal(arms[t], chosen)
        alone.update(nowhere, chosen, means[0, places, chosen] + noise[t], everyone)
    # A 64th of a variance is reached, so that C is computed afresh in some replicates' rounds.
    met = (once.features**2).sum(axis=1) / ridge
    assert (once.computed < met / 2).any()
    for name, one, other in zip(once._fields, once, alone, strict=True):
        np.testing.assert_array_equal(one, other, name)


def test_the_logarithm_of_a_long_growth_is_taken_on_the_way():
    """Each replicate's determinant grows by 1e5 or so for each of 30 arms: beyond 1e150."""
    rng, n = np.random.default_rng(0), 8
    model = FewFixedArms.initial(n, 12, 1e-14)
    features = rng.standard_normal((n, 12, 12))
    features.flags.writeable = False
    model.predict(features)
    arms = np.empty((200, n), np.int64)
    means, noise = rng.standard_normal((1, n, 12)), rng.standard_normal((200, n))
    play_few_arms_block_across(model[:], np.ones(n), means, noise, arms, 8)
    assert (model.logs > 0).all()
    gram = np.array([np.diag(np.bincount(own, minlength=12)) for own in arms.T])
    x = features.transpose(0, 2, 1)
    expected = np.linalg.slogdet(np.eye(12) + x.transpose(0, 2, 1) @ gram @ x / 1e-14)[1]
    np.testing.assert_allclose(model.log_det, expected, rtol=1e-9)


def test_the_width_fills_registers_and_fits_a_cache(monkeypatch):
    assert [width(n, 10) for n in (1, 7, 8, 100, 1000)] == [0, 0, 8, 100, 500]
    assert [width(n, 30) for n in (14, 15, 100)] == [0, 15, 100]
    assert width(1000, 100) == 0
    monkeypatch.setattr(fixed_arms_across, "_NEAR_CACHE", 1 << 16)
    assert width(100, 10) == 50
