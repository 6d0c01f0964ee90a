"""The points that come next, and which points are explorations."""

import gymnasium
import numpy as np
import pytest

import agents
from agents.parts.basis_exploration import points_to_play
from banditgym.linalg.diagonal import slim

BASIS = np.array([[1.0, 2.0, 0.0], [0.0, 1.0, 0.0], [3.0, 0.0, 4.0]])


@pytest.mark.parametrize("basis", [BASIS, np.diag([2.0, 3.0, 0.5])], ids=["full", "diagonal"])
def test_rows_of_the_basis_then_best_points(basis):
    best = np.arange(12.0).reshape(4, 3)
    points = points_to_play(np.array([2, 3, 0, 7]), slim(basis), best)
    np.testing.assert_array_equal(points, [basis[2], best[1], basis[0], best[3]])
    assert not np.shares_memory(points, best)


@pytest.mark.parametrize("radius", [1e-3, 1.0, 1e3])
@pytest.mark.parametrize(("off", "ours"), [(0.0, True), (5e-7, True), (5e-6, False)])
def test_a_point_is_a_row_of_the_basis_to_single_precision(radius, off, ours):
    """Coordinates may be off by 1e-6 of their size. Any other point is of another player."""
    task = gymnasium.make("BallBandit-v0", dim=3, radius=radius).unwrapped.task
    agent = agents.PEGE().reset(task, n=1, seed=0)
    point = agent.act(np.zeros(1, int))
    given = point * (1.0 - off)
    agent.observe(np.zeros(1, int), given, [2.0])
    assert (agent._unanswered.sum() == 0) == ours
