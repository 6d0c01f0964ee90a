"""The draws of one purpose for all replicates, and the seeds that are derived for agents."""

import math
from collections.abc import Iterable
from hashlib import blake2b

import numpy as np

from banditgym.streams.array_draws import (
    each_normal,
    each_uniform,
    fill_normals_by_row,
    fill_uniforms,
)
from banditgym.streams.seed_words import keys_of

ENVIRONMENT, AGENT = 0, 1  # domains: equal integers never share numbers across them

_DERIVATION = b"banditgym derived seed 1"  # its version: another one gives other seeds


class Stream:
    """The draws of one purpose, for n replicates, addressed by round.

    The numbers of replicate i do not depend on n, or on the rounds drawn before.

    Parameters
    ----------
    seeds : iterable of int
        One seed >= 0 per replicate, of any size.
    domain : int
        ``ENVIRONMENT`` or ``AGENT``.
    purpose : int
        The purpose of the numbers; two purposes never share numbers.
    episode : int
        The number of the reset since seeding.

    Attributes
    ----------
    keys : ndarray of shape (n, 2), uint32
        The Philox key of each replicate, for the compiled functions of this module. Not to be
        written to.

    Raises
    ------
    ValueError
        If a seed is not an integer >= 0, or a round not within 0 .. 2^63 - 1.

    Examples
    --------
    >>> noise = Stream([7, 8], ENVIRONMENT, purpose=2, episode=0)
    >>> noise.normal(5, (3,)).shape
    (2, 3)
    >>> bool(noise.normal(5)[1] == Stream([8], ENVIRONMENT, purpose=2, episode=0).normal(5)[0])
    True
    """

    def __init__(self, seeds: Iterable[int], domain: int, purpose: int, episode: int):
        self.keys = keys_of([_seed(seed) for seed in seeds], (domain, purpose, episode))

    def uniform(self, t: int | np.ndarray, shape: tuple[int, ...] = ()) -> np.ndarray:
        """Uniforms on [0, 1) of round ``t`` (an int, or int (n,)): float64 ``(n, *shape)``."""
        return self._draw(t, shape, each_uniform, fill_uniforms)

    def normal(self, t: int | np.ndarray, shape: tuple[int, ...] = ()) -> np.ndarray:
        """Standard normals of round ``t`` (an int, or int (n,)): float64 ``(n, *shape)``."""
        return self._draw(t, shape, each_normal, fill_normals_by_row)

    def _draw(self, t, shape, each, fill) -> np.ndarray:
        n = len(self.keys)
        out = np.empty((n, *shape))
        if type(t) is int and shape == () and 0 <= t < 2**63:  # once a round: kept cheap
            each(self.keys, t, out)
            return out
        rounds = np.asarray(t)
        if rounds.dtype.kind not in "iu" or rounds.shape not in ((), (n,)):
            raise ValueError(f"t must be a round or {n} rounds, integers, got {t!r}")
        if n and not (rounds.min() >= 0 and rounds.max() < 2**63):
            raise ValueError(f"t must lie within 0 .. 2**63 - 1, got {t!r}")
        every = np.ascontiguousarray(np.broadcast_to(rounds, n), np.int64)
        fill(self.keys, every, out.reshape(n, math.prod(shape)))
        return out


def derived_seed(seed: int, domain: int) -> int:
    """A seed of 128 bits for one domain, from which the original seed cannot be computed.

    It is the BLAKE2b digest of a label, the domain and the seed, each after its length, read as a
    little-endian integer. One-way does not mean secret: anyone with a derived seed can try 0, 1,
    2, .. until one of them gives it. Only a seed that cannot be guessed stays hidden.

    Examples
    --------
    >>> derived_seed(0, AGENT)
    72972787356467196559403657222769635370
    """
    digest = blake2b(digest_size=16)
    for field in (_DERIVATION, _bytes(domain), _bytes(_seed(seed))):
        digest.update(len(field).to_bytes(8, "little") + field)
    return int.from_bytes(digest.digest(), "little")


def _bytes(number: int) -> bytes:
    return number.to_bytes((number.bit_length() + 7) // 8, "little")


def _seed(seed: int) -> int:
    if isinstance(seed, bool) or not isinstance(seed, (int, np.integer)) or seed < 0:
        raise ValueError(f"a seed must be an integer >= 0, got {seed!r}")
    return int(seed)
