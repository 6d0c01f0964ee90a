"""Streams against the published vectors, an independent Philox and the plain formulas."""

import hashlib
import math
import struct

import numpy as np
import pytest
import randomgen

from banditgym import elementary, streams
from banditgym.streams import AGENT, ENVIRONMENT, Stream

LENGTHS = [0, 1, 2, 3, 7, 8, 15, 16, 17, 18, 19, 31, 32, 33, 47, 100, 101, 2000]
ROUNDS = [0, 1, 2**32 - 1, 2**32, 2**63 - 1]
KEY = np.array([0xA4093822, 0x299F31D0], np.uint32)


def draw_at(function, t, size):
    return np.array([function(KEY[0], KEY[1], t, i) for i in range(size)])


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


# The parts again, as functions that Python can call with chosen arguments.
@streams.compiled
def log_each(x, out):
    for i in range(x.size):
        out[i] = elementary.log_of_normal(x[i])


@streams.compiled
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


@pytest.mark.parametrize("kind", ["uniform", "normal"])
def test_a_replicate_does_not_depend_on_its_neighbours_or_on_earlier_draws(kind):
    seeds = [5, 0, 2**200, np.int64(3), 5, *range(20, 40)]
    draw = getattr(Stream(seeds, AGENT, 2, 9), kind)
    reference = {t: draw(t, (3, 7)) for t in ROUNDS}
    for i, seed in enumerate(seeds):
        alone = getattr(Stream([seed], AGENT, 2, 9), kind)
        for t in reversed(ROUNDS):
            assert np.array_equal(alone(t, (3, 7))[0], reference[t][i])
            assert alone(t)[0] == reference[t][i, 0, 0]
            assert draw(t)[i] == reference[t][i, 0, 0]
    assert np.array_equal(reference[0][0], reference[0][4])


def test_replicates_may_stand_at_rounds_of_their_own():
    stream = Stream(range(5), ENVIRONMENT, 0, 0)
    rounds = np.array(ROUNDS)
    for kind in ("uniform", "normal"):
        draw = getattr(stream, kind)
        for shape in ((), (4,), (20, 3)):
            each = draw(rounds, shape)
            for i, t in enumerate(ROUNDS):
                assert np.array_equal(each[i], draw(t, shape)[i])


def test_keys_come_from_seed_sequences():
    stream = Stream([0, 7, 2**130], AGENT, 5, 6)
    assert stream.keys.dtype == np.uint32
    for seed, key in zip([0, 7, 2**130], stream.keys, strict=True):
        sequence = np.random.SeedSequence(seed, spawn_key=(AGENT, 5, 6))
        assert key.tolist() == sequence.generate_state(2, np.uint32).tolist()


def test_derived_seeds_are_digests_of_their_fields():
    for seed in (0, 1, 255, 256, 2**64, 2**1000 + 1):
        for domain in (ENVIRONMENT, AGENT, 2):
            fields = [b"banditgym derived seed 1"]
            for number in (domain, seed):
                digits = f"{number:x}" if number else ""
                fields.append(bytes.fromhex("0" * (len(digits) % 2) + digits)[::-1])
            text = b"".join(struct.pack("<Q", len(field)) + field for field in fields)
            words = struct.unpack("<QQ", hashlib.blake2b(text, digest_size=16).digest())
            assert streams.derived_seed(seed, domain) == words[0] + (words[1] << 64)


def test_derived_seeds_are_published():
    """What a seed leads to never changes."""
    assert streams.derived_seed(0, AGENT) == 72972787356467196559403657222769635370
    assert streams.derived_seed(2**100 + 7, AGENT) == 334826259204888437680666142183031537032


def test_derived_seeds_differ_wherever_a_field_does():
    seeds = [*range(300), *(256**e + s for e in range(1, 20) for s in (-1, 0, 1))]
    every = {streams.derived_seed(s, domain) for s in set(seeds) for domain in (ENVIRONMENT, AGENT)}
    assert len(every) == 2 * len(set(seeds))


@pytest.mark.parametrize("seed", [-1, 1.0, True, "1", None])
def test_nothing_is_derived_from_what_is_no_seed(seed):
    with pytest.raises(ValueError, match="seed must be an integer >= 0, got"):
        streams.derived_seed(seed, AGENT)


def test_streams_of_different_addresses_share_nothing():
    addresses = [
        (seed, domain, purpose, episode)
        for seed in (0, 1, 2, 2**32, 2**64, 2**128)
        for domain in (ENVIRONMENT, AGENT)
        for purpose in range(3)
        for episode in range(3)
    ]
    keys = {tuple(Stream([seed], *rest).keys[0]) for seed, *rest in addresses}
    assert len(keys) == len(addresses)


@pytest.mark.parametrize("seed", [-1, 1.0, True, np.True_, "1", None, np.float64(2), np.int64(-3)])
def test_seeds_that_are_not_integers_from_0_are_refused_by_name(seed):
    with pytest.raises(ValueError, match="seed must be an integer >= 0, got") as error:
        Stream([0, seed], ENVIRONMENT, 0, 0)
    assert repr(seed) in str(error.value)


@pytest.mark.parametrize("t", [-1, 2**63, 2**70, 0.5, np.nan, [0, 1, 2], [0, -1], [[0, 1]], "1"])
def test_rounds_outside_the_counter_are_refused(t):
    with pytest.raises(ValueError, match=r"^t must .*got"):
        Stream([0, 1], ENVIRONMENT, 0, 0).normal(t)


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


@pytest.mark.parametrize("n", [1, 3, 8, 11])
@pytest.mark.parametrize("rounds", [1, 2, 8, 37])
def test_one_draw_of_many_rounds_is_that_of_each_round(n, rounds):
    keys = Stream(range(n), ENVIRONMENT, 2, 1).keys
    out, each = np.empty((rounds, n)), np.empty(n)
    streams.each_normal_of_rounds(keys, 6, out)
    for s in range(rounds):
        streams.each_normal(keys, 6 + s, each)
        np.testing.assert_array_equal(out[s], each)
