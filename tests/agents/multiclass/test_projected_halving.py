"""Halving after a random projection: the projection, the size that Theorem 8 asks, its refusal."""

import math

import numpy as np
import pytest

from agents.check import check_agent
from agents.multiclass.grid_halving import grid, refuse_grid
from agents.multiclass.projected_halving import ProjectedHalving


def test_entries_are_fair_independent_signs_of_each_replicate(task):
    """Of 40 000 signs or products of two the mean has deviation 1/200; bands at five of them."""
    agent = ProjectedHalving(complexity=1.0, dim=2).reset(task(2, 20_000), n=2, seed=1)
    assert set(np.unique(agent.signs)) == {-1.0, 1.0}
    one, other = agent.signs
    for products in (one, other, one * other, one[1:] * one[:-1], agent.signs.prod(axis=2)):
        assert abs(products.mean()) < 5 / 200
    again = ProjectedHalving(complexity=1.0, dim=2).reset(task(2, 20_000), n=1, seed=2)
    np.testing.assert_array_equal(again.signs[0], other)


def test_products_keep_their_value_at_the_dimension_that_the_theorem_asks(task):
    """Of 2000 products of unit vectors none may be off by c; at failure probability 0.1, none is.

    The bound is loose: errors have deviation 1 / sqrt(d'), some 5 of which are c.
    """
    agent = ProjectedHalving(complexity=1.0, delta=0.1)
    dim = agent.dimension(task(2, 50, horizon=1000))
    c = 1 / 3
    assert dim == math.ceil(4 * math.log(4 * 2 * 1001 / 0.1) / (c**2 - c**3)) == 610
    rng = np.random.default_rng(0)
    signs = rng.choice([-1.0, 1.0], size=(50, dim))
    x, w = rng.normal(size=(2, 2000, 50))
    x, w = (v / np.linalg.norm(v, axis=1, keepdims=True) for v in (x, w))
    products = np.einsum("tp,tp->t", x @ signs, w @ signs) / dim
    assert np.abs(products - np.einsum("td,td->t", x, w)).max() < c


def test_the_dimension_depends_on_all_that_the_theorem_names(task):
    agent, c = ProjectedHalving(complexity=2.0, delta=0.2), 1 / (3 * math.sqrt(2.0))
    expected = math.ceil(4 * math.log(4 * 3 * 3 / 0.2) / (c**2 - c**3))
    assert agent.dimension(task(3, 50, horizon=2)) == expected


def test_the_grid_is_that_of_72_times_the_complexity(task):
    agent = ProjectedHalving(complexity=2.0, dim=1).reset(task(2, 5), n=1)
    np.testing.assert_array_equal(agent._every_hypothesis(), grid(144.0, 2, 1))
    assert agent.refusal(task(5, 20)) == refuse_grid(144.0, 5, 1)
    assert "18^5" in refuse_grid(144.0, 5, 1)


def test_its_own_dimension_can_never_be_held(task):
    with pytest.raises(ValueError, match=r"values for each of \d+ weights has .* more than"):
        ProjectedHalving(complexity=1.0).reset(task(2, 50, horizon=10))
    with pytest.raises(ValueError, match="the task has none: give dim"):
        ProjectedHalving().reset(task(2, 50, horizon=None))


@pytest.mark.parametrize(
    ("given", "named"),
    [
        ({"complexity": 0.5}, "complexity"),
        ({"delta": 0.0}, "delta"),
        ({"delta": float("nan")}, "delta"),
        ({"dim": 0}, "dim"),
    ],
)
def test_bad_hyperparameters_are_named_with_their_value(given, named):
    with pytest.raises(ValueError, match=f"{named}.*{next(iter(given.values()))}"):
        ProjectedHalving(**given)


def test_refuses_slots(task):
    with pytest.raises(ValueError, match="one label"):
        ProjectedHalving(dim=1).reset(task(2, 2, slots=1))


def test_keeps_the_contract(small_env):
    check_agent(ProjectedHalving(complexity=1.0, dim=2))
