"""Keys of many seeds at once, the words of ``numpy.random.SeedSequence``.

A ``SeedSequence`` takes 6 microseconds, and every replicate needs one for each purpose: for ten
thousand replicates that is 60 milliseconds for each. Here the same arithmetic, on 32-bit words that
wrap around, is done for all seeds together, in one millisecond. numpy promises never to change its
algorithm (NEP 19).
"""

import numpy as np

_POOL = 4  # words
_FEW = 16  # seeds: for fewer, numpy's own is faster
_SHIFT = np.uint32(16)
_INIT_A, _MULT_A = 0x43B0D7E5, 0x931E8875  # numpy's names
_INIT_B, _MULT_B = 0x8B51F9DD, 0x58F38DED
_MIX_LEFT, _MIX_RIGHT = np.uint32(0xCA01F9DD), np.uint32(0x4973F715)


def keys_of(seeds: list[int], address: tuple[int, ...]) -> np.ndarray:
    """The first two words (n, 2), uint32, of the seed sequences of seeds with one ``spawn_key``.

    Parameters
    ----------
    seeds : list of n ints
        Of any size, >= 0.
    address : tuple of int
        The ``spawn_key``, >= 0.
    """
    unusual = not 0 <= min(address) <= max(address) < 1 << 32
    if len(seeds) < _FEW or unusual or max(seeds) >> 32 * _POOL:
        sequences = [np.random.SeedSequence(seed, spawn_key=address) for seed in seeds]
        words = [sequence.generate_state(2, np.uint32) for sequence in sequences]
        return np.array(words, np.uint32).reshape(-1, 2)
    # numpy, too, fills up with zeros where a spawn key follows.
    given = b"".join(seed.to_bytes(4 * _POOL, "little") for seed in seeds)
    words = np.frombuffer(given, "<u4").reshape(-1, _POOL).T
    hashes = _Hashes(_INIT_A, _MULT_A)
    pool = hashes.of(words)
    for source in range(_POOL):
        others = [k for k in range(_POOL) if k != source]
        pool[others] = _mixed(pool[others], hashes.of(np.tile(pool[source], (_POOL - 1, 1))))
    for word in address:
        pool = _mixed(pool, hashes.of(np.full((_POOL, 1), word, np.uint32)))
    return np.ascontiguousarray(_Hashes(_INIT_B, _MULT_B).of(pool[:2]).T)


class _Hashes:
    """numpy's hash of a word, whose constant changes with every word."""

    def __init__(self, constant: int, factor: int):
        self._constant, self._factor = constant, factor

    def of(self, words: np.ndarray) -> np.ndarray:
        """The hashes of words (m, n), each row with its own constant."""
        constants = [self._constant]
        for _ in words:
            constants.append(constants[-1] * self._factor & 0xFFFFFFFF)
        self._constant = constants[-1]
        each = np.array(constants, np.uint32)[:, None]
        hashed = (words ^ each[:-1]) * each[1:]
        return hashed ^ (hashed >> _SHIFT)


def _mixed(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    mixed = _MIX_LEFT * a - _MIX_RIGHT * b
    return mixed ^ (mixed >> _SHIFT)
