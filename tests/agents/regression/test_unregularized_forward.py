"""UnregularizedForward against least squares of least norm on all rows, that of the round too."""

import numpy as np
import pytest

from agents.regression.unregularized_forward import UnregularizedForward


@pytest.mark.parametrize("bound", [None, 0.3])
@pytest.mark.parametrize("dim", [1, 3, 10])
def test_predicts_by_least_squares_with_the_row_at_zero(follow, dim, bound):
    def prediction(past, outcomes, x):
        full, target = np.vstack([past, x]), np.r_[outcomes, 0.0]
        return x @ np.linalg.lstsq(full, target, rcond=1e-10)[0]

    follow(UnregularizedForward(), prediction, dim=dim, bound=bound)


def test_does_not_depend_on_the_unit(data, play):
    """A power of two changes no bit."""
    rows, y = data("deficient", 4)
    played = play(UnregularizedForward(), rows, y)
    np.testing.assert_array_equal(play(UnregularizedForward(), 2.0**40 * rows, y), played)
    assert (played[0] == 0.0).all()
    assert (played[5:] != 0.0).all()
