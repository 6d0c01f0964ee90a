"""A round of play is a prediction and a step, by the kernel of the estimate's class."""

import numpy as np
import pytest

from agents.numerics.steps.descent_steps import DescentSteps, learn_by_descent
from agents.numerics.steps.gradient_steps import learn, play_rows_block
from agents.numerics.steps.sag_steps import SAGSteps, learn_by_sag
from agents.numerics.steps.sample_chunks import KeptSamples, initial_chunks
from agents.numerics.steps.svrg_steps import SVRGSteps, learn_by_svrg
from banditgym.streams import AGENT, Stream

N, DIM, ROUNDS = 2, 3, 5


def start(kind):
    """An estimate of a class before any sample, and its samples."""
    theta, other, total = np.zeros((3, N, DIM))
    steps = {
        DescentSteps: (theta, other, 9.0, 0.7, 0.1),
        SAGSteps: (theta, total, 0.3, 0.1),
        SVRGSteps: (theta, other, total, np.zeros(N, np.int64), 0.3, 0.1),
    }[kind]
    chunks, count = tuple(initial_chunks(N, DIM + 2)), np.zeros(N, np.int64)
    keys = Stream(range(N), AGENT, 9, 0).keys
    return kind(*steps), KeptSamples(chunks, np.zeros((1, 0, DIM)), count, np.zeros(N), keys)


@pytest.mark.parametrize(
    ("kind", "own"),
    [(DescentSteps, learn_by_descent), (SAGSteps, learn_by_sag), (SVRGSteps, learn_by_svrg)],
)
def test_the_class_chooses_the_kernel(kind, own):
    rng = np.random.default_rng(0)
    rows, outcomes = rng.standard_normal((ROUNDS, N, DIM, 1)), rng.standard_normal((ROUNDS, N))
    predictions = np.empty((ROUNDS, N))
    for array in (rows, outcomes):  # as they come in a block
        array.flags.writeable = False
    whole, single, plain = start(kind), start(kind), start(kind)
    steps, samples = whole[:2]
    assert play_rows_block(steps, steps.theta, samples, 9.0, rows, outcomes, predictions) == -1
    arms, everyone = np.zeros(N, np.int64), np.ones(N, bool)
    for t in range(ROUNDS):
        expected = (rows[t, :, :, 0] * single[0].theta).sum(axis=1)
        np.testing.assert_allclose(predictions[t], expected, rtol=1e-12, atol=1e-15)
        for kernel, (steps, samples) in ((learn, single), (own, plain)):
            assert kernel(steps, samples, rows[t], arms, outcomes[t].copy(), everyone) == -1
    assert whole[0].theta.any()
    for other in (single, plain):
        for ours, theirs in zip(whole[0], other[0], strict=True):
            np.testing.assert_array_equal(ours, theirs)
