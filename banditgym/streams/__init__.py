r"""Random numbers as a pure function of (seed, domain, purpose, episode, round, index).

A draw is computed from its address. There is no state to save, synchronise or share, and the
numbers of replicate i do not depend on other draws. The key (two 32-bit words)
comes from ``numpy.random.SeedSequence(seed, spawn_key=(domain, purpose, episode))``, the counter of
Philox4x32-10 [1]_ holds the block's index in words 0 and 1 and the round in words 2 and 3. A block
is 128 bits: two uniforms of 53 bits, or the two normals of Box and Muller [2]_,

.. math:: \sqrt{-2 \log u_1} \cos(2 \pi u_2), \quad \sqrt{-2 \log u_1} \sin(2 \pi u_2),
    \qquad u_1 \in (0, 1],

so element i of a round comes from block i // 2, however many are drawn. Uniforms and normals with
the same key and round come from the same bits, so a purpose uses one kind of draw in a round.

The logarithm, sine and cosine are those of :mod:`~banditgym.elementary`: calls to a mathematical
library would prevent LLVM from vectorising, and their bits would depend on the processor.

References
----------
.. [1] J. Salmon, M. Moraes, R. Dror, D. Shaw. Parallel Random Numbers: As Easy as 1, 2, 3. SC 2011.
.. [2] G. Box, M. Muller. A Note on the Generation of Random Normal Deviates. Annals of Mathematical
   Statistics 29, 1958.
"""

from banditgym.streams.array_draws import (
    REGISTER,
    each_normal,
    each_normal_of_rounds,
    each_pair,
    each_uniform,
    fill_normal,
    fill_normals,
    fill_normals_of_rounds,
    fill_uniform,
)
from banditgym.streams.single_draws import (
    beta_at,
    box_muller,
    gamma_at,
    normal_at,
    normal_pair,
    philox,
    uniform_at,
    uniform_pair,
)
from banditgym.streams.stream import AGENT, ENVIRONMENT, Stream, derived_seed

__all__ = [
    "AGENT",
    "ENVIRONMENT",
    "REGISTER",
    "Stream",
    "beta_at",
    "box_muller",
    "derived_seed",
    "each_normal",
    "each_normal_of_rounds",
    "each_pair",
    "each_uniform",
    "fill_normal",
    "fill_normals",
    "fill_normals_of_rounds",
    "fill_uniform",
    "gamma_at",
    "normal_at",
    "normal_pair",
    "philox",
    "uniform_at",
    "uniform_pair",
]
