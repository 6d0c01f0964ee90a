"""One gradient step from a known state; the estimators' tests follow many."""

import numpy as np
import pytest

from agents.numerics.steps.descent_steps import DescentSteps
from agents.numerics.steps.gradient_steps import learn, play_rows_block
from agents.numerics.steps.sample_chunks import KeptSamples, initial_chunks
from banditgym.streams import AGENT, Stream

N, DIM, KEPT = 3, 5, 6


def start(averaged=False):
    rng = np.random.default_rng(0)
    chunks = initial_chunks(N, DIM + 1)
    chunks[0][:, :KEPT] = rng.standard_normal((N, KEPT, DIM + 1))
    longest = (chunks[0][:, :, :DIM] ** 2).sum(axis=2).max(axis=1)
    keys = Stream(range(N), AGENT, 9, 0).keys
    iterate, average = rng.standard_normal((2, N, DIM))
    average = average if averaged else average[:, :0].copy()
    nothing = np.zeros((1, 0, DIM))
    samples = KeptSamples(tuple(chunks), nothing, np.full(N, KEPT), longest, keys)
    return samples, iterate, average


@pytest.mark.parametrize(("gain", "exponent"), [(9.0, 0.0), (1e9, 0.0), (0.05, 0.7), (40.0, 0.7)])
@pytest.mark.parametrize("ridge", [0.0, 0.8, 1e4])
def test_a_step_is_the_definitions(gain, exponent, ridge):
    state, iterate, average = start(averaged=True)
    before, mean = iterate.copy(), average.copy()
    x = np.random.default_rng(1).standard_normal((N, DIM, 2))
    x.flags.writeable = False
    arms, y, observed = np.array([1, 0, 1]), np.arange(3.0), np.array([True, False, True])
    steps = DescentSteps(iterate, average, gain, exponent, ridge)
    assert learn(steps, state, x, arms, y, observed) == -1
    chunks, _, count, longest, _ = state
    assert list(count) == [KEPT + 1, KEPT, KEPT + 1]
    n, uniform = KEPT + 1, Stream(range(N), AGENT, 9, 0).uniform(KEPT + 1)
    for i in (0, 2):
        np.testing.assert_array_equal(chunks[0][i, KEPT], [*x[i, :, arms[i]], y[i]])
        *row, outcome = chunks[0][i, int(uniform[i] * n)]
        top = (chunks[0][i, :n, :DIM] ** 2).sum(axis=1).max()
        assert longest[i] == pytest.approx(top, rel=1e-14)
        gamma = gain / (4 * (gain + n)) if exponent == 0 else gain * n**-exponent
        gamma = min(gamma, 1 / top, n / ridge if ridge else np.inf)
        gradient = (np.dot(row, before[i]) - outcome) * np.array(row) + ridge / n * before[i]
        np.testing.assert_allclose(iterate[i], before[i] - gamma * gradient, rtol=1e-12)
        np.testing.assert_allclose(average[i], mean[i] + (iterate[i] - mean[i]) / n, rtol=1e-12)
    np.testing.assert_array_equal(iterate[1], before[1])
    np.testing.assert_array_equal(average[1], mean[1])


@pytest.mark.parametrize("averaged", [False, True])
def test_predictions_come_before_their_outcomes(averaged):
    state, iterate, average = start(averaged)
    theta = (average if averaged else iterate).copy()
    rows = np.random.default_rng(1).standard_normal((1, N, DIM, 1))
    outcomes, predictions = np.full((1, N), 5.0), np.empty((1, N))
    for array in (rows, outcomes):  # as they come in a block
        array.flags.writeable = False
    steps = DescentSteps(iterate, average, 9.0, 0.0, 0.1)
    assert play_rows_block(steps, steps.theta, state, 0.4, rows, outcomes, predictions) == -1
    expected = np.clip((rows[0, :, :, 0] * theta).sum(axis=1), -0.4, 0.4)
    np.testing.assert_allclose(predictions[0], expected, rtol=1e-12)
    assert list(state[2]) == [KEPT + 1] * N


def test_the_first_bad_replicate_is_returned_and_nothing_changed():
    state, iterate, average = start()
    before = iterate.copy()
    x = np.ones((N, DIM, 1))
    x[1, 2, 0] = np.nan
    yes, arms, outcomes = np.ones(N, bool), np.zeros(N, int), np.ones((1, N))
    for array in (x, outcomes):
        array.flags.writeable = False
    steps = DescentSteps(iterate, average, 9.0, 0.0, 0.1)
    assert learn(steps, state, x, arms, np.ones(N), yes) == 1
    np.testing.assert_array_equal(iterate, before)
    assert list(state[2]) == [KEPT] * N
    assert play_rows_block(steps, steps.theta, state, 1.0, x[None], outcomes, np.ones((1, N))) == 1
