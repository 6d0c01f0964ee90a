"""A tiny run of every agent against every adversary."""

import numpy as np
import pytest

from leaderboards.papers.rakhlin2008.descent_runs import ADVERSARIES, AGENTS, descent


@pytest.fixture(scope="module")
def sample():
    return descent([3, 4, 7], horizon=100)


def test_a_row_does_not_depend_on_other_seeds(sample):
    alone = descent([4], horizon=100)
    assert len(sample.measures) > len(ADVERSARIES) * len(AGENTS)
    for measure, values in sample.measures.items():
        np.testing.assert_allclose(values[1], alone.measures[measure][0], rtol=1e-9, atol=1e-12)


def test_the_bounds_are_those_of_the_run(sample):
    # Without curvature 1/H never moves and has no bound; the adaptive one has.
    assert np.isinf(sample.measures["bound, CurvatureDescent, signs, linear"]).all()
    regret = sample.measures["AdaptiveDescent, signs, linear"]
    assert (sample.measures["bound, AdaptiveDescent, signs, linear"] < 10 * regret.max()).all()
    # Gradients have norm 1, so that the bound is known beforehand.
    bound = sample.measures["bound, CurvatureDescent, signs, a = 0.5"]
    steps = np.cumsum(1 / np.cumsum(np.arange(1, 101) ** -0.5)) / 2
    np.testing.assert_allclose(bound, np.tile(steps[sample.rounds - 1], (3, 1)))
