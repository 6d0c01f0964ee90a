"""SlidingWindowLinUCB against its formula on the last observations."""

import math

import gymnasium
import numpy as np
import pytest

import agents

RIDGE, DELTA, WINDOW = 0.7, 0.03, 12


@pytest.mark.parametrize("radius", ["theory", 0.4])
@pytest.mark.parametrize(
    "given", [{}, {"noise_std": 0.05, "param_norm": 0.2}], ids=["told", "given"]
)
@pytest.mark.parametrize(
    ("dim", "n_arms", "fixed"), [(1, 3, False), (5, 4, False), (5, 3, True), (2, 5, True)]
)
def test_plays_the_largest_upper_bound(follow, dim, n_arms, fixed, radius, given):
    env = gymnasium.make_vec(
        "LinearBandit-v0", num_envs=3, dim=dim, n_arms=n_arms, fixed_arms=fixed, horizon=80,
        contexts="ball", feature_norm=2.0, param_norm=1.5, noise_std=0.3, noise="uniform",
    )  # fmt: skip
    task = env.unwrapped.task
    growth = dim * math.log((1 + WINDOW * 2.0**2 / RIDGE) / DELTA)
    noise = given.get("noise_std", task.subgaussian) * math.sqrt(growth)
    rho = radius if radius != "theory" else math.sqrt(RIDGE) * given.get("param_norm", 1.5) + noise

    def values(past, x, i):
        rows = np.array(past.features[-WINDOW:]).reshape(-1, dim)
        gram = RIDGE * np.eye(dim) + rows.T @ rows
        u = np.linalg.solve(gram, x.T)
        mean = u.T @ (rows.T @ np.array(past.rewards[-WINDOW:]))
        return mean + rho * np.sqrt(np.einsum("dk,kd->k", u, x))

    agent = agents.SlidingWindowLinUCB(
        window=WINDOW, ridge=RIDGE, delta=DELTA, radius=radius, **given
    )
    follow(agent, env, values=values, compare=lambda past, x, i: None, rounds=80)


def test_a_window_over_the_whole_episode_is_linucb():
    env = gymnasium.make_vec(  # lengths differ, so that no two arms tie before any data
        "LinearBandit-v0", num_envs=3, n_arms=5, dim=3, horizon=80, contexts="ball"
    )
    one = agents.play(env, agents.SlidingWindowLinUCB(window=80, radius=0.7, ridge=RIDGE))
    other = agents.play(env, agents.LinUCB(alpha=0.7, ridge=RIDGE))
    np.testing.assert_array_equal(one.pulls, other.pulls)


def test_the_radius_needs_bounded_features():
    env = gymnasium.make_vec("LinearBandit-v0", num_envs=2, contexts="gaussian")
    with pytest.raises(ValueError, match="SlidingWindowLinUCB.*(norm|bound)"):
        agents.play(env, agents.SlidingWindowLinUCB(), horizon=5)


@pytest.mark.parametrize(
    ("given", "named"),
    [
        ({"window": 0}, "window"),
        ({"ridge": 0.0}, "ridge"),
        ({"delta": 0.0}, "delta"),
        ({"noise_std": float("nan")}, "noise_std"),
        ({"param_norm": -0.1}, "param_norm"),
        ({"radius": "closed"}, "radius"),
    ],
)
def test_bad_hyperparameters_are_named_with_their_value(given, named):
    with pytest.raises(ValueError, match=f"{named}.*{next(iter(given.values()))}"):
        agents.SlidingWindowLinUCB(**given)


def test_it_keeps_the_contract():
    agents.check_agent(agents.SlidingWindowLinUCB(window=7))
