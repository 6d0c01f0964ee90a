"""Losses, gradients and curvatures of the adversaries."""

import numpy as np
import pytest

from leaderboards.papers.rakhlin2008.hard_losses import HardLosses

POINTS = np.array([[0.3, -0.2, 0.0], [5.0, 0.0, -5.0]])  # the second one outside the ball


def feedback(env, rounds):
    env.reset(seed=[3, 4])
    for _ in range(rounds):
        *_, info = env.step(POINTS)
    return info["feedback"]


@pytest.mark.parametrize("slopes", ["signs", "coins", "fixed"])
def test_gradients_have_norm_one(slopes):
    for rounds in (1, 4):
        found = feedback(HardLosses(2, dim=3, curved_rounds=2, slopes=slopes), rounds)
        np.testing.assert_allclose(np.linalg.norm(found["gradient"], axis=1), 1.0)
        np.testing.assert_allclose(found["loss"], (found["gradient"] * POINTS).sum(axis=1))
        assert (found["curvature"] == (1.0 if rounds <= 2 else 0.0)).all()


def test_signs_lead_away_from_the_centre():
    env = HardLosses(2, dim=3, decay=0.5)
    gradient = feedback(env, 1)["gradient"]
    ahead = POINTS - env._centre
    np.testing.assert_array_equal(np.sign(gradient), np.sign(ahead))
    np.testing.assert_allclose(np.linalg.norm(env._centre, axis=1), 0.5)
    assert abs(env._centre[0] - env._centre[1]).min() > 0


def test_curvature_decays():
    env = HardLosses(2, dim=3, decay=0.25)
    np.testing.assert_allclose(feedback(env, 9)["curvature"], 9**-0.25)


def test_slopes_after_the_curved_rounds():
    fixed = HardLosses(2, dim=3, curved_rounds=1, slopes="fixed")
    np.testing.assert_allclose(feedback(fixed, 3)["gradient"], fixed._centre / 0.5)
    coins = HardLosses(2, dim=3, curved_rounds=0, slopes="coins")
    coins.reset(seed=[3, 4])
    drawn = np.array([coins.step(POINTS)[4]["feedback"]["gradient"] for _ in range(400)])
    share = (drawn > 0).mean(axis=0)  # standard deviation 0.025 each
    assert (abs(share - 0.5) < 0.1).all()


def test_settings():
    with pytest.raises(ValueError, match="decay or curved_rounds"):
        HardLosses(2)
    with pytest.raises(ValueError, match="slopes must be one of signs, coins, fixed"):
        HardLosses(2, decay=0.5, slopes="steep")
