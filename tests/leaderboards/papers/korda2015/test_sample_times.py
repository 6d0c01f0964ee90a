"""What is clocked, and verdict rules; no time itself."""

import numpy as np
import pytest

from leaderboards.papers.claim import Finding, Sample, Verdict
from leaderboards.papers.korda2015 import sample_times as paper

from ..module_claims import number

CLAIMS = {claim.id: claim for claim in paper.CLAIMS}
YES, NO, OPEN = Verdict.REPRODUCED, Verdict.NOT_REPRODUCED, Verdict.INCONCLUSIVE


def judged(claim, numbers):
    return CLAIMS[claim].judge({name: number(value) for name, value in numbers.items()})


def made_up():
    dims = np.array(paper.DIMS)
    measures = {name: np.tile(1e-9 * dims**2, (3, 1)) for name in paper.EXACT}
    measures |= {name: np.tile(2e-9 * dims, (3, 1)) for name in paper.ESTIMATORS}
    return Sample(dims, measures)


def test_ratios():
    found = paper.ratios(made_up())
    assert len(found) == 24
    assert float(found["SAG / BLAS, d = 32"].value) == pytest.approx(2 / 32)
    assert set(CLAIMS["figure-2-time"].judge(found).values()) == {YES}
    for value, verdict in {0.98: YES, 0.995: OPEN, 1.2: NO}.items():
        parts = judged("figure-2-time", dict.fromkeys(found, value))
        assert parts == dict.fromkeys(found, verdict)
    assert set(CLAIMS["figure-2-time"].headline) < set(found)


def test_growth():
    found = paper.growth(made_up())
    assert len(found) == 6
    assert float(found["exponent in d of BLAS / SVRG"].value) == pytest.approx(1)
    for value, verdict in {1.0: YES, 0.705: OPEN, 0.1: NO}.items():
        assert judged("time-order-d", dict.fromkeys(found, value)) == dict.fromkeys(found, verdict)


def test_exact_solvers_solve():
    rng = np.random.default_rng(3)
    rows, outcomes = rng.normal(size=(40, 6)), rng.normal(size=40)
    exact = np.linalg.solve(rows.T @ rows + np.eye(6), rows.T @ outcomes)
    for name in paper.EXACT:
        seconds, theta = paper.learned(name, rows, outcomes, seed=1)
        assert seconds >= 0
        np.testing.assert_allclose(theta, exact, atol=1e-12)


def test_estimators_learn_the_same_samples():
    rng = np.random.default_rng(3)
    rows, outcomes = rng.normal(size=(40, 6)), rng.normal(size=40)
    for array in (rows, outcomes):
        array.flags.writeable = False
    for name, estimator in paper.ESTIMATORS.items():
        seconds, theta = paper.learned(name, rows, outcomes, seed=5)
        assert seconds >= 0
        state = estimator.reset(paper.SimpleNamespace(dim=6), 1, [5])
        for row, outcome in zip(rows, outcomes, strict=True):
            state.learn(row[None], np.array([outcome]), np.ones(1, bool))
        np.testing.assert_allclose(theta, state.theta[0], atol=1e-12)


def test_a_tiny_run(monkeypatch, tmp_path):
    calls = []

    def learned(name, rows, outcomes, seed):
        calls.append((name, rows.shape, seed))
        return 20.0 * rows.shape[1], None

    monkeypatch.setattr(paper, "learned", learned)
    experiment = CLAIMS["figure-2-time"].experiment
    assert set(experiment.quick.settings) == set(experiment.full.settings) == {"samples"}
    sample = experiment.simulate([3, 4], samples=20)
    for values in sample.measures.values():  # seconds of a sample
        np.testing.assert_allclose(values, np.tile(sample.rounds, (2, 1)))
    assert {shape for _, shape, _ in calls} == {(20, dim) for dim in paper.DIMS}
    assert {name for name, _, _ in calls} == {*paper.EXACT, *paper.ESTIMATORS}
    assert len(calls) == 2 * (1 + paper.REPEATS) * 4 * 5  # each is warmed up
    for claim in paper.CLAIMS:
        assert Finding.of(claim, sample, True).verdict in Verdict
    experiment.draw(sample).savefig(tmp_path / "figure.png")
    experiment.draw_as_printed(sample).savefig(tmp_path / "printed.png")


def test_the_shortest_repeat_counts(monkeypatch):
    spent = iter(range(9, 10_000))
    monkeypatch.setattr(paper, "learned", lambda *given: (float(next(spent)), None))
    sample = paper.times([3], samples=1)
    assert sample.measures["Sherman-Morrison"][0, 0] == 10  # 9 compiled; then 10, 11, 12
