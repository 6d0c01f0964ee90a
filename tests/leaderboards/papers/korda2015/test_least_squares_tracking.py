"""Verdict rules on tracking, limits and bounds against their definitions, a tiny run."""

import math

import numpy as np
import pytest

from agents.parts.estimators import GradientDescent, PolyakAveraging
from leaderboards.papers.claim import Finding, Sample, Verdict
from leaderboards.papers.korda2015 import least_squares_tracking as paper
from leaderboards.rank.interval_estimates import Estimate

CLAIMS = {claim.id: claim for claim in paper.CLAIMS}
YES, PARTLY, NO = Verdict.REPRODUCED, Verdict.PARTLY, Verdict.NOT_REPRODUCED
SEEDS = [3, 4, 7]


def number(value, half=0.01):
    return Estimate(*map(np.asarray, (value, value - half, value + half)))


def judged(claim, numbers):
    return CLAIMS[claim].judge({name: number(value) for name, value in numbers.items()})


@pytest.mark.parametrize(
    ("claim", "key", "inside", "outside"),
    [
        ("theorem-1-rate", "exponent, rho = {}", (-0.535, -0.465), (-0.545, -0.455, -0.3)),
        ("tracking-constant", "measured / limit, rho = {}", (0.92, 1.08), (0.905, 1.095, 2.0)),
    ],
)
def test_all_of_three(claim, key, inside, outside):
    names = [key.format(name) for name in paper.RHOS]
    for value in inside:
        assert judged(claim, dict.fromkeys(names, value)) is YES
    for value in outside:
        assert judged(claim, dict.fromkeys(names, value)) is NO
        assert judged(claim, dict.fromkeys(names, inside[0]) | {names[1]: value}) is PARTLY


def test_bound():
    def of(first, second, shares=(0.0, 0.0)):
        values = dict(zip(paper.BOUNDS, (first, second), strict=True))
        outside = dict(zip(paper.BOUNDS, shares, strict=True))
        return judged(
            "theorem-1-bound",
            {f"largest mean / bound, {name}": value for name, value in values.items()}
            | {f"largest share outside, {name}": value for name, value in outside.items()},
        )

    assert of(0.98, 0.98) is YES
    assert of(0.98, 0.995) is PARTLY
    assert of(0.98, 0.98, (0.095, 0.0)) is PARTLY
    assert of(1.5, 0.5, (0.0, 0.2)) is NO


def test_averaging():
    def of(spread, *slopes):
        exponents = zip(paper.STEPS, slopes, strict=True)
        return judged(
            "averaging",
            {"spread of means": spread} | {f"exponent, c = {c}": s for c, s in exponents},
        )

    assert of(1.48, -0.5, -0.47, -0.6) is YES
    assert of(1.495, -0.5, -0.47, -0.6) is PARTLY
    assert of(1.48, -0.5, -0.455, -0.6) is PARTLY
    assert of(6.0, -0.5, -0.455, -0.6) is NO


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


def test_bounds_are_those_of_the_theorem():
    start, n, mu, c = 0.7, 40, 0.2, 16.0
    d, delta = paper.DIM, paper.DELTA
    beta = max(
        128 * d * math.log(n + c) * math.log((n + c) ** 2 / delta),
        (2 * math.log((n + c) ** 2 / delta)) ** 2,
    )
    h = 2 * (1 + 2 * (start + math.log(n)) ** 2)
    first = start * math.log(d) / (n + c) ** (mu * c / 4) + math.sqrt(h)
    first += (math.sqrt(2) + math.sqrt(mu * beta)) / mu
    kept = c**2 / (16 * (1 - 2 * (1 - 3 * mu * c / 16)))
    second = math.sqrt(2 * kept * math.log(1 / delta)) + first
    found = paper.bounds(np.array([0.1, start]), np.array([20, n]), mu, c)
    assert found[0].shape == found[1].shape == (2, 2)
    assert found[0][1, 1] == pytest.approx(first / math.sqrt(n + c))
    assert found[1][1, 1] == pytest.approx(second / math.sqrt(n + c))


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
    sample = Sample(n, measures)
    for name in paper.RHOS:
        found = paper.constant(sample)[f"measured / limit, rho = {name}"]
        assert float(found.value) == pytest.approx(1)
        found = paper.rate(sample)[f"exponent, rho = {name}"]
        assert float(found.value) == pytest.approx(-0.5)
    for name in paper.BOUNDS:
        measures[f"{name}, error / bound"] = np.array([[9.0, 0.1, 0.2], [9.0, 0.3, 0.6]])
        measures[f"{name}, outside"] = np.array([[True, False, True], [True, False, False]])
    found = paper.bound(sample)  # the first is n_0 itself
    for name in paper.BOUNDS:
        assert float(found[f"largest mean / bound, {name}"].value) == pytest.approx(0.4)
        assert float(found[f"largest share outside, {name}"].value) == pytest.approx(0.5)


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
    truth, outcomes = paper.draws(SEEDS, 200, paper.DIM)
    theta = paper.followed(GradientDescent(rho=1.6), SEEDS, outcomes, paper.DIM, sample.rounds)
    exact = paper.least_squares(outcomes, paper.DIM, sample.rounds)
    own = np.sqrt(((theta - exact) ** 2).sum(axis=2))
    np.testing.assert_allclose(sample.measures["rho = 1.6"], own)
    step = 4 * (5 / 6) * 10  # mu = 1/10
    theta = paper.followed(GradientDescent(step=step), SEEDS, outcomes, paper.DIM, sample.rounds)
    start = np.sqrt(((theta[:, 0] - truth) ** 2).sum(axis=1))
    limit = paper.bounds(start, sample.rounds, 1 / 10, step)[0]
    own = np.sqrt(((theta - exact) ** 2).sum(axis=2)) / limit
    np.testing.assert_allclose(sample.measures["mu = 1/(2 d), error / bound"], own)
    for claim in paper.CLAIMS:
        found = Finding.of(claim, sample)
        assert found.numbers
        assert found.verdict in Verdict
    experiment.draw(sample).savefig(tmp_path / "figure.png")
