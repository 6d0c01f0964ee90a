"""How the regret of agents of losses grows, below its bounds, in full episodes."""

import gymnasium
import numpy as np
import pytest

import agents
from agents.losses.adaptive_descent import AdaptiveDescent
from agents.losses.curvature_descent import CurvatureDescent
from agents.losses.follow_the_regularized_leader import FollowTheRegularizedLeader
from agents.losses.online_gradient_descent import OnlineGradientDescent
from agents.parts import bounds


def regret(agent, **settings):
    """Mean regret of 8 seeds after 512, 1024, .., 8192 rounds."""
    envs = gymnasium.make_vec("OnlineConvex-v0", num_envs=8, dim=3, horizon=8192, **settings)
    trace = agents.play(envs, agent, rounds=[512, 1024, 2048, 4096, 8192])
    assert trace.regret is not None
    return trace.regret.mean(axis=0)


def exponent(curve):
    """The slope of log regret over log t, by its ends: 0 for log T asymptotically, 1/2, 1."""
    return np.log(curve[-1] / curve[0]) / np.log(8192 / 512)


@pytest.mark.parametrize("losses", ["curved", "alternating"])
def test_on_curved_losses_regret_is_logarithmic_but_for_the_baseline(losses):
    """Logarithmic: each doubling of T adds the same, here within a tenth of itself; the four
    differences of a square root grow to 2.8 times the first."""
    for agent in (FollowTheRegularizedLeader(ridge=0.5), CurvatureDescent(), AdaptiveDescent()):
        added = np.diff(regret(agent, losses=losses))
        assert added.max() < 1.1 * added.min(), agent
    assert exponent(regret(OnlineGradientDescent(), losses=losses)) > 0.4


def test_after_a_switch_to_linear_losses_only_the_adaptive_and_the_baseline_stay_sublinear():
    settings = {"losses": "switch", "curved_rounds": 10}
    for fails in (CurvatureDescent(), FollowTheRegularizedLeader()):
        assert exponent(regret(fails, **settings)) > 0.9, fails
    for holds in (AdaptiveDescent(), OnlineGradientDescent()):
        assert exponent(regret(holds, **settings)) < 0.65, holds


def test_against_the_sign_of_the_point_a_square_root_or_linear():
    """A leader's ridge of G sqrt(T) / D makes its regret of order sqrt(T), below its bound."""
    for holds in (AdaptiveDescent(), OnlineGradientDescent()):
        assert 0.4 < exponent(regret(holds, losses="sign")) < 0.6, holds
    for fails in (CurvatureDescent(), FollowTheRegularizedLeader(), agents.UniformRandom()):
        assert exponent(regret(fails, losses="sign")) > 0.9, fails
    ridge = 8192**0.5
    tuned = regret(FollowTheRegularizedLeader(ridge=ridge), losses="sign")[-1]
    ones = np.ones(8192)
    bound = bounds.follow_the_regularized_leader(ones, 0 * ones, ridge=ridge, radius=1.0)[-1]
    assert tuned < bound < 1.01 * ridge
