"""CurvatureDescent against its formula."""

import numpy as np
import pytest

from agents.losses.curvature_descent import CurvatureDescent


def test_steps_by_the_inverse_of_the_curvature_so_far(kind, ball, follow, nearest):
    dim, radius = ball
    agent = CurvatureDescent()

    def expected(past):
        if sum(past.h) == 0:
            return np.zeros(dim)
        # the largest number stands for a step beyond it
        with np.errstate(over="ignore"):
            step = np.nan_to_num(past.g[-1] / sum(past.h))
        largest = max(1.0, np.abs(step).max())
        beyond = (past.own[-1] - step) / largest
        return largest * beyond if largest < 1e100 else nearest(1e100 * beyond, radius)

    def compare(past, i):
        assert agent.curvature[i] == pytest.approx(sum(past.h), rel=1e-13, abs=0)

    def within(past):
        return nearest(expected(past), radius)

    follow(agent, kind, dim, radius, expected=within, compare=compare)


def test_on_equal_quadratics_it_plays_the_mean_of_their_minimisers(task_of):
    """H (x - z)² / 2: the step 1 / (t H) along H (x_t - z_t) is that of a running mean."""
    rng = np.random.default_rng(4)
    agent = CurvatureDescent().reset(task_of(3, 10.0))
    met = []
    for _ in range(50):
        x = agent.act(0)
        if met:
            np.testing.assert_allclose(x, np.mean(met, axis=0), rtol=1e-12, atol=1e-13)
        met.append(rng.standard_normal(3))
        feedback = {"loss": 1.0, "gradient": 2.5 * (x - met[-1]), "curvature": 2.5}
        agent.observe(0, x, 0.0, feedback=feedback)
