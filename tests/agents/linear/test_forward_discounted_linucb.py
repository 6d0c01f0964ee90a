"""ForwardDiscountedLinUCB without discount decides as ForwardOFUL."""

import gymnasium
import numpy as np

import agents

RIDGE = 0.7


def test_without_discount_its_estimate_is_forward_ofuls():
    env = gymnasium.make_vec(  # lengths differ, so that no two arms tie before any data
        "LinearBandit-v0", num_envs=3, n_arms=5, dim=3, horizon=80, contexts="ball"
    )
    one = agents.ForwardDiscountedLinUCB(discount=1.0, radius=0.7, ridge=RIDGE)
    other = agents.ForwardOFUL(radius=0.7, ridge=RIDGE)
    np.testing.assert_array_equal(agents.play(env, one).pulls, agents.play(env, other).pulls)


def test_it_keeps_the_contract():
    agents.check_agent(agents.ForwardDiscountedLinUCB(discount=0.8))
