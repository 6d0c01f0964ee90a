"""Theorem 1's bounds against their definition, a vacuous one, a tiny run."""

import math

import numpy as np
import pytest

from leaderboards.papers.claim import Finding, Sample, Verdict
from leaderboards.papers.korda2015 import error_bound as paper
from leaderboards.papers.korda2015.least_squares_tracking import GradientDescent, draws, followed

from ..module_claims import number

(CLAIM,) = paper.CLAIMS
SEEDS = [3, 4, 7]
NAME = next(iter(paper.CASES))


def test_rule():
    def of(ratio, share, mean, tail):
        numbers = {}
        for name in paper.CASES:
            numbers[f"largest mean error / bound, {name}"] = number(ratio)
            numbers[f"largest share outside, {name}"] = number(share)
            numbers[f"mean bound / error of 0, {name}"] = number(mean)
            numbers[f"tail bound / error of 0, {name}"] = number(tail)
        found = CLAIM.judge(numbers)
        assert len(found) == 8
        return found[f"largest mean error / bound, {NAME}"], found[f"largest share outside, {NAME}"]

    assert of(0.9, 0.05, 0.7, 0.7) == (Verdict.REPRODUCED, Verdict.REPRODUCED)
    assert of(1.1, 0.2, 0.7, 0.7) == (Verdict.NOT_REPRODUCED, Verdict.NOT_REPRODUCED)
    assert of(0.995, 0.095, 0.7, 0.7) == (Verdict.INCONCLUSIVE, Verdict.INCONCLUSIVE)
    assert of(0.01, 0.05, 1.02, 0.7) == (Verdict.VACUOUS, Verdict.REPRODUCED)
    assert of(5.0, 0.2, 2.0, 2.0) == (Verdict.VACUOUS, Verdict.VACUOUS)


def test_bounds_are_those_of_the_theorem():
    start, n, d, mu, c, delta = 0.7, 40, 5, 0.2, 16.0, paper.DELTA
    beta = max(
        128 * d * math.log(n + c) * math.log((n + c) ** 2 / delta),
        (2 * math.log((n + c) ** 2 / delta)) ** 2,
    )
    h = 2 * (1 + 2 * (start + math.log(n)) ** 2)
    first = start * math.log(d) / (n + c) ** (mu * c / 4) + math.sqrt(h)
    first += (math.sqrt(2) + math.sqrt(mu * beta)) / mu
    kept = c**2 / (16 * (1 - 2 * (1 - 3 * mu * c / 16)))
    second = math.sqrt(2 * kept * math.log(1 / delta)) + first
    found = paper.bounds(np.array([0.1, start]), np.array([20, n]), d, mu, c)
    assert found[0].shape == found[1].shape == (2, 2)
    assert found[0][1, 1] == pytest.approx(first / math.sqrt(n + c))
    assert found[1][1, 1] == pytest.approx(second / math.sqrt(n + c))


def test_an_estimate_that_stays_at_0_violates_a_bound_below_its_error():
    measures = {}
    for name in paper.CASES:
        bound = np.tile([2.0, 0.5, 0.4], (40, 1))
        for part in ("mean", "tail"):
            measures[f"{name}, {part}, bound"] = bound
            measures[f"{name}, {part}, error / bound"] = 1 / bound
    numbers = paper.numbers(Sample(np.array([0.1, 0.5, 1]), measures))
    assert float(numbers[f"largest mean error / bound, {NAME}"].value) == pytest.approx(2.5)
    assert float(numbers[f"largest share outside, {NAME}"].value) == 1
    assert set(paper.judge(numbers).values()) == {Verdict.NOT_REPRODUCED}


def test_descent_in_blocks_is_that_sample_by_sample(monkeypatch):
    monkeypatch.setattr(paper, "_AT_ONCE", 7)
    _, outcomes = draws(SEEDS, 30, 3)
    at = np.array([3, 3, 12, 30])
    found = paper.descended(9.0, SEEDS, outcomes, 3, at)
    own = followed(GradientDescent(step=9.0), SEEDS, outcomes, 3, at[1:])
    np.testing.assert_allclose(found[:, 1:], own, atol=1e-12)
    np.testing.assert_array_equal(found[:, 0], found[:, 1])


def test_a_tiny_run(tmp_path):
    experiment = CLAIM.experiment
    assert set(experiment.quick.settings) == set(experiment.full.settings) == {"samples"}
    sample = experiment.simulate(SEEDS, samples=4000)
    alone = experiment.simulate(SEEDS[1:2], samples=4000)
    for name, values in sample.measures.items():
        assert values.shape == (3, len(sample.rounds))
        np.testing.assert_array_equal(values[1], alone.measures[name][0])
    truth, outcomes = draws(SEEDS, 400, 5)
    step = 4 * (5 / 6) * 10  # mu = 1/10
    at = np.array([5, 400])
    theta = followed(GradientDescent(step=step), SEEDS, outcomes, 5, at)
    start = np.linalg.norm(theta[:, 0] - truth, axis=1)
    exact = outcomes.reshape(3, -1, 5).mean(axis=1)
    limit = paper.bounds(start, at[1:], 5, 1 / 10, step)[1][:, 0]
    own = np.linalg.norm(theta[:, 1] - exact, axis=1) / limit
    key = "d = 5, mu = 1/(2 d), tail"
    np.testing.assert_allclose(sample.measures[f"{key}, error / bound"][:, -1], own)
    own = limit / np.linalg.norm(exact, axis=1)
    np.testing.assert_allclose(sample.measures[f"{key}, bound"][:, -1], own)
    assert Finding.of(CLAIM, sample, True).verdict is Verdict.VACUOUS  # of so few samples
    experiment.draw(sample).savefig(tmp_path / "figure.png")
