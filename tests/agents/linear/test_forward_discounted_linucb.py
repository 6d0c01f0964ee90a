"""ForwardDiscountedLinUCB against D-LinUCB's formula with the arm counted as played."""

import math

import gymnasium
import numpy as np
import pytest

import agents

RIDGE, DELTA, DISCOUNT = 0.7, 0.03, 0.9


@pytest.mark.parametrize("radius", ["theory", 0.4])
@pytest.mark.parametrize(
    ("dim", "n_arms", "fixed"), [(1, 3, False), (5, 4, False), (5, 3, True), (2, 5, True)]
)
def test_plays_the_largest_upper_bound(follow, dim, n_arms, fixed, radius):
    env = gymnasium.make_vec(
        "LinearBandit-v0", num_envs=3, dim=dim, n_arms=n_arms, fixed_arms=fixed, horizon=60,
        contexts="ball", feature_norm=2.0, param_norm=1.5, noise_std=0.3, noise="uniform",
    )  # fmt: skip
    noise_std = env.unwrapped.task.subgaussian
    agent = agents.ForwardDiscountedLinUCB(
        discount=DISCOUNT, ridge=RIDGE, delta=DELTA, radius=radius, param_norm=1.1
    )

    def values(past, x, i):
        rows = np.array(past.features).reshape(-1, dim)
        weight = DISCOUNT ** np.arange(len(past))[::-1]
        effective = (weight**2).sum()
        growth = dim * math.log(1 + 2.0**2 * effective / (RIDGE * dim))
        rho = math.sqrt(RIDGE) * 1.1 + noise_std * math.sqrt(2 * math.log(1 / DELTA) + growth)
        upper = []
        for v in x:
            gram = RIDGE * np.eye(dim) + (weight[:, None] * rows).T @ rows + np.outer(v, v)
            squared = RIDGE * np.eye(dim) + (weight[:, None] ** 2 * rows).T @ rows + np.outer(v, v)
            u = np.linalg.solve(gram, v)
            whole = rho + np.linalg.norm(v) * 1.1 if radius == "theory" else radius
            mean = u @ rows.T @ (weight * np.array(past.rewards))
            upper.append(mean + whole * math.sqrt(u @ squared @ u))
        return np.array(upper)

    follow(agent, env, values=values, compare=lambda past, x, i: None, rounds=60)


def test_without_discount_its_estimate_is_forward_ofuls():
    env = gymnasium.make_vec(  # lengths differ, so that no two arms tie before any data
        "LinearBandit-v0", num_envs=3, n_arms=5, dim=3, horizon=80, contexts="ball"
    )
    one = agents.ForwardDiscountedLinUCB(discount=1.0, radius=0.7, ridge=RIDGE)
    other = agents.ForwardOFUL(radius=0.7, ridge=RIDGE)
    np.testing.assert_array_equal(agents.play(env, one).pulls, agents.play(env, other).pulls)


def test_it_keeps_the_contract():
    agents.check_agent(agents.ForwardDiscountedLinUCB(discount=0.8))
