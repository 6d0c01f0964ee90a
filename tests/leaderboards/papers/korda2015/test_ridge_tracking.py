"""Rows of our own against a recomputation from the samples, verdict rules."""

from types import SimpleNamespace

import numpy as np
import pytest

from leaderboards.papers.claim import Finding, Sample, Verdict
from leaderboards.papers.korda2015 import ridge_tracking as paper

from ..module_claims import number

CLAIMS = {claim.id: claim for claim in paper.CLAIMS}
YES, NO, OPEN = Verdict.REPRODUCED, Verdict.NOT_REPRODUCED, Verdict.INCONCLUSIVE
SEEDS = [3, 4, 7]


@pytest.mark.parametrize(
    ("claim", "names"),
    [("figure-2-tracking", paper.FAST), ("tracking-weak-directions", paper.ESTIMATORS)],
)
def test_rules(claim, names):
    assert len(names) == 9
    for value, verdict in {0.1: YES, 0.245: OPEN, 0.7: NO}.items():
        found = CLAIMS[claim].judge({name: number(value) for name in names})
        assert found == dict.fromkeys(names, verdict)


def test_rule_on_even_rows():
    limit, *others = (
        f"measured / limit, {paper.GD}",
        *(f"error / least squares' own, {name}" for name in paper.OTHERS),
    )
    judge = CLAIMS["tracking-even-directions"].judge
    for value, own, other in ((0.8, YES, YES), (0.995, YES, OPEN), (1.5, NO, NO), (0.5, NO, YES)):
        found = judge({key: number(value) for key in (limit, *others)})
        assert found == {limit: own} | dict.fromkeys(others, other)


def test_grid():
    assert paper.grid(10).tolist() == [10]
    found = paper.grid(1000)
    assert found[0] == 10
    assert found[-1] == 1000
    assert len(found) == 17


def test_the_limit_is_that_of_rows_in_turn_with_this_noise():
    assert paper.tracking_limit(1.6, 0.01, 7) == pytest.approx(0.01 * 49 * (1 + 1.6**2) / 2.2)


def test_rows_of_our_own(tmp_path, monkeypatch):
    monkeypatch.setattr(paper, "_AT_ONCE", 7)
    experiment = CLAIMS["tracking-weak-directions"].experiment
    assert set(experiment.quick.settings) == set(experiment.full.settings) == {"samples"}
    sample = experiment.simulate(SEEDS, samples=60)
    alone = experiment.simulate(SEEDS[1:2], samples=60)
    for name, values in sample.measures.items():
        np.testing.assert_array_equal(values[1], alone.measures[name][0])
    rng = np.random.default_rng([4, 16])
    draws = rng.normal(size=(60, 5))
    axes = np.array([1.0, 1.0, 1.0, 0.2, 0.1])
    # The even rows are drawn by the same generator, so these are the same directions.
    rows = axes * draws / np.sqrt((draws**2).sum(axis=1, keepdims=True))
    outcomes = rows.sum(axis=1) / np.sqrt(5) + 0.1 * rng.normal(size=60)
    exact = np.linalg.solve(rows.T @ rows + np.eye(5), rows.T @ outcomes)
    assert sample.measures["weak, length"][1, -1] == pytest.approx(np.linalg.norm(exact))
    away = np.linalg.norm(exact - 5**-0.5)
    assert sample.measures["weak, from theta*"][1, -1] == pytest.approx(away)
    for name, estimator in paper.ESTIMATORS.items():
        width = 5 * paper.CAPS.get(name, 1)
        state = estimator.reset(SimpleNamespace(dim=width), 1, [4])
        for row, outcome in zip(rows, outcomes, strict=True):
            wide = np.concatenate([row, np.zeros(width - 5)])[None]
            state.learn(wide, np.array([outcome]), np.ones(1, bool))
        assert not state.theta[0, 5:].any()
        own = np.linalg.norm(state.theta[0, :5] - exact)
        assert sample.measures[f"{name}, weak"][1, -1] == pytest.approx(own)
    for claim in paper.CLAIMS[1:]:
        found = Finding.of(claim, sample, True)
        assert set(claim.headline) <= set(found.parts) <= set(found.numbers)
    experiment.draw(sample).savefig(tmp_path / "figure.png")


def test_numbers_of_made_up_distances():
    counts, values = np.array([10, 20, 80, 160]), np.array([[0.9, 0.8, 0.3, 0.2]] * 2)
    measures = {"samples": np.tile(counts, (2, 1))}
    for name in paper.FAST:
        measures |= {f"{name}, error": 3 * values, f"{name}, error of 0": np.full((2, 4), 2.0)}
    found = paper.news_numbers(Sample(counts, measures))
    assert float(found["fLinUCB-SAG, η = 1"].value) == pytest.approx(0.3)
    assert float(found["fLinUCB-SAG, η = 1, last / at an eighth"].value) == pytest.approx(0.25)
    assert float(found["fLinUCB-SAG, η = 1, absolute"].value) == pytest.approx(0.6)


def test_numbers_on_even_rows():
    limit = 0.1**2 * 5**2 * (1 + 5**2) / (2 * 5 - 1)
    measures = {"even, from theta*": np.full((3, 1), 0.5)}
    measures[f"{paper.GD}, even"] = np.full((3, 1), np.sqrt(2 * limit / 400))
    measures |= {f"{name}, even": np.full((3, 1), 0.1) for name in paper.OTHERS}
    found = paper.even_numbers(Sample(np.array([400]), measures))
    assert float(found[f"measured / limit, {paper.GD}"].value) == pytest.approx(2)
    own = found[f"error / least squares' own, {paper.OTHERS[0]}"]
    assert float(own.value) == pytest.approx(0.2)
