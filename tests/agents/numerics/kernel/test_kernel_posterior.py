"""What the kernel posterior is made of against numpy; the posterior itself: tests of Exact."""

import numpy as np
import pytest

from agents.numerics.kernel.kernel_posterior import absorb_pulls, combine, solve_by_inverse
from agents.parts.posteriors.exact import _ARRAYS, ExactOnFixedArms
from banditgym.functions.covariances import RBF
from banditgym.tasks import KernelTask


@pytest.mark.parametrize("count", [0, 1, 7, 8, 9, 17, 40])
@pytest.mark.parametrize("length", [1, 511, 512, 513, 1500])
def test_combine_adds_the_weighted_rows(count, length):
    """A sum of 40 terms errs by 40 eps of the terms' sizes; what lies beyond is not touched."""
    rng = np.random.default_rng(count)
    rows, out = rng.standard_normal((60, 1600)), rng.standard_normal(1600)
    chosen, weights = rng.permutation(60)[:40], rng.standard_normal(40)
    expected = out.copy()
    expected[:length] += weights[:count] @ rows[chosen[:count], :length]
    combine(rows, chosen, weights, count, out[:length])
    np.testing.assert_allclose(out, expected, rtol=0, atol=42 * 2.2e-16 * 40 * 4)
    np.testing.assert_array_equal(out[length:], expected[length:])


@pytest.mark.parametrize("count", [1, 6, 30])
def test_an_inverse_that_errs_is_corrected(count):
    """Each correction multiplies the error by that of the inverse, here 1e-6 of the identity:
    1e-18 is left, below rounding, which is cond eps."""
    rng, capacity = np.random.default_rng(count), 32
    gram, inverse = np.full((capacity, capacity), np.nan), np.full((capacity, capacity), np.nan)
    root = rng.standard_normal((count, count))
    counts = np.full(capacity, np.nan)
    counts[:count] = rng.integers(1, 9, size=count)
    gram[:count, :count] = root @ root.T
    matrix = gram[:count, :count] + np.diag(1 / counts[:count])
    wrong = np.eye(count) + 1e-6 * rng.uniform(-1, 1, (count, count)) / count
    inverse[:count, :count] = wrong @ np.linalg.inv(matrix)
    target = np.full(capacity, np.nan)
    target[:count] = rng.standard_normal(count)
    solution, rest = np.full(capacity, np.nan), np.full(capacity, np.nan)
    natural = np.empty(capacity, np.int64)
    solve_by_inverse(gram, counts, inverse, natural, target, count, solution, rest)
    exact = np.linalg.solve(matrix, target[:count])
    room = 10 * count * 2.2e-16 * np.linalg.cond(matrix) * np.linalg.norm(exact)
    assert np.linalg.norm(solution[:count] - exact) <= room
    once = inverse[:count, :count] @ target[:count]
    assert np.linalg.norm(once - exact) > 100 * room


def test_what_rounding_leaves_below_zero_is_zero():
    """The state is changed as rounding may change it, and then the arm is pulled that was pulled
    last. Arm 0 loses more variance than it has, arm 1 has a negative one, and its entry of the
    inverse is larger than the number of its pulls, which bounds it."""
    arms, yes = np.array([[0.0], [0.4], [0.9]]), np.ones(1, bool)
    task = KernelTask(
        dim=1, n_arms=3, horizon=None, noise_std=0.1, subgaussian=0.1, param_norm=1.0, arms=arms,
        covariance=RBF(),
    )  # fmt: skip
    state = ExactOnFixedArms(task, 1, RBF(), 0.1)
    for arm in (0, 1):
        state.update(None, np.array([arm]), np.ones(1), yes)
    state.column[0], state.variance[0] = [0.5, -1e-9, 0.2], [0.1, 0.1, 1.0]
    state.inverse[0, 1, 1] = 3.0
    log_det = state.log_det.copy()
    absorb_pulls(_ARRAYS(state), np.array([1]), np.ones(1), yes, yes)
    np.testing.assert_allclose(state.variance[0], [0.0, 0.0, 0.96], rtol=1e-12)
    assert state.log_det[0] == log_det[0]
    # M_jj falls by 1/2, of which the inverse, taken as 1, leaves 1 - 1/2.
    assert state.inverse[0, 1, 1] == pytest.approx(3.0 + 9.0)
