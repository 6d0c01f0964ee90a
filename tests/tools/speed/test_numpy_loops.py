"""The numpy loops that agents are measured beside learn."""

import pytest

from tools.speed.numpy_loops import (
    plain_banditron,
    plain_forward,
    plain_lints,
    plain_linucb,
    plain_ridge,
)


@pytest.mark.parametrize("loop", [plain_linucb, plain_lints])
@pytest.mark.parametrize("fixed", [False, True])
def test_the_loops_beside_ours_learn(loop, fixed):
    # Uniform play loses 0.67 a round, the expected maximum of K = 5 Gaussian means of deviation
    # 1 / sqrt(3) about zero; learning must save most of it.
    assert loop(2000, 3, 5, fixed) < 0.3 * 0.67 * 2000


@pytest.mark.parametrize("loop", [plain_ridge, plain_forward])
def test_the_regressions_beside_ours_learn(loop):
    # Predicting 0 loses 1/3 a round, the variance of <x, theta>. Each of the three coordinates
    # costs about 1/3 once and then 0.01/t in round t: together about 1.2 in 2000 rounds. The terms
    # 2 noise (predicted - expected) add a deviation of 2 * 0.1 * sqrt(1.2) = 0.2.
    assert -1 < loop(2000, 3) < 5


def test_the_banditron_beside_ours_learns():
    # Uniform play is wrong 8 times in 9. Exploring alone costs 0.05 * 8 / 9 a round.
    assert 0.03 * 4000 < plain_banditron(4000) < 0.5 * 8 / 9 * 4000
