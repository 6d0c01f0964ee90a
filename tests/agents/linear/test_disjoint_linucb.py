"""DisjointLinUCB with one arm is LinUCB; its hyperparameters."""

import gymnasium
import numpy as np
import pytest

import agents


def test_with_one_arm_it_is_linucb():
    env = gymnasium.make_vec("LinearBandit-v0", num_envs=4, n_arms=1, dim=3, horizon=60)
    one, other = agents.DisjointLinUCB(ridge=0.4), agents.LinUCB(ridge=0.4)
    agents.play(env, one)
    agents.play(env, other)
    x = np.random.default_rng(0).standard_normal((4, 3, 1))
    x.flags.writeable = False
    mean, variance = other.model.predict(x)
    solved = np.linalg.solve(one.gram[:, 0], x)[:, :, 0]
    of_its_own = np.einsum("ij,ij->i", x[:, :, 0], solved)
    np.testing.assert_allclose(mean[:, 0], (x[:, :, 0] * one.theta[:, 0]).sum(axis=1), rtol=1e-11)
    np.testing.assert_allclose(variance[:, 0], of_its_own, rtol=1e-11)


@pytest.mark.parametrize(
    ("given", "named"),
    [({"alpha": -1.0}, "alpha"), ({"alpha": float("nan")}, "alpha"), ({"ridge": 0.0}, "ridge")],
)
def test_bad_hyperparameters_are_named_with_their_value(given, named):
    with pytest.raises(ValueError, match=f"{named}.*{next(iter(given.values()))}"):
        agents.DisjointLinUCB(**given)
