"""Single draws against the published vectors, an independent Philox and the plain formulas."""

import math

import numpy as np
import pytest
import randomgen

from banditgym import elementary, streams
from banditgym.compiled import compiled
from banditgym.streams import ENVIRONMENT, Stream

ROUNDS = [0, 1, 2**32 - 1, 2**32, 2**63 - 1]
KEY = np.array([0xA4093822, 0x299F31D0], np.uint32)


def independent_words(key, t, block):
    """The block by another implementation, which counts up before it computes."""
    counter = (int(t) << 64 | block) - 1
    key = int(key[0]) | int(key[1]) << 32
    bits = randomgen.Philox(counter=counter % 2**128, key=key, number=4, width=32)
    return np.asarray(bits.random_raw(4)).tolist()


@pytest.mark.parametrize(
    ("counter", "key", "words"),
    [
        ([0] * 4, [0] * 2, [0x6627E8D5, 0xE169C58D, 0xBC57AC4C, 0x9B00DBD8]),
        ([2**32 - 1] * 4, [2**32 - 1] * 2, [0x408F276D, 0x41C83B0E, 0xA20BC7C6, 0x6D5451FD]),
        (
            [0x243F6A88, 0x85A308D3, 0x13198A2E, 0x03707344],
            [0xA4093822, 0x299F31D0],
            [0xD16CFE09, 0x94FDCCEB, 0x5001E420, 0x24126EA1],
        ),
    ],
)
def test_philox_gives_the_published_vectors(counter, key, words):
    """philox4x32-10 in the file kat_vectors of Random123."""
    assert list(streams.philox(*np.array(counter + key, np.uint32))) == words


def test_uniforms_are_the_words_of_an_independent_philox():
    stream = Stream([0, 1, 2**40], ENVIRONMENT, 3, 4)
    for t in ROUNDS:
        drawn = stream.uniform(t, (40,))
        for key, row in zip(stream.keys, drawn, strict=True):
            for block in range(20):
                w0, w1, w2, w3 = independent_words(key, t, block)
                assert row[2 * block] == ((w0 << 32 | w1) >> 11) * 2.0**-53
                assert row[2 * block + 1] == ((w2 << 32 | w3) >> 11) * 2.0**-53


def test_blocks_beyond_32_bits_have_counters_of_their_own():
    w0, w1, _, _ = independent_words(KEY, 5, 7 << 32 | 9)
    drawn = streams.uniform_at(KEY[0], KEY[1], 5, 2 * (7 << 32 | 9))
    assert drawn == ((w0 << 32 | w1) >> 11) * 2.0**-53


@compiled
def log_each(x, out):
    for i in range(x.size):
        out[i] = elementary.log_of_normal(x[i])


@compiled
def turn_each(u, sine, cosine):
    for i in range(u.size):
        sine[i], cosine[i] = elementary.sine_cosine_of_turns(u[i])


def test_logarithm_keeps_relative_accuracy_everywhere():
    small = 2.0 ** -np.arange(54.0)
    near_one = 1.0 - np.arange(1, 2000) * 2.0**-53
    spread = np.random.default_rng(0).random(20_000) + 2.0**-53
    x = np.concatenate([small, near_one, spread, [math.sqrt(0.5), np.nextafter(0.5**0.5, 0)]])
    out = np.empty(x.size)
    log_each(x, out)
    exact = np.array([math.log(value) for value in x])
    assert np.all(np.abs(out - exact) <= 2 * np.spacing(np.abs(exact)))


def test_sine_and_cosine_are_exact_at_quarter_turns_and_accurate_between():
    u = np.array([0.0, 0.25, 0.5, 0.75])
    sine, cosine = np.empty(4), np.empty(4)
    turn_each(u, sine, cosine)
    assert sine.tolist() == [0, 1, 0, -1]
    assert cosine.tolist() == [1, 0, -1, 0]
    # Within an eighth turn the library's angle 2 pi u is as good as ours (half a unit of rounding
    # and half of pi's), so both functions agree to a few units; the other eighths follow exactly.
    u = np.random.default_rng(1).integers(0, 2**50, 20_000) * 2.0**-53
    sine, cosine = np.empty(u.size), np.empty(u.size)
    turn_each(u, sine, cosine)
    for ours, library in ((sine, math.sin), (cosine, math.cos)):
        exact = np.array([library(2.0 * math.pi * value) for value in u])
        assert np.all(np.abs(ours - exact) <= 4 * np.spacing(exact))
    across, along = np.empty(u.size), np.empty(u.size)
    for quarters, (s, c) in enumerate([(sine, cosine), (cosine, -sine), (-sine, -cosine)]):
        shifted = u + quarters * 0.25
        kept = shifted - quarters * 0.25 == u  # the sum may round the last bits away
        turn_each(shifted, across, along)
        assert kept.sum() > 1000
        assert np.array_equal(across[kept], s[kept])
        assert np.array_equal(along[kept], c[kept])


def test_gamma_and_beta_are_made_of_blocks_that_no_other_draw_uses():
    """The draws by the plain formula, block by block."""
    blocks_used = set()
    k0, k1 = KEY

    def gamma(index, shape):
        d = shape - 1 / 3
        for attempt in range(100):
            blocks = [index + ((2 * attempt + j) << 32) for j in (1, 2)]
            assert blocks_used.isdisjoint(blocks)
            blocks_used.update(blocks)
            x = streams.normal_at(k0, k1, 3, 2 * blocks[0])
            u = 1.0 - streams.uniform_at(k0, k1, 3, 2 * blocks[1])
            v = (1 + x / math.sqrt(9 * d)) ** 3
            if v > 0 and math.log(u) < 0.5 * x * x + d - d * v + d * math.log(v):
                return d * v
        raise AssertionError("a hundred attempts, each accepted with probability above 0.95")

    for shape in (1.0, 1.5, 40.0, 1e6):
        blocks_used.clear()
        for index in range(300):
            drawn = streams.gamma_at(k0, k1, 3, index, shape)
            assert drawn == pytest.approx(gamma(index, shape), rel=1e-12)
    blocks_used.clear()
    for index in range(300):
        x, y = gamma(2 * index, 2.0), gamma(2 * index + 1, 5.0)
        assert streams.beta_at(k0, k1, 3, index, 2.0, 5.0) == pytest.approx(x / (x + y), rel=1e-12)


def test_a_nan_shape_returns_instead_of_looping_for_ever():
    assert math.isnan(streams.gamma_at(KEY[0], KEY[1], 0, 0, math.nan))
