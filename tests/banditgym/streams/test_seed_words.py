"""Keys of many seeds against numpy's seed sequences."""

import numpy as np
import pytest

from banditgym.streams.seed_words import keys_of


@pytest.mark.parametrize("n", [1, 16])
def test_addresses_are_not_negative(n):
    with pytest.raises(ValueError, match="non-negative"):
        keys_of(list(range(n)), (0, -1, 0))


@pytest.mark.parametrize("episode", [0, 6, 2**32 - 1, 2**32])
@pytest.mark.parametrize("bits", [1, 32, 33, 128, 129, 300])
@pytest.mark.parametrize("n", [0, 1, 15, 16, 100])
def test_keys_are_words_of_seed_sequences(n, bits, episode):
    rng = np.random.default_rng(bits)
    seeds = [int.from_bytes(rng.bytes(38), "little") >> (304 - bits) for _ in range(n)]
    seeds[:1] = [0] * min(n, 1)
    keys = keys_of(seeds, (1, 5, episode))
    assert keys.dtype == np.uint32
    assert keys.shape == (n, 2)
    assert keys.flags.c_contiguous
    for seed, key in zip(seeds, keys, strict=True):
        sequence = np.random.SeedSequence(seed, spawn_key=(1, 5, episode))
        assert key.tolist() == sequence.generate_state(2, np.uint32).tolist()
