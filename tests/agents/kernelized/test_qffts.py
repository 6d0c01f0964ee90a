"""QFF-TS: its choices by the law that it samples."""

import math

import numpy as np
import pytest

import agents
from banditgym.functions.covariances import RBF, Matern
from banditgym.tasks import KernelTask

ARMS = np.array([[0.1], [0.25], [0.7]])
PULLS, REWARDS = (0, 1, 1, 2, 0), (0.2, 0.9, 0.6, 0.4, 0.3)


def _task(**given):
    told = {
        "n_arms": 3, "dim": 1, "horizon": 99, "noise_std": 0.5, "subgaussian": 0.5,
        "covariance": RBF(variance=2.0, length_scale=0.3), "param_norm": 1.5, "arms": ARMS,
    }  # fmt: skip
    return KernelTask(**told | given)


@pytest.mark.parametrize(
    ("given", "factor", "scale"),
    [({}, 1, 0.5), ({"ridge": 0.7}, 2, math.sqrt(0.7)), ({"scale": 1.3}, 3, 1.3)],
    ids=["posterior", "ridge", "constant"],
)
def test_arms_are_played_as_often_as_the_posterior_says(exact, given, factor, scale):
    """With 24 nodes the features' kernel is the kernel to rounding, and their posterior the exact
    one, of which numpy draws 1e6 functions.

    The shares of 20 000 replicates have standard errors of at most 0.0036, those of the draws
    0.0005; five of both together are 0.018. Rewards are larger where the scale is, so that a scale
    10 % off moves some share by 0.025 to 0.032.
    """
    n, task, rewards = 20_000, _task(), factor * np.array(REWARDS)
    agent = agents.QFFTS(nodes=24, **given).reset(task, n=n, seed=5)
    nothing = np.zeros(n, int)
    for arm, reward in zip(PULLS, rewards, strict=True):
        agent.observe(nothing, np.full(n, arm), np.full(n, reward))
    pulled = ARMS[list(PULLS)]
    posterior = exact(ARMS, pulled, rewards, task.covariance, given.get("ridge", 0.25))
    draws = np.random.default_rng(1).multivariate_normal(
        posterior.mean, scale**2 * posterior.joint, size=10**6
    )
    expected = np.bincount(draws.argmax(axis=1), minlength=3) / 10**6
    played = np.bincount(agent.act(nothing), minlength=3) / n
    assert np.abs(played - expected).max() < 0.018


def test_nodes_matter(make_kernel_env):
    env = make_kernel_env("rbf", horizon=60)
    few, many = (agents.play(env, agents.QFFTS(nodes=k), seed=3).regret for k in (2, 12))
    assert (few[:, -1] != many[:, -1]).all()


@pytest.mark.parametrize(
    ("given", "told", "reason"),
    [
        ({}, {"covariance": Matern()}, "QFFTS.*RBF.*Matern"),
        ({}, {"dim": 20, "arms": np.zeros((3, 20))}, "QFFTS.*20 dimensions"),
    ],
)
def test_refusals(given, told, reason):
    with pytest.raises(ValueError, match=reason):
        agents.QFFTS(**given).reset(_task(**told))


@pytest.mark.parametrize(
    ("given", "named"),
    [({"nodes": 0}, "nodes"), ({"scale": -1.0}, "scale"), ({"scale": "wide"}, "scale")],
)
def test_bad_hyperparameters_are_named_with_their_value(given, named):
    with pytest.raises(ValueError, match=f"{named}.*{next(iter(given.values()))}"):
        agents.QFFTS(**given)
