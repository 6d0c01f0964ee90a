"""Regret and bounds are recomputed plainly."""

import numpy as np
import pytest
from scipy import optimize

from agents import AdaptiveDescent, bounds
from leaderboards.papers.rakhlin2008 import descent_ledger
from leaderboards.papers.rakhlin2008.descent_ledger import Ledger
from leaderboards.papers.simulations import environments, recorded


@pytest.fixture
def played():
    rng = np.random.default_rng(0)
    points = rng.normal(size=(2, 12, 3)) / 3
    return Ledger(points, rng.normal(size=(2, 12, 3)), rng.exponential(0.2, size=(2, 12)))


def losses(played, i, u, rounds):
    """Sum of l_t(u) - l_t(x_t) over the first rounds."""
    away = u - played.points[i, :rounds]
    linear = (played.gradients[i, :rounds] * away).sum()
    return linear + (played.curvatures[i, :rounds] / 2 * (away**2).sum(axis=1)).sum()


@pytest.mark.parametrize("ridge", [0.0, 0.7])
def test_regret_is_that_against_the_best_point(played, ridge):
    for i in range(2):
        for rounds in (1, 5, 12):

            def cost(u, i=i, rounds=rounds):
                return losses(played, i, u, rounds) + ridge / 2 * u @ u

            inside = {"type": "ineq", "fun": lambda u: 1 - u @ u}
            best = optimize.minimize(
                cost, np.zeros(3), constraints=[inside], method="SLSQP", tol=1e-12
            )
            found = descent_ledger.regret(played, ridge)[i, rounds - 1]
            np.testing.assert_allclose(found, -best.fun, atol=1e-6)


@pytest.mark.parametrize("kind", ["curved", "alternating", "sign"])
def test_regret_is_that_of_the_environment(kind):
    def notes(agent, contexts, points, outcome):
        return {
            "points": points,
            "gradients": outcome["gradient"],
            "curvatures": outcome["curvature"],
        }

    envs = environments("OnlineConvex-v0", [1, 2], dim=3, horizon=40, losses=kind)
    trace, kept = recorded(AdaptiveDescent(), notes, envs, [1, 2])
    found = descent_ledger.regret(Ledger(**kept))[:, trace.rounds - 1]
    np.testing.assert_allclose(found, trace.measures["regret"], rtol=1e-9)


def test_bounds_are_those_of_the_library(played):
    norms, curvatures = played.norms, played.curvatures
    np.testing.assert_allclose(
        descent_ledger.steps(played), bounds.curvature_descent(norms, curvatures)
    )
    added = descent_ledger.balancing(played)
    np.testing.assert_allclose(
        descent_ledger.adaptive(played, added),
        bounds.adaptive_descent(norms, curvatures, radius=1.0),
    )


def test_the_curvature_added_balances(played):
    added = descent_ledger.balancing(played)
    total = np.cumsum(played.curvatures + added, axis=1)
    np.testing.assert_allclose(1.5 * added, played.norms**2 / total)


def test_added_curvature_is_that_of_a_regulariser(played):
    added = np.full((2, 12), 0.3)
    more = played.curved_by(added)
    u = np.array([0.3, -0.2, 0.5])
    extra = 0.15 * (12 * u @ u - (played.points[1] ** 2).sum())
    assert losses(more, 1, u, 12) == pytest.approx(losses(played, 1, u, 12) + extra)
