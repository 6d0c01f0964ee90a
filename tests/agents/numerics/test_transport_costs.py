"""Transport costs against likelihood ratios that are maximised numerically."""

import math

import numpy as np
import pytest
from scipy.optimize import minimize_scalar
from scipy.special import xlogy

from agents.numerics.transport_costs import cheapest, divergence, is_clear
from banditgym.compiled import compiled


@compiled
def found(pulls, sums, best, noise_std):
    return cheapest(pulls, sums, 0, best, noise_std)


@compiled
def clear(pulls, sums, delta, noise_std):
    return is_clear(pulls, sums, 0, delta, noise_std)


@compiled
def of_two(p, q, noise_std):
    return divergence(p, q, noise_std)


def log_likelihood(pulls, total, mean, noise_std):
    """Up to a constant."""
    if noise_std > 0:
        return (total * mean - pulls * mean**2 / 2) / noise_std**2
    return xlogy(total, mean) + xlogy(pulls - total, 1 - mean)


@pytest.mark.parametrize("noise_std", [0.0, 0.4])
def test_a_cost_is_what_the_likelihood_loses_if_the_other_arm_is_as_good(noise_std):
    pulls, sums = np.array([[9, 4, 6, 5]]), np.array([[8.0, 2.0, 5.0, 0.0]])
    costs = []
    for k in (1, 2, 3):
        two = [(pulls[0, j], sums[0, j]) for j in (0, k)]
        apart = sum(log_likelihood(n, s, s / n, noise_std) for n, s in two)

        def lost(mean, two=two, apart=apart):
            return apart - sum(log_likelihood(n, s, mean, noise_std) for n, s in two)

        costs.append(minimize_scalar(lost, bounds=(0.0, 1.0), method="bounded").fun)
    arm, cost = found(pulls, sums, 0, noise_std)
    assert arm == 1 + int(np.argmin(costs))
    assert cost == pytest.approx(min(costs), rel=1e-6)
    threshold = math.log((1 + math.log(24)) / 0.1)
    assert clear(pulls, sums, 0.1, noise_std) == (cost > threshold)
    # The delta at which the cost is the threshold, from both sides.
    edge = (1 + math.log(24)) / math.exp(cost)
    assert clear(pulls, sums, edge * 1.01, noise_std)
    assert not clear(pulls, sums, edge * 0.99, noise_std)


def test_without_another_arm_the_cost_is_infinite_and_to_arms_that_look_better_0():
    assert found(np.array([[3]]), np.array([[1.0]]), 0, 0.0) == (0, math.inf)
    assert found(np.array([[3, 3]]), np.array([[1.0, 2.0]]), 0, 0.0) == (1, 0.0)
    assert not clear(np.array([[3, 0]]), np.array([[3.0, 0.0]]), 0.5, 0.0)


def test_divergences_of_near_means_and_at_the_ends_are_exact():
    for gap in (1e-3, 1e-6, 1e-9):
        expected = gap**2 / (2 * 0.25)  # to a share of the gap
        assert of_two(0.5, 0.5 + gap, 0.0) == pytest.approx(expected, rel=1e-3)
    assert of_two(0.0, 0.5, 0.0) == of_two(1.0, 0.5, 0.0) == pytest.approx(math.log(2))
    assert of_two(0.5, 0.5, 0.0) == of_two(0.0, 0.0, 0.0) == 0.0
