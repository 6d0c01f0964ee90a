"""One SAG step from a known state; the estimator's test makes many."""

import numpy as np
import pytest

from agents.numerics.steps.gradient_steps import learn, play_rows_block
from agents.numerics.steps.sag_steps import SAGSteps
from agents.numerics.steps.sample_chunks import KeptSamples, initial_chunks
from banditgym.streams import AGENT, Stream

N, DIM, KEPT = 2, 5, 8


def start():
    rng = np.random.default_rng(0)
    chunks = initial_chunks(N, DIM + 2)
    chunks[0][:, :KEPT] = rng.standard_normal((N, KEPT, DIM + 2))
    chunks[0][:, KEPT:] = 77.0  # what memory holds before a sample comes there
    x, r = chunks[0][:, :KEPT, :DIM], chunks[0][:, :KEPT, DIM + 1]
    theta, total = rng.standard_normal((N, DIM)), np.einsum("nsd,ns->nd", x, r)
    keys, longest = Stream(range(N), AGENT, 9, 0).keys, (x**2).sum(axis=2).max(axis=1)
    nothing = np.zeros((1, 0, DIM))
    samples = KeptSamples(tuple(chunks), nothing, np.full(N, KEPT), longest, keys)
    return samples, (theta, total)


@pytest.mark.parametrize("ridge", [0.0, 0.8, 1e4])
@pytest.mark.parametrize("rate", [0.3, 1.2])  # 2 d / n is 1.1
def test_a_step_is_the_definitions(rate, ridge):
    samples, state = start()
    theta, total = state
    before = theta.copy()
    kept = samples[0][0][0, :KEPT, DIM + 1].copy()
    new = np.random.default_rng(1).standard_normal((N, DIM, 2))
    new.flags.writeable = False
    arms, outcome, observed = np.array([1, 0]), np.array([0.3, 0.4]), np.array([True, False])
    steps = SAGSteps(*state, rate, ridge)
    assert learn(steps, samples, new, arms, outcome, observed) == -1
    assert samples.count.max() == KEPT + 1
    n = KEPT + 1
    x, y = samples[0][0][0, :n, :DIM], samples[0][0][0, :n, DIM]
    np.testing.assert_array_equal(x[-1], new[0, :, 1])
    residuals = np.append(kept, x[-1] @ before[0] - y[-1])
    i = int(Stream([0], AGENT, 9, 0).uniform(n)[0] * n)
    residuals[i] = x[i] @ before[0] - y[i]
    np.testing.assert_allclose(samples[0][0][0, :n, DIM + 1], residuals, rtol=0, atol=1e-12)
    np.testing.assert_allclose(total[0], x.T @ residuals, rtol=0, atol=1e-12)
    top = (x**2).sum(axis=1).max()
    eta = min(rate / top, 2 * DIM / (top * n), n / ridge if ridge else np.inf)
    step = x.T @ residuals / n + ridge / n * before[0]
    np.testing.assert_allclose(theta[0], before[0] - eta * step, rtol=0, atol=1e-12)
    np.testing.assert_array_equal(theta[1], before[1])


def test_predictions_come_before_their_outcomes_and_bad_rows_are_found():
    samples, state = start()
    theta = state[0].copy()
    rows = np.random.default_rng(1).standard_normal((2, N, DIM, 1))
    rows[1, 1, 0, 0] = np.inf
    outcomes, predictions = np.full((2, N), 5.0), np.zeros((2, N))
    for array in (rows, outcomes):  # as they come in a block
        array.flags.writeable = False
    steps = SAGSteps(*state, 0.3, 0.1)
    assert play_rows_block(steps, steps.theta, samples, 0.4, rows, outcomes, predictions) == 1
    expected = np.clip((rows[0, :, :, 0] * theta).sum(axis=1), -0.4, 0.4)
    np.testing.assert_allclose(predictions[0], expected, rtol=1e-12)
    assert list(samples[2]) == [KEPT + 1] * N
    args = (rows[1], np.zeros(N, int), np.ones(N), np.ones(N, bool))
    assert learn(steps, samples, *args) == 1
