"""The random classes, the grids' rows, the adversary, and what is measured of a run."""

import math

import numpy as np
import pytest

from agents import Halving
from leaderboards.papers.kakade2008 import halving_runs as paper
from leaderboards.papers.kakade2008.halving_runs import Grid

ALL = list(dict.fromkeys(grid for each in paper.GRIDS.values() for grid in each))


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


@pytest.mark.parametrize("grid", ALL, ids=paper.grid_name)
def test_rows_are_separable_at_margin_one(grid):
    rows, labels = paper.separable(grid, 60, np.random.default_rng(3))
    assert rows.shape == (60, grid.dim)
    assert (np.linalg.norm(rows, axis=1) <= 1).all()
    assert np.bincount(labels).min() >= 6
    # The least norm with margin 1, from constraints alone: at most that of W*.
    from scipy.optimize import minimize

    k, d = grid.n_labels, grid.dim
    others = [[r for r in range(k) if r != y] for y in labels]

    def margins(flat):
        scores = rows @ flat.reshape(k, d).T
        own = scores[np.arange(60), labels][:, None]
        return (own - np.take_along_axis(scores, np.array(others), axis=1)).ravel() - 1

    start = np.random.default_rng(4).normal(size=k * d)
    found = minimize(
        lambda w: w @ w, start, jac=lambda w: 2 * w, constraints={"type": "ineq", "fun": margins}
    )
    assert found.success
    assert 2 * found.fun <= grid.complexity * (1 + 1e-6)


def test_labels_are_those_of_the_hypotheses():
    rng = np.random.default_rng(3)
    hypotheses, rows = rng.normal(size=(7, 3, 2)), rng.normal(size=(11, 2))
    hypotheses[2, 1] = hypotheses[2, 0]  # a tie, which the first label wins
    expected = np.argmax(np.einsum("hkd,td->htk", hypotheses, rows), axis=-1)
    expected[2] = np.where(expected[2] == 1, 0, expected[2])
    np.testing.assert_array_equal(paper.labels_of(hypotheses, rows), expected)


def test_the_adversary_shows_rows_on_which_the_plurality_errs():
    answers = np.array([[0, 1, 1], [0, 1, 0], [0, 0, 1], [1, 0, 0], [1, 0, 1]])
    labels = np.array([1, 0, 1])  # the fourth is right but on the last row, and the last one always
    # Row 0 fools 3 of 5 and no other row fools: then two are left, a tie on row 2, where the first
    # label is wrong.
    assert paper.hardest(answers, labels, 2) == [0, 2]
    assert paper.hardest(answers[-1:], labels, 2) == []


@pytest.fixture(scope="module")
def sample():
    return paper.halving([3, 4, 5, 6], rounds=60)


def test_a_seeds_row_does_not_depend_on_the_others(sample, monkeypatch):
    alone = paper.halving([4], rounds=60)
    for measure, values in sample.measures.items():
        np.testing.assert_array_equal(values[1], alone.measures[measure][0])
        assert (values[:, 0] >= 1).any()
    monkeypatch.setattr(paper, "GRIDS", {"d": [Grid(2, 1, 8), Grid(2, 2, 2)]})
    grids, alone = paper.grid_halving([3, 4], pool=40), paper.grid_halving([4], pool=40)
    for measure, values in grids.measures.items():
        np.testing.assert_array_equal(values[1], alone.measures[measure][0])
        assert (values[:, 2] >= 1).all()  # every mistake removes half
        assert not values[:, 3].any()
    mistakes, bound = grids.measures["k = 2, d = 2, D = 2"].T[:2]
    assert (mistakes >= 1).all()
    np.testing.assert_allclose(bound, 2 * 4 * math.log(4))


def test_bounds_are_of_the_class(sample):
    for name, (_, n_labels, size) in paper.CLASSES.items():
        assert sample.measures[name][0, 1] == pytest.approx(n_labels * math.log(size))


def test_what_a_run_leaves_is_measured():
    # Three of four hypotheses always say 0, the last one 1: label 1 removes three at once.
    hypotheses = np.zeros((4, 2, 1))
    hypotheses[3, 1] = 1.0
    agent = Halving(hypotheses=hypotheses.tolist())
    rows = np.ones((5, 1))
    labels = np.array([0, 1, 1, 1, 1])
    mistakes, bound, least, left = paper._measures(agent, rows, labels, 2, 0)
    assert (mistakes, least, left) == (1, 2 * 3 / 4, 0)
    assert bound == pytest.approx(2 * math.log(4))
    labels = np.array([1, 1, 0, 1, 1])  # nobody is right: the active set is emptied and reset
    mistakes, _, _, left = paper._measures(agent, rows, labels, 2, 0)
    assert (mistakes, left) == (3, 1)


def test_the_rate():
    assert Grid(3, 2, 8).rate == pytest.approx(9 * 2 * math.log(16))
