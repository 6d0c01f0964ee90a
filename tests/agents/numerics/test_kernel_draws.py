"""What draws of the posterior are made of; the draws themselves: tests of Exact."""

import numpy as np

from agents.numerics.kernel_draws import fill_normals
from banditgym.streams import AGENT, Stream


def test_normals_are_those_of_the_stream():
    stream, t, out = Stream([3, 4], AGENT, 1, 0), np.array([7, 9]), np.empty((2, 5))
    fill_normals(stream.keys, t, out)
    np.testing.assert_array_equal(out, stream.normal(t, (5,)))
