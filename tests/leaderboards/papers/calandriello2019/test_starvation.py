"""SoR's variance and f against their definitions, a tiny Figure 2 recomputed, verdict rules."""

import gymnasium
import numpy as np
import pytest

from banditgym.covariances import RBF
from leaderboards.papers.calandriello2019 import starvation as paper
from leaderboards.papers.claim import Finding, Sample, Verdict
from leaderboards.rank.interval_estimates import Estimate
from leaderboards.speed.plain_gp import refit

CLAIMS = {claim.id: claim for claim in paper.CLAIMS}
SEEDS = [3, 4, 7]
TIMES = (3, 20, 60)
YES, PARTLY, NO = Verdict.REPRODUCED, Verdict.PARTLY, Verdict.NOT_REPRODUCED


def number(value, half=0.001):
    return Estimate(*map(np.asarray, (value, value - half, value + half)))


def judged(claim, numbers):
    return CLAIMS[claim].judge({name: number(value) for name, value in numbers.items()})


def test_function_values_are_what_regret_is_made_of():
    settings = {"n_arms": 12, "dim": 2, "function": "rkhs", "param_norm": 2.0}
    values = paper.function_values("KernelBandit-v0", SEEDS, **settings)
    envs = gymnasium.make_vec("KernelBandit-v0", num_envs=3, noise_std=0.3, **settings)
    envs.reset(seed=SEEDS)
    for arm in (5, 0, 11):
        _, _, _, _, info = envs.step(np.full(3, arm))
        np.testing.assert_allclose(info["regret"], values.max(axis=1) - values[:, arm], atol=1e-12)
    assert np.ptp(values, axis=1).min() > 0.1


def test_sor_is_regression_on_its_features():
    rng = np.random.default_rng(0)
    arms, ridge = rng.random((9, 2)), 0.3
    arms[4] = arms[1] + 1e-9  # an inducing point twice
    gram, counts = RBF(length_scale=0.5, variance=2.0)(arms, arms), rng.integers(0, 4, 9)
    dictionary = np.array([1, 2, 4, 7])
    inside = gram[np.ix_(dictionary, dictionary)]
    projected = gram[:, dictionary] @ np.linalg.pinv(inside, rcond=1e-12) @ gram[dictionary]
    pulled = np.repeat(np.arange(9), counts)
    between = projected[np.ix_(pulled, pulled)] + ridge * np.eye(len(pulled))
    explained = projected[:, pulled] @ np.linalg.solve(between, projected[pulled])
    expected = (projected - explained).diagonal() / ridge
    found = paper.sor_variance(gram, dictionary, counts, ridge)
    np.testing.assert_allclose(found, expected, rtol=1e-6)


def test_inducing_points_that_are_there_already_add_nothing():
    rng = np.random.default_rng(0)
    arms = np.concatenate([np.repeat(rng.random((3, 2)), 30, axis=0), rng.random((4, 2))])
    gram, counts = RBF(length_scale=0.5)(arms, arms), rng.integers(0, 3, 94)
    every = paper.sor_variance(gram, np.arange(90), counts, 0.01)
    once = paper.sor_variance(gram, np.array([0, 30, 60]), counts, 0.01)
    # 2e-14 here; 4e-12 with the eigenvectors of no weight, whose coordinates are rounding.
    np.testing.assert_allclose(every, once, rtol=5e-13)


def test_sor_with_all_arms_is_exact_and_far_away_it_is_nothing():
    arms = np.array([[0.0], [0.1], [9.0]])
    gram, counts = RBF(length_scale=0.2)(arms, arms), np.array([2, 0, 3])
    everything = paper.sor_variance(gram, np.arange(3), counts, 0.1)
    pulled = np.repeat(np.arange(3), counts)
    _, exact = refit(RBF(length_scale=0.2), arms, pulled, np.zeros(5), 0.1)
    np.testing.assert_allclose(everything, exact, rtol=1e-9)
    starved = paper.sor_variance(gram, np.array([0]), counts, 0.1)
    assert starved[2] == 0
    assert exact[2] > 0.3


@pytest.fixture(scope="module")
def sample():
    return paper.figure_2(SEEDS, TIMES, n_arms=40)


def test_a_tiny_run(sample, tmp_path):
    alone = paper.figure_2([4], TIMES, n_arms=40)
    for measure, values in sample.measures.items():  # a seed's row does not depend on the others
        np.testing.assert_array_equal(values[1], alone.measures[measure][0])
    paper.draw(sample).savefig(tmp_path / "figure.png")
    made_up = sample._replace(rounds=np.array(paper.TIMES))
    for claim in paper.CLAIMS:
        assert Finding.of(claim, made_up).verdict in Verdict


def test_posteriors_are_those_of_the_evaluations(sample):
    x, own = sample.measures["x"][0][:, None], sample.measures
    np.testing.assert_allclose(x[:, 0], np.linspace(0, 1, 40))
    covariance = RBF(length_scale=200**-0.5)  # exp(-100 r²)
    assert float(covariance([[0.0]], [[0.1]])[0, 0]) == pytest.approx(np.exp(-1))
    for i in range(3):
        assert x[own["pulled"][i]].max() <= 0.5
        noise = own["reward"][i] - own["f"][i][own["pulled"][i]]
        assert 0.05 < noise.std() < 0.2
        for j, t in enumerate(TIMES):
            mean, variance = refit(
                covariance, x, own["pulled"][i, :t], own["reward"][i, :t], paper.RIDGE
            )
            np.testing.assert_allclose(own["exact, mean"][i, j], mean, atol=1e-8)
            np.testing.assert_allclose(own["exact, variance"][i, j], variance, rtol=1e-6)
            # In BKB's space of inducing points no variance is larger than it puts back.
            assert (own["SoR, variance"][i, j] <= own["BKB, variance"][i, j] + 1e-8).all()
            assert (own["BKB, variance"][i, j] >= variance * (1 - 1e-6)).all()
            if t == 3:  # every probability is 1, and of inducing points all is explained
                at = own["pulled"][i, :t]
                np.testing.assert_allclose(own["SoR, variance"][i, j][at], variance[at], rtol=1e-6)


def test_numbers_of_made_up_variances():
    x = np.linspace(0, 1, 11)  # six on the left
    exact = np.ones((2, 1, 11))
    sor, bkb = exact.copy(), exact.copy()
    sor[..., 6:] = [0.1, 0.2, 0.3, 0.4, 0.9]
    bkb[0, 0, 3], bkb[1, 0, 8] = 1 / 3.5, 2.9
    measures = {"exact, variance": exact, "SoR, variance": sor, "BKB, variance": bkb}
    made_up = Sample(np.array([6]), {**measures, "x": np.tile(x, (2, 1))})
    starved = paper.starvation(made_up)
    assert float(starved["SoR / exact, right, t = 6"].value) == pytest.approx(0.3)
    assert float(starved["SoR / exact, left, t = 6"].value) == 1
    avoided = paper.avoided(made_up)
    assert float(avoided["seeds within a factor 3, t = 6"].value) == 0.5
    assert float(avoided["worst factor, t = 6"].value) == pytest.approx((3.5 + 2.9) / 2)


def test_starvation():
    def of(*shares):
        names = [f"SoR / exact, right, t = {t}" for t in paper.TIMES]
        return judged("starvation", dict(zip(names, shares, strict=True)))

    assert of(0, 0.05, 0.098) is YES
    assert of(0, 0.05, 0.0995) is PARTLY
    assert of(0.2, 0.11, 1) is NO


def test_starvation_avoided():
    def of(*shares):
        names = [f"seeds within a factor 3, t = {t}" for t in paper.TIMES]
        return judged("starvation-avoided", dict(zip(names, shares, strict=True)))

    assert of(1, 0.95, 0.902) is YES
    assert of(1, 0.95, 0.9005) is PARTLY
    assert of(0.5, 0.8, 0) is NO
