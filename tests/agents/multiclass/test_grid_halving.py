"""The grid of Theorem 7: its size, that it holds a separator, and that large ones are refused."""

import itertools
import math

import numpy as np
import pytest

from agents.multiclass.grid_halving import LARGEST, GridHalving, grid, refuse_grid
from agents.parts.bounds import halving_mistakes


@pytest.mark.parametrize(("complexity", "k", "d"), [(2.0, 2, 2), (0.7, 3, 2), (9.0, 2, 1)])
def test_the_grid_is_every_combination_of_its_values(complexity, k, d):
    bound = math.sqrt(complexity / 2)
    values = np.linspace(-bound, bound, math.floor(2 * bound * math.sqrt(d)) + 2)
    assert np.diff(values).max() < 1 / math.sqrt(d)
    members = grid(complexity, k, d)
    assert members.shape == (len(values) ** (k * d), k, d)
    np.testing.assert_array_equal(
        members.reshape(len(members), -1), list(itertools.product(values, repeat=k * d))
    )


@pytest.mark.parametrize(("k", "d", "complexity"), [(2, 2, 8.0), (3, 2, 4.0)])
def test_it_learns_what_is_separable_at_margin_one(k, d, complexity, task, in_pairs):
    """Rows of the unit ball at margin 1 by some W with 2 ‖W‖² = D: mistakes stay within the bound.

    Some hypothesis of the grid is right about all of them: the active set never runs empty, so it
    shrinks with every mistake.
    """
    rng = np.random.default_rng(k)
    truth = np.cos(2 * np.pi * (np.arange(k)[:, None] / k + [0.1, 0.35]))  # far apart on a circle
    truth *= math.sqrt(complexity / 2) / np.linalg.norm(truth)
    rows = rng.normal(size=(20_000, d))
    rows /= np.linalg.norm(rows, axis=1, keepdims=True)
    scores = np.sort(rows @ truth.T)
    rows = rows[scores[:, -1] - scores[:, -2] >= 1][:100]
    assert len(rows) == 100
    agent = GridHalving(complexity=complexity).reset(task(k, d), n=1)
    mistakes, members = 0, [agent.members.active.sum()]
    for x in rows:
        contexts = in_pairs(x[None])
        label = agent._choose(contexts)
        right = label == np.argmax(truth @ x)
        agent._learn(contexts, label, right.astype(float), np.ones(1, bool))
        mistakes += int(not right[0])
        members.append(agent.members.active.sum())
        assert members[-1] == members[-2] if right[0] else members[-1] < members[-2]
    assert 0 < mistakes <= halving_mistakes(n_labels=k, hypotheses=members[0])


def test_grids_that_cannot_be_held_are_refused_with_their_size(task):
    with pytest.raises(
        ValueError,
        match=r"GridHalving cannot play this task: its grid of 5 values for each of 12 weights has "
        rf"5\^12, about 10\^8.4 hypotheses, more than the {LARGEST}",
    ):
        GridHalving(complexity=2.0).reset(task(4, 3))
    assert "10^5843.7" in str(GridHalving().refusal(task(9, 400)))
    assert "hypotheses" in str(GridHalving(complexity=1e308).refusal(task(9, 400)))


def test_the_largest_grid_that_is_held_has_two_values_for_each_of_twenty_weights():
    assert grid(0.05, 2, 2).shape == (2**4, 2, 2)
    assert refuse_grid(0.05, 4, 5) is None
    assert "2^21" in refuse_grid(0.05, 3, 7)


@pytest.mark.parametrize("complexity", [0.0, -1.0, float("nan"), float("inf")])
def test_a_complexity_that_is_none_is_refused(complexity):
    with pytest.raises(ValueError, match=f"complexity.*{complexity}"):
        GridHalving(complexity=complexity)


def test_refuses_slots(task):
    with pytest.raises(ValueError, match="one label"):
        GridHalving().reset(task(2, 2, slots=1))
