"""UnregularizedForward does not depend on the unit."""

import numpy as np

from agents.regression.unregularized_forward import UnregularizedForward


def test_does_not_depend_on_the_unit(data, play):
    """A power of two changes no bit."""
    rows, y = data("deficient", 4)
    played = play(UnregularizedForward(), rows, y)
    np.testing.assert_array_equal(play(UnregularizedForward(), 2.0**40 * rows, y), played)
    assert (played[0] == 0.0).all()
    assert (played[5:] != 0.0).all()
