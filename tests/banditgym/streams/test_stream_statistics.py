"""Moments, tails and independence of the streams, by scipy's tests.

Seeds and sizes are fixed, so a result is the same for ever. About 90 p-values are looked at; each
must exceed 1e-4, which a perfect generator would miss somewhere once in 110 choices of the seeds;
two streams that share their numbers, or a scale wrong by 1 %, give p-values below 1e-10.
"""

import numpy as np
import pytest
from scipy import stats

from banditgym import streams
from banditgym.compiled import compiled
from banditgym.streams import AGENT, ENVIRONMENT, Stream

LEAST_P = 1e-4
SIZE = 2**20


def two_sided(z):
    return 2 * stats.norm.sf(abs(z))


@pytest.fixture(scope="module")
def uniforms():
    return Stream(range(16), ENVIRONMENT, 0, 0).uniform(0, (SIZE // 16,)).ravel()


@pytest.fixture(scope="module")
def normals():
    return Stream(range(16), ENVIRONMENT, 0, 0).normal(0, (SIZE // 16,)).ravel()


@pytest.fixture(scope="module")
def noise():
    """One draw in each of 10 000 rounds for 100 replicates: how environments draw their noise."""
    stream = Stream(range(100), ENVIRONMENT, 2, 0)
    return np.stack([stream.normal(t) for t in range(10_000)])  # (T, n)


def test_uniforms_are_uniform(uniforms):
    assert stats.kstest(uniforms, "uniform").pvalue > LEAST_P
    assert uniforms.min() >= 0
    assert uniforms.max() < 1
    # The lowest byte of the 53 bits, which a conversion with fewer bits would leave constant.
    low = (uniforms * 2.0**53).astype(np.int64) & 255
    assert stats.chisquare(np.bincount(low, minlength=256)).pvalue > LEAST_P


@pytest.mark.parametrize("k", range(1, 7))
def test_normals_have_the_moments_of_the_normal_law(normals, k):
    # E X^k is (k - 1)!! or 0, and Var X^k = E X^2k - (E X^k)^2.
    moment = stats.norm.moment
    deviation = np.sqrt((moment(2 * k) - moment(k) ** 2) / SIZE)
    assert two_sided((np.mean(normals**k) - moment(k)) / deviation) > LEAST_P


def test_normals_are_normal(normals, noise):
    for part in (normals, normals[0::2], normals[1::2], noise.ravel()):
        assert stats.kstest(part, "norm").pvalue > LEAST_P


@pytest.mark.parametrize("sigmas", [2, 3, 4, 5])
def test_tails_have_the_weight_of_the_normal_law(sigmas):
    # 2^24 draws in pieces: about 9.6 beyond five sigma. Each side is tested by itself.
    stream = Stream(range(64), AGENT, 1, 0)
    above = below = 0
    for t in range(16):
        piece = stream.normal(t, (2**14,))
        above += np.count_nonzero(piece > sigmas)
        below += np.count_nonzero(piece < -sigmas)
    for count in (above, below):
        assert stats.binomtest(count, 2**24, float(stats.norm.sf(sigmas))).pvalue > LEAST_P


def pairs_of_streams():
    base = {"seeds": range(1000), "domain": ENVIRONMENT, "purpose": 0, "episode": 0}
    changes = [
        {"seeds": range(1, 1001)},
        {"seeds": range(2**32, 2**32 + 1000)},
        {"domain": AGENT},
        {"purpose": 1},
        {"episode": 1},
    ]
    return [pytest.param(base, base | change, id=str(change)) for change in changes]


def assert_independent(x, y):
    """Correlation of values and of sizes, and a 16 x 16 grid of equally likely cells."""
    n = x.size
    assert two_sided(np.corrcoef(x, y)[0, 1] * np.sqrt(n)) > LEAST_P
    assert two_sided(np.corrcoef(x**2, y**2)[0, 1] * np.sqrt(n)) > LEAST_P
    # Pairs that overlap raise the variance of this statistic by an eighth; the threshold bears it.
    row, column = ((16 * stats.norm.cdf(z)).astype(int) for z in (x, y))
    counts = np.bincount(16 * row + column, minlength=256)
    assert stats.chisquare(counts).pvalue > LEAST_P


@pytest.mark.parametrize(("one", "other"), pairs_of_streams())
def test_streams_whose_addresses_differ_in_one_place_are_independent(one, other):
    x, y = (Stream(**address).normal(5, (200,)).ravel() for address in (one, other))
    assert_independent(x, y)


def test_rounds_are_independent_at_lags_1_and_2(noise):
    for lag in (1, 2):
        assert_independent(noise[:-lag].ravel(), noise[lag:].ravel())


def test_replicates_are_independent(noise):
    assert_independent(noise[:, :-1].ravel(), noise[:, 1:].ravel())


@pytest.mark.parametrize("lag", [1, 2, 16])
def test_neighbours_in_a_round_are_independent(normals, lag):
    # Lag 1 holds the pairs that share a radius, lag 2 one block and the next, lag 16 one group of
    # eight blocks and the next.
    assert_independent(normals[:-lag], normals[lag:])


def test_the_two_normals_of_a_block_are_independent(normals):
    assert_independent(normals[0::2], normals[1::2])


def test_uniform_pairs_of_replicates_are_independent():
    keys = Stream(range(100_000, 200_000), ENVIRONMENT, 2, 0).keys
    first, second = np.empty((2, len(keys)))
    streams.each_pair(keys, 17, first, second)
    counts = np.histogram2d(first, second, 16, [[0, 1], [0, 1]])[0]
    assert stats.chisquare(counts.ravel()).pvalue > LEAST_P


@compiled
def gammas(k0, k1, t, shape, out):
    for i in range(out.size):
        out[i] = streams.gamma_at(k0, k1, t, i, shape)


@compiled
def betas(k0, k1, t, a, b, out):
    for i in range(out.size):
        out[i] = streams.beta_at(k0, k1, t, i, a, b)


@pytest.mark.parametrize("shape", [1.0, 1.7, 30.0, 5e4])
def test_gammas_follow_their_law_and_are_independent(shape):
    ((k0, k1),) = Stream([3], AGENT, 0, 0).keys
    out = np.empty(200_000)
    gammas(k0, k1, 8, shape, out)
    law = stats.gamma(shape)
    assert stats.kstest(out, law.cdf).pvalue > LEAST_P
    scores = stats.norm.ppf(law.cdf(out))
    assert_independent(scores[:-1], scores[1:])


@pytest.mark.parametrize(("a", "b"), [(1.0, 1.0), (1.0, 20.0), (3.0, 2.0), (900.0, 100.0)])
def test_betas_follow_their_law_and_are_independent(a, b):
    ((k0, k1),) = Stream([4], AGENT, 0, 0).keys
    out = np.empty(200_000)
    betas(k0, k1, 8, a, b, out)
    law = stats.beta(a, b)
    assert stats.kstest(out, law.cdf).pvalue > LEAST_P
    scores = stats.norm.ppf(law.cdf(out))
    assert_independent(scores[:-1], scores[1:])
