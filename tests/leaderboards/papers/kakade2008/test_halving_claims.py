"""The random classes and grids, the bounds of a run, verdict rules, and sizes that are stated."""

import math

import numpy as np
import pytest

from agents import ProjectedHalving
from banditgym.tasks import MulticlassTask
from leaderboards.papers.claim import Finding, Verdict
from leaderboards.papers.kakade2008 import halving_claims as paper

CLAIMS = {claim.id: claim for claim in paper.CLAIMS}


@pytest.mark.parametrize(("kind", "dim"), [("linear", 5), ("tables", 100)])
def test_a_member_of_the_class_is_always_right(kind, dim):
    made = paper.random_class(kind, 3, 16, 200, np.random.default_rng(3))
    hypotheses, rows, labels = made
    assert hypotheses.shape == (16, 3, dim)
    answers = np.argmax(np.einsum("hkd,td->htk", hypotheses, rows), axis=-1)
    assert ((answers == labels).all(axis=1)).sum() == 1
    # A random member agrees by chance: about a third of 100 or 200 rounds, 5 sd below two thirds.
    assert (np.sort((answers == labels).mean(axis=1))[:-1] < 2 / 3).sum() >= 12
    assert set(labels) == {0, 1, 2}
    other = paper.random_class(kind, 3, 16, 200, np.random.default_rng(4))
    assert (made[0] != other[0]).any()


@pytest.mark.parametrize("complexity", [2, 32])
def test_rows_are_separable_at_margin_one(complexity):
    rows, labels = paper.separable(complexity, 200, np.random.default_rng(3))
    assert rows.shape == (200, 2)
    assert (np.linalg.norm(rows, axis=1) <= 1).all()
    again = np.random.default_rng(3).normal(size=2)
    first = math.sqrt(complexity) * again / np.linalg.norm(again) / 2
    weights = np.stack([first, -first])
    assert 2 * (weights**2).sum() == pytest.approx(complexity)
    scores = rows @ weights.T
    margins = scores[np.arange(200), labels] - scores[np.arange(200), 1 - labels]
    assert margins.min() >= 1 - 1e-12
    assert set(labels) == {0, 1}


@pytest.fixture(scope="module")
def sample():
    return paper.halving([3, 4, 5, 6], rounds=60)


def test_a_tiny_run(sample):
    alone = paper.halving([4], rounds=60)
    for measure, values in sample.measures.items():  # a seed's row does not depend on the others
        np.testing.assert_array_equal(values[1], alone.measures[measure][0])
        assert (values[:, 0] >= 1).any() or measure.startswith("grid")
    for names in (paper.CLASSES, paper.GRIDS):  # each seed has classes and rows of its own
        assert any(len(set(sample.measures[name][:, 0])) > 1 for name in names)
    for claim in ("halving", "grid-halving"):
        assert Finding.of(CLAIMS[claim], sample).verdict is Verdict.REPRODUCED


def test_bounds_are_of_the_class_and_of_the_grid(sample):
    for name, (_, n_labels, size) in paper.CLASSES.items():
        assert sample.measures[name][0, 1] == pytest.approx(n_labels * math.log(size))
    for name, complexity in paper.GRIDS.items():
        values = math.floor(math.sqrt(4 * complexity)) + 2
        assert sample.measures[name][0, 1] == pytest.approx(2 * 4 * math.log(values))


@pytest.mark.parametrize(
    ("claim", "name"), [("halving", "tables, k = 9, |H| = 256"), ("grid-halving", "grid, D = 8")]
)
def test_a_bound_that_is_broken_is_seen(sample, claim, name):
    broken = dict(sample.measures)
    broken[name] = broken[name].copy()
    broken[name][1, 0] = broken[name][1, 1] + 1
    found = Finding.of(CLAIMS[claim], sample._replace(measures=broken))
    assert float(found.numbers["seeds above"].value) == 0.25
    assert float(found.numbers[f"largest M / bound, {name}"].value) > 1
    assert found.verdict is Verdict.NOT_REPRODUCED


def test_the_sizes_that_cannot_be_run():
    obstacle = CLAIMS["projected-halving"].obstacle

    def task(n_labels, dim, horizon):
        return MulticlassTask(
            n_labels=n_labels, dim=dim, horizon=horizon, slots=None, sparse=True, width=dim,
            feature_norm=1.0,
        )  # fmt: skip

    small = ProjectedHalving(complexity=2.0, delta=0.1)
    assert small.dimension(task(2, 2, 1000)) == 1064
    assert "1064 dimensions" in obstacle
    assert "555^2128, about 10^5839.9" in small.refusal(task(2, 2, 1000))
    assert "555^2128 hypotheses, about 10^5840" in obstacle
    real = ProjectedHalving(complexity=200.0, delta=0.1)
    assert f"{real.dimension(task(9, 400, 10**6)):,}".replace(",", " ") in obstacle
