"""Noise against its law: support, moments and distribution, and what a round pays."""

import functools
import math

import numpy as np
import pytest
from scipy import stats

from banditgym.envs.noise import Noise, rewards_of, unit_noise
from banditgym.rounds.blocks import MeansBlock
from banditgym.streams import ENVIRONMENT, Stream

N = 100_000


@functools.cache
def keys():
    """Of N replicates; made at their first use, not wherever this file is collected."""
    return Stream(range(N), ENVIRONMENT, 3, 0).keys


def sample(noise):
    out = np.empty(N)
    unit_noise(noise.code, noise.df, keys(), 5, out)
    return noise.scale * out


def pareto(a, std):
    """The law of centred Pareto draws with a standard deviation."""
    scale = std * (a - 1) * ((a - 2) / a) ** 0.5
    return stats.pareto(a, loc=-scale * a / (a - 1), scale=scale)


LAWS = [
    (Noise("gaussian", 0.7), stats.norm(scale=0.7), 3.0),
    (Noise("uniform", 0.7), stats.uniform(-0.7 * 3**0.5, 1.4 * 3**0.5), 1.8),
    (Noise("student_t", 0.7, 10.0), stats.t(10, scale=0.7 * 0.8**0.5), 4.0),
    (Noise("student_t", 0.7, 3.0), stats.t(3, scale=0.7 / 3**0.5), None),
    (Noise("student_t", 0.7, 2.1), stats.t(2.1, scale=0.7 * (0.1 / 2.1) ** 0.5), None),
    # A Pareto draw on [1, inf) has mean a / (a - 1) and variance a / ((a - 1)^2 (a - 2)).
    (Noise("pareto", 0.7, 9.0), pareto(9.0, 0.7), 3.0 + 6 * 840 / 270),
    (Noise("pareto", 0.7, 2.5), pareto(2.5, 0.7), None),
]


@pytest.mark.parametrize(("noise", "law", "kurtosis"), LAWS)
def test_additive_noise_follows_its_law(noise, law, kurtosis):
    drawn = sample(noise)
    # A correct sampler has p below 1e-4 once in 10 000 seeds, and the seed is fixed.
    assert stats.kstest(drawn, law.cdf).pvalue > 1e-4
    assert law.std() == pytest.approx(0.7)
    # Five standard errors: sigma / sqrt(N) of the mean, sigma sqrt((kurtosis - 1) / (4 N)) of the
    # deviation. At df = 3 and below the fourth moment is infinite and has no such band.
    assert abs(drawn.mean()) < 5 * 0.7 / N**0.5
    if kurtosis is not None:
        assert abs(drawn.std() - 0.7) < 5 * 0.7 * ((kurtosis - 1) / (4 * N)) ** 0.5


def test_tails_of_student_t_are_as_heavy_as_they_should_be():
    # Beyond quantile 1 - 1e-3 on both sides, 200 draws are expected with deviation 14.
    noise, law, _ = LAWS[3]
    outside = np.abs(sample(noise)) > law.ppf(0.999)
    assert abs(outside.sum() - 200) < 5 * 200**0.5


def test_uniform_noise_keeps_to_its_support_and_fills_it():
    drawn = sample(Noise("uniform", 2.0))
    edge = 2.0 * 3**0.5
    assert -edge <= drawn.min() < -0.999 * edge
    assert 0.999 * edge < drawn.max() <= edge


def test_rademacher_noise_is_plus_or_minus_its_deviation():
    drawn = sample(Noise("rademacher", 0.3))
    assert set(drawn) == {-0.3, 0.3}
    assert abs((drawn > 0).sum() - N / 2) < 5 * (N / 4) ** 0.5


@pytest.mark.parametrize("kind", ["gaussian", "uniform", "rademacher", "student_t", "pareto"])
def test_rounds_and_replicates_draw_independently(kind):
    noise = Noise(kind, 1.0, 10.0)
    one, two = np.empty(N), np.empty(N)
    unit_noise(noise.code, noise.df, keys(), 0, one)
    unit_noise(noise.code, noise.df, keys(), 1, two)
    # Correlations of independent draws have deviation 1 / sqrt(N).
    assert abs(np.corrcoef(one, two)[0, 1]) < 5 / N**0.5
    assert abs(np.corrcoef(one[1:], one[:-1])[0, 1]) < 5 / N**0.5


@pytest.mark.parametrize("noise", [law[0] for law in LAWS[:2]] + [Noise("rademacher", 0.7)])
def test_the_subgaussian_constant_bounds_the_moment_generating_function(noise):
    assert noise.subgaussian == 0.7
    drawn = sample(noise)
    for s in (-3.0, -1.0, 0.5, 2.0):
        # Gaussian noise attains the bound; five standard errors of the mean of exp(s noise).
        values = np.exp(s * drawn)
        assert values.mean() - 5 * values.std() / N**0.5 <= math.exp(s * s * 0.7**2 / 2)


def test_subgaussian_constants_where_there_is_none_or_the_worst_coin():
    assert Noise("student_t", 0.7).subgaussian is Noise("pareto", 0.7).subgaussian is None
    assert Noise("bernoulli").subgaussian == 0.5


@pytest.mark.parametrize(
    "kind", ["gaussian", "uniform", "rademacher", "student_t", "pareto", "bernoulli"]
)
def test_a_reward_is_mean_and_noise_and_the_regret_is_the_gap(kind):
    rng = np.random.default_rng(1)
    noise = Noise(kind, 0.4, 5.0)
    means = rng.random((50, 4))
    best = means.max(axis=1)
    unit, own, places = np.empty(50), keys()[:50], np.array([0])
    unit_noise(noise.code, noise.df, own, 9, unit)
    drawn = noise.draw_rounds(own, 9, 1)
    law = {"bernoulli": kind == "bernoulli", "noise": drawn}
    block = MeansBlock(start=9, means=means[None], best=best[None], **law)
    for arms in (rng.integers(4, size=50), np.zeros(50, np.int64)):
        reward, info = rewards_of(block, places, arms[None])
        chosen = means[np.arange(50), arms]
        expected = unit < chosen if kind == "bernoulli" else chosen + noise.scale * unit
        np.testing.assert_array_equal(reward[0], expected)
        np.testing.assert_array_equal(info["regret"][0], best - chosen)


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"kind": "cauchy"}, "noise must be one of gaussian, .*got 'cauchy'"),
        ({"kind": "gaussian", "std": -0.1}, "noise_std is a standard deviation .*got -0.1"),
        ({"kind": "gaussian", "std": math.nan}, "noise_std .*got nan"),
        ({"kind": "gaussian", "std": math.nextafter(1e150, 1e151)}, "at most 1e\\+150"),
        ({"kind": "gaussian", "std": math.inf}, "noise_std .*got inf"),
        ({"kind": "gaussian", "std": "0.1"}, "noise_std must be a number, got '0.1'"),
        ({"kind": "gaussian", "std": None}, "noise_std must be a number, got None"),
        ({"kind": "gaussian", "std": True}, "noise_std must be a number, got True"),
        ({"kind": "student_t", "std": 1.0, "df": 2.0}, "noise_df .*> 2 .*got 2"),
        ({"kind": "student_t", "std": 1.0, "df": math.nan}, "noise_df .*got nan"),
        ({"kind": "student_t", "std": 1.0, "df": math.inf}, "noise_df .*got inf"),
        ({"kind": "student_t", "std": 1.0, "df": "3"}, "noise_df must be a number, got '3'"),
        ({"kind": "gaussian", "std": 1.0, "df": -1.0}, "noise_df .*got -1"),
    ],
)
def test_impossible_noise_is_refused(settings, message):
    with pytest.raises(ValueError, match=message):
        Noise(**settings)


def test_the_largest_noise_is_one():
    assert Noise("gaussian", 1e150).std == 1e150


@pytest.mark.parametrize("kind", [*Noise.additive, "bernoulli"])
@pytest.mark.parametrize("moving", [False, True])
def test_rows_of_actions_are_those_of_any_rounds(kind, moving):
    noise, own = Noise(kind, 0.0 if kind == "bernoulli" else 0.3), keys()[:3].copy()
    means = np.random.default_rng(0).random((5 if moving else 1, 3, 4))
    drawn = noise.draw_rounds(own, 7, 5)
    coins = kind == "bernoulli"
    best = means.max(axis=2)
    block = MeansBlock(start=7, means=means, best=best, noise=drawn, bernoulli=coins)
    places, arms = np.repeat(np.arange(5), 4), np.tile(np.arange(4), 5)
    reward, info = rewards_of(block, places, np.repeat(arms[:, None], 3, axis=1))
    assert reward.shape == info["regret"].shape == (20, 3)
    for j, (s, arm) in enumerate(zip(places, arms, strict=True)):
        shown = s if moving else 0
        one = MeansBlock(
            start=7 + s,
            means=means[shown : shown + 1],
            best=block.best[shown : shown + 1],
            noise=noise.draw_rounds(own, 7 + s, 1),
            bernoulli=coins,
        )
        paid, of_one = rewards_of(one, np.array([0]), np.full((1, 3), arm))
        np.testing.assert_array_equal(reward[j], paid[0])
        np.testing.assert_array_equal(info["regret"][j], of_one["regret"][0])
