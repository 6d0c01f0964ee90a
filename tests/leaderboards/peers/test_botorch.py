"""BoTorch's Gaussian process, beside ``GPUCB``."""

import gymnasium
import numpy as np
import pytest

import agents
from banditgym.covariances import RBF, Linear, Matern

pytestmark = pytest.mark.peers
NAMES = ("BoTorchUCB", "BoTorchThompson")
COVARIANCES = [
    RBF(length_scale=0.3, variance=1.7),
    Matern(nu=0.5, length_scale=0.4, variance=0.6),
    Matern(nu=1.5, length_scale=0.4),
    Matern(nu=2.5, length_scale=0.4),
    Linear(variance=2.0),
]


@pytest.mark.parametrize("name", NAMES)
def test_contract(adapter, check, name):
    check(getattr(adapter("botorch"), name))


@pytest.mark.parametrize("name", NAMES)
def test_it_learns(adapter, share, name):
    assert share(getattr(adapter("botorch"), name)(), "kernelized") < 0.5


@pytest.mark.parametrize("covariance", COVARIANCES, ids=repr)
def test_gpucbs_posterior_is_theirs(adapter, covariance):
    """From the pulls of GPUCB, by the same kernel and noise; rewards are scaled by nobody."""
    botorch = adapter("botorch")
    envs = gymnasium.make_vec("KernelBandit-v0", num_envs=2, n_arms=12, dim=2, horizon=40)
    ours = agents.GPUCB(covariance=covariance, ridge=0.05)
    theirs = botorch.BoTorchUCB(covariance=covariance, noise_std=0.05**0.5, beta=2.25)
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
        with botorch.torch.no_grad():
            posterior = replica.process().posterior(botorch.torch.tensor(points))
            mean, variance = posterior.mean.numpy()[:, 0], posterior.variance.numpy()[:, 0]
        np.testing.assert_allclose(mean, ours.model.mean[i], atol=1e-9)
        np.testing.assert_allclose(variance, 0.05 * ours.model.variance[i], atol=1e-9)
        bound = replica.scores(points)
        np.testing.assert_allclose(bound, mean + 1.5 * np.sqrt(variance), atol=1e-12)


def test_thompson_sampling_draws_from_the_joint_posterior(adapter):
    """The draws' covariance is the posterior's, and torch's own state stays as it is."""
    botorch = adapter("botorch")
    task = gymnasium.make("KernelBandit-v0", n_arms=4, dim=1, horizon=5).unwrapped.task
    agent = botorch.BoTorchThompson(noise_std=0.5).reset(task, n=1, seed=4)
    replica, points = agent.replicas[0], task.arms
    for arm, reward in ((0, 1.0), (2, -0.5)):
        replica.learn(points, arm, reward)
    state = botorch.torch.get_rng_state()
    draws = np.array([replica.scores(points) for _ in range(400)])
    assert bool((botorch.torch.get_rng_state() == state).all())
    with botorch.torch.no_grad():
        posterior = replica.process().posterior(botorch.torch.tensor(points))
        expected = posterior.distribution.covariance_matrix.numpy()
    # Of 400 draws an entry has a standard deviation of at most sqrt(2 / 400) = 0.07 of variance 1.
    np.testing.assert_allclose(np.cov(draws.T), expected, atol=0.35)
    off = np.cov(draws.T)[np.triu_indices(4, 1)]
    assert np.corrcoef(off, expected[np.triu_indices(4, 1)])[0, 1] > 0.5
