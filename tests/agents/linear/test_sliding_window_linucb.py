"""SlidingWindowLinUCB with a window over all rounds is LinUCB; what it refuses."""

import gymnasium
import numpy as np
import pytest

import agents

RIDGE = 0.7


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
