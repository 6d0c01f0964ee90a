"""scikit-learn's Gaussian process, beside ``GPUCB``, and its classifiers."""

import gymnasium
import numpy as np
import pytest

import agents
from banditgym.covariances import RBF, Linear, Matern
from leaderboards.peers import scikit_learn

pytestmark = pytest.mark.peers
COVARIANCES = [
    RBF(length_scale=0.3, variance=1.7),
    Matern(nu=0.5, length_scale=0.4, variance=0.6),
    Matern(nu=1.5, length_scale=0.4),
    Matern(nu=2.5, length_scale=0.4),
    Linear(variance=2.0),
]


@pytest.mark.parametrize("name", ["SklearnGPUCB", "SklearnEpsilonGreedy"])
def test_contract(check, name):
    check(getattr(scikit_learn, name))


@pytest.mark.parametrize(
    ("name", "family"), [("SklearnGPUCB", "kernelized"), ("SklearnEpsilonGreedy", "multiclass")]
)
def test_it_learns(share, name, family):
    assert share(getattr(scikit_learn, name)(), family) < 0.5


@pytest.mark.parametrize("covariance", COVARIANCES, ids=repr)
def test_gpucbs_posterior_is_theirs(covariance):
    """From the pulls of GPUCB, by the same kernel and noise; rewards are scaled by nobody."""
    envs = gymnasium.make_vec("KernelBandit-v0", num_envs=2, n_arms=12, dim=2, horizon=40)
    ours = agents.GPUCB(covariance=covariance, ridge=0.05)
    theirs = scikit_learn.SklearnGPUCB(covariance=covariance, noise_std=0.05**0.5, width=1.5)
    for agent in (ours, theirs):
        agent.reset(envs.unwrapped.task, n=2, seed=1)
    shown, _ = envs.reset(seed=1)
    for _ in range(40):
        arms = ours.act(shown)
        following, reward, *_ = envs.step(arms)
        for agent in (ours, theirs):
            agent.observe(shown, arms, reward)
        shown = following
    points = envs.unwrapped.task.arms
    for i, replica in enumerate(theirs.replicas):
        bound = replica.scores(points)
        mean, deviation = replica.process.predict(points, return_std=True)
        np.testing.assert_allclose(mean, ours.model.mean[i], atol=1e-9)
        np.testing.assert_allclose(deviation**2, 0.05 * ours.model.variance[i], atol=1e-9)
        np.testing.assert_allclose(bound, mean + 1.5 * deviation)
