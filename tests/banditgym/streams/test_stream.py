"""Streams of replicates, and derived seeds against their definition."""

import hashlib
import struct

import numpy as np
import pytest

from banditgym import streams
from banditgym.streams import AGENT, ENVIRONMENT, Stream

ROUNDS = [0, 1, 2**32 - 1, 2**32, 2**63 - 1]


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
