"""Bounds by empirical likelihood against their definition, for samples of few and many values."""

import numpy as np
import pytest

from agents.numerics.empirical_bound import empirical_bound
from banditgym.compiled import compiled
from tests.agents.definitions.armed.klucb import largest_mean as of_bernoulli
from tests.agents.definitions.armed.klucb_switch import largest_mean


@compiled
def _bound(samples, count, level):
    return empirical_bound(samples, count, level)


@pytest.mark.parametrize("level", [0.0, 1e-6, 0.01, 0.3, 1.0, 4.0, 20.0])
@pytest.mark.parametrize("count", [1, 2, 5, 30])
@pytest.mark.parametrize("kind", ["inner", "with 1", "only 0", "only 1", "equal"])
def test_bound_is_that_of_the_definition(kind, count, level):
    """The largest of several samples is first, or in the middle; what comes after is not read."""
    samples = np.random.default_rng(count).random(count)
    samples[: count // 2 + 1] = {"with 1": 1.0, "equal": 0.7}.get(kind, samples[count // 2])
    if kind != "inner" and kind != "with 1":
        samples[:] = {"only 0": 0.0, "only 1": 1.0, "equal": 0.7}[kind]
    bound = _bound(np.append(samples, 1.0), count, level)
    assert bound == pytest.approx(largest_mean(samples, level), abs=1e-9)


@pytest.mark.parametrize("level", [0.01, 0.3, 2.0])
@pytest.mark.parametrize("ones", [0, 1, 4, 7])
def test_bound_of_zeros_and_ones_is_that_of_bernoulli_rewards(ones, level):
    samples = np.arange(7) < ones
    expected = of_bernoulli(np.array(ones / 7), np.array(level))
    assert _bound(samples.astype(float), 7, level) == pytest.approx(float(expected), abs=1e-9)
