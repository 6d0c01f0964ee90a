"""Arrays of draws against single draws, and normals against Box and Muller's formula."""

import math

import numpy as np
import pytest

from banditgym import streams
from banditgym.streams import AGENT, ENVIRONMENT, Stream

LENGTHS = [0, 1, 2, 3, 7, 8, 15, 16, 17, 18, 19, 31, 32, 33, 47, 100, 101, 2000]
KEY = np.array([0xA4093822, 0x299F31D0], np.uint32)


def draw_at(function, t, size):
    return np.array([function(KEY[0], KEY[1], t, i) for i in range(size)])


def test_normals_follow_box_and_muller():
    # Two units in the last place for each of our and the library's radius and cosine, and the
    # roundings of their product and of 2 pi u2. The library's angle is rounded at 2 pi, ours at
    # pi / 4 at most, so near the zeros of cosine only an absolute error can be asked for.
    uniform, normal = np.empty(20_000), np.empty(20_000)
    streams.fill_uniform(KEY[0], KEY[1], 11, uniform)
    streams.fill_normal(KEY[0], KEY[1], 11, normal)
    for block in range(10_000):
        u1, u2 = 2.0**-53 + uniform[2 * block], uniform[2 * block + 1]
        radius = math.sqrt(-2.0 * math.log(u1))
        angle = 2.0 * math.pi * u2
        for value, factor in ((0, math.cos(angle)), (1, math.sin(angle))):
            error = abs(normal[2 * block + value] - radius * factor)
            assert error <= radius * (5 * 2.0**-53 * abs(factor) + 2 * 2.0**-51)


@pytest.mark.parametrize("kind", ["uniform", "normal"])
@pytest.mark.parametrize("t", [0, 2**63 - 1])
def test_an_element_does_not_depend_on_how_many_are_drawn(kind, t):
    at, fill = getattr(streams, f"{kind}_at"), getattr(streams, f"fill_{kind}")
    expected = draw_at(at, t, max(LENGTHS))
    for length in LENGTHS:
        out = np.full(length + 1, np.nan)  # one more, to see that nothing is written beyond
        fill(KEY[0], KEY[1], t, out[:length])
        assert np.array_equal(out[:length], expected[:length])
        assert np.isnan(out[length])


@pytest.mark.parametrize("n", [0, 1, 7, 8, 9, 16, 100, 103])
def test_one_draw_for_each_replicate_is_element_0(n):
    keys = Stream(range(n), ENVIRONMENT, 0, 0).keys
    uniform, normal, first, second = np.full((4, n + 1), np.nan)
    streams.each_uniform(keys, 6, uniform[:n])
    streams.each_normal(keys, 6, normal[:n])
    streams.each_pair(keys, 6, first[:n], second[:n])
    for i, (k0, k1) in enumerate(keys):
        assert normal[i] == streams.normal_at(k0, k1, 6, 0)
        assert uniform[i] == first[i] == streams.uniform_at(k0, k1, 6, 0)
        assert second[i] == streams.uniform_at(k0, k1, 6, 1)
    assert np.isnan([uniform[n], normal[n], first[n], second[n]]).all()


@pytest.mark.parametrize("n", [1, 7, 8, 9, 21])
@pytest.mark.parametrize("m", [1, 2, 5, 64, 65])
def test_normals_of_many_replicates_are_those_of_each(n, m):
    """Short rows are computed across replicates, long ones along each."""
    keys = Stream(range(n), AGENT, 3, 0).keys
    rounds = np.arange(n) * 5 + (1 << 40)
    out = np.empty((n, m))
    streams.fill_normals(keys, rounds, out)
    for i in range(n):
        for j in range(m):
            assert out[i, j] == streams.normal_at(keys[i, 0], keys[i, 1], rounds[i], j)


@pytest.mark.parametrize("n", [1, 7, 8, 21])
@pytest.mark.parametrize("dim", [1, 2, 5, 65])
@pytest.mark.parametrize("count", [1, 3, 19])
def test_normals_of_many_rounds_are_those_of_each(n, dim, count):
    keys = Stream(range(n), AGENT, 3, 0).keys
    rounds = np.arange(n) * 5 + (1 << 40)
    out, each = np.empty((count, n, dim)), np.empty((n, dim))
    at = rounds.copy()
    streams.fill_normals_of_rounds(keys.ravel(), at, np.empty((2, max(n, count))), out)
    np.testing.assert_array_equal(at, rounds + count)
    for s in range(count):
        streams.fill_normals(keys, rounds + s, each)
        np.testing.assert_array_equal(out[s], each)


@pytest.mark.parametrize("n", [1, 3, 8, 11, 21, 170])  # along rounds, in columns, by the round
@pytest.mark.parametrize("rounds", [1, 2, 8, 16, 37, 128, 300])
def test_one_draw_of_many_rounds_is_that_of_each_round(n, rounds):
    keys = Stream(range(n), ENVIRONMENT, 2, 1).keys
    out, each = np.empty((rounds, n)), np.empty(n)
    streams.each_normal_of_rounds(keys, 6, 0.3, out)
    for s in range(rounds):
        streams.each_normal(keys, 6 + s, each)
        np.testing.assert_array_equal(out[s], 0.3 * each)
