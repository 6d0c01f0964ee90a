"""Verdict rules on tracking, limits against their definitions, a tiny run."""

import numpy as np
import pytest

from agents.parts.estimators import GradientDescent, PolyakAveraging
from leaderboards.papers.claim import Finding, Sample, Verdict
from leaderboards.papers.korda2015 import least_squares_tracking as paper

from ..module_claims import number

CLAIMS = {claim.id: claim for claim in paper.CLAIMS}
YES, NO, OPEN = Verdict.REPRODUCED, Verdict.NOT_REPRODUCED, Verdict.INCONCLUSIVE
SEEDS = [3, 4, 7]


def judged(claim, numbers):
    return CLAIMS[claim].judge({name: number(value) for name, value in numbers.items()})


def test_rate():
    keys = [f"exponent, rho = {name}" for name in paper.RHOS]
    for value, verdict in {-0.535: YES, -0.465: YES, -0.3: NO, -0.7: NO, -0.455: OPEN}.items():
        found = judged("theorem-1-rate", dict.fromkeys(keys, -0.5) | {keys[1]: value})
        assert found == dict.fromkeys(keys, YES) | {keys[1]: verdict}


def test_constant():
    keys = [f"measured / limit, rho = {name}" for name in paper.RHOS]
    keys.append("measured / limit, averaged")
    for value, own, averaged in ((0.92, YES, YES), (1.095, OPEN, YES), (1.12, NO, YES)):
        found = judged("tracking-constant", dict.fromkeys(keys, value))
        assert list(found.values()) == [own] * 3 + [averaged]
    assert judged("tracking-constant", dict.fromkeys(keys, 0.83))[keys[-1]] is NO


def test_averaging():
    spreads = [f"largest / smallest mean, α = {alpha}" for alpha in paper.ALPHAS]
    slopes = [f"exponent, α = {a}, c = {c}" for a in paper.ALPHAS for c in paper.STEPS]
    good = dict.fromkeys(spreads, 1.48) | dict.fromkeys(slopes, -0.47)
    assert set(judged("averaging", good).values()) == {YES}
    bad = good | {spreads[0]: 1.6, slopes[-1]: -0.4, slopes[0]: -0.455}
    found = judged("averaging", bad)
    assert (found[spreads[0]], found[slopes[-1]], found[slopes[0]]) == (NO, NO, OPEN)
    assert len(found) == 12


def test_limit_of_the_mean_square():
    # The moments of one coordinate's recursion, iterated far: e is theta - theta_OLS. A step takes
    # the coordinate with probability 1/d, with an outcome whose residual has the variance s2.
    def iterated(rho, last=200_000):
        square, d, s2 = 0.0, paper.DIM, paper.NOISE_VARIANCE
        for n in range(100, last):
            step = rho * d / (n + rho * d)
            # Least squares moves by an independent amount of variance s2 d^2/n^2 per own sample.
            square += (-2 * step + step * step) * square / d + step * step * s2 / d
            square += s2 * d / n**2
        return last * square * d

    for rho in paper.RHOS.values():
        assert paper.tracking_limit(rho) == pytest.approx(iterated(rho), rel=2e-3)


def test_limit_of_averages():
    # W_n / n of a random walk, and the mean of its past: variance 1 in units of W_n / n's. With
    # 4000 walks the sample variance has a relative sd of 0.022.
    rng = np.random.default_rng(6)
    walk = rng.normal(size=(4000, 1000)).cumsum(axis=1)
    means = walk / np.arange(1, 1001)
    away = means.mean(axis=1) - means[:, -1]
    assert 1000 * away.var() == pytest.approx(1, abs=0.1)
    assert paper.averaging_limit() == pytest.approx(paper.tracking_limit(1.0))


def test_draws_are_of_the_basis_in_turn():
    theta, outcomes = paper.draws(SEEDS, 4000, 2)
    np.testing.assert_allclose(np.linalg.norm(theta, axis=1), 1)
    noise = outcomes - theta[:, np.arange(4000) % 2]
    assert np.abs(noise).max() <= 1
    # 12 000 draws: the mean square of uniform noise has sd 0.0027.
    assert (noise**2).mean() == pytest.approx(paper.NOISE_VARIANCE, abs=0.011)
    alone = paper.draws(SEEDS[1:2], 4000, 2)
    np.testing.assert_array_equal(alone[0][0], theta[1])
    np.testing.assert_array_equal(alone[1][0], outcomes[1])


def test_grid_has_ends_of_cycles():
    at = paper.grid(503, 5)
    assert at[0] == 5
    assert at[-1] == 500
    assert not (at % 5).any()
    assert (np.diff(at) > 0).all()


def test_least_squares_of_basis_samples():
    _, outcomes = paper.draws(SEEDS, 30, 3)
    at = np.array([3, 12, 30])
    found = paper.least_squares(outcomes, 3, at)
    for place, n in enumerate(at):
        rows = np.eye(3)[np.arange(n) % 3]
        for i in range(len(SEEDS)):
            exact = np.linalg.lstsq(rows, outcomes[i, :n], rcond=None)[0]
            np.testing.assert_allclose(found[i, place], exact, atol=1e-12)


def test_the_estimator_has_the_rows_in_turn():
    _, outcomes = paper.draws(SEEDS, 12, 3)
    at = np.array([3, 12])
    for estimator in (GradientDescent(rho=1.2), PolyakAveraging(step=0.7)):
        found = paper.followed(estimator, SEEDS, outcomes, 3, at)
        # The same samples as rows of their own; L is 1 from the first.
        state = estimator.reset(paper.SimpleNamespace(dim=3), len(SEEDS), SEEDS)
        for s in range(12):
            row = np.tile(np.eye(3)[s % 3], (len(SEEDS), 1))
            state.learn(row, outcomes[:, s].copy(), np.ones(len(SEEDS), bool))
            if s + 1 in at:
                place = at.tolist().index(s + 1)
                np.testing.assert_allclose(found[:, place], state.theta, atol=1e-12)


def test_numbers_of_made_up_errors():
    n = np.array([5, 50, 500])
    measures = {
        f"rho = {name}": np.tile(np.sqrt(paper.tracking_limit(rho) / n), (4, 1))
        for name, rho in paper.RHOS.items()
    }
    measures["averaged"] = np.ones((4, 3))
    sample = Sample(n, measures)
    for name in paper.RHOS:
        found = paper.constant(sample)[f"measured / limit, rho = {name}"]
        assert float(found.value) == pytest.approx(1)
        found = paper.rate(sample)[f"exponent, rho = {name}"]
        assert float(found.value) == pytest.approx(-0.5)
    measures["averaged"] = np.tile(np.sqrt(2 * paper.averaging_limit() / n), (4, 1))
    assert float(paper.constant(sample)["measured / limit, averaged"].value) == pytest.approx(2)


def test_a_tiny_run(tmp_path):
    experiment = CLAIMS["theorem-1-rate"].experiment
    settings = {"samples": 200}
    assert set(settings) == set(experiment.quick.settings) == set(experiment.full.settings)
    sample = experiment.simulate(SEEDS, **settings)
    alone = experiment.simulate(SEEDS[1:2], **settings)
    for name, values in sample.measures.items():
        assert values.shape == (3, len(sample.rounds))
        np.testing.assert_array_equal(values[1], alone.measures[name][0])
    # What a run's errors are, from the parts.
    _, outcomes = paper.draws(SEEDS, 200, paper.DIM)
    exact = paper.least_squares(outcomes, paper.DIM, sample.rounds)
    for name, own in {
        "rho = 1.6": GradientDescent(rho=1.6),
        "averaged": PolyakAveraging(step=5.0, exponent=0.6),
        "averaged, α = 0.95, c = 0.3": PolyakAveraging(step=0.3, exponent=0.95),
    }.items():
        theta = paper.followed(own, SEEDS, outcomes, paper.DIM, sample.rounds)
        away = np.sqrt(((theta - exact) ** 2).sum(axis=2))
        np.testing.assert_allclose(sample.measures[name], away)
    for claim in paper.CLAIMS:
        found = Finding.of(claim, sample, True)
        assert found.numbers
        assert found.verdict in Verdict
    experiment.draw(sample).savefig(tmp_path / "figure.png")
