"""Steps towards V^-1 x against the definition, vector by vector, and against V^-1 x itself."""

import numpy as np
import pytest

from agents.numerics.ridge.inverse_descent import step_fixed_inverses, variance_by_descent
from agents.numerics.steps.sample_chunks import KeptSamples, initial_chunks
from banditgym.streams import AGENT, Stream

N, DIM = 3, 7


def start(kept, scale=1.0):
    """Samples of which replicate i has ``kept[i]``."""
    rng = np.random.default_rng(0)
    chunks = initial_chunks(N, DIM + 1)
    chunks[0][:] = scale * rng.standard_normal(chunks[0].shape)
    longest = np.array([(chunks[0][i, : max(k, 1), :DIM] ** 2).sum(axis=1).max()
                        for i, k in enumerate(kept)])  # fmt: skip
    keys = Stream(range(N), AGENT, 9, 0).keys
    return KeptSamples(tuple(chunks), np.zeros((1, 0, DIM)), np.array(kept), longest, keys)


@pytest.mark.parametrize("steps", [1, 5, 9])
@pytest.mark.parametrize("n_arms", [1, 4])
@pytest.mark.parametrize(
    ("step", "ridge", "scale"), [(0.05, 0.7, 1.0), (0.3, 0.7, 1e3), (0.9, 30.0, 0.1)]
)
def test_variances_are_those_of_the_steps(steps, n_arms, step, ridge, scale):
    samples = start([0, 3, 40], scale)
    chunks, _, count, longest, _ = samples
    x = scale * np.random.default_rng(1).standard_normal((N, DIM, n_arms))
    x[2, :, 0] = 0.0
    x.flags.writeable = False
    variance = np.empty((N, n_arms))
    variance_by_descent(samples, steps, step, ridge, x, variance)
    for i, n in enumerate(count):
        uniform = Stream([i], AGENT, 9, 0).uniform(int(n), (steps + 1,))[0]
        for k in range(n_arms):
            arm = x[i, :, k]
            phi = arm / (ridge + n * arm @ arm)
            for s in range(steps if n else 0):
                row = chunks[0][i, int(uniform[s + 1] * n), :DIM]
                gamma = min(step, 1 / longest[i], n / ridge)
                phi = phi + gamma * (arm / n - (phi @ row) * row - ridge / n * phi)
            expected = max(arm @ phi, 0.0)
            assert abs(variance[i, k] - expected) <= 1e-12 * arm @ arm * np.abs(phi).max()


def test_negative_forms_are_clipped():
    """phi = 0.1 / 0.02 = 5 becomes 5 + 5 (0.1 - 5 - 0.05) < 0, the length of the row untold."""
    chunks = initial_chunks(1, 2)
    chunks[0][0, 0, 0] = 1.0
    keys = np.zeros((1, 2), np.uint32)
    nothing = np.zeros((1, 0, 1))
    samples = KeptSamples(tuple(chunks), nothing, np.array([1]), np.array([1e-6]), keys)
    x, variance = np.full((1, 1, 1), 0.1), np.ones((1, 1))
    x.flags.writeable = False
    variance_by_descent(samples, 1, 5.0, 0.01, x, variance)
    assert variance[0, 0] == 0.0


@pytest.mark.parametrize(("step", "decay"), [(0.05, 9.0), (50.0, 20.0)])
@pytest.mark.parametrize("ridge", [0.5, 1e3])
def test_fixed_arms_take_one_step(step, decay, ridge):
    n_arms, rng = 3, np.random.default_rng(2)
    table = rng.standard_normal((N, n_arms, DIM))
    chunks = initial_chunks(N, 2)
    chunks[0][:, :, 0] = rng.integers(n_arms, size=chunks[0].shape[:2])
    count, longest = np.array([1, 30, 5]), (table**2).sum(axis=2).max(axis=1)
    keys = Stream(range(N), AGENT, 9, 0).keys
    samples = KeptSamples(tuple(chunks), table, count, longest, keys)
    inverses, variance = rng.standard_normal((2, N, n_arms, DIM))
    variance = variance[:, :, 0].copy()
    before, old = inverses.copy(), variance.copy()
    observed = np.array([True, True, False])
    step_fixed_inverses(samples, inverses, variance, step, decay, ridge, observed)
    for i in (0, 1):
        n = count[i]
        drawn = int(Stream([i], AGENT, 9, 0).uniform(int(n), (2,))[0, 1] * n)
        row = table[i, int(chunks[0][i, drawn, 0])]
        gamma = min(step * decay / (decay + n), 1 / longest[i], n / ridge)
        for k in range(n_arms):
            phi, arm = before[i, k], table[i, k]
            phi = phi + gamma * (arm / n - (phi @ row) * row - ridge / n * phi)
            np.testing.assert_allclose(inverses[i, k], phi, rtol=0, atol=1e-12)
            assert variance[i, k] == pytest.approx(max(phi @ arm, 0.0), abs=1e-12)
    np.testing.assert_array_equal(inverses[2], before[2])
    np.testing.assert_array_equal(variance[2], old[2])
